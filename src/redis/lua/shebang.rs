//! The first line of a script: `#!lua flags=no-writes,…`.
//!
//! Of the flags only `no-writes` changes anything in a server that is never full or stale. Source: Redis 7.0.15.

use super::super::error::CommandError;

/// What a script says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::redis) enum Declared {
    /// No first line: it is found out when it writes.
    Nothing,
    /// That it may write: it is refused before it runs where writes are.
    Writes,
    /// `no-writes`.
    NoWrites,
}

/// A script without its first line's directives. Line numbers stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shebang<'t> {
    pub(super) declared: Declared,
    pub(super) body: &'t [u8],
}

/// Reads the directives, if there are any.
///
/// # Errors
/// No end of line, another engine, an unknown option or flag.
pub(super) fn read(text: &[u8]) -> Result<Shebang<'_>, CommandError> {
    if !text.starts_with(b"#!") {
        return Ok(Shebang { declared: Declared::Nothing, body: text });
    }
    let end = text.iter().position(|byte| *byte == b'\n').ok_or(CommandError::InvalidShebang)?;
    let (line, body) = text.split_at(end);
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match words.next() {
        Some(b"#!lua") => {}
        Some(engine) => return Err(CommandError::shebang("Unexpected engine in script shebang", engine)),
        None => return Err(CommandError::InvalidShebang),
    }
    let mut declared = Declared::Writes;
    for word in words {
        let Some(flags) = word.strip_prefix(b"flags=") else {
            return Err(CommandError::shebang("Unknown lua shebang option", word));
        };
        for flag in flags.split(|byte| *byte == b',') {
            match flag {
                b"" if flags.is_empty() => {}
                b"no-writes" => declared = Declared::NoWrites,
                b"allow-oom" | b"allow-stale" | b"no-cluster" | b"allow-cross-slot-keys" => {}
                _ => return Err(CommandError::shebang("Unexpected flag in script shebang", flag)),
            }
        }
    }
    Ok(Shebang { declared, body })
}
