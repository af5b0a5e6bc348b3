cargo run --release -- replay reports/failures/none-section-overlap-without-faults
