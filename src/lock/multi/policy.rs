//! The switches of a lock over several sub-locks.
//!
//! There is no `Default`. Must not run anything.

use crate::lock::Ttl;
use crate::lock::policy::{Basis, Drift, NonceLife, OnLoss, Renewal, Validity};
use crate::lock::waiter::Patience;
use crate::time::{ClockKind, Span};

/// The whole policy of one client's lock over several sub-locks.
///
/// **Units** spans are microseconds; Redis sees whole milliseconds, rounded down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MultiPolicy {
    /// How many sub-locks there are, one at each voter.
    pub voters: u8,
    /// How many of them must be got.
    pub needed: Needed,
    /// What a sub-lock is.
    pub sub: Sub,
    /// The life of a hold.
    pub ttl: Ttl,
    /// How long one node may take to answer.
    pub node_timeout: Span,
    /// How long one call of acquire waits. One that waits for ever does so in rounds.
    pub wait: Patience,
    /// How long a round of a call that waits for ever lasts, drawn anew for each.
    pub round: Spread,
    /// How much of the time that is left one sub-lock may take.
    pub share: Share,
    /// In which order the sub-locks are taken.
    pub order: Order,
    /// What becomes of those already got while the next is not to be had.
    pub holding: Holding,
    /// The wait after a failure, before it begins again.
    pub pause: Spread,
    /// How often a text that is taken is asked for again while its share lasts.
    pub poll: Span,
    /// The life that sub-locks are taken with.
    pub leasing: Leasing,
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
    /// Whether the holder is told of a lost hold.
    pub on_loss: OnLoss,
}

/// A span that is drawn: `least` and a random part of what `most` is longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spread {
    /// The shortest.
    pub least: Span,
    /// The longest, not reached.
    pub most: Span,
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
    /// How many sub-locks must be got.
    Needed {
        /// All.
        All,
        /// More than half of them.
        ///
        /// **Source** RedissonRedLock, `failedLocksLimit`.
        Majority,
    }
    /// What a sub-lock is.
    Sub {
        /// A hash that counts the holds of its owner, whose release is published.
        Hash,
        /// A text; who waits for it asks again and again.
        Text,
    }
    /// How much of the time that is left one sub-lock may take.
    Share {
        /// All of it.
        ///
        /// **Source** RedissonMultiLock.
        Whole,
        /// An equal part of the call's or the round's time.
        ///
        /// **Source** RedissonRedLock, `calcLockWaitTime`.
        Equal,
    }
    /// In which order the sub-locks are taken.
    Order {
        /// The first voter first.
        Ascending,
        /// The last voter first.
        Descending,
    }
    /// What becomes of the sub-locks already got while the next is not to be had.
    Holding {
        /// They are kept while it is waited for: two that come from opposite ends wait for each other.
        ///
        /// **Source** Redisson #467 and #1160.
        AndWait,
        /// They are given back at once; nothing is waited for while anything is held.
        AllOrNothing,
    }
    /// The life that sub-locks are taken with.
    Leasing {
        /// Twice the time that the call or the round waits; at the end all that were got are given their life by PEXPIRE,
        /// whoever owns them by then.
        ///
        /// **Source** RedissonMultiLock.tryLock with a lease, and RedissonBaseLock.expireAsync.
        Provisional,
        /// Their own.
        Final,
    }
}

/// A policy that cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MultiError {
    /// Too many sub-locks, or none.
    #[error("{voters} sub-locks are not between 1 and 8")]
    Voters {
        /// How many there are.
        voters: u8,
    },
    /// No node timeout at all.
    #[error("the node timeout must be longer than 0")]
    NoNodeTimeout,
    /// A TTL that is none.
    #[error("a lock over several needs a TTL of a millisecond at least")]
    NoTtl,
    /// The margin eats the whole TTL.
    #[error("the drift margin {drift} is not shorter than the TTL {ttl}: no hold can be valid")]
    Drift {
        /// The margin.
        drift: Span,
        /// The TTL.
        ttl: Span,
    },
    /// A nonce that does not live for a whole call, or is everybody's.
    #[error("nonce is \"call\" or \"handle\" here: all sub-locks of a call have one owner")]
    Nonce,
    /// A span of 0 where one is needed.
    #[error("{key} must be at least 1 ms")]
    NoSpan {
        /// Its key.
        key: &'static str,
    },
    /// A spread that ends before it begins.
    #[error("{key} must not be shorter than its least")]
    Spread {
        /// The key of its longest.
        key: &'static str,
    },
    /// Redlock's final step without anything provisional before it.
    #[error("a provisional lease is twice the wait: a call that tries once has none")]
    Provisional,
}

impl Spread {
    /// This and nothing else.
    pub const fn exactly(span: Span) -> Self {
        Self { least: span, most: span }
    }

    /// The least plus this fraction of 2^32 of the rest, rounded down.
    pub(super) fn drawn(self, fraction: u32) -> Span {
        let rest = i128::from((self.most - self.least).0);
        self.least + Span(((rest * i128::from(fraction)) >> 32) as i64)
    }
}

impl MultiPolicy {
    /// The most sub-locks there can be.
    pub const VOTERS_MAX: u8 = 8;

    /// `like = "spec"`: all of them, nothing held while another is waited for, and the specification's validity.
    ///
    /// **Source** "Distributed Locks with Redis", redis.io, for what a hold promises; the rest is ours.
    pub fn spec(voters: u8, ttl: Ttl) -> Self {
        Self {
            voters,
            needed: Needed::All,
            sub: Sub::Hash,
            ttl,
            node_timeout: Span::from_ms(50),
            wait: Patience::For(Span::from_ms(10_000)),
            round: Spread::exactly(Span::from_ms(1_500 * voters as i64)),
            share: Share::Whole,
            order: Order::Ascending,
            holding: Holding::AllOrNothing,
            pause: Spread { least: Span::from_ms(50), most: Span::from_ms(250) },
            poll: Span::from_ms(100),
            leasing: Leasing::Final,
            nonce: NonceLife::Call,
            basis: Basis::Send,
            drift: Drift::SPEC,
            validity: Validity::Checked,
            clock: ClockKind::Mono,
            renewal: Renewal::None,
            on_loss: OnLoss::Tell,
        }
    }

    /// `like = "redisson-multilock"`: all of them, held while the next is waited for, a provisional lease, no validity.
    /// A call with a lease waits in rounds of 1.5 s for each sub-lock up to the length of the lease.
    ///
    /// **Source** Redisson 3.27, RedissonMultiLock.lock and tryLock with a lease.
    pub fn multilock(voters: u8, ttl: Ttl) -> Self {
        let least = Span::from_ms(1_500 * i64::from(voters));
        let lease = match ttl {
            Ttl::Of(ttl) => ttl,
            Ttl::Never => least,
        };
        let round = match lease {
            short if short <= Span::from_ms(2_000) => Spread::exactly(Span::from_ms(2_000)),
            middle if middle <= least => Spread { least: Span(middle.0 / 2), most: middle },
            long => Spread { least, most: long },
        };
        Self {
            node_timeout: Span::from_ms(3_000),
            wait: Patience::Ever,
            round,
            holding: Holding::AndWait,
            pause: Spread::exactly(Span::ZERO),
            leasing: Leasing::Provisional,
            nonce: NonceLife::Handle,
            basis: Basis::UntilReleased,
            drift: Drift { permille: 0, constant: Span::ZERO },
            validity: Validity::NoCheck,
            clock: ClockKind::Wall,
            on_loss: OnLoss::Silent,
            ..Self::spec(voters, ttl)
        }
    }

    /// `like = "redisson-redlock"`: as a multi-lock, but a majority is enough, and each sub-lock has an equal share of the
    /// time.
    ///
    /// **Source** Redisson 3.27, RedissonRedLock (deprecated).
    pub fn redlock(voters: u8, ttl: Ttl) -> Self {
        Self { needed: Needed::Majority, share: Share::Equal, ..Self::multilock(voters, ttl) }
    }

    /// The longest that a key of it lives: its life, or that of a provisional lease.
    pub fn life_max(&self) -> Ttl {
        let wait = match self.wait {
            Patience::Once => Span::ZERO,
            Patience::For(span) => span,
            Patience::Ever => self.round.most,
        };
        match (self.leasing, self.ttl) {
            (Leasing::Provisional, Ttl::Of(ttl)) => Ttl::Of(ttl.max(Span(wait.0.saturating_mul(2)))),
            (Leasing::Provisional | Leasing::Final, ttl) => ttl,
        }
    }

    /// How many sub-locks must be got.
    pub fn quorum(&self) -> u8 {
        match self.needed {
            Needed::All => self.voters,
            Needed::Majority => self.voters / 2 + 1,
        }
    }

    /// Checks that the policy can be run.
    ///
    /// # Errors
    /// The first [`MultiError`] found.
    pub fn validate(&self) -> Result<(), MultiError> {
        let (voters, least) = (self.voters, Span::from_ms(1));
        if voters == 0 || voters > Self::VOTERS_MAX {
            return Err(MultiError::Voters { voters });
        }
        if self.node_timeout <= Span::ZERO {
            return Err(MultiError::NoNodeTimeout);
        }
        match self.nonce {
            NonceLife::Call | NonceLife::Handle => {}
            NonceLife::Attempt | NonceLife::Constant => return Err(MultiError::Nonce),
        }
        match self.ttl {
            Ttl::Of(ttl) if ttl >= least => {
                let drift = self.drift.margin(ttl);
                if drift >= ttl {
                    return Err(MultiError::Drift { drift, ttl });
                }
            }
            Ttl::Of(_) | Ttl::Never => return Err(MultiError::NoTtl),
        }
        let spans = [("poll_ms", self.poll), ("round_least_ms", self.round.least)];
        if let Some((key, _)) = spans.into_iter().find(|(_, span)| *span < least) {
            return Err(MultiError::NoSpan { key });
        }
        match self.wait {
            Patience::For(span) if span < least => Err(MultiError::NoSpan { key: "wait_limit_ms" }),
            Patience::Once if self.leasing == Leasing::Provisional => Err(MultiError::Provisional),
            Patience::Once | Patience::For(_) | Patience::Ever => {
                let spreads = [("round_most_ms", self.round), ("pause_most_ms", self.pause)];
                match spreads.into_iter().find(|(_, spread)| spread.most < spread.least) {
                    Some((key, _)) => Err(MultiError::Spread { key }),
                    None => Ok(()),
                }
            }
        }
    }
}
