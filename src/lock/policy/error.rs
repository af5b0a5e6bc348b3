//! Why a policy cannot be run.
//!
//! Must not decide that: `validate` does.

use crate::time::Span;

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
    #[error(
        "node timeout {timeout} is not shorter than the TTL {ttl}: one slow node eats the whole lease. Set unsound = true if that is meant"
    )]
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
    /// A value that is wrong by itself.
    #[error("{key} = \"{value}\" {why}; set unsound = true if that is meant")]
    Unsound {
        /// The key.
        key: &'static str,
        /// Its value.
        value: &'static str,
        /// What is wrong with it.
        why: &'static str,
        /// The value of the specification.
        sound: &'static str,
    },
    /// Two keys that do not go together.
    #[error("{key} {why}")]
    Apart {
        /// The key that is to blame.
        key: &'static str,
        /// Why it does not fit.
        why: &'static str,
        /// What it should probably say, written out.
        meant: &'static str,
    },
}
