cargo run --release -- replay reports/failures/single-promise-overlap-eviction
