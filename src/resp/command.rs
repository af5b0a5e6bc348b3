//! A command: a name and its arguments, all byte strings.

use bytes::Bytes;
use std::sync::Arc;

/// A Redis command. Cloning is cheap: the words are shared.
///
/// **Shape** word 0 is the command's name in any case; never empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Command(Arc<[Bytes]>);

impl Command {
    /// A command of these words.
    ///
    /// # Panics
    /// If there is no word at all: a command has a name.
    pub fn new(words: impl IntoIterator<Item = Bytes>) -> Self {
        let words: Arc<[Bytes]> = words.into_iter().collect();
        assert!(!words.is_empty(), "a command has at least its name");
        Self(words)
    }

    /// All words, the name first.
    pub fn words(&self) -> &[Bytes] {
        &self.0
    }

    /// The name as it was sent.
    pub fn name(&self) -> &Bytes {
        &self.0[0]
    }

    /// The words after the name.
    pub fn args(&self) -> &[Bytes] {
        &self.0[1..]
    }

    /// Rewrites every word in place; shares nothing with other clones afterwards.
    pub fn rewrite(&mut self, mut each: impl FnMut(&mut Bytes)) {
        let mut words = self.0.to_vec();
        words.iter_mut().for_each(&mut each);
        self.0 = words.into();
    }
}
