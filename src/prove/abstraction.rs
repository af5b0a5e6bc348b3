//! What a proof does not cover, in the words that are printed with every "held".
//!
//! Reports print these lines; `models/README.md` says the same to a reader. Must not promise more than `state.rs` does.

/// What the abstraction leaves out, a line each.
pub const LEFT_OUT: [&str; 7] = [
    "time is cut into ticks of a second: messages are late by whole ticks, within their bound or by a fault",
    "timers are never late by themselves, and what a process does takes no time",
    "a client begins an attempt at the beginning of a tick, and only when nothing of its last one is in flight",
    "a fault begins with a tick or directly before something that is due at its process, and ends with a tick",
    "what replicas are sent arrives at once, and so does word of a broken connection; answers of the store are never late",
    "clocks run at one rate unless a fault says otherwise; whole ticks are exact for dense time only at true rates",
    "how many faults happen is counted over the whole run; what is not allowed cannot happen",
];
