cargo run --release -- replay reports/failures/none-stale-write-without-faults
