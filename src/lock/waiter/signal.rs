//! What a lock with a signal list sends: a text under the key, and a list that a release pushes one element to.
//!
//! Who waits blocks on the list over a connection of its own. Must not know what an answer leads to.
//!
//! **Source** python-redis-lock 4.0: GET, then SET NX EX, then BLPOP on `lock-signal:{name}`.

use crate::lock::Ttl;
use crate::name::Nonce;
use crate::resp::Command;
use crate::time::Span;
use bytes::Bytes;

use super::commands::{Task, eval, number, words};
use super::policy::{Signal, Unit};
use super::terms::Terms;

pub(super) fn command(terms: &Terms, policy: &Signal, task: Task, nonce: Nonce) -> Command {
    let (hold, list, nonce) = (terms.key(), terms.beside("signal"), nonce.to_bytes());
    match task {
        Task::Look | Task::Check => Command::new(words(["GET"]).chain([hold])),
        Task::Take { ttl, .. } => {
            let unit = match policy.unit {
                Unit::Ms => "PX",
                Unit::S => "EX",
            };
            let life = match ttl {
                Ttl::Never => None,
                Ttl::Of(ttl) => Some([Bytes::from_static(unit.as_bytes()), amount(policy.unit, ttl)]),
            };
            let head = words(["SET"]).chain([hold, nonce]).chain(words(["NX"]));
            Command::new(head.chain(life.into_iter().flatten()))
        }
        // A timeout in seconds; 0 has no end.
        Task::Pop { limit } => {
            let limit = limit.map_or(Bytes::from_static(b"0"), seconds);
            Command::new(words(["BLPOP"]).chain([list, limit]))
        }
        Task::GiveBack { .. } => eval(GIVE_BACK, [hold, list], [nonce, number(policy.signal.as_ms_floor())]),
        Task::Renew { ttl } => {
            let command = match policy.unit {
                Unit::Ms => "pexpire",
                Unit::S => "expire",
            };
            let Ttl::Of(ttl) = ttl else { unreachable!("what never ends is never renewed") };
            eval(RENEW, [hold], [nonce, command.into(), amount(policy.unit, ttl)])
        }
        Task::Listen | Task::Unlisten => unreachable!("nobody subscribes to a signal list"),
        Task::Leave => unreachable!("only the fair lock has a queue"),
    }
}

fn amount(unit: Unit, ttl: Span) -> Bytes {
    match unit {
        Unit::Ms => number(ttl.as_ms_floor()),
        Unit::S => number(ttl.as_ms_floor() / 1_000),
    }
}

/// Seconds with as many digits as it takes, rounded down to a millisecond, at least one.
fn seconds(span: Span) -> Bytes {
    let ms = span.as_ms_floor().max(1);
    match ms % 1_000 {
        0 => number(ms / 1_000),
        rest => Bytes::from(format!("{}.{rest:03}", ms / 1_000)),
    }
}

const GIVE_BACK: &str = include_str!("../scripts/signal_give_back.lua");
const RENEW: &str = include_str!("../scripts/signal_renew.lua");
