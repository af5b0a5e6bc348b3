cargo run --release -- replay reports/failures/single-extended-section-overlap-node-crash-losing
