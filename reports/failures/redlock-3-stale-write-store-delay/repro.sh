cargo run --release -- replay reports/failures/redlock-3-stale-write-store-delay
