cargo run --release -- replay reports/failures/single-promise-overlap-client-suspend
