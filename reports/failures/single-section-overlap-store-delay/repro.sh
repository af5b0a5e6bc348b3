cargo run --release -- replay reports/failures/single-section-overlap-store-delay
