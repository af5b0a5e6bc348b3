cargo run --release -- replay reports/failures/single-replicated-stale-write-eviction
