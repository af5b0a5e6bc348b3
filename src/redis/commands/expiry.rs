//! Commands on deadlines: EXPIRE, PEXPIRE, EXPIREAT, PEXPIREAT, TTL, PTTL, PERSIST.
//!
//! A deadline that is not in the future deletes the key at once (`deadline <= now`), although a key whose
//! deadline *is* now would still be alive: two different operators. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::Exec;
use super::super::number;
use crate::resp::Reply;
use crate::time::UnixMs;
use bytes::Bytes;

/// EXPIRE: seconds from now.
pub(in crate::redis) fn expire(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let base = exec.now().0;
    set_expiry(exec, args, "expire", Unit::Seconds, base)
}

/// PEXPIRE: milliseconds from now.
pub(in crate::redis) fn pexpire(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let base = exec.now().0;
    set_expiry(exec, args, "pexpire", Unit::Millis, base)
}

/// EXPIREAT: Unix seconds.
pub(in crate::redis) fn expireat(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    set_expiry(exec, args, "expireat", Unit::Seconds, 0)
}

/// PEXPIREAT: Unix milliseconds.
pub(in crate::redis) fn pexpireat(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    set_expiry(exec, args, "pexpireat", Unit::Millis, 0)
}

/// TTL: seconds, rounded half up; -1 without a deadline, -2 without a key.
pub(in crate::redis) fn ttl(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let left = millis_left(exec, &args[0]);
    Ok(Reply::Int(left.map_or_else(|none| none, |ms| ms.saturating_add(500) / 1_000)))
}

/// PTTL: milliseconds; -1 without a deadline, -2 without a key.
pub(in crate::redis) fn pttl(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(Reply::Int(millis_left(exec, &args[0]).unwrap_or_else(|none| none)))
}

/// PERSIST: 1 if a deadline was removed.
pub(in crate::redis) fn persist(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let key = &args[0];
    let had = exec.live(key).is_some_and(|slot| slot.deadline.is_some());
    if had {
        exec.set_deadline(key, None);
    }
    Ok(Reply::Int(i64::from(had)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Seconds,
    Millis,
}

/// NX, XX, GT, LT, any of which may be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Conditions {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
}

impl Conditions {
    fn read(words: &[Bytes]) -> Result<Self, CommandError> {
        let mut read = Self::default();
        for word in words {
            let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
            if is("nx") {
                read.nx = true;
            } else if is("xx") {
                read.xx = true;
            } else if is("gt") {
                read.gt = true;
            } else if is("lt") {
                read.lt = true;
            } else {
                return Err(CommandError::unsupported_option(word));
            }
        }
        if read.nx && (read.xx || read.gt || read.lt) {
            return Err(CommandError::NxWithOther);
        }
        if read.gt && read.lt {
            return Err(CommandError::GtWithLt);
        }
        Ok(read)
    }

    /// No deadline counts as infinitely late.
    fn hold(self, current: Option<UnixMs>, new: UnixMs) -> bool {
        let nx = !self.nx || current.is_none();
        let xx = !self.xx || current.is_some();
        let gt = !self.gt || current.is_some_and(|current| new > current);
        let lt = !self.lt || current.is_none_or(|current| new < current);
        nx && xx && gt && lt
    }
}

fn set_expiry(
    exec: &mut Exec<'_>,
    args: &[Bytes],
    name: &'static str,
    unit: Unit,
    base: i64,
) -> Result<Reply, CommandError> {
    let key = &args[0];
    let conditions = Conditions::read(&args[2..])?;
    let number = number::integer(&args[1])?;
    let millis = match unit {
        Unit::Seconds => number.checked_mul(1_000),
        Unit::Millis => Some(number),
    };
    let when = millis.and_then(|ms| ms.checked_add(base)).ok_or(CommandError::InvalidExpire(name))?;
    let when = UnixMs(when);
    let Some(slot) = exec.live(key) else { return Ok(Reply::Int(0)) };
    if !conditions.hold(slot.deadline, when) {
        return Ok(Reply::Int(0));
    }
    if when <= exec.now() {
        exec.remove(key);
    } else {
        exec.set_deadline(key, Some(when));
    }
    Ok(Reply::Int(1))
}

/// What is left of a key's life, or the reply if it has no end (-1) or is missing (-2).
fn millis_left(exec: &mut Exec<'_>, key: &[u8]) -> Result<i64, i64> {
    let now = exec.now();
    let slot = exec.live(key).ok_or(-2)?;
    let deadline = slot.deadline.ok_or(-1)?;
    Ok(deadline.0.saturating_sub(now.0).max(0))
}
