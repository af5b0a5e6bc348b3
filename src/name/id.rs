//! Small identities: nonces, calls of acquire, grants.

use super::ClientId;
use bytes::Bytes;
use std::fmt;

/// A value meant to prove ownership of a key.
///
/// **Shape** in Redis and in every text it is `nonce-` and 16 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nonce(pub u64);

/// One call of acquire. Values in a node are tagged with the call that wrote them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId {
    /// Who called.
    pub client: ClientId,
    /// Counts the client's calls over the whole run, all incarnations, from 1.
    pub number: u32,
}

/// A won attempt. Numbered by decision over the whole run, from 1: a smaller number is an older grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct GrantId(pub u32);

/// The texts of the smallest nonces, which are all that a canonical state has: they need no memory of their own.
static TEXTS: [[u8; Nonce::LENGTH]; 64] = {
    let mut texts = [[0; Nonce::LENGTH]; 64];
    let mut number = 0;
    while number < texts.len() {
        texts[number] = Nonce::text(number as u64);
        number += 1;
    }
    texts
};

impl Nonce {
    /// The one value that nobody draws, for a policy under which it is everybody's. No renaming touches it, because
    /// it is part of the policy and not of a state.
    pub const CONSTANT: Self = Self(u64::MAX);

    const PREFIX: &'static str = "nonce-";
    const LENGTH: usize = 22;

    /// The bytes that stand for it in Redis.
    pub fn to_bytes(self) -> Bytes {
        match TEXTS.get(self.0 as usize) {
            Some(text) if self.0 < TEXTS.len() as u64 => Bytes::from_static(text),
            Some(_) | None => Bytes::copy_from_slice(&Self::text(self.0)),
        }
    }

    const fn text(number: u64) -> [u8; Self::LENGTH] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = *b"nonce-0000000000000000";
        let mut place = Self::PREFIX.len();
        while place < Self::LENGTH {
            let shift = 4 * (Self::LENGTH - 1 - place) as u32;
            text[place] = DIGITS[(number >> shift) as usize & 15];
            place += 1;
        }
        text
    }

    /// The nonce that these bytes stand for.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let digits = bytes.strip_prefix(Self::PREFIX.as_bytes())?;
        if digits.len() != 16 {
            return None;
        }
        let digit = |byte: &u8| match byte {
            b'0'..=b'9' => Some(u64::from(byte - b'0')),
            b'a'..=b'f' => Some(u64::from(byte - b'a') + 10),
            _ => None,
        };
        digits.iter().try_fold(0, |sum, byte| Some(sum << 4 | digit(byte)?)).map(Self)
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:016x}", Self::PREFIX, self.0)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} call {}", self.client, self.number)
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grant {}", self.0)
    }
}
