//! What Lua's own compiler made of a script, read back from its dump.
//!
//! Only dumps that this process has just made are read, so nothing is checked beyond what reading needs. Must
//! not judge what the instructions do: see `straight.rs`. Source: Lua 5.1, `lundump.c` and `ldump.c`.

use bytes::Bytes;

/// A main function without functions inside it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Listing {
    pub(super) code: Vec<Instruction>,
    pub(super) constants: Vec<Constant>,
    /// How many registers the function uses.
    pub(super) registers: usize,
}

/// A constant of a function.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Nil,
    Boolean(bool),
    Number(f64),
    Text(Bytes),
}

/// One instruction: six bits of operation, then the fields A (8), C (9) and B (9), or A and Bx (18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instruction(u32);

impl Instruction {
    pub(super) fn operation(self) -> u32 {
        self.0 & 0x3F
    }

    pub(super) fn a(self) -> usize {
        (self.0 >> 6 & 0xFF) as usize
    }

    pub(super) fn b(self) -> usize {
        (self.0 >> 23) as usize
    }

    pub(super) fn c(self) -> usize {
        (self.0 >> 14 & 0x1FF) as usize
    }

    pub(super) fn bx(self) -> usize {
        (self.0 >> 14) as usize
    }

    /// How far a jump goes, if it goes forward: the field counts from the middle of its range.
    pub(super) fn forward(self) -> Option<usize> {
        self.bx().checked_sub(0x1_FFFF)
    }
}

/// Reads a dump; `None` if it has functions inside it, or was made for another machine than expected.
pub(super) fn read(dump: &[u8]) -> Option<Listing> {
    let mut rest = dump.strip_prefix(HEADER)?;
    let rest = &mut rest;
    text(rest)?;
    // The lines where it begins and ends, the number of upvalues, of parameters, and whether it takes more.
    take(rest, 4 + 4 + 1 + 1 + 1)?;
    let registers = usize::from(take(rest, 1)?[0]);
    let code = (0..count(rest)?).map(|_| number(rest).map(Instruction)).collect::<Option<_>>()?;
    let constants = (0..count(rest)?).map(|_| constant(rest)).collect::<Option<_>>()?;
    (count(rest)? == 0).then_some(Listing { code, constants, registers })
}

fn take<'d>(rest: &mut &'d [u8], bytes: usize) -> Option<&'d [u8]> {
    let (taken, left) = rest.split_at_checked(bytes)?;
    *rest = left;
    Some(taken)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    take(rest, 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn count(rest: &mut &[u8]) -> Option<usize> {
    usize::try_from(number(rest)?).ok()
}

/// A text with its length, which counts a zero at its end; a length of zero means none.
fn text(rest: &mut &[u8]) -> Option<Bytes> {
    let length = usize::try_from(u64::from_le_bytes(take(rest, 8)?.try_into().ok()?)).ok()?;
    let text = take(rest, length)?;
    Some(Bytes::copy_from_slice(text.split_last().map_or(&[], |(_, text)| text)))
}

fn constant(rest: &mut &[u8]) -> Option<Constant> {
    match take(rest, 1)?[0] {
        0 => Some(Constant::Nil),
        1 => Some(Constant::Boolean(take(rest, 1)?[0] != 0)),
        3 => Some(Constant::Number(f64::from_le_bytes(take(rest, 8)?.try_into().ok()?))),
        4 => text(rest).map(Constant::Text),
        _ => None,
    }
}

/// Version 5.1, official format, little-endian, `int` of 4 bytes, `size_t` of 8, instructions of 4, numbers of 8
/// that are floating.
const HEADER: &[u8] = b"\x1bLua\x51\x00\x01\x04\x08\x04\x08\x00";
