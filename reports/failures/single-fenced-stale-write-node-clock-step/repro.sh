cargo run --release -- replay reports/failures/single-fenced-stale-write-node-clock-step
