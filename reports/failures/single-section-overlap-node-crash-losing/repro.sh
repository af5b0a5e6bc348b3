cargo run --release -- replay reports/failures/single-section-overlap-node-crash-losing
