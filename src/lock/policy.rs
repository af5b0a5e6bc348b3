//! The switches of the quorum core: what `single` (one voter) and `redlock` (many) let a library decide.
//!
//! Every value is named in the terms of the field. There is no `Default`: `like = "spec"` starts from
//! [`Policy::spec`]. Must not run anything.

use super::contract::Ttl;
use crate::time::{ClockKind, Span};

/// Which door a policy came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// One voter: SET NX PX on a single node.
    Single,
    /// A quorum of independent voters.
    Redlock,
    /// No lock at all: every call is granted at once.
    None,
}

/// The whole policy of one client's lock.
///
/// **Units** spans are microseconds; Redis sees whole milliseconds, rounded down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// `single`, `redlock` or `none`.
    pub protocol: Protocol,
    /// How many voters are asked.
    pub voters: u8,
    /// How many must grant.
    pub quorum: u8,
    /// Which answers count as a grant.
    pub counting: Counting,
    /// How a voter's key is written.
    pub taking: Taking,
    /// The life of the key.
    pub ttl: Ttl,
    /// How long one node may take to answer.
    pub node_timeout: Span,
    /// Subtracted from the life when the promise is computed.
    pub drift: Drift,
    /// Whether a won attempt with no validity left is refused.
    pub validity: Validity,
    /// What the promised end rests on.
    pub basis: Basis,
    /// The clock that measures elapsed time and states the end.
    pub clock: ClockKind,
    /// All voters at once, or one after the other.
    pub asking: Asking,
    /// When the attempt ends early because of an error reply.
    pub on_error: OnError,
    /// How a hold is taken back.
    pub release: Release,
    /// Who is released after a failed attempt.
    pub release_on_failure: ReleaseScope,
    /// Further attempts after a failed one, and the wait before each.
    pub retry: Retry,
    /// How often the driver repeats a command whose connection broke, inside one attempt and unnoticed by it.
    pub driver_retries: u8,
    /// How long one nonce is used.
    pub nonce: NonceLife,
    /// Whether grants carry a fence.
    pub fence: Fence,
    /// How a hold is prolonged.
    pub extension: Extension,
    /// Whether the library prolongs by itself.
    pub renewal: Renewal,
    /// Whether the holder is told of a lost hold.
    pub on_loss: OnLoss,
    /// Which replicas must have the key before the lock is granted.
    pub wait: Wait,
}

/// The drift margin: `ttl * permille / 1000 + constant`, rounded up to a microsecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Drift {
    /// The part that grows with the TTL. The specification: 10.
    pub permille: u32,
    /// The constant part. The specification: 2 ms.
    pub constant: Span,
}

/// Whether the remaining validity is checked before granting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// Granted only while the promised end lies after the decision.
    Checked,
    /// Granted with whatever end comes out.
    NoCheck,
}

/// What the promised end rests on. The names are part of the file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
pub enum Basis {
    /// The moment before the first command was sent, plus TTL, minus drift: the specification.
    #[serde(rename = "send+ttl-drift")]
    Send,
    /// The moment of decision, plus TTL, minus the elapsed time, minus drift.
    #[serde(rename = "decision+ttl-elapsed-drift")]
    DecisionElapsed,
    /// The moment of decision plus TTL.
    #[serde(rename = "decision+ttl")]
    Decision,
    /// No deadline: the holder believes until it releases.
    #[serde(rename = "until-released")]
    UntilReleased,
    /// No deadline: the holder believes until it is told of a loss.
    #[serde(rename = "until-lost")]
    UntilLost,
}

/// How the voters are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asking {
    /// All at once; decided at all replies or timeouts.
    Concurrent,
    /// One after the other, in index order.
    Serial,
}

/// Which answers to an acquiring command count as a vote for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// Those that say that the key was written.
    Grants,
    /// Every answer that is no error, a refusal too: the slip of code that takes a command that raised nothing for
    /// one that succeeded. Extensions and releases are counted as ever. Unsound.
    ///
    /// **Source** a mutation of step 3 of the specification; no library is known to do so.
    Replies,
}

/// How a voter's key is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Taking {
    /// One command that writes the key if it is missing, with its life: SET NX PX, or the script of a fence.
    SetNxPx,
    /// SETNX, and where it wrote the key, a second command that gives it its life. Whoever dies in between leaves a
    /// key for ever. What the second command answers is not looked at, as in the code that it stands for; without an
    /// answer, or with an error, the vote is unknown. The life is sent in milliseconds (PEXPIRE), as the TTL is
    /// everywhere here. Unsound.
    ///
    /// **Source** redis-py #554 and #818, ShedLock #105, laravel #41410.
    SetnxExpire,
}

/// What an error reply to an acquiring command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// It counts as one vote against.
    Count,
    /// It ends the whole call.
    Abort,
}

/// How a hold is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// A script that deletes only the own nonce.
    CompareAndDelete,
    /// DEL, whoever owns the key.
    PlainDel,
}

/// Who is released after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseScope {
    /// Every voter, also those that did not answer.
    All,
    /// Only the voters known to have granted.
    Known,
}

/// Further attempts of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Retry {
    /// How many attempts may follow the first.
    pub retries: u32,
    /// The least wait before each.
    pub delay: Span,
    /// A uniform random wait in `0..jitter` is added.
    pub jitter: Span,
}

/// How long one nonce is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NonceLife {
    /// A fresh one for each attempt.
    Attempt,
    /// One for all attempts of a call.
    Call,
    /// One for the life of the handle.
    Handle,
    /// One and the same for everybody, [`Nonce::CONSTANT`](crate::name::Nonce::CONSTANT): every comparison compares
    /// nothing. Unsound.
    ///
    /// **Source** redsync #126 (a generator that returns a constant) and #168 (the name of the lock as its value).
    Constant,
}

/// Whether grants carry a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fence {
    /// No fence.
    None,
    /// A counter beside the key, raised by INCR in the script that sets the key. One voter only.
    Incr,
}

/// How a hold is prolonged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extension {
    /// Never.
    None,
    /// PEXPIRE where the key still carries the own nonce.
    Compare,
    /// As compare, and a missing key is set again.
    Recreate,
    /// PEXPIRE, whoever owns the key. Unsound.
    ///
    /// **Source** redbeat #127, Redisson #597.
    Blind,
}

/// Whether the library prolongs by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Renewal {
    /// It does not.
    None,
    /// A watchdog, at a third of the TTL.
    Watchdog,
}

/// Whether the holder is told of a lost hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnLoss {
    /// As soon as it is known.
    Tell,
    /// Never.
    Silent,
}

/// Which replicas must have acknowledged the key before the lock is granted: WAIT after SET. With too few
/// acknowledgements the key is taken back and the attempt has failed. Only `single` waits. An extension does not:
/// after a failover the key may be back at the deadline that it had before.
///
/// **Source** WAIT, redis.io command page; Redisson 3.x sends the same WAIT behind its acquiring script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wait {
    /// How many.
    pub replicas: WaitFor,
    /// How long the primary may wait for them. The request itself may take the node timeout longer.
    pub limit: Span,
}

/// How many replicas must have acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitFor {
    /// None: nobody is asked.
    None,
    /// One.
    Any,
    /// As many as the primary reports connected, by ROLE; none if it reports none.
    All,
}

/// A policy that cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// More votes wanted than there are voters, or none at all.
    #[error("quorum {quorum} of {voters} voters can never be reached; a majority is {majority}")]
    Quorum {
        /// The quorum asked for.
        quorum: u8,
        /// How many voters there are.
        voters: u8,
        /// The smallest majority.
        majority: u8,
    },
    /// Less than a majority.
    #[error(
        "quorum {quorum} of {voters} voters is no majority ({majority}); two clients can win at once. Set unsound = true if that is meant"
    )]
    NoMajority {
        /// The quorum asked for.
        quorum: u8,
        /// How many voters there are.
        voters: u8,
        /// The smallest majority.
        majority: u8,
    },
    /// The node timeout is not shorter than the TTL.
    #[error("node timeout {timeout} is not shorter than the TTL {ttl}: one slow node eats the whole lease")]
    NodeTimeout {
        /// The node timeout.
        timeout: Span,
        /// The TTL.
        ttl: Span,
    },
    /// No node timeout at all.
    #[error("the node timeout must be longer than 0")]
    NoNodeTimeout,
    /// A TTL of less than a millisecond.
    #[error(
        "a TTL of 0 is an error to Redis and a lock without life here; set unsound = true if that is meant"
    )]
    ZeroTtl,
    /// A lock that never expires.
    #[error("a lock without a TTL is never freed after a crash; set unsound = true if that is meant")]
    NoTtl,
    /// The margin eats the whole TTL.
    #[error("the drift margin {drift} is not shorter than the TTL {ttl}: no attempt can be valid")]
    Drift {
        /// The margin.
        drift: Span,
        /// The TTL.
        ttl: Span,
    },
    /// `single` over several nodes.
    #[error("single asks one node, not {voters}; a lock over several is redlock")]
    Single {
        /// How many voters there are.
        voters: u8,
    },
    /// A span below 0.
    #[error("the drift margin and the waits of a retry must not be negative")]
    Negative,
    /// More repetitions than a message's name can count.
    #[error("driver_retries {retries} is more than {most}")]
    DriverRetries {
        /// The repetitions asked for.
        retries: u8,
        /// The most that can be counted.
        most: u8,
    },
    /// Refusals counted as votes.
    #[error(
        "counting = \"replies\" takes a refusal for a vote: everybody wins. Set unsound = true if that is meant"
    )]
    CountingReplies,
    /// A key that is written before it has a life.
    #[error(
        "taking = \"setnx-expire\" writes a key that never expires if the second command does not follow; set unsound = true if that is meant"
    )]
    SetnxExpire,
    /// An extension that asks for no owner.
    #[error("extension = \"blind\" prolongs the key of whoever owns it; set unsound = true if that is meant")]
    BlindExtension,
    /// A nonce that proves nothing.
    #[error(
        "nonce = \"constant\" is everybody's: a release takes away whatever is there. Set unsound = true if that is meant"
    )]
    ConstantNonce,
    /// A fence whose key is not written by the fence's own script, or whose answer is not looked at.
    #[error(
        "fence = \"incr\" comes with the script that writes the key; it goes with {key} = \"{value}\" only"
    )]
    FenceAlone {
        /// The key that contradicts it.
        key: &'static str,
        /// The value that it needs.
        value: &'static str,
    },
    /// A fence over several voters.
    #[error("fence = \"incr\" counts on one node; {voters} independent counters are no fence")]
    Fence {
        /// How many voters there are.
        voters: u8,
    },
    /// A watchdog that may not extend.
    #[error("renewal = \"watchdog\" needs extension = \"compare\", \"recreate\" or \"blind\"")]
    Renewal,
    /// Replicas are waited for, but not by `single`.
    #[error("wait asks for the replicas of one node: it belongs to single, not to {protocol}")]
    Wait {
        /// The protocol.
        protocol: &'static str,
    },
    /// A wait that WAIT would take for one without end.
    #[error("the wait for replicas must be at least 1 ms: WAIT with 0 waits for ever")]
    NoWaitLimit,
    /// The wait for replicas is not over before the key is.
    #[error("waiting {wait} for replicas, the node timeout included, is not shorter than the TTL {ttl}")]
    WaitTooLong {
        /// The limit and the node timeout.
        wait: Span,
        /// The TTL.
        ttl: Span,
    },
    /// A watchdog or an extension of a lock without a TTL.
    #[error("a lock without a TTL has nothing to extend")]
    ExtensionWithoutTtl,
}

impl Drift {
    /// The specification: 1 % plus 2 ms.
    pub const SPEC: Self = Self { permille: 10, constant: Span::from_ms(2) };

    /// The margin for this TTL, rounded up.
    pub fn margin(self, ttl: Span) -> Span {
        let growing = i128::from(ttl.0) * i128::from(self.permille);
        let growing = (growing + 999).div_euclid(1_000);
        Span(i64::try_from(growing).unwrap_or(i64::MAX)) + self.constant
    }
}

impl Wait {
    /// How long the client waits for the answer to WAIT: the primary's wait and one node timeout.
    pub fn request_limit(self, node_timeout: Span) -> Span {
        self.limit + node_timeout
    }
}

impl Protocol {
    /// The name of its table in a scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Redlock => "redlock",
            Self::None => "none",
        }
    }
}

impl Policy {
    /// How often a driver may repeat one command: an attempt can send two commands of one name to a voter, and
    /// [`Label::occurrence`](super::Label) counts both in one byte.
    pub const DRIVER_RETRIES_MAX: u8 = 100;

    /// `like = "spec"`: what the Redlock specification says, for any number of voters.
    ///
    /// **Source** "Distributed Locks with Redis", redis.io; what it leaves open we chose.
    pub fn spec(protocol: Protocol, voters: u8, ttl: Ttl) -> Self {
        Self {
            protocol,
            voters,
            quorum: voters / 2 + 1,
            counting: Counting::Grants,
            taking: Taking::SetNxPx,
            ttl,
            node_timeout: Span::from_ms(50),
            drift: Drift::SPEC,
            validity: Validity::Checked,
            basis: Basis::Send,
            clock: ClockKind::Mono,
            asking: Asking::Concurrent,
            on_error: OnError::Count,
            release: Release::CompareAndDelete,
            release_on_failure: ReleaseScope::All,
            retry: Retry { retries: 3, delay: Span::from_ms(200), jitter: Span::from_ms(200) },
            driver_retries: 0,
            nonce: NonceLife::Attempt,
            fence: Fence::None,
            extension: Extension::None,
            renewal: Renewal::None,
            on_loss: OnLoss::Tell,
            wait: Wait { replicas: WaitFor::None, limit: Span::from_ms(50) },
        }
    }

    /// Checks that the policy can be run, and that what is unsound was asked for by name.
    ///
    /// # Errors
    /// The first [`PolicyError`] found. `unsound` admits a TTL of 0 or none, a quorum that is no majority, and the
    /// values that call themselves unsound.
    pub fn validate(&self, soundness: Soundness) -> Result<(), PolicyError> {
        self.validate_wait()?;
        if self.protocol == Protocol::None {
            return Ok(());
        }
        let (quorum, voters) = (self.quorum, self.voters);
        if self.protocol == Protocol::Single && voters != 1 {
            return Err(PolicyError::Single { voters });
        }
        let majority = voters / 2 + 1;
        if quorum == 0 || quorum > voters {
            return Err(PolicyError::Quorum { quorum, voters, majority });
        }
        self.validate_words(soundness)?;
        let sound = soundness == Soundness::Required;
        if sound && quorum < majority {
            return Err(PolicyError::NoMajority { quorum, voters, majority });
        }
        if self.node_timeout <= Span::ZERO {
            return Err(PolicyError::NoNodeTimeout);
        }
        match self.ttl {
            Ttl::Never if sound => return Err(PolicyError::NoTtl),
            Ttl::Never if self.extension != Extension::None => return Err(PolicyError::ExtensionWithoutTtl),
            Ttl::Never => {}
            Ttl::Of(ttl) if ttl < Span::from_ms(1) => {
                if sound {
                    return Err(PolicyError::ZeroTtl);
                }
            }
            Ttl::Of(ttl) => {
                if self.node_timeout >= ttl {
                    return Err(PolicyError::NodeTimeout { timeout: self.node_timeout, ttl });
                }
                let drift = self.drift.margin(ttl);
                if drift >= ttl {
                    return Err(PolicyError::Drift { drift, ttl });
                }
            }
        }
        if [self.drift.constant, self.retry.delay, self.retry.jitter].iter().any(|span| *span < Span::ZERO) {
            return Err(PolicyError::Negative);
        }
        if self.driver_retries > Self::DRIVER_RETRIES_MAX {
            let (retries, most) = (self.driver_retries, Self::DRIVER_RETRIES_MAX);
            return Err(PolicyError::DriverRetries { retries, most });
        }
        self.validate_fence()?;
        if self.renewal == Renewal::Watchdog && self.extension == Extension::None {
            return Err(PolicyError::Renewal);
        }
        Ok(())
    }

    /// The words that are wrong whatever the numbers are.
    fn validate_words(&self, soundness: Soundness) -> Result<(), PolicyError> {
        match soundness {
            Soundness::Waived => Ok(()),
            Soundness::Required if self.counting == Counting::Replies => Err(PolicyError::CountingReplies),
            Soundness::Required if self.taking == Taking::SetnxExpire => Err(PolicyError::SetnxExpire),
            Soundness::Required if self.extension == Extension::Blind => Err(PolicyError::BlindExtension),
            Soundness::Required if self.nonce == NonceLife::Constant => Err(PolicyError::ConstantNonce),
            Soundness::Required => Ok(()),
        }
    }

    fn validate_fence(&self) -> Result<(), PolicyError> {
        match (self.fence, self.taking, self.counting) {
            (Fence::None, _, _) => Ok(()),
            (Fence::Incr, _, _) if self.voters != 1 => Err(PolicyError::Fence { voters: self.voters }),
            (Fence::Incr, Taking::SetNxPx, Counting::Grants) => Ok(()),
            (Fence::Incr, Taking::SetnxExpire, _) => {
                Err(PolicyError::FenceAlone { key: "taking", value: "set-nx-px" })
            }
            (Fence::Incr, Taking::SetNxPx, Counting::Replies) => {
                Err(PolicyError::FenceAlone { key: "counting", value: "grants" })
            }
        }
    }

    fn validate_wait(&self) -> Result<(), PolicyError> {
        if self.wait.replicas == WaitFor::None {
            return Ok(());
        }
        match self.protocol {
            Protocol::Single => {}
            Protocol::Redlock | Protocol::None => {
                return Err(PolicyError::Wait { protocol: self.protocol.name() });
            }
        }
        if self.wait.limit < Span::from_ms(1) {
            return Err(PolicyError::NoWaitLimit);
        }
        let wait = self.wait.request_limit(self.node_timeout);
        match self.ttl {
            // A life of less than a millisecond is unsound by itself.
            Ttl::Of(ttl) if ttl >= Span::from_ms(1) && wait >= ttl => {
                Err(PolicyError::WaitTooLong { wait, ttl })
            }
            Ttl::Of(_) | Ttl::Never => Ok(()),
        }
    }
}

/// Whether a policy may be unsound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Soundness {
    /// Nonsense is refused.
    Required,
    /// The user wrote `unsound = true`.
    Waived,
}
