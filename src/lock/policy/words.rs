//! The words of a policy: each decision of a library that has a few named answers.
//!
//! The names are part of the file format. Must not hold numbers or behaviour.

/// Whether the remaining validity is checked before granting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// Granted only while the promised end lies after the decision.
    Checked,
    /// Granted also where nothing at all is left: `>=` where the specification has `>`. Unsound.
    ///
    /// **Source** leandromoreira/redlock-rb (`validity >= 0`); redis-plus-plus #24 mixed both comparisons.
    ZeroPasses,
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
    /// answer, or with an error, the vote is unknown. Unsound.
    ///
    /// **Source** redis-py #554 and #818, ShedLock #105, laravel #41410.
    SetnxExpire,
    /// One command, with the moment of the client's own wall clock at which the key shall end: SET NX PXAT. The clocks
    /// of client and server must agree. The driver's repetitions read the clock anew.
    ///
    /// **Source** rueidis' rueidislock, a-mutex for Rust.
    SetNxPxat,
    /// A script that writes the key if it is missing, or carries the own nonce already.
    ///
    /// **Source** bsm/redislock, leandromoreira/redlock-rb, aioredlock, Spring Integration's RedisLockRegistry.
    Reobtain,
}

/// What an error reply to an acquiring command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// It counts as one vote against.
    Count,
    /// It ends the whole call.
    Abort,
    /// It ends the whole call, and so does a command that stays without an answer, the driver's repetitions included.
    ///
    /// **Source** redlock-rb #129; redlock 2.0.0 for Rust, which leaves at the first node that fails.
    AbortAny,
    /// It counts as one vote against; but where a quorum granted all the same, one error, or one command without an
    /// answer, ends the call with that error, and the keys stay. Unsound: nobody holds what was taken.
    ///
    /// **Source** SPSCommerce/redlock-py, which raises MultipleRedlockException after a quorum.
    AbortAfterQuorum,
}

/// How a hold is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// A script that deletes only the own nonce.
    CompareAndDelete,
    /// DEL, whoever owns the key.
    PlainDel,
    /// GET, and DEL where it found the own nonce: two commands, between which the key can change hands. Unsound.
    ///
    /// **Source** spring-integration #8699, leshan PR #837, distributed-lock-redis 0.2.0 for Rust (its write lock).
    GetThenDel,
    /// WATCH, GET, and DEL where that found the own nonce: without MULTI the watch guards nothing. Unsound.
    ///
    /// **Source** redis-py PR #1031.
    WatchGetDel,
    /// WATCH, GET, and where that found the own nonce MULTI, DEL and EXEC; else UNWATCH. Other commands of the client
    /// that come in between on the same connection are part of its transaction.
    ///
    /// **Source** redis-py after PR #1031; WATCH and MULTI, redis.io command pages.
    WatchMultiExec,
    /// DELEX with IFEQ: compares and deletes in one command, without a script.
    ///
    /// **Source** DELEX, redis.io command page, Redis 8.4; Spring Integration's RedisLockRegistry.
    DelexIfeq,
}

/// Who is released after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseScope {
    /// Every voter, also those that did not answer.
    All,
    /// Only the voters known to have granted.
    Known,
    /// Nobody: what was written stays until its life is over. Unsound.
    ///
    /// **Source** aioredlock #16; redlock 2.0.0 for Rust on an error.
    None,
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
    ///
    /// **Source** RedLock.net #48, redsync's `WithSetNXOnExtend`, aioredlock, redlock-rb #36.
    Recreate,
    /// PEXPIRE, whoever owns the key. Unsound.
    ///
    /// **Source** redbeat #127, Redisson #597.
    Blind,
    /// SET XX PX with the own nonce: takes the key over from whoever owns it. Unsound.
    ///
    /// **Source** ShedLock #2583, the default without `safeUpdate`.
    SetXx,
    /// SET IFEQ PX with the own nonce: compares and sets in one command, without a script.
    ///
    /// **Source** SET, redis.io command page, Redis 8.4; Spring Integration's RedisLockRegistry.
    SetIfeq,
    /// As compare, up to a moment of the client's own wall clock: PEXPIREAT.
    ///
    /// **Source** rueidis' rueidislock, a-mutex for Rust.
    Pexpireat,
    /// As compare, and the life asked for is added to what is left of the old one; so is the promise.
    ///
    /// **Source** redis-py's `Lock.extend` without `replace_ttl`.
    Add,
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

/// From when validity counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// From before the first command of the attempt that won: the specification.
    Attempt,
    /// From before the first command of the call, whatever its earlier attempts and waits took. A lock that is won late
    /// is handed out with less than it has, or not at all.
    ///
    /// **Source** node-redlock 5.0.0-beta.2 (#296, #299, PR #274).
    Call,
}

/// What the drift margin does to the promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriftSign {
    /// It makes the promise shorter: the specification.
    Subtracted,
    /// It makes the promise longer. Unsound.
    ///
    /// **Source** redlock-py PR #3 (the whole margin), redsync #37 (its constant part).
    Added,
}

/// What happens where more time has passed than there was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// The rest is negative, and so no rest.
    Checked,
    /// The rest is an unsigned number that wraps around: what should be no validity is an endless one. Unsound.
    ///
    /// **Source** badboy/redlock-rs #20, PR #21; redlock 2.0.0 and redlock-async 0.0.3 for Rust, built for release.
    Wrapping,
}

/// How exactly the elapsed time is known when it is subtracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elapsed {
    /// To the microsecond.
    Exact,
    /// In whole milliseconds, rounded down: less seems to have passed than has.
    WholeMs,
    /// In whole seconds, rounded down. Unsound: a promise can be up to a second too long, which no margin covers.
    WholeS,
}

/// How the quorum follows from the number of voters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuorumRule {
    /// `n / 2 + 1` in whole numbers: the specification.
    Majority,
    /// `n / 2` in whole numbers, at least one: no majority where `n` is even, or any other. Unsound.
    Half,
    /// `n / 2 + 1` as a real number: all of three, four of five.
    ///
    /// **Source** ronnylt/redlock-php PR #1, #6 and #16.
    Float,
    /// Everybody.
    All,
    /// Anybody.
    One,
}

/// Of whom an attempt wants a quorum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuorumOf {
    /// Of all voters, whether they can be reached or not: the specification.
    Voters,
    /// A majority of those whose connection was open or could be opened: whoever is cut off makes the quorum smaller.
    /// Unsound.
    ///
    /// **Source** redlock-py PR #6.
    Connected,
}

/// When a round of questions is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deciding {
    /// When all voters have answered or are unknown.
    All,
    /// As soon as a quorum said yes, or no quorum can. What is still under way goes on unheard.
    ///
    /// **Source** redsync's `WithFailFast`, brainix/pottery.
    AtQuorum,
    /// As soon as a quorum said yes, or as many did not. Where neither comes, as in an even split, the call never ends.
    /// Unsound.
    ///
    /// **Source** mike-marcacci/node-redlock 5.0.0-beta.2.
    AtQuorumOfBoth,
}

/// Who waits for a failed attempt to be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cleanup {
    /// The next attempt, and the caller: all cleaning commands are answered or unknown before anything else happens.
    Foreground,
    /// Nobody: the commands are sent to all voters at once and go on unheard, and the driver does not repeat them.
    ///
    /// **Source** joanvila/aioredlock.
    Background,
    /// As in the foreground, but under the caller's own patience: a call that was given up sends none, and ends at once.
    /// Unsound.
    ///
    /// **Source** redsync, whose cleaning uses a context derived from the caller's; ncps PR #913.
    CallersContext,
}

/// What is released where a won attempt had no validity left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenLate {
    /// The same as after any other failure.
    AsFailure,
    /// Nothing: the keys stay until their life is over. Unsound.
    ///
    /// **Source** rslock 0.10.0 (`TtlExceeded` before the unlock), symfony #31426.
    None,
}

/// How the wait before a retry changes from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// It stays.
    Fixed,
    /// It doubles up to a maximum; the jitter stays.
    Doubling,
}

/// When a call that failed for good is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AfterLast {
    /// At once.
    Answers,
    /// After one more wait, as between two attempts.
    ///
    /// **Source** redlock-py and code like it, which sleeps at the end of every turn of its loop.
    Waits,
}

/// In which unit lives are sent to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TtlUnit {
    /// In milliseconds: PX, PEXPIRE.
    Ms,
    /// In whole seconds, rounded down: EX, EXPIRE. Unsound where the TTL is not one of whole seconds.
    S,
    /// In milliseconds where seconds are meant: keys live a thousand times as long. Unsound.
    ///
    /// **Source** redis-lock 0.5.1 for Rust, `MultiResourceLock`.
    SForMs,
}

/// What a client that finds the key taken does for it, where keys are taken by SETNX and given a life by EXPIRE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// Nothing.
    None,
    /// It asks TTL, and where that answers 0 it sends EXPIRE, whoever owns the key. 0 is what the last half second of a
    /// life rounds to. Unsound.
    ///
    /// **Source** the test `not ttl` with redis-py 3 and later, in code printed in many articles.
    Zero,
    /// So also where TTL answers that the key has no life, or is gone. Unsound.
    ///
    /// **Source** the same test with redis-py 2, which answered None there.
    ZeroAndMissing,
}

/// Which key a release removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseKey {
    /// The one that was taken.
    Own,
    /// `<key>:other`: one that nobody takes. Unsound.
    ///
    /// **Source** a slip of printed code, which spells the name in two places in two ways.
    Other,
}

/// Which voters a hold's release and its extensions ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// All.
    Voters,
    /// Those that were heard to grant it.
    ///
    /// **Source** distributed-lock-redis 0.2.0 for Rust.
    Acquired,
}

/// Of whom an extension wants a quorum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtensionQuorumOf {
    /// Of all voters: as many as a grant.
    Voters,
    /// A majority of those that were heard to grant the hold, who alone are asked. Unsound.
    ///
    /// **Source** distributed-lock-redis 0.2.0 for Rust.
    Acquired,
}

/// Until when a hold may be extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtensionWithin {
    /// As long as the keys let it.
    Any,
    /// Only while its own promise runs, from before the first command to the last answer: the specification.
    Validity,
}

/// What a successful extension makes of the promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtensionMoves {
    /// A new one.
    Deadline,
    /// Nothing: the old deadline stays.
    Nothing,
}

/// What an extension's promise takes off the life of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtensionChecks {
    /// What a grant's does.
    Validity,
    /// Nothing: a quorum is all it needs, and the whole life counts from the moment of decision. Unsound.
    ///
    /// **Source** brainix/pottery, whose `extend` looks neither at the elapsed time nor at drift.
    Nothing,
}

/// What a failed extension means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnExtensionFailure {
    /// Nothing by itself: the hold goes on up to its deadline, unless too few voters carry it.
    Keep,
    /// A loss: the holder is told, if losses are told at all.
    Tell,
    /// The same, and the hold is given back at all voters. The commands go on unheard.
    ///
    /// **Source** rslock, redsync for Rust, redlock-rb, aioredlock.
    ReleaseAll,
}

/// What the watchdog's period is rounded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RenewalRounding {
    /// To milliseconds, down.
    Exact,
    /// To seconds, down, as integer division does; of less than a second nothing is left but the least wait of 1 ms.
    WholeS,
}

/// When the watchdog asks for its next wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RenewalRearm {
    /// Whenever it begins a renewal, whatever comes of that.
    Always,
    /// When a renewal succeeded, a period from then. One that fails, or is not answered, was the last.
    ///
    /// **Source** Redisson #775; python-redis-lock, whose thread ends at the first exception.
    AfterSuccess,
    /// When a renewal was answered, a period from then: also where too few voters carried the hold, which is no loss
    /// then. One that meets an error, or is not answered, was the last.
    ///
    /// **Source** a printed worker that asks nothing but whether its command raised an error.
    AfterReply,
}

/// What becomes of the watchdog when its hold is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RenewalOnRelease {
    /// It ends.
    Ends,
    /// It goes on by itself, until it finds too few voters that carry the hold, or another hold begins. What the release
    /// leaves behind then lives for ever. Unsound.
    ///
    /// **Source** Redisson #1966.
    Survives,
}

/// What a handle that holds does when acquire is called again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reacquire {
    /// It refuses the call, and the hold stays.
    Refused,
    /// It forgets the hold and asks the voters, who find the key taken: by the handle itself. With one nonce for the life
    /// of the handle, cleaning up after the refusal gives the own hold away. Unsound.
    ///
    /// **Source** redsync #30 and PR #35, redis-py #416: handles that are shared, or used again while they hold.
    Asks,
}
