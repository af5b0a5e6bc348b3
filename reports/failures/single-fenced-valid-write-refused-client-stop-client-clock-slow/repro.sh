cargo run --release -- replay reports/failures/single-fenced-valid-write-refused-client-stop-client-clock-slow
