cargo run --release -- replay reports/failures/single-fenced-fence-order-client-stop-node-clock-fast
