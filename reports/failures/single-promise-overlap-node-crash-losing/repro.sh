cargo run --release -- replay reports/failures/single-promise-overlap-node-crash-losing
