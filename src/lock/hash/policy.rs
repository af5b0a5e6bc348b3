//! The switches of the hash core: what locks that store who holds how often let a library decide.
//!
//! Must not run anything. There is no `Default`: named starting values are functions of [`HashPolicy`], each with its
//! source.

use crate::lock::Ttl;
use crate::lock::policy::{Fence, OnLoss, Soundness, Wait, WaitFor};
use crate::time::{ClockKind, Span};

/// Which door a policy came through; it decides nothing but the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HashProtocol {
    /// A script that counts the holds of its owner.
    Reentrant,
    /// Redisson's `RLock`.
    Redisson,
    /// Redisson's `RSpinLock`.
    Spin,
}

/// The whole policy of one client's hash lock.
///
/// **Units** spans are microseconds; Redis sees whole milliseconds or seconds, as `unit` says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HashPolicy {
    /// `reentrant`, `redisson` or `spin`.
    pub protocol: HashProtocol,
    /// The life of the key: the lease that a call names, or what a watchdog keeps it at.
    pub ttl: Ttl,
    /// How the life is sent.
    pub unit: LifeUnit,
    /// How long the node may take to answer.
    pub node_timeout: Span,
    /// Whether a call of acquire names a lease.
    pub lease: Lease,
    /// Whether a call by whoever holds already names one.
    pub inner_lease: InnerLease,
    /// How long the handle remembers a lease that was named.
    pub named_lease: NamedLease,
    /// What acquiring again does to the life of the key.
    pub reentry_life: ReentryLife,
    /// What giving back a hold that is not the last does to the life of the key.
    pub inner_release: InnerRelease,
    /// What a refused call does.
    pub waiting: Waiting,
    /// How long a call waits in all; `None`: until it is granted.
    pub wait_limit: Option<Span>,
    /// The clock that measures the wait.
    pub wait_clock: ClockKind,
    /// The wait between two tries of `waiting = poll`.
    pub poll: Poll,
    /// The waits of `waiting = spin`.
    pub spin: Spin,
    /// Whether the library prolongs by itself.
    pub renewal: LeaseRenewal,
    /// Which life the watchdog gives the key, and renews at a third of.
    pub renewed_life: RenewedLife,
    /// What a renewal without a usable answer does to those after it.
    pub after_error: AfterError,
    /// Whether the holder is told of a hold that a renewal found gone.
    pub on_loss: OnLoss,
    /// Whether a release can be sent twice and be done once.
    pub latch: Latch,
    /// How often a command without an answer is sent again.
    pub resend: Resend,
    /// Whether grants carry a fence.
    pub fence: Fence,
    /// Which replicas must have the hold before the lock is granted.
    pub wait: Wait,
}

/// How the life of the key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LifeUnit {
    /// PEXPIRE, whole milliseconds, rounded down.
    Ms,
    /// EXPIRE, whole seconds, rounded down.
    S,
    /// EXPIRE with the fraction of a second that the caller wrote: Redis refuses it, after the script has written the
    /// hold. Unsound where there is a fraction.
    SDecimal,
}

/// Whether a call of acquire names a lease. One that asks for another life than the policy's always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lease {
    /// It does: `lock(lease)`.
    Named,
    /// It leaves the life to the library: `lock()`.
    None,
}

/// Whether a call of acquire by whoever holds already names a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InnerLease {
    /// As any other call.
    Same,
    /// It does not, unless it asks for another life than the policy's: code that calls `lock()` inside `lock(lease)`.
    None,
}

/// How long the handle remembers a lease that was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedLease {
    /// For that call only.
    Once,
    /// Until another is named: calls that name none, inner releases, and as `renewed_life` says renewals use it too.
    ///
    /// **Source** Redisson's `internalLockLeaseTime`, redisson #4818 and #5623.
    Sticks,
}

/// What acquiring again does to the life of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReentryLife {
    /// It becomes that of the inner call, also where that is shorter.
    Reset,
    /// It becomes that of the inner call where that is longer.
    Longer,
}

/// What giving back a hold that is not the last does to the life of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InnerRelease {
    /// It becomes the life that the handle knows.
    ResetsLife,
    /// Nothing.
    KeepsLife,
}

/// What a refused call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// It ends.
    None,
    /// It tries again after a pause.
    Poll,
    /// It subscribes to the lock's channel, and tries again at each message, and when the life of the key that refused
    /// it is over.
    Pubsub,
    /// It tries again after pauses that double.
    Spin,
}

/// The pause between two tries: the delay plus a random part of the jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poll {
    /// The fixed part.
    pub delay: Span,
    /// The largest random part.
    pub jitter: Span,
}

/// Pauses that double from `first` to `most`. Each is drawn from the upper half of what it could be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spin {
    /// The longest that the first pause can be.
    pub first: Span,
    /// The longest that any can be.
    pub most: Span,
}

/// Whether the library prolongs a hold by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeaseRenewal {
    /// It does not.
    None,
    /// A watchdog prolongs every hold, at a third of its life.
    Watchdog,
    /// A watchdog prolongs holds of calls that named no lease.
    WatchdogUnlessLease,
}

/// Which life a watchdog gives the key. It renews at a third of the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RenewedLife {
    /// That of the policy, whatever lease the handle remembers: a key that was given a remembered lease of less than a
    /// third of it is gone before the first renewal.
    ///
    /// **Source** Redisson 6686397: one timer per client, at a third of `lockWatchdogTimeout`. Its phase is that of the
    /// client's first hold; here it is each handle's own.
    Ttl,
    /// The lease that the handle remembers, if it remembers one.
    ///
    /// **Source** Redisson 3.23.3, `RedissonBaseLock.renewExpiration`.
    Remembered,
}

/// What a renewal that was answered by an error, or not at all, does to those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AfterError {
    /// There are none.
    ///
    /// **Source** redisson #775, #3194.
    Stops,
    /// The next comes a period later.
    GoesOn,
}

/// Whether a release leaves its answer under a key of its own, so that a release that is sent again finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Latch {
    /// It does not: sent twice, it is done twice.
    Off,
    /// It does. The key is left to its life, which outlasts the repetitions; Redisson deletes it as well.
    On,
}

/// How often a command that went unanswered, or whose connection broke, is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resend {
    /// The acquiring script: it may then count two holds for one call.
    pub acquires: u8,
    /// The releasing script.
    pub releases: u8,
    /// How long after the failure.
    pub delay: Span,
}

/// A policy that cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashPolicyError {
    /// A lock that never expires.
    #[error("a lock without a TTL is never freed after a crash; set unsound = true if that is meant")]
    NoTtl,
    /// A life that Redis takes for none.
    #[error(
        "a TTL of {ttl} is 0 in the unit that is sent, which deletes the key that was just written; set unsound = true if that is meant"
    )]
    ZeroTtl {
        /// The TTL.
        ttl: Span,
    },
    /// A life that Redis refuses.
    #[error(
        "a TTL of {ttl} is no whole number of seconds: EXPIRE refuses it and leaves a key without a TTL; set unsound = true if that is meant"
    )]
    Fraction {
        /// The TTL.
        ttl: Span,
    },
    /// The node timeout is not shorter than the TTL.
    #[error("node timeout {timeout} is not shorter than the TTL {ttl}: one slow answer eats the whole lease")]
    NodeTimeout {
        /// The node timeout.
        timeout: Span,
        /// The TTL.
        ttl: Span,
    },
    /// No node timeout at all.
    #[error("the node timeout must be longer than 0")]
    NoNodeTimeout,
    /// A span below 0.
    #[error("waits must not be negative")]
    Negative,
    /// Pauses of no length.
    #[error("waiting = \"{waiting}\" needs a pause of at least 1 ms between two tries")]
    NoPause {
        /// How it waits.
        waiting: &'static str,
    },
    /// A watchdog of a lock without a TTL.
    #[error("a lock without a TTL has nothing to renew")]
    RenewalWithoutTtl,
    /// A wait that WAIT would take for one without end.
    #[error("the wait for replicas must be at least 1 ms: WAIT with 0 waits for ever")]
    NoWaitLimit,
    /// A release that is sent again in the same script finds what it did only where it can look.
    #[error(
        "sending a release {releases} times again counts it twice without latch = \"on\"; set unsound = true if that is meant"
    )]
    ResentRelease {
        /// How often it is sent again.
        releases: u8,
    },
    /// An acquiring script that is sent again counts twice.
    #[error(
        "sending an acquire {acquires} times again can count two holds for one call; set unsound = true if that is meant"
    )]
    ResentAcquire {
        /// How often it is sent again.
        acquires: u8,
    },
    /// More repetitions than a message's name can count.
    #[error("a command is sent again {times} times; the most is {most}")]
    TooOften {
        /// The repetitions asked for.
        times: u8,
        /// The most that can be counted.
        most: u8,
    },
}

impl HashProtocol {
    /// The name of its table in a scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reentrant => "reentrant",
            Self::Redisson => "redisson",
            Self::Spin => "spin",
        }
    }
}

impl HashPolicy {
    /// The most that a command may be sent again.
    pub const RESENDS_MAX: u8 = 100;

    /// The re-entrant lock that tutorials print: two scripts, the life in seconds, one try, no renewal, and nothing that
    /// looks at a lost answer.
    ///
    /// **Source** the usual HEXISTS and HINCRBY scripts of Redis tutorials; what they leave open we chose.
    pub fn scripted(protocol: HashProtocol, ttl: Ttl) -> Self {
        Self {
            protocol,
            ttl,
            unit: LifeUnit::S,
            node_timeout: Span::from_ms(3_000),
            lease: Lease::Named,
            inner_lease: InnerLease::Same,
            named_lease: NamedLease::Once,
            reentry_life: ReentryLife::Reset,
            inner_release: InnerRelease::ResetsLife,
            waiting: Waiting::None,
            wait_limit: None,
            wait_clock: ClockKind::Mono,
            poll: Poll { delay: Span::from_ms(100), jitter: Span::ZERO },
            spin: Spin { first: Span::from_ms(1), most: Span::from_ms(128) },
            renewal: LeaseRenewal::None,
            renewed_life: RenewedLife::Remembered,
            after_error: AfterError::Stops,
            on_loss: OnLoss::Silent,
            latch: Latch::Off,
            resend: Resend { acquires: 0, releases: 0, delay: Span::ZERO },
            fence: Fence::None,
            wait: Wait { replicas: WaitFor::None, limit: Span::from_ms(1_000) },
        }
    }

    /// Redisson's `RLock` as in 3.23.3: no latch, and a renewal that fails is the last.
    ///
    /// **Source** Redisson 3.23.3, `RedissonLock` and `RedissonBaseLock`: 3 s per command, 3 repetitions of a release
    /// 1.5 s apart, none of an acquire; a watchdog at a third of `lockWatchdogTimeout`, 30 s.
    pub fn redisson_3_23_3(protocol: HashProtocol, ttl: Ttl) -> Self {
        Self {
            unit: LifeUnit::Ms,
            lease: Lease::None,
            named_lease: NamedLease::Sticks,
            waiting: match protocol {
                HashProtocol::Spin => Waiting::Spin,
                HashProtocol::Reentrant | HashProtocol::Redisson => Waiting::Pubsub,
            },
            wait_clock: ClockKind::Wall,
            renewal: LeaseRenewal::WatchdogUnlessLease,
            resend: Resend { acquires: 0, releases: 3, delay: Span::from_ms(1_500) },
            ..Self::scripted(protocol, ttl)
        }
    }

    /// Redisson's `RLock` as of commit 6686397: the latch of a release, and renewals that go on after one failed.
    ///
    /// **Source** Redisson 6686397, `RedissonLock`, `RedissonBaseLock` and its renewal scheduler.
    pub fn redisson(protocol: HashProtocol, ttl: Ttl) -> Self {
        Self {
            latch: Latch::On,
            renewed_life: RenewedLife::Ttl,
            after_error: AfterError::GoesOn,
            resend: Resend { acquires: 0, releases: 4, delay: Span::from_ms(1_500) },
            ..Self::redisson_3_23_3(protocol, ttl)
        }
    }

    /// Whether any of its holds is renewed.
    pub fn renews(&self) -> bool {
        match self.renewal {
            LeaseRenewal::None => false,
            LeaseRenewal::Watchdog => true,
            LeaseRenewal::WatchdogUnlessLease => {
                self.lease == Lease::None || self.inner_lease == InnerLease::None
            }
        }
    }

    /// Checks that the policy can be run, and that what is unsound was asked for by name.
    ///
    /// # Errors
    /// The first [`HashPolicyError`] found.
    pub fn validate(&self, soundness: Soundness) -> Result<(), HashPolicyError> {
        if self.node_timeout <= Span::ZERO {
            return Err(HashPolicyError::NoNodeTimeout);
        }
        self.validate_life(soundness)?;
        self.validate_waits()?;
        let Resend { acquires, releases, .. } = self.resend;
        let (times, most) = (acquires.max(releases), Self::RESENDS_MAX);
        match soundness {
            _ if times > most => Err(HashPolicyError::TooOften { times, most }),
            Soundness::Waived => Ok(()),
            Soundness::Required if acquires > 0 => Err(HashPolicyError::ResentAcquire { acquires }),
            Soundness::Required if releases > 0 && self.latch == Latch::Off => {
                Err(HashPolicyError::ResentRelease { releases })
            }
            Soundness::Required => Ok(()),
        }
    }

    fn validate_life(&self, soundness: Soundness) -> Result<(), HashPolicyError> {
        let sound = soundness == Soundness::Required;
        let ttl = match self.ttl {
            Ttl::Never if sound => return Err(HashPolicyError::NoTtl),
            Ttl::Never if self.renewal != LeaseRenewal::None => {
                return Err(HashPolicyError::RenewalWithoutTtl);
            }
            Ttl::Never => return Ok(()),
            Ttl::Of(ttl) => ttl,
        };
        let (whole, fraction) = match self.unit {
            LifeUnit::Ms => (ttl >= Span::from_ms(1), false),
            LifeUnit::S => (ttl >= Span::from_ms(1_000), false),
            LifeUnit::SDecimal => (ttl >= Span::from_ms(1), ttl.as_ms_floor() % 1_000 != 0),
        };
        match (whole, fraction) {
            (false, _) if sound => Err(HashPolicyError::ZeroTtl { ttl }),
            (_, true) if sound => Err(HashPolicyError::Fraction { ttl }),
            (true, _) if self.node_timeout >= ttl => {
                Err(HashPolicyError::NodeTimeout { timeout: self.node_timeout, ttl })
            }
            (true | false, _) => Ok(()),
        }
    }

    fn validate_waits(&self) -> Result<(), HashPolicyError> {
        let Self { poll, spin, resend, .. } = self;
        let limit = self.wait_limit.unwrap_or(Span::ZERO);
        let waits = [poll.delay, poll.jitter, spin.first, spin.most, resend.delay, limit];
        if waits.iter().any(|span| *span < Span::ZERO) {
            return Err(HashPolicyError::Negative);
        }
        let least = Span::from_ms(1);
        match self.waiting {
            Waiting::Poll if poll.delay < least => return Err(HashPolicyError::NoPause { waiting: "poll" }),
            Waiting::Spin if spin.first < least || spin.most < spin.first => {
                return Err(HashPolicyError::NoPause { waiting: "spin" });
            }
            Waiting::None | Waiting::Poll | Waiting::Pubsub | Waiting::Spin => {}
        }
        match self.wait.replicas {
            WaitFor::Any | WaitFor::All if self.wait.limit < least => Err(HashPolicyError::NoWaitLimit),
            WaitFor::None | WaitFor::Any | WaitFor::All => Ok(()),
        }
    }
}
