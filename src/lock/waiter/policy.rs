//! The switches of locks whose callers wait to be woken: `fair`, `read-write` and `signal`.
//!
//! There is no `Default`: every shape has a specification of ours to start from, and what its library does. Must not
//! run anything.

use crate::lock::Ttl;
use crate::lock::policy::{Basis, Drift, NonceLife, OnLoss, Renewal, Soundness, Validity};
use crate::time::{ClockKind, Span};

/// The whole policy of one client's lock of such a shape.
///
/// **Units** spans are microseconds; Redis sees whole milliseconds, rounded down, or whole seconds if the shape says so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WaiterPolicy {
    /// Which lock, with the switches that only it has.
    pub shape: Shape,
    /// The life of a hold.
    pub ttl: Ttl,
    /// How long the node may take to answer.
    pub node_timeout: Span,
    /// How long one call of acquire waits.
    pub wait: Patience,
    /// How long one nonce is used: for a call or for the life of the handle.
    pub nonce: NonceLife,
    /// What the promised end rests on.
    pub basis: Basis,
    /// Subtracted from the life when the promise is computed.
    pub drift: Drift,
    /// Whether a lock that was got with no validity left is refused.
    pub validity: Validity,
    /// The clock of the promise and of the caller's patience.
    pub clock: ClockKind,
    /// Whether the library prolongs by itself.
    pub renewal: Renewal,
    /// What the watchdog does after a renewal that was not answered.
    pub after_error: AfterError,
    /// Whether the holder is told of a lost hold.
    pub on_loss: OnLoss,
    /// What becomes of an acquiring command whose answer is missing.
    pub on_doubt: OnDoubt,
    /// How often a release is sent again when its answer is missing.
    pub release_retries: u8,
}

/// Which lock whose callers wait.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Callers stand in a queue, and the first of it is served.
    Fair(Fair),
    /// Readers share, a writer is alone.
    ReadWrite(ReadWrite),
    /// Callers block on a list that a release pushes to.
    Signal(Signal),
}

/// The switches of the fair lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fair {
    /// How long a place in the queue is kept for a caller that does not come back, beyond what it has to wait for
    /// those before it. A call that waits for a limited time asks for that time instead.
    pub place: Span,
    /// Whose clock tells when a place is given up.
    pub present: Present,
    /// What bounds the sleep of a caller in the queue.
    pub bound: Bound,
    /// What a caller that gives up does with its place.
    pub quitting: Quitting,
    /// Whether a release that is sent again is recognised.
    pub latch: Latch,
}

/// The switches of the read-write lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadWrite {
    /// What this client wants the lock for.
    pub side: Side,
    /// What a reader that comes or goes makes of the life of the hash that all readers share.
    pub reader_life: ReaderLife,
    /// What a writer that enters again makes of the life of its hold.
    pub writer_life: WriterLife,
    /// Whether a release that is sent again is recognised.
    pub latch: Latch,
}

/// The switches of the lock with a signal list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signal {
    /// How lives are told to Redis.
    pub unit: Unit,
    /// How long a signal that nobody takes is kept.
    pub signal: Span,
}

/// How long one call of acquire waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Patience {
    /// It tries once.
    Once,
    /// This long, counted from the call.
    For(Span),
    /// Until it has the lock.
    Ever,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$value_doc])* $value,)* }
    )*};
}

words! {
    /// Whose clock tells when a place in the queue is given up.
    Present {
        /// The caller's wall clock, in milliseconds, as an argument of the script: whoever runs fast evicts those
        /// that wait.
        ///
        /// **Source** Redisson's RedissonFairLock, which passes `System.currentTimeMillis()`.
        Client,
        /// The server's, by TIME inside the script.
        Server,
    }
    /// What bounds the sleep of a caller in the queue.
    Bound {
        /// What is left until its own place would be given up, less the time that it asked for. That can be negative,
        /// and then nothing bounds it: it waits for a message.
        ///
        /// **Source** Redisson's RedissonFairLock.
        Score,
        /// What is left of the hold; without one, what is left of the first place.
        Pttl,
    }
    /// What a caller that gives up does with its place in the queue.
    Quitting {
        /// Takes itself out, and moves up those behind it.
        Leave,
        /// Nothing: the place stays until it is given up for it.
        ///
        /// **Source** Redisson #5019.
        Stay,
    }
    /// Whether a release that is sent again is recognised.
    Latch {
        /// Its first answer is kept under a key of its own and given again.
        ///
        /// **Source** Redisson 3.24 and later, `redisson_unlock_latch`.
        On,
        /// It is executed again.
        Off,
    }
    /// What a client wants a read-write lock for.
    Side {
        /// To read: it shares with other readers.
        Read,
        /// To write: it is alone.
        Write,
    }
    /// What a reader that comes or goes makes of the life of the hash that all readers share.
    ReaderLife {
        /// The longest of what is left to any of them.
        ///
        /// **Source** Redisson's RedissonReadLock, which keeps a key of its own for each hold of a reader.
        Longest,
        /// Its own: it may cut short what another was promised.
        Own,
    }
    /// What a writer that enters again makes of the life of its hold.
    WriterLife {
        /// What is left and the life asked for together.
        ///
        /// **Source** Redisson's RedissonWriteLock.
        Add,
        /// The life asked for.
        Reset,
    }
    /// How lives are told to Redis.
    Unit {
        /// In whole milliseconds.
        Ms,
        /// In whole seconds: what is less than one is 0, which Redis refuses.
        ///
        /// **Source** python-redis-lock, `int(expire)`.
        S,
    }
    /// What a watchdog does after a renewal that was not answered.
    AfterError {
        /// Tries again at its next wake.
        Again,
        /// Ends.
        ///
        /// **Source** python-redis-lock, whose renewing thread an exception ends; Redisson #775 and others.
        End,
    }
    /// What becomes of an acquiring command whose answer is missing.
    OnDoubt {
        /// It is taken back: what it may have written is removed.
        Undo,
        /// Nothing: what it wrote stays.
        Leave,
    }
}

/// A policy that cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaiterError {
    /// No node timeout at all.
    #[error("the node timeout must be longer than 0")]
    NoNodeTimeout,
    /// A TTL that Redis would not take.
    #[error("a TTL of less than a millisecond is no life of a hold")]
    ZeroTtl,
    /// A lock that never expires.
    #[error("a lock without a TTL is never freed after a crash; set unsound = true if that is meant")]
    NoTtl,
    /// A watchdog of a lock without a TTL.
    #[error("a lock without a TTL has nothing to renew")]
    RenewalWithoutTtl,
    /// The margin eats the whole TTL.
    #[error("the drift margin {drift} is not shorter than the TTL {ttl}: no hold can be valid")]
    Drift {
        /// The margin.
        drift: Span,
        /// The TTL.
        ttl: Span,
    },
    /// A nonce that does not live for a whole call, or is everybody's.
    #[error("nonce is \"call\" or \"handle\" here: whoever waits, waits under one nonce")]
    Nonce,
    /// A span of 0 or less where one is needed.
    #[error("{key} must be longer than 0")]
    NoSpan {
        /// Its key.
        key: &'static str,
    },
    /// More repetitions than a message's name can count.
    #[error("release_retries {retries} is more than {most}")]
    ReleaseRetries {
        /// The repetitions asked for.
        retries: u8,
        /// The most that can be counted.
        most: u8,
    },
}

impl WaiterPolicy {
    /// How often a release may be sent again: its message's name counts it in one byte.
    pub const RELEASE_RETRIES_MAX: u8 = 100;

    /// `like = "spec"`: each shape as it is meant, with the specification's validity.
    ///
    /// **Source** "Distributed Locks with Redis", redis.io, for what a hold promises; the rest is ours.
    pub fn spec(shape: Shape, ttl: Ttl) -> Self {
        Self {
            shape,
            ttl,
            node_timeout: Span::from_ms(50),
            wait: Patience::For(Span::from_ms(10_000)),
            nonce: NonceLife::Call,
            basis: Basis::Send,
            drift: Drift::SPEC,
            validity: Validity::Checked,
            clock: ClockKind::Mono,
            renewal: Renewal::None,
            after_error: AfterError::Again,
            on_loss: OnLoss::Tell,
            on_doubt: OnDoubt::Undo,
            release_retries: 0,
        }
    }

    /// `like = "redisson"` of a fair or a read-write lock: the timeouts of the library, no end that the holder is told,
    /// waits on the wall clock, and an unlock that is sent up to four times more. `renewal` is as in `spec`: a lease
    /// that the caller states has no watchdog.
    ///
    /// **Source** Redisson 3.27: RedissonBaseLock, RedissonFairLock, RedissonReadLock, RedissonWriteLock, and its
    /// `retryAttempts` and `timeout`.
    pub fn redisson(shape: Shape, ttl: Ttl) -> Self {
        Self {
            node_timeout: Span::from_ms(3_000),
            wait: Patience::Ever,
            nonce: NonceLife::Handle,
            basis: Basis::UntilReleased,
            drift: Drift { permille: 0, constant: Span::ZERO },
            validity: Validity::NoCheck,
            clock: ClockKind::Wall,
            on_loss: OnLoss::Silent,
            on_doubt: OnDoubt::Leave,
            release_retries: 4,
            ..Self::spec(shape, ttl)
        }
    }

    /// `like = "python-redis-lock"`: the signal list as the library has it.
    ///
    /// **Source** python-redis-lock 4.0, `src/redis_lock/__init__.py`.
    pub fn python(shape: Shape, ttl: Ttl) -> Self {
        Self {
            node_timeout: Span::from_ms(3_000),
            wait: Patience::Ever,
            nonce: NonceLife::Handle,
            basis: Basis::UntilReleased,
            drift: Drift { permille: 0, constant: Span::ZERO },
            validity: Validity::NoCheck,
            after_error: AfterError::End,
            on_loss: OnLoss::Silent,
            on_doubt: OnDoubt::Leave,
            ..Self::spec(shape, ttl)
        }
    }

    /// Checks that the policy can be run, and that what is unsound was asked for by name.
    ///
    /// # Errors
    /// The first [`WaiterError`] found. `unsound` admits a lock without a TTL.
    pub fn validate(&self, soundness: Soundness) -> Result<(), WaiterError> {
        if self.node_timeout <= Span::ZERO {
            return Err(WaiterError::NoNodeTimeout);
        }
        match self.nonce {
            NonceLife::Call | NonceLife::Handle => {}
            NonceLife::Attempt | NonceLife::Constant => return Err(WaiterError::Nonce),
        }
        match self.ttl {
            Ttl::Never if soundness == Soundness::Required => return Err(WaiterError::NoTtl),
            Ttl::Never if self.renewal == Renewal::Watchdog => return Err(WaiterError::RenewalWithoutTtl),
            Ttl::Never => {}
            Ttl::Of(ttl) if ttl < Span::from_ms(1) => return Err(WaiterError::ZeroTtl),
            Ttl::Of(ttl) => {
                let drift = self.drift.margin(ttl);
                if drift >= ttl {
                    return Err(WaiterError::Drift { drift, ttl });
                }
            }
        }
        if self.release_retries > Self::RELEASE_RETRIES_MAX {
            let (retries, most) = (self.release_retries, Self::RELEASE_RETRIES_MAX);
            return Err(WaiterError::ReleaseRetries { retries, most });
        }
        self.validate_spans()
    }

    fn validate_spans(&self) -> Result<(), WaiterError> {
        let least = Span::from_ms(1);
        if matches!(self.wait, Patience::For(span) if span < least) {
            return Err(WaiterError::NoSpan { key: "wait_limit_ms" });
        }
        match &self.shape {
            Shape::Fair(fair) if fair.place < least => Err(WaiterError::NoSpan { key: "place_ms" }),
            Shape::Signal(signal) if signal.signal < least => Err(WaiterError::NoSpan { key: "signal_ms" }),
            Shape::Fair(_) | Shape::ReadWrite(_) | Shape::Signal(_) => Ok(()),
        }
    }
}

impl Shape {
    /// The name of its table in a scenario.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fair(_) => "fair",
            Self::ReadWrite(_) => "read-write",
            Self::Signal(_) => "signal",
        }
    }
}

impl Fair {
    /// A fair lock as it is meant: the server's clock, sleeps that the hold bounds, and a release that is recognised.
    pub const SPEC: Self = Self {
        place: Span::from_ms(5_000),
        present: Present::Server,
        bound: Bound::Pttl,
        quitting: Quitting::Leave,
        latch: Latch::On,
    };

    /// **Source** Redisson 3.27, RedissonFairLock, `fairLockWaitTimeout`.
    pub const REDISSON: Self = Self {
        place: Span::from_ms(300_000),
        present: Present::Client,
        bound: Bound::Score,
        quitting: Quitting::Leave,
        latch: Latch::On,
    };
}

impl ReadWrite {
    /// A read-write lock as it is meant.
    pub const fn spec(side: Side) -> Self {
        Self { side, reader_life: ReaderLife::Longest, writer_life: WriterLife::Reset, latch: Latch::On }
    }

    /// **Source** Redisson 3.27, RedissonReadLock and RedissonWriteLock.
    pub const fn redisson(side: Side) -> Self {
        Self { side, reader_life: ReaderLife::Longest, writer_life: WriterLife::Add, latch: Latch::On }
    }
}

impl Signal {
    /// A signal list with lives in milliseconds.
    pub const SPEC: Self = Self { unit: Unit::Ms, signal: Span::from_ms(1_000) };

    /// **Source** python-redis-lock 4.0.
    pub const PYTHON: Self = Self { unit: Unit::S, signal: Span::from_ms(1_000) };
}
