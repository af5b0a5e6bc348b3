cargo run --release -- replay reports/failures/single-fenced-fence-order-eviction
