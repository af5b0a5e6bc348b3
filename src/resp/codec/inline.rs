//! The words of an inline command: spaces separate, quotes group, a NUL ends the line.
//!
//! `"…"` knows `\xHH`, `\n`, `\r`, `\t`, `\b`, `\a` and `\` before anything else; `'…'` knows only `\'`. A
//! closing quote must be followed by a space or the end. Source: Redis 7.0.15.

use bytes::Bytes;

/// The words, or `None` if the quotes do not balance.
pub(super) fn words(line: &[u8]) -> Option<Vec<Bytes>> {
    let mut reader = Reader { rest: line };
    let mut words = Vec::new();
    while let Some(word) = reader.word()? {
        words.push(word);
    }
    Some(words)
}

struct Reader<'l> {
    rest: &'l [u8],
}

impl Reader<'_> {
    /// The next byte, `None` at the end or at a NUL.
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied().filter(|byte| *byte != 0)
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.rest = &self.rest[1..];
        Some(byte)
    }

    /// Outer `None`: unbalanced. Inner `None`: no more words.
    fn word(&mut self) -> Option<Option<Bytes>> {
        while self.peek().is_some_and(is_space) {
            self.next();
        }
        if self.peek().is_none() {
            return Some(None);
        }
        let mut word = Vec::new();
        while let Some(byte) = self.next() {
            match byte {
                b'"' => {
                    self.double_quoted(&mut word)?;
                    break;
                }
                b'\'' => {
                    self.single_quoted(&mut word)?;
                    break;
                }
                _ if is_space(byte) => break,
                _ => word.push(byte),
            }
        }
        Some(Some(word.into()))
    }

    fn double_quoted(&mut self, word: &mut Vec<u8>) -> Option<()> {
        loop {
            match self.next()? {
                b'"' => return self.closed(),
                b'\\' => {
                    if let [b'x', high, low, ..] = *self.rest
                        && let (Some(high), Some(low)) = (hex(high), hex(low))
                    {
                        self.rest = &self.rest[3..];
                        word.push(high * 16 + low);
                        continue;
                    }
                    word.push(match self.next()? {
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        b'b' => 8,
                        b'a' => 7,
                        other => other,
                    });
                }
                byte => word.push(byte),
            }
        }
    }

    fn single_quoted(&mut self, word: &mut Vec<u8>) -> Option<()> {
        loop {
            match self.next()? {
                b'\'' => return self.closed(),
                b'\\' if self.peek() == Some(b'\'') => {
                    self.next();
                    word.push(b'\'');
                }
                byte => word.push(byte),
            }
        }
    }

    fn closed(&self) -> Option<()> {
        self.peek().is_none_or(is_space).then_some(())
    }
}

/// C's `isspace` in its plain locale.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}
