//! What a fair lock sends: scripts over the hold, a list of those who wait, and a sorted set of when each is given up.
//!
//! Who waits is told on a channel of its own. Must not know what an answer leads to.

use crate::name::Nonce;
use crate::resp::Command;
use bytes::Bytes;

use super::commands::{Task, eval, holds, latch_key, latch_life, life, number, place_ms, words};
use super::policy::{Bound, Fair, Present};
use super::terms::Terms;

pub(super) fn command(terms: &Terms, policy: &Fair, task: Task, nonce: Nonce) -> Command {
    let place = place_ms(terms.policy().wait, policy.place);
    let (hold, queue, times) = (terms.key(), terms.beside("queue"), terms.beside("times"));
    let channel = || terms.beside_of("channel", nonce);
    let present = |now_ms| match policy.present {
        Present::Client => number(now_ms),
        Present::Server => Bytes::new(),
    };
    match task {
        Task::Take { ttl, now_ms, waits } => {
            let place = if waits { number(place) } else { Bytes::new() };
            let bound = match policy.bound {
                Bound::Score => Bytes::from_static(b"score"),
                Bound::Pttl => Bytes::from_static(b"pttl"),
            };
            let arguments = [present(now_ms), nonce.to_bytes(), life(ttl), place, bound];
            eval(TAKE, [hold, queue, times], arguments)
        }
        Task::GiveBack { number: release, now_ms, ttl } => {
            let mut prefix = terms.beside("channel").to_vec();
            prefix.push(b':');
            let keys = [hold, queue, times, latch_key(terms, nonce, release)];
            let latch = latch_life(terms, policy.latch, release);
            eval(GIVE_BACK, keys, [present(now_ms), nonce.to_bytes(), prefix.into(), latch, life(ttl)])
        }
        Task::Leave => eval(LEAVE, [queue, times], [nonce.to_bytes(), number(place)]),
        Task::Renew { ttl } => {
            eval(super::read_write::RENEW_HASH, [hold], [nonce.to_bytes(), "pexpire".into(), life(ttl)])
        }
        Task::Listen => Command::new(words(["SUBSCRIBE"]).chain([channel()])),
        Task::Unlisten => Command::new(words(["UNSUBSCRIBE"]).chain([channel()])),
        Task::Look | Task::Check => holds(terms, nonce),
        Task::Pop { .. } => unreachable!("only the signal list is blocked on"),
    }
}

const TAKE: &str =
    concat!(include_str!("../scripts/fair_present.lua"), include_str!("../scripts/fair_take.lua"));
const GIVE_BACK: &str =
    concat!(include_str!("../scripts/fair_present.lua"), include_str!("../scripts/fair_give_back.lua"));
const LEAVE: &str = include_str!("../scripts/fair_leave.lua");
