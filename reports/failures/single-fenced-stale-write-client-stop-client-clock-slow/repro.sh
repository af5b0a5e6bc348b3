cargo run --release -- replay reports/failures/single-fenced-stale-write-client-stop-client-clock-slow
