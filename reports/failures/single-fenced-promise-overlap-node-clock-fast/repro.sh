cargo run --release -- replay reports/failures/single-fenced-promise-overlap-node-clock-fast
