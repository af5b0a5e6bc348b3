cargo run --release -- replay reports/failures/single-fenced-promise-overlap-client-clock-slow
