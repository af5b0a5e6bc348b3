//! A shipped core with one slip: what goes in and comes out is that of the core, but for one thing.
//!
//! Must not keep any state of its own beside the core's.

use bytes::Bytes;
use fencepost::canon::Canon;
use fencepost::lock::{Core, CoreTraits, ExtendFailure, Input, LockCore, Output, Stored, Until};
use fencepost::name::{ClientId, Nonce, Operation};
use fencepost::prove::Scope;
use fencepost::resp::{Command, Reply};
use fencepost::time::Now;

/// The slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slip {
    /// Every promise lasts four ticks longer than the core computes.
    PromisesLonger,
    /// A promise ends when it is given.
    GrantsThePast,
    /// A refusal counts as a grant.
    TakesRefusals,
    /// A key is deleted whoever owns it.
    DeletesBlindly,
    /// A key is prolonged whoever owns it.
    ProlongsBlindly,
    /// An extension that found the key gone is reported as one that succeeded.
    HidesLosses,
    /// Every grant has the first fence.
    RepeatsFences,
    /// Later grants have smaller fences.
    ReversesFences,
}

/// A core, perhaps with a slip.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Mutant {
    core: Core,
    slip: Option<Slip>,
}

impl Mutant {
    pub(super) fn new(core: Core, slip: Option<Slip>) -> Self {
        Self { core, slip }
    }

    /// What the core is told.
    fn told(&self, input: Input) -> Input {
        match (self.slip, input) {
            (Some(Slip::TakesRefusals), Input::Reply { request, reply: Reply::Null }) => {
                Input::Reply { request, reply: Reply::OK }
            }
            (_, input) => input,
        }
    }

    /// What comes of what the core says.
    fn said(&self, now: Now, output: Output) -> Output {
        let Some(slip) = self.slip else { return output };
        match (slip, output) {
            (Slip::PromisesLonger, Output::Granted { caller, nonce, until: Until::Mono(end), fence }) => {
                Output::Granted { caller, nonce, until: Until::Mono(end + Scope::ticks(4)), fence }
            }
            (Slip::GrantsThePast, Output::Granted { caller, nonce, fence, .. }) => {
                Output::Granted { caller, nonce, until: Until::Mono(now.mono), fence }
            }
            (Slip::HidesLosses, Output::ExtendFailed { caller, why: ExtendFailure::Gone, .. }) => {
                Output::Extended { caller, until: Until::Mono(now.mono + Scope::ticks(2)) }
            }
            (Slip::RepeatsFences, Output::Granted { caller, nonce, until, fence }) => {
                Output::Granted { caller, nonce, until, fence: fence.map(|_| 1) }
            }
            (Slip::ReversesFences, Output::Granted { caller, nonce, until, fence }) => {
                Output::Granted { caller, nonce, until, fence: fence.map(|fence| 100 - fence) }
            }
            (
                Slip::DeletesBlindly | Slip::ProlongsBlindly,
                Output::Send { request, voter, connection, command, limit, label },
            ) => {
                let command = blind(slip, label.operation, command);
                Output::Send { request, voter, connection, command, limit, label }
            }
            (_, output) => output,
        }
    }
}

/// The command without its comparison: EVAL script 1 key nonce \[life].
fn blind(slip: Slip, operation: Operation, command: Command) -> Command {
    let words = command.words();
    let is_script = words[0].eq_ignore_ascii_case(b"EVAL");
    let word = |text: &'static str| Bytes::from_static(text.as_bytes());
    match (slip, operation) {
        (Slip::DeletesBlindly, Operation::Release | Operation::Acquire) if is_script => {
            Command::new([word("DEL"), words[3].clone()])
        }
        (Slip::ProlongsBlindly, Operation::Extend) if is_script => {
            Command::new([word("PEXPIRE"), words[3].clone(), words[5].clone()])
        }
        _ => command,
    }
}

impl LockCore for Mutant {
    fn on_input(&mut self, now: Now, input: Input, out: &mut Vec<Output>) {
        let input = self.told(input);
        let mut said = Vec::new();
        self.core.on_input(now, input, &mut said);
        out.extend(said.into_iter().map(|output| self.said(now, output)));
    }

    fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        self.core.canonical(client, canon);
    }

    fn describe(&self) -> CoreTraits {
        self.core.describe()
    }

    fn backs(&self, nonce: Nonce, stored: &Stored) -> bool {
        self.core.backs(nonce, stored)
    }
}
