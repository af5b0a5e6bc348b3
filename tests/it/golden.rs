//! The digests that every machine must agree on, one per scenario, in `tests/golden/digests.toml`.
//!
//! Must not change the file unless `FENCEPOST_BLESS=1` asks for it.

use libtest_mimic::{Conclusion, Failed};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

/// The known digests, and those found in this run.
#[derive(Debug)]
pub(crate) struct Golden {
    known: BTreeMap<String, String>,
    found: Mutex<BTreeMap<String, String>>,
    bless: bool,
}

fn path() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "golden", "digests.toml"].iter().collect()
}

impl Golden {
    pub(crate) fn open() -> Self {
        let text = std::fs::read_to_string(path()).unwrap_or_default();
        let known = toml::from_str(&text).expect("a table of names and digests");
        let bless = std::env::var_os("FENCEPOST_BLESS").is_some_and(|value| value == "1");
        Self { known, found: Mutex::default(), bless }
    }

    /// Compares a digest with the known one, or takes note of it.
    pub(crate) fn check(&self, name: &str, digest: u64) -> Result<(), String> {
        let digest = format!("{digest:016x}");
        if self.bless {
            self.found.lock().expect("no test panics with it").insert(name.to_owned(), digest);
            return Ok(());
        }
        match self.known.get(name) {
            Some(known) if *known == digest => Ok(()),
            Some(known) => Err(format!(
                "the digest is {digest} and was {known}: the run changed. If that is meant, see CONTRIBUTING.md, \
                 Golden digests"
            )),
            None => Err("no golden digest: see CONTRIBUTING.md, Golden digests".to_owned()),
        }
    }

    /// Digests of scenarios that no longer exist are a mistake.
    pub(crate) fn check_names(&self, names: &[&str]) -> Result<(), Failed> {
        let left: Vec<&String> = self.known.keys().filter(|name| !names.contains(&name.as_str())).collect();
        if self.bless || left.is_empty() {
            Ok(())
        } else {
            Err(format!("no such scenarios: {left:?}").into())
        }
    }

    /// Writes what was found, if that was asked for and every test passed.
    pub(crate) fn save(&self, conclusion: &Conclusion) {
        let found = self.found.lock().expect("no test panics with it");
        if !self.bless || conclusion.has_failed() || found.is_empty() {
            return;
        }
        // A filtered run renews only the digests of its own scenarios.
        let mut all = if conclusion.num_filtered_out == 0 { BTreeMap::new() } else { self.known.clone() };
        all.extend(found.clone());
        // A name with a dot in it is a key only in quotes.
        let key = |name: &str| if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() };
        let line = |(name, digest): (&String, &String)| format!("{} = \"{digest}\"\n", key(name));
        let lines: String = all.iter().map(line).collect();
        let head = "# The digest of every scenario at its own seed. Written by FENCEPOST_BLESS=1, see CONTRIBUTING.md.\n";
        std::fs::write(path(), format!("{head}{lines}")).expect("a writable folder");
    }
}
