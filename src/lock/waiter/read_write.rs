//! What a read-write lock sends: scripts over one hash with a mode and a count for each holder, and a key for each hold
//! of a reader.
//!
//! All who wait are told on one channel. Must not know what an answer leads to.

use crate::name::Nonce;
use crate::resp::Command;
use bytes::Bytes;

use super::commands::{Task, eval, holds, latch_key, latch_life, life, words};
use super::policy::{ReadWrite, ReaderLife, Side, WriterLife};
use super::terms::Terms;

pub(super) fn command(terms: &Terms, policy: &ReadWrite, task: Task, nonce: Nonce) -> Command {
    let (hold, owner) = (terms.key(), nonce.to_bytes());
    // The names of a reader's own keys: this, then the count of the hold.
    let own = || {
        let mut own = terms.beside_of("reader", nonce).to_vec();
        own.push(b':');
        Bytes::from(own)
    };
    let reader_life = match policy.reader_life {
        ReaderLife::Longest => Bytes::from_static(b"longest"),
        ReaderLife::Own => Bytes::from_static(b"own"),
    };
    match (task, policy.side) {
        (Task::Take { ttl, .. }, Side::Read) => {
            eval(READ_TAKE, [hold, own()], [owner, life(ttl), reader_life])
        }
        (Task::Take { ttl, .. }, Side::Write) => {
            let word = match policy.writer_life {
                WriterLife::Add => Bytes::from_static(b"add"),
                WriterLife::Reset => Bytes::from_static(b"reset"),
            };
            eval(WRITE_TAKE, [hold], [owner, life(ttl), word])
        }
        (Task::GiveBack { number: release, ttl, .. }, side) => {
            let latch = latch_key(terms, nonce, release);
            let (channel, kept) = (terms.beside("channel"), latch_life(terms, policy.latch, release));
            match side {
                Side::Read => {
                    let mut all = terms.beside("reader").to_vec();
                    all.push(b':');
                    let arguments = [owner, channel, kept, reader_life, life(ttl)];
                    eval(READ_GIVE_BACK, [hold, all.into(), latch], arguments)
                }
                Side::Write => eval(WRITE_GIVE_BACK, [hold, latch], [owner, channel, kept, life(ttl)]),
            }
        }
        (Task::Renew { ttl }, Side::Read) => eval(READ_RENEW, [hold, own()], [owner, life(ttl)]),
        (Task::Renew { ttl }, Side::Write) => eval(RENEW_HASH, [hold], [owner, "pexpire".into(), life(ttl)]),
        (Task::Listen, _) => Command::new(words(["SUBSCRIBE"]).chain([terms.beside("channel")])),
        (Task::Unlisten, _) => Command::new(words(["UNSUBSCRIBE"]).chain([terms.beside("channel")])),
        (Task::Look | Task::Check, _) => holds(terms, nonce),
        (Task::Pop { .. }, _) => unreachable!("only the signal list is blocked on"),
        (Task::Leave, _) => unreachable!("only the fair lock has a queue"),
    }
}

/// Prolongs what an owner of a hash holds.
pub(super) const RENEW_HASH: &str = include_str!("../scripts/hold_renew.lua");
const READ_TAKE: &str = include_str!("../scripts/read_take.lua");
const READ_GIVE_BACK: &str = include_str!("../scripts/read_give_back.lua");
const READ_RENEW: &str = include_str!("../scripts/read_renew.lua");
const WRITE_TAKE: &str = include_str!("../scripts/write_take.lua");
const WRITE_GIVE_BACK: &str = include_str!("../scripts/write_give_back.lua");
