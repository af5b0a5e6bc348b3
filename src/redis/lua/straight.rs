//! Scripts that only go forward: no loop, no function, nothing but commands, comparisons and a result.
//!
//! Nearly every script of a lock is one. Lua compiles it as ever; if each instruction is one of those below, the
//! script can be run without the interpreter (`walk.rs`), which takes a fraction of the time and leaves no
//! garbage. Any other script, and any run that leaves what is known here, is Lua's. So this decides how fast a
//! script runs, never what it does. Source: Lua 5.1, `lopcodes.h` and `lvm.c`.

use super::bytecode::{Constant, Instruction, Listing};
use bytes::Bytes;

/// A script that can be walked. Every register named is there, every jump lands inside.
#[derive(Clone, Debug)]
pub(super) struct Straight {
    /// One per instruction of Lua's.
    pub(super) steps: Vec<Step>,
    pub(super) registers: usize,
}

/// What a register holds.
#[derive(Clone, Debug)]
pub(super) enum Held {
    Nil,
    Boolean(bool),
    Number(f64),
    Text(Bytes),
    /// The table that a status reply becomes.
    Status(Bytes),
    /// The library `redis`.
    Library,
    /// `redis.call` or `redis.pcall`: they differ in errors only.
    Call,
    Keys,
    Argv,
}

/// A register or a constant.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Register(usize),
    Constant(Held),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Less,
    LessOrEqual,
}

/// How many words a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    Exactly(usize),
    /// Up to and with the result of the call before.
    ToLastResult,
}

/// What follows a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Steps that may leave what is known here.
    Steps,
    /// The end: nothing can go wrong between a call that went well and the result.
    End,
}

/// One instruction.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Copy {
        to: usize,
        from: usize,
    },
    Load {
        to: usize,
        value: Held,
        skip: usize,
    },
    Clear {
        first: usize,
        last: usize,
    },
    Index {
        to: usize,
        table: usize,
        key: Operand,
    },
    Not {
        to: usize,
        from: usize,
    },
    Length {
        to: usize,
        from: usize,
    },
    Jump {
        by: usize,
    },
    /// Skips the jump behind it unless the comparison comes out as `wanted`.
    Compare {
        how: Comparison,
        left: Operand,
        right: Operand,
        wanted: Truth,
    },
    /// Skips the jump behind it unless the value is as true as `wanted`; else copies it too.
    Test {
        from: usize,
        to: Option<usize>,
        wanted: Truth,
    },
    /// `results` is how many registers the results take, the first being the reply.
    Call {
        at: usize,
        arguments: Arguments,
        results: usize,
        then: Then,
    },
    /// Returns the reply.
    TailCall {
        at: usize,
        arguments: Arguments,
    },
    Return {
        from: Option<usize>,
    },
}

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    True,
    False,
}

impl From<bool> for Truth {
    fn from(truth: bool) -> Self {
        if truth { Self::True } else { Self::False }
    }
}

/// The script as steps, if it is straight.
pub(super) fn straighten(listing: &Listing) -> Option<Straight> {
    if listing.code.len() > STEPS {
        return None;
    }
    let reader = Reader { listing };
    let mut steps = Vec::with_capacity(listing.code.len());
    for (at, instruction) in listing.code.iter().enumerate() {
        steps.push(reader.step(at, *instruction)?);
    }
    for at in 0..steps.len() {
        let ends = ends_behind(&steps, at);
        if let Step::Call { then, .. } = &mut steps[at]
            && ends
        {
            *then = Then::End;
        }
    }
    Some(Straight { steps, registers: listing.registers })
}

/// Whether nothing but a constant or the reply of the call at this step is returned right behind it.
fn ends_behind(steps: &[Step], at: usize) -> bool {
    let Some(Step::Call { at: reply, .. }) = steps.get(at) else { return false };
    match (steps.get(at + 1), steps.get(at + 2)) {
        (Some(Step::Return { from: None }), _) => true,
        (Some(Step::Return { from: Some(from) }), _) => from == reply,
        (Some(Step::Load { to, value, skip: 0 }), Some(Step::Return { from: Some(from) })) => {
            let plain = matches!(value, Held::Nil | Held::Boolean(_) | Held::Number(_) | Held::Text(_));
            to == from && plain
        }
        (Some(_) | None, _) => false,
    }
}

struct Reader<'l> {
    listing: &'l Listing,
}

impl Reader<'_> {
    fn step(&self, at: usize, instruction: Instruction) -> Option<Step> {
        let (a, b, c) = (instruction.a(), instruction.b(), instruction.c());
        let compare = |how| {
            let (left, right) = (self.operand(b)?, self.operand(c)?);
            Some(Step::Compare { how, left, right, wanted: (a != 0).into() })
        };
        Some(match instruction.operation() {
            0 => Step::Copy { to: self.register(a)?, from: self.register(b)? },
            1 => Step::Load { to: self.register(a)?, value: self.constant(instruction.bx())?, skip: 0 },
            2 => {
                let skip = usize::from(c != 0);
                self.lands(at, skip)?;
                Step::Load { to: self.register(a)?, value: Held::Boolean(b != 0), skip }
            }
            3 => Step::Clear { first: self.register(a)?, last: self.register(b)? },
            5 => Step::Load { to: self.register(a)?, value: self.global(instruction.bx())?, skip: 0 },
            6 => Step::Index { to: self.register(a)?, table: self.register(b)?, key: self.operand(c)? },
            19 => Step::Not { to: self.register(a)?, from: self.register(b)? },
            20 => Step::Length { to: self.register(a)?, from: self.register(b)? },
            22 => {
                let by = instruction.forward()?;
                self.lands(at, by)?;
                Step::Jump { by }
            }
            23 => compare(Comparison::Equal)?,
            24 => compare(Comparison::Less)?,
            25 => compare(Comparison::LessOrEqual)?,
            26 => Step::Test { from: self.register(a)?, to: None, wanted: (c != 0).into() },
            27 => {
                let to = Some(self.register(a)?);
                Step::Test { from: self.register(b)?, to, wanted: (c != 0).into() }
            }
            28 => {
                // A count of zero results means all of them: a command has one.
                let results = c.checked_sub(1).unwrap_or(1);
                self.register(a + results.saturating_sub(1))?;
                Step::Call { at: a, arguments: self.arguments(a, b)?, results, then: Then::Steps }
            }
            29 => Step::TailCall { at: a, arguments: self.arguments(a, b)? },
            30 if b == 1 => Step::Return { from: None },
            30 => Step::Return { from: Some(self.register(a)?) },
            _ => return None,
        })
    }

    fn register(&self, at: usize) -> Option<usize> {
        (at < self.listing.registers).then_some(at)
    }

    fn constant(&self, at: usize) -> Option<Held> {
        Some(match self.listing.constants.get(at)? {
            Constant::Nil => Held::Nil,
            Constant::Boolean(truth) => Held::Boolean(*truth),
            Constant::Number(number) => Held::Number(*number),
            Constant::Text(text) => Held::Text(text.clone()),
        })
    }

    /// A register below 256, a constant from there on.
    fn operand(&self, at: usize) -> Option<Operand> {
        match at.checked_sub(256) {
            None => self.register(at).map(Operand::Register),
            Some(at) => self.constant(at).map(Operand::Constant),
        }
    }

    fn global(&self, at: usize) -> Option<Held> {
        let Constant::Text(name) = self.listing.constants.get(at)? else { return None };
        match name.as_ref() {
            b"redis" => Some(Held::Library),
            b"KEYS" => Some(Held::Keys),
            b"ARGV" => Some(Held::Argv),
            _ => None,
        }
    }

    /// The field counts the function itself; zero means up to the last result.
    fn arguments(&self, at: usize, field: usize) -> Option<Arguments> {
        self.register(at)?;
        let Some(count) = field.checked_sub(1) else { return Some(Arguments::ToLastResult) };
        self.register(at + count)?;
        Some(Arguments::Exactly(count))
    }

    fn lands(&self, at: usize, skip: usize) -> Option<()> {
        (at + 1 + skip < self.listing.code.len()).then_some(())
    }
}

/// Longest script walked: far below any limit on instructions.
const STEPS: usize = 1_000;
