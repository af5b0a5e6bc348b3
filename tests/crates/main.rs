//! Published lock crates run unmodified, and what was seen repeats: each find is a schedule that is kept.
//!
//! `examples/crates.rs` makes the report from the same adapters. Must not judge a crate by what no run shows.

mod adapters;

use adapters::ALL;

#[test]
fn calm() {
    for published in ALL {
        let code = published.code_in(published.frame);
        let (scenario, result) = code.run_seed(1);
        println!("{} {:?} {:x} {:?}", published.name, result.ending, result.digest, result.outcomes);
        if std::env::var("SHOW").is_ok() {
            for rec in &result.records {
                println!("{:>9} {:10} {:?}", rec.at.0, rec.process.to_string(), rec.fact);
            }
        }
        let t = std::time::Instant::now();
        for s in 0..20 {
            code.run_seed(s);
        }
        println!("{:?} per run, {}", t.elapsed() / 40, scenario.name);
    }
}
