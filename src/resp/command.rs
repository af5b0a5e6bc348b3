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

    /// Puts another word in the place of every word for which `each` says one, first to last. Other clones keep
    /// theirs; where nothing changes the words stay shared.
    pub fn replace(&mut self, mut each: impl FnMut(&Bytes) -> Option<Bytes>) {
        for place in 0..self.0.len() {
            if let Some(word) = each(&self.0[place]) {
                Arc::make_mut(&mut self.0)[place] = word;
            }
        }
    }
}
