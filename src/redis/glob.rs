//! Patterns of channels: `*`, `?`, `[…]`, `\`.
//!
//! Bytes are compared as they are. Must not take time that grows with the power of the stars.
//! Source: Redis 7.0.15, PSUBSCRIBE, whose oddities are kept: nothing but the empty pattern is an empty name, and a
//! class that is not closed ends with the pattern.

/// Whether the pattern stands for the whole name.
pub(super) fn matches(pattern: &[u8], name: &[u8]) -> bool {
    if name.is_empty() {
        return pattern.is_empty();
    }
    let (mut pattern, mut name) = (pattern, name);
    // Behind the last star: what must follow, and from where on it may.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        if let Some(rest) = pattern.strip_prefix(b"*") {
            pattern = rest;
            if pattern.is_empty() {
                return true;
            }
            star = Some((pattern, name));
            continue;
        }
        let Some((byte, left)) = name.split_first() else { return pattern.is_empty() };
        match (one(pattern, *byte), star) {
            (Some(rest), _) => (pattern, name) = (rest, left),
            (None, Some((behind, [_, from @ ..]))) => {
                (pattern, name) = (behind, from);
                star = Some((behind, from));
            }
            (None, Some((_, [])) | None) => return false,
        }
    }
}

/// What follows the first part of the pattern, if that stands for this byte.
fn one(pattern: &[u8], byte: u8) -> Option<&[u8]> {
    match pattern {
        [] => None,
        [b'?', rest @ ..] => Some(rest),
        [b'[', class @ ..] => one_of(class, byte),
        [b'\\', wanted, rest @ ..] | [wanted, rest @ ..] => (*wanted == byte).then_some(rest),
    }
}

/// The same of a class behind its bracket. Bytes of a range are signed.
fn one_of(class: &[u8], byte: u8) -> Option<&[u8]> {
    let (wanted, mut class) = class.strip_prefix(b"^").map_or((true, class), |rest| (false, rest));
    let mut inside = false;
    let rest = loop {
        class = match class {
            [] => break class,
            [b']', rest @ ..] => break rest,
            [b'\\', member, rest @ ..] => {
                inside |= *member == byte;
                rest
            }
            [one, b'-', other, rest @ ..] => {
                let (one, other) = (*one as i8, *other as i8);
                inside |= (one.min(other)..=one.max(other)).contains(&(byte as i8));
                rest
            }
            [member, rest @ ..] => {
                inside |= *member == byte;
                rest
            }
        };
    };
    (inside == wanted).then_some(rest)
}
