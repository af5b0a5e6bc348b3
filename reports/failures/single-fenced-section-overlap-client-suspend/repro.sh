cargo run --release -- replay reports/failures/single-fenced-section-overlap-client-suspend
