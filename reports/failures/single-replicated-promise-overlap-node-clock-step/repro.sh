cargo run --release -- replay reports/failures/single-replicated-promise-overlap-node-clock-step
