cargo run --release -- replay reports/failures/single-fenced-fence-order-client-stop-client-clock-slow
