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

impl Nonce {
    const PREFIX: &'static str = "nonce-";
    const LENGTH: usize = 22;

    /// The bytes that stand for it in Redis.
    pub fn to_bytes(self) -> Bytes {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; Self::LENGTH];
        text[..6].copy_from_slice(Self::PREFIX.as_bytes());
        for (place, byte) in text[6..].iter_mut().enumerate() {
            *byte = DIGITS[(self.0 >> (60 - 4 * place)) as usize & 15];
        }
        Bytes::copy_from_slice(&text)
    }

    /// The nonce that these bytes stand for.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let digits = bytes.strip_prefix(Self::PREFIX.as_bytes())?;
        let lower = |b: &u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() != 16 || !digits.iter().all(lower) {
            return None;
        }
        u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok().map(Self)
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
