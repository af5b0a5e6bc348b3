cargo run --release -- replay reports/failures/single-fenced-section-overlap-node-clock-fast
