cargo run --release -- replay reports/failures/single-extended-promise-overlap-eviction
