//! What a key can hold.
//!
//! Must not know deadlines or writers: those belong to the key.

use super::items::Items;
use super::members::Members;
use super::scored::Scored;
use crate::canon::Canon;
use bytes::Bytes;

/// A value of one of Redis' types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A byte string. Numbers are their decimal text.
    String(Bytes),
    /// A hash; never empty, because a hash whose last field goes is deleted.
    Hash(Fields),
    /// A list; never empty, as all that follow.
    List(Items),
    /// A set.
    Set(Members),
    /// A sorted set.
    Scored(Scored),
}

/// The fields of a hash.
///
/// **Shape** pairs of field and value, ascending by field, each field once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Fields(Vec<(Bytes, Bytes)>);

impl Value {
    /// The name that TYPE answers.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::String(_) => "string",
            Self::Hash(_) => "hash",
            Self::List(_) => "list",
            Self::Set(_) => "set",
            Self::Scored(_) => "zset",
        }
    }

    /// Visits every text that may be a nonce; the value with new texts, if any changes.
    pub(super) fn renamed(&self, canon: &mut Canon) -> Option<Self> {
        match self {
            Self::String(text) => canon.renamed(text).map(Self::String),
            Self::Hash(_) | Self::List(_) | Self::Set(_) | Self::Scored(_) => {
                let mut renamed = self.clone();
                renamed.canonical(canon);
                (renamed != *self).then_some(renamed)
            }
        }
    }

    /// Visits every text that may be a nonce.
    pub(super) fn canonical(&mut self, canon: &mut Canon) {
        match self {
            Self::String(text) => canon.bytes(text),
            Self::Hash(fields) => fields.rewrite(|bytes| canon.bytes(bytes)),
            Self::List(items) => items.iter_mut().for_each(|item| canon.bytes(item)),
            Self::Set(members) => members.rewrite(|bytes| canon.bytes(bytes)),
            Self::Scored(scored) => scored.rewrite(|bytes| canon.bytes(bytes)),
        }
    }
}

impl Fields {
    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none; true only while a command is at work.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a field.
    pub fn of(&self, field: &[u8]) -> Option<&Bytes> {
        self.place(field).ok().map(|at| &self.0[at].1)
    }

    /// All fields with their values, ascending by field.
    pub fn iter(&self) -> impl Iterator<Item = (&Bytes, &Bytes)> {
        self.0.iter().map(|(field, value)| (field, value))
    }

    /// Sets a field; true if it was not there before.
    pub(super) fn insert(&mut self, field: Bytes, value: Bytes) -> bool {
        match self.place(&field) {
            Ok(at) => {
                self.0[at].1 = value;
                false
            }
            Err(at) => {
                self.0.insert(at, (field, value));
                true
            }
        }
    }

    /// Removes a field; true if it was there.
    pub(super) fn remove(&mut self, field: &[u8]) -> bool {
        self.place(field).map(|at| self.0.remove(at)).is_ok()
    }

    /// Rewrites every field name and value, and sorts again.
    fn rewrite(&mut self, mut each: impl FnMut(&mut Bytes)) {
        for (field, value) in &mut self.0 {
            each(field);
            each(value);
        }
        self.0.sort();
    }

    fn place(&self, field: &[u8]) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_ref().cmp(field))
    }
}
