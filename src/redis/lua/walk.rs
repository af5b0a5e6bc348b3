//! Runs a straight script on the server's keys without the interpreter.
//!
//! Commands are executed by the same function as those of `redis.call`. Where a value or an error comes up whose
//! handling is Lua's, everything is as before and Lua runs the script from its beginning. Must never give a
//! reply that Lua would not give. Source: Lua 5.1, `lvm.c`; conversions as in `convert.rs`.

use super::super::change::Log;
use super::super::error::one_line;
use super::super::exec::Exec;
use super::super::keyspace::Keyspace;
use super::super::table::{Access, Spec};
use super::straight::{Arguments, Comparison, Held, Operand, Step, Straight, Then, Truth};
use super::turn::{self, Writes};
use super::{Job, convert, format};
use crate::resp::Reply;
use crate::resp::codec::Protocol;
use bytes::Bytes;

/// Runs the script, unless that is for Lua: then nothing is changed but that expired keys which the script
/// reads first may be gone, as they are after Lua has run.
pub(super) fn walk(
    straight: &Straight,
    writes: Writes,
    job: Job<'_>,
    keys: &mut Keyspace,
    log: &mut Log,
) -> Option<Reply> {
    if !is_small(job) {
        return None;
    }
    let (reported, published) = (log.changes.len(), log.published.len());
    let Job { wall, writer, standing, compat, audience, .. } = job;
    let mut walk = Walk {
        exec: Exec { keys, wall, writer, standing, compat, protocol: Protocol::Resp2, audience, log },
        job,
        writes,
        registers: vec![Held::Nil; straight.registers],
        words: Vec::with_capacity(WORDS),
        last_result: 0,
        read: 0,
        before: None,
    };
    let reply = walk.run(&straight.steps);
    if reply.is_none() && walk.exec.log.changes.len() > reported {
        let before = walk.before.take();
        let before = before.expect("a write that may not be the last thing done is prepared for");
        *walk.exec.keys = before.0;
        walk.exec.log.expired.truncate(before.1);
        walk.exec.log.changes.truncate(reported);
    }
    if reply.is_none() {
        walk.exec.log.published.truncate(published);
    }
    reply
}

/// Whether the script's arguments are far from any limit on memory.
fn is_small(job: Job<'_>) -> bool {
    let bytes = |words: &[Bytes]| words.iter().map(Bytes::len).sum::<usize>();
    job.keys.len() + job.argv.len() <= ARGUMENTS && bytes(job.keys) + bytes(job.argv) <= BYTES
}

struct Walk<'a> {
    job: Job<'a>,
    writes: Writes,
    exec: Exec<'a>,
    registers: Vec<Held>,
    words: Vec<Bytes>,
    /// Register of the reply of the last call.
    last_result: usize,
    /// Bytes of all replies.
    read: usize,
    /// The keys before the script's first write, and how many had expired, if anything can go wrong behind it.
    before: Option<(Keyspace, usize)>,
}

impl Walk<'_> {
    fn run(&mut self, steps: &[Step]) -> Option<Reply> {
        let mut at = 0;
        loop {
            let step = steps.get(at)?;
            at += 1;
            match step {
                Step::Copy { to, from } => self.registers[*to] = self.registers[*from].clone(),
                Step::Load { to, value, skip } => {
                    self.registers[*to] = value.clone();
                    at += skip;
                }
                Step::Clear { first, last } => {
                    (*first..=*last).for_each(|register| self.registers[register] = Held::Nil);
                }
                Step::Index { to, table, key } => {
                    self.registers[*to] = self.index(&self.registers[*table], self.value(key))?;
                }
                Step::Not { to, from } => {
                    let truth = is_true(&self.registers[*from]);
                    self.registers[*to] = Held::Boolean(truth == Truth::False);
                }
                Step::Length { to, from } => {
                    let length = self.length(&self.registers[*from])?;
                    self.registers[*to] = Held::Number(length as f64);
                }
                Step::Jump { by } => at += by,
                Step::Compare { how, left, right, wanted } => {
                    if compare(*how, self.value(left), self.value(right))? != *wanted {
                        at += 1;
                    }
                }
                Step::Test { from, to, wanted } => {
                    if is_true(&self.registers[*from]) != *wanted {
                        at += 1;
                    } else if let Some(to) = to {
                        self.registers[*to] = self.registers[*from].clone();
                    }
                }
                Step::Call { at, arguments, results, then } => {
                    let reply = self.call(*at, *arguments, *then)?;
                    if *results > 0 {
                        self.registers[*at] = reply;
                        (1..*results).for_each(|next| self.registers[at + next] = Held::Nil);
                    }
                    self.last_result = *at;
                }
                Step::TailCall { at, arguments } => {
                    let reply = self.call(*at, *arguments, Then::End)?;
                    return reply_of(&reply);
                }
                Step::Return { from } => {
                    return from.map_or(Some(Reply::Null), |from| reply_of(&self.registers[from]));
                }
            }
        }
    }

    fn value<'v>(&'v self, operand: &'v Operand) -> &'v Held {
        match operand {
            Operand::Register(at) => &self.registers[*at],
            Operand::Constant(value) => value,
        }
    }

    fn index(&self, table: &Held, key: &Held) -> Option<Held> {
        let word = |words: &[Bytes]| {
            let Held::Number(place) = key else { return None };
            let place = *place;
            let inside = place >= 1.0 && place <= words.len() as f64 && place.fract() == 0.0;
            Some(if inside { Held::Text(words[place as usize - 1].clone()) } else { Held::Nil })
        };
        match (table, key) {
            (Held::Keys, _) => word(self.job.keys),
            (Held::Argv, _) => word(self.job.argv),
            (Held::Library, Held::Text(name)) => {
                matches!(name.as_ref(), b"call" | b"pcall").then_some(Held::Call)
            }
            (
                Held::Nil
                | Held::Boolean(_)
                | Held::Number(_)
                | Held::Text(_)
                | Held::Status(_)
                | Held::Library
                | Held::Call,
                _,
            ) => None,
        }
    }

    fn length(&self, value: &Held) -> Option<usize> {
        match value {
            Held::Text(text) => Some(text.len()),
            Held::Keys => Some(self.job.keys.len()),
            Held::Argv => Some(self.job.argv.len()),
            Held::Nil | Held::Boolean(_) | Held::Number(_) | Held::Status(_) | Held::Library | Held::Call => {
                None
            }
        }
    }

    fn call(&mut self, at: usize, arguments: Arguments, then: Then) -> Option<Held> {
        let Held::Call = self.registers[at] else { return None };
        let last = match arguments {
            Arguments::Exactly(count) => at + count,
            Arguments::ToLastResult => self.last_result,
        };
        self.words.clear();
        for argument in self.registers.get(at + 1..=last)? {
            self.words.push(match argument {
                Held::Text(text) => text.clone(),
                Held::Number(number) => format::argument(*number, self.job.compat).into(),
                Held::Nil
                | Held::Boolean(_)
                | Held::Status(_)
                | Held::Library
                | Held::Call
                | Held::Keys
                | Held::Argv => return None,
            });
        }
        if self.words.is_empty() {
            return None;
        }
        let spec = turn::callable(&self.words, self.writes, self.job.compat).ok()?;
        if spec.access == Access::Write && self.before.is_none() && !(then == Then::End && counts(spec)) {
            self.before = Some((self.exec.keys.clone(), self.exec.log.expired.len()));
        }
        let reply = turn::call(spec, &mut self.exec, &self.words).ok()?;
        self.held(reply)
    }

    /// A reply as the script sees it.
    fn held(&mut self, reply: Reply) -> Option<Held> {
        let held = match reply {
            Reply::Int(number) => Held::Number(number as f64),
            Reply::Bulk(text) => Held::Text(text),
            Reply::Status(text) => Held::Status(text),
            Reply::Null | Reply::NullArray => Held::Boolean(false),
            Reply::Error(_)
            | Reply::Array(_)
            | Reply::Map(_)
            | Reply::Set(_)
            | Reply::Double(_)
            | Reply::Bool(_)
            | Reply::BigNumber(_)
            | Reply::Verbatim { .. }
            | Reply::Push(_)
            | Reply::Several(_) => return None,
        };
        if let Held::Text(text) | Held::Status(text) = &held {
            self.read += text.len();
        }
        (self.read <= BYTES).then_some(held)
    }
}

/// Whether the command answers with an integer whenever it has done anything.
fn counts(spec: &Spec) -> bool {
    matches!(spec.name, "del" | "unlink" | "expire" | "pexpire")
}

fn is_true(value: &Held) -> Truth {
    Truth::from(!matches!(value, Held::Nil | Held::Boolean(false)))
}

fn compare(how: Comparison, left: &Held, right: &Held) -> Option<Truth> {
    let truth = match (how, left, right) {
        (Comparison::Equal, left, right) => equal(left, right)?,
        (Comparison::Less, Held::Number(left), Held::Number(right)) => left < right,
        (Comparison::LessOrEqual, Held::Number(left), Held::Number(right)) => left <= right,
        (Comparison::Less | Comparison::LessOrEqual, _, _) => return None,
    };
    Some(truth.into())
}

/// Values of different types are different; tables and functions are left to Lua.
fn equal(left: &Held, right: &Held) -> Option<bool> {
    let plain =
        |value: &Held| matches!(value, Held::Nil | Held::Boolean(_) | Held::Number(_) | Held::Text(_));
    match (left, right) {
        (Held::Text(left), Held::Text(right)) => Some(left == right),
        (Held::Number(left), Held::Number(right)) => Some(left == right),
        (Held::Boolean(left), Held::Boolean(right)) => Some(left == right),
        (Held::Nil, Held::Nil) => Some(true),
        (left, right) if plain(left) || plain(right) => Some(false),
        (_, _) => None,
    }
}

/// The reply that a returned value stands for.
fn reply_of(value: &Held) -> Option<Reply> {
    Some(match value {
        Held::Nil | Held::Boolean(false) => Reply::Null,
        Held::Boolean(true) => Reply::Int(1),
        Held::Number(number) => Reply::Int(convert::truncated(*number)),
        Held::Text(text) => Reply::Bulk(text.clone()),
        Held::Status(text) => Reply::Status(one_line(text.to_vec())),
        Held::Library | Held::Call | Held::Keys | Held::Argv => return None,
    })
}

/// How many arguments a walked script may have.
const ARGUMENTS: usize = 256;
/// How many bytes its arguments, and again its replies, may take.
const BYTES: usize = 1 << 20;
/// Room for the words of most commands.
const WORDS: usize = 8;

#[cfg(test)]
mod tests;
