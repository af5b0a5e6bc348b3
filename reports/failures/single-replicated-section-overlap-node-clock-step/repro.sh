cargo run --release -- replay reports/failures/single-replicated-section-overlap-node-clock-step
