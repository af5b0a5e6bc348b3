cargo run --release -- replay reports/failures/single-replicated-stale-write-client-clock-slow
