cargo run --release -- replay reports/failures/single-stale-write-eviction
