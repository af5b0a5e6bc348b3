cargo run --release -- replay reports/failures/redlock-3-section-overlap-node-clock-fast
