//! The options of SET: `[NX|XX] [GET] [EX s|PX ms|EXAT s|PXAT ms|KEEPTTL]`, any order, any case. Newer servers also
//! know `IFEQ value` beside NX and XX.
//!
//! Repeating an option is legal and the last value counts; two different ones of a group are a syntax error.
//! Must not touch keys. Source: Redis 7.0.15; IFEQ: Redis 8.4 and Valkey 8.1.

use super::super::error::CommandError;
use super::super::exec::Deadline;
use super::super::node::Compat;
use super::super::number;
use crate::time::UnixMs;
use bytes::Bytes;

/// What SET was asked to do besides setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SetOptions {
    pub(super) condition: Condition,
    pub(super) old_value: OldValue,
    expiry: Expiry,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Always,
    /// NX
    IfMissing,
    /// XX
    IfThere,
    /// IFEQ
    IfEqual(Bytes),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OldValue {
    Ignored,
    /// GET
    Answered,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expiry {
    Clear,
    Keep,
    Set(ExpiryForm, Bytes),
}

/// How an expiry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpiryForm {
    Ex,
    Px,
    Exat,
    Pxat,
}

impl SetOptions {
    /// # Errors
    /// A syntax error; numbers are not looked at yet.
    pub(super) fn read(words: &[Bytes], compat: Compat) -> Result<Self, CommandError> {
        let mut read =
            Self { condition: Condition::Always, old_value: OldValue::Ignored, expiry: Expiry::Clear };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
            if is("nx") {
                read.condition = read.condition.also(Condition::IfMissing)?;
            } else if is("xx") {
                read.condition = read.condition.also(Condition::IfThere)?;
            } else if is("ifeq") && compat.compares() {
                let wanted = words.next().ok_or(CommandError::Syntax)?;
                read.condition = read.condition.also(Condition::IfEqual(wanted.clone()))?;
            } else if is("get") {
                read.old_value = OldValue::Answered;
            } else if is("keepttl") {
                match read.expiry {
                    Expiry::Clear | Expiry::Keep => read.expiry = Expiry::Keep,
                    Expiry::Set(..) => return Err(CommandError::Syntax),
                }
            } else {
                let form = ExpiryForm::named(word).ok_or(CommandError::Syntax)?;
                let number = words.next().ok_or(CommandError::Syntax)?;
                match &read.expiry {
                    Expiry::Keep => return Err(CommandError::Syntax),
                    Expiry::Set(other, _) if *other != form => return Err(CommandError::Syntax),
                    Expiry::Clear | Expiry::Set(..) => read.expiry = Expiry::Set(form, number.clone()),
                }
            }
        }
        Ok(read)
    }

    /// What becomes of the deadline if the key is set at `now`.
    ///
    /// # Errors
    /// Not a strict integer; not positive, or beyond 64 bits as absolute milliseconds.
    pub(super) fn deadline(&self, now: UnixMs) -> Result<Deadline, CommandError> {
        let (form, number) = match &self.expiry {
            Expiry::Clear => return Ok(Deadline::Clear),
            Expiry::Keep => return Ok(Deadline::Keep),
            Expiry::Set(form, number) => (*form, number),
        };
        lifetime("set", form, number, now)
    }
}

/// The deadline that a command sets with this number at `now`.
///
/// # Errors
/// As [`SetOptions::deadline`].
pub(super) fn lifetime(
    command: &'static str,
    form: ExpiryForm,
    number: &[u8],
    now: UnixMs,
) -> Result<Deadline, CommandError> {
    let number = number::integer(number)?;
    let invalid = CommandError::InvalidExpire(command);
    if number <= 0 {
        return Err(invalid);
    }
    let when = match form {
        ExpiryForm::Ex => number.checked_mul(1_000).and_then(|ms| ms.checked_add(now.0)),
        ExpiryForm::Px => number.checked_add(now.0),
        ExpiryForm::Exat => number.checked_mul(1_000),
        ExpiryForm::Pxat => Some(number),
    };
    match when {
        Some(when) if when > 0 => Ok(Deadline::At(UnixMs(when))),
        Some(_) | None => Err(invalid),
    }
}

impl Condition {
    fn also(&self, other: Self) -> Result<Self, CommandError> {
        let alike = match (self, &other) {
            (Self::Always, _) | (Self::IfEqual(_), Self::IfEqual(_)) => true,
            (Self::IfMissing | Self::IfThere | Self::IfEqual(_), _) => *self == other,
        };
        if alike { Ok(other) } else { Err(CommandError::Syntax) }
    }
}

impl ExpiryForm {
    fn named(word: &[u8]) -> Option<Self> {
        let forms = [("ex", Self::Ex), ("px", Self::Px), ("exat", Self::Exat), ("pxat", Self::Pxat)];
        forms.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())).map(|(_, form)| *form)
    }
}
