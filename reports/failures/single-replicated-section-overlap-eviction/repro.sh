cargo run --release -- replay reports/failures/single-replicated-section-overlap-eviction
