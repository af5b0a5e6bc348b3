cargo run --release -- replay reports/failures/redlock-3-promise-overlap-node-crash-losing
