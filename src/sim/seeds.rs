//! A range of seeds, and how it is written: `0..10000`.
//!
//! Must not say what is done with it.

use std::str::FromStr;

/// Seeds from one on, up to another that is not among them. Never empty; all below 2^53.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seeds {
    from: u64,
    to: u64,
}

/// Why a text is no range of seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedsError {
    /// It is not two numbers with `..` between them.
    #[error("a range of seeds is two numbers, like 0..10000 (the second is not included)")]
    Shape,
    /// One of the two is no number.
    #[error("`{0}` is no number: a range of seeds is like 0..10000")]
    Number(String),
    /// There is no seed in it.
    #[error("{from}..{to} holds no seed: the second number is not included and must be larger")]
    Empty {
        /// The first number.
        from: u64,
        /// The second.
        to: u64,
    },
    /// It goes beyond the seeds that there are.
    #[error("seeds are below 2^53 (9007199254740992), so that every JSON reader can hold them")]
    TooLarge,
}

impl Seeds {
    /// No seed is this large.
    pub const LIMIT: u64 = 1 << 53;

    /// The seeds from `from` on, below `to`.
    ///
    /// # Errors
    /// There are none, or one is too large.
    pub fn new(from: u64, to: u64) -> Result<Self, SeedsError> {
        if from >= to {
            return Err(SeedsError::Empty { from, to });
        }
        if to > Self::LIMIT {
            return Err(SeedsError::TooLarge);
        }
        Ok(Self { from, to })
    }

    /// The first.
    pub fn from(self) -> u64 {
        self.from
    }

    /// The first that is no longer among them.
    pub fn to(self) -> u64 {
        self.to
    }

    /// How many there are.
    pub fn count(self) -> u64 {
        self.to - self.from
    }
}

impl FromStr for Seeds {
    type Err = SeedsError;

    /// `_` may stand between digits, as in scenario files.
    fn from_str(text: &str) -> Result<Self, SeedsError> {
        let (from, to) = text.split_once("..").ok_or(SeedsError::Shape)?;
        Self::new(number(from)?, number(to)?)
    }
}

impl std::fmt::Display for Seeds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.from, self.to)
    }
}

fn number(text: &str) -> Result<u64, SeedsError> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(SeedsError::Number(text.to_owned()));
    }
    // Digits that do not fit are a number, and a large one.
    digits.parse().map_err(|_| SeedsError::TooLarge)
}
