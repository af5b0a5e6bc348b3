//! The contract between a lock core and whatever drives it: the simulator, the model checker, a real client.
//!
//! Must not know any protocol. Inputs are facts, outputs are duties of the driver or outcomes for the caller.

use crate::canon::Canon;
use crate::name::{ClientId, Nonce, Operation, VoterId, Worker};
use crate::resp::{Command, Reply};
use crate::time::{ClockKind, MonoTime, Now, Span, WallTime};
use bytes::Bytes;
use std::fmt::Debug;
use std::hash::Hash;

use super::policy::Basis;

/// A lock algorithm as a pure state machine.
pub trait LockCore: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// Takes one fact at the process's present and appends what follows from it, in order.
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>);

    /// Visits every stored time, nonce, id and statistic. `client` names the process for process-local ids.
    fn canonical(&mut self, client: ClientId, canon: &mut Canon);

    /// What the core promises and needs; constant over its life.
    fn describe(&self) -> CoreTraits;

    /// Who does what is done with this lock.
    fn hand(&self) -> Hand {
        Hand::World
    }

    /// Whether the scenario's workload is what its holders do.
    fn knows_its_holders(&self) -> bool {
        true
    }

    /// Whether what is stored under the lock key counts as a hold taken with `nonce`: unless a lock says otherwise, if
    /// it is a string, that of the nonce.
    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        match stored {
            Stored::Text(text) => nonce.to_bytes() == *text,
            Stored::Hash(_) | Stored::Other => false,
        }
    }

    /// How many holds taken with `nonce` are stored under the lock key: more than 1 only where a holder may acquire
    /// again.
    fn holds(&self, nonce: Nonce, stored: &Stored) -> u32 {
        u32::from(self.backs(nonce, stored))
    }
}

/// Who does what is done with a lock: calls it, works, writes, and sends what it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hand {
    /// The world, as its workload says; its core says what to send.
    World,
    /// Code outside of the world, which says what it does.
    Outside,
}

/// What a node stores under the lock key, as far as a core can tell a hold by it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stored {
    /// A string.
    Text(Bytes),
    /// A hash: pairs of field and value, ascending by field.
    Hash(Vec<(Bytes, Bytes)>),
    /// A value of another type, which is nobody's hold.
    Other,
}

impl Stored {
    /// Whether both are holds of the same: counts of a hash may differ.
    pub fn has_owners_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Hash(one), Self::Hash(other)) => {
                one.iter().map(|(field, _)| field).eq(other.iter().map(|(field, _)| field))
            }
            (Self::Text(_) | Self::Hash(_) | Self::Other, _) => self == other,
        }
    }
}

/// A caller inside one process; callers may share a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caller(pub u8);

/// A request of one core, numbered by the core from 1; unique among those not yet answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u32);

/// Which of the client's connections to one voter; 0 is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u8);

/// How long a key shall live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ttl {
    /// No expiry.
    Never,
    /// This long, in whole milliseconds; a remainder is rounded down.
    Of(Span),
}

/// Randomness as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Draw {
    /// A nonce that nobody else has.
    pub nonce: Nonce,
    /// A fraction of 2^32 for delays: `span * jitter >> 32`, rounded down.
    pub jitter: u32,
}

/// The end of a promise, on the clock that the core declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// Up to, not including, this monotonic reading.
    #[serde(rename = "mono_us")]
    Mono(MonoTime),
    /// Up to, not including, this wall-clock reading.
    #[serde(rename = "wall_us")]
    Wall(WallTime),
    /// Until the holder releases.
    Released,
    /// Until the holder is told of a loss, or releases.
    Lost,
    /// Whoever holds did not say: no promise begins. Only code outside of the world leaves it open.
    Untold,
}

/// A fact.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The caller wants the lock.
    Acquire {
        /// Who.
        caller: Caller,
        /// The life asked for.
        ttl: Ttl,
        /// Nonce and jitter for the first attempt.
        draw: Draw,
    },
    /// A request was answered in time.
    Reply {
        /// Which.
        request: RequestId,
        /// The answer, possibly an error reply.
        reply: Reply,
    },
    /// A request will not be answered in time; it may have taken or still take effect.
    Unknown {
        /// Which.
        request: RequestId,
        /// Why.
        why: UnknownReason,
    },
    /// The answer to a request that had already become unknown. For information.
    Late {
        /// Which.
        request: RequestId,
        /// The answer.
        reply: Reply,
    },
    /// A connection changed. For information: a request on it is answered on its own.
    Link {
        /// The voter.
        voter: VoterId,
        /// The connection.
        connection: ConnectionId,
        /// What became of it.
        state: LinkState,
    },
    /// A pub/sub message.
    Push {
        /// From which voter.
        voter: VoterId,
        /// What.
        message: Reply,
    },
    /// A wake that was asked for is due.
    Wake {
        /// Which.
        reason: WakeReason,
        /// Nonce and jitter for what follows.
        draw: Draw,
    },
    /// The caller wants its hold prolonged to `ttl` from this moment.
    Extend {
        /// Who.
        caller: Caller,
        /// The new life.
        ttl: Ttl,
    },
    /// The caller wants to know whether the voters still carry its hold.
    Check {
        /// Who.
        caller: Caller,
    },
    /// The caller gives its hold back.
    Release {
        /// Who.
        caller: Caller,
    },
    /// The caller gives up its acquire in progress.
    Cancel {
        /// Who.
        caller: Caller,
    },
}

/// A duty of the driver, or an outcome for the caller.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// Send the command and answer exactly once, within `limit` of the process's monotonic clock, with
    /// [`Input::Reply`] or [`Input::Unknown`]. A connection that is down is opened first, inside the limit.
    Send {
        /// The core's name for it.
        request: RequestId,
        /// To whom.
        voter: VoterId,
        /// Over which connection.
        connection: ConnectionId,
        /// What.
        command: Command,
        /// How long to wait for the answer.
        limit: Span,
        /// What it is part of; names the message.
        label: Label,
    },
    /// Open the connection if it is not open; the result comes as [`Input::Link`].
    Connect {
        /// To whom.
        voter: VoterId,
        /// Which connection.
        connection: ConnectionId,
    },
    /// Give [`Input::Wake`] once the monotonic clock has reached `at`. Replaces the pending wake of the same
    /// reason.
    Wake {
        /// When.
        at: MonoTime,
        /// Why.
        reason: WakeReason,
    },
    /// Forget the pending wake of this reason.
    Quiet {
        /// Which.
        reason: WakeReason,
    },
    /// A new attempt to acquire began. For names and records.
    Attempt {
        /// Counts attempts over the incarnation, from 1.
        number: u32,
    },
    /// The caller has the lock.
    Granted {
        /// Who.
        caller: Caller,
        /// The value that proves it.
        nonce: Nonce,
        /// How long.
        until: Until,
        /// The fence, of a fenced lock.
        fence: Option<i64>,
    },
    /// The call of acquire ended without the lock.
    Refused {
        /// Who.
        caller: Caller,
        /// Why.
        why: RefuseReason,
    },
    /// The hold was prolonged.
    Extended {
        /// Who.
        caller: Caller,
        /// The new end; replaces the old.
        until: Until,
    },
    /// The hold was not prolonged.
    ExtendFailed {
        /// Who.
        caller: Caller,
        /// Why.
        why: ExtendFailure,
        /// What the core still believes, if anything.
        still: Option<Until>,
    },
    /// The look at the hold ended. It changes no promise.
    Checked {
        /// Who.
        caller: Caller,
        /// What it found.
        found: Found,
    },
    /// The call of release ended.
    Released {
        /// Who.
        caller: Caller,
        /// How.
        how: Released,
    },
    /// The holder is told that its hold is gone or cannot be trusted.
    Lost {
        /// Who.
        caller: Caller,
        /// Why.
        why: LossReason,
    },
}

/// What a command is part of. With the command's own name it names the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// Whose work it is: a paused worker neither sends nor handles the answer.
    pub worker: Worker,
    /// What for.
    pub operation: Operation,
    /// Counts operations of this kind over the incarnation, from 1; for acquire the attempt.
    pub number: u32,
    /// Counts sends of this command within the operation to this voter, from 1.
    pub occurrence: u8,
}

/// Why a request became unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnknownReason {
    /// The connection could not be opened: the command was never sent.
    NotSent,
    /// The connection broke after the command was sent.
    Disconnected,
    /// The limit passed.
    TimedOut,
}

/// What became of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkState {
    /// Open.
    Up,
    /// Could not be opened.
    Refused,
    /// Was open and broke.
    Reset,
}

/// Why a core asked to be woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WakeReason {
    /// The next attempt is due.
    Retry,
    /// The watchdog's renewal is due.
    Renew,
}

/// Why an acquire call ended without a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefuseReason {
    /// Definite: even if every unknown request had succeeded there would be no quorum.
    Taken,
    /// A quorum may or may not have been written.
    Unknown,
    /// A quorum was won but no validity was left.
    TooLate,
    /// An error reply ended the call.
    Error,
    /// The caller gave up.
    Cancelled,
    /// The caller already holds, or already asks.
    Misuse,
}

/// Why an extension failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtendFailure {
    /// Too few voters still carry the hold.
    Gone,
    /// Too few voters answered.
    Unknown,
    /// A quorum was extended but no validity was left.
    TooLate,
    /// The caller holds nothing.
    NotHeld,
    /// This hold is never prolonged, or a call to prolong it is already open.
    Misuse,
}

/// What a look at one's own hold found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// A quorum carries it.
    Held,
    /// Too few voters carry it.
    Gone,
    /// Too few answers to know.
    Unknown,
}

/// How a release ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Released {
    /// A quorum confirmed the removal.
    Confirmed,
    /// Too few answers to know.
    Unknown,
    /// A quorum answered that the hold was not there.
    NotOwned,
}

/// Why a hold is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossReason {
    /// A renewal found the key missing or foreign at too many voters.
    Gone,
    /// The promised end passed without a successful renewal.
    Expired,
    /// An extension failed, and the library takes that for a loss.
    Unrenewed,
    /// The lock says so and gives no reason. Only code outside of the world does.
    Unsaid,
}

/// What a core promises and needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CoreTraits {
    /// The protocol's name, such as `redlock`.
    pub protocol: &'static str,
    /// The keys it touches in Redis.
    pub keys: Vec<LockKey>,
    /// How many voters it asks; 0 for a lock that asks nobody.
    pub voters: u8,
    /// How many of them must agree; 0 for a lock that asks nobody.
    pub quorum: u8,
    /// The life of its keys.
    pub ttl: Ttl,
    /// The clock of `until`.
    pub clock: ClockKind,
    /// What `until` rests on; nothing where only whoever holds says until when.
    pub basis: Option<Basis>,
    /// Whether grants carry fences.
    pub fenced: bool,
    /// Whether grants follow the order in which calls came to its voter.
    pub fifo: bool,
    /// Whether a holder may acquire again.
    pub reentrant: bool,
    /// Whether its grants are shared: compatible with those of all other clients whose grants are.
    pub shared: bool,
    /// Whether it matters which voter is which (serial asking).
    pub ordered_voters: bool,
    /// How often it renews by itself.
    pub renewal: Option<Span>,
    /// The limit of one request.
    pub node_timeout: Span,
    /// The longest that one call of acquire can take on a true clock; [`CoreTraits::ENDLESS`] where nobody knows.
    pub call_max: Span,
}

impl CoreTraits {
    /// A call without a bound: what rests on the longest call is not judged.
    pub const ENDLESS: Span = Span(1 << 52);
}

/// A key in Redis and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LockKey {
    /// The key.
    pub key: Bytes,
    /// What it holds.
    pub role: KeyRole,
}

/// What a key of a lock holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyRole {
    /// The hold itself.
    Hold,
    /// The fence counter: meant to outlive every hold.
    Fence,
    /// What the keys begin with that keep the answer of one release each.
    Latch,
    /// Who waits, or what tells them: nobody's hold.
    Queue,
}

impl WakeReason {
    /// The worker whose wake it is.
    pub fn worker(self) -> Worker {
        match self {
            Self::Retry => Worker::User,
            Self::Renew => Worker::Watchdog,
        }
    }
}
