cargo run --release -- replay reports/failures/single-replicated-promise-overlap-client-clock-slow
