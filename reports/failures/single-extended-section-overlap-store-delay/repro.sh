cargo run --release -- replay reports/failures/single-extended-section-overlap-store-delay
