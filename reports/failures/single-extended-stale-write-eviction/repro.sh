cargo run --release -- replay reports/failures/single-extended-stale-write-eviction
