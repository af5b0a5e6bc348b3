//! One round of questions: who is still to be asked, who was asked by which request, and how each voter counts.
//!
//! The driver's own repetition of broken commands happens here, below the algorithm, which never hears of it.
//! Must not know what is asked or what a vote leads to.

use crate::canon::{Canon, IdKind};
use crate::lock::policy::{Asked, Asking, Deciding};
use crate::lock::{ConnectionId, Output, RequestId, UnknownReason};
use crate::name::{ClientId, VoterId};
use crate::resp::{Command, Reply};

use smallvec::SmallVec;

use super::errand::{Errand, Step};
use super::terms::Terms;

/// Where one voter stands in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Vote {
    Unasked,
    /// `repeats` counts the times the driver sent it again.
    Asked {
        request: RequestId,
        repeats: u8,
        step: Step,
    },
    For,
    Against,
    Unknown,
    /// Against, by an error reply; only where the policy wants errors apart from refusals.
    Failed,
    /// Unknown, because no connection could be opened; only where the policy counts who is connected.
    Unreached,
    /// Not part of the round, or answered where the answer does not matter.
    Settled,
}

/// Index: voter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ballot(SmallVec<[Vote; 5]>);

/// How the votes of a round add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) yes: usize,
    /// With those that are against by an error.
    pub(super) no: usize,
    /// With those that could not be reached, and those that were not heard before the round was decided.
    pub(super) unknown: usize,
    pub(super) failed: usize,
    pub(super) unreached: usize,
    /// Still to be asked or heard.
    pub(super) open: usize,
    /// All that are part of the round.
    pub(super) members: usize,
}

/// What became of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Reply(Reply),
    Unknown(UnknownReason),
}

/// What an answer did to a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// The request is not of this round: an earlier one was given up with answers outstanding.
    Stranger,
    /// Others are still to answer.
    Open,
    /// The round is decided: as a rule, everybody answered or is unknown.
    Complete,
}

/// The means to send: constants, the request counter and the outputs.
pub(super) struct Sender<'a> {
    pub(super) terms: &'a Terms,
    pub(super) requests: &'a mut u32,
    pub(super) out: &'a mut Vec<Output>,
}

impl Ballot {
    /// Everybody is to be asked.
    pub(super) fn of_all(voters: u8) -> Self {
        Self(SmallVec::from_elem(Vote::Unasked, usize::from(voters)))
    }

    /// Only those that voted for are to be asked.
    pub(super) fn of_known(earlier: &Self) -> Self {
        let again = |vote: &Vote| if *vote == Vote::For { Vote::Unasked } else { Vote::Settled };
        Self(earlier.0.iter().map(again).collect())
    }

    /// Everybody is to be asked, or only those whose bits are set.
    pub(super) fn of_asked(asked: Asked, voters: u8, granted: u32) -> Self {
        match asked {
            Asked::Voters => Self::of_all(voters),
            Asked::Acquired => {
                let is_in = |voter: u8| granted >> voter & 1 == 1;
                Self(
                    (0..voters)
                        .map(|voter| if is_in(voter) { Vote::Unasked } else { Vote::Settled })
                        .collect(),
                )
            }
        }
    }

    /// The voters that voted for, by bit.
    pub(super) fn granted(&self) -> u32 {
        let votes = self.0.iter().enumerate();
        votes.filter(|(_, vote)| **vote == Vote::For).fold(0, |bits, (voter, _)| bits | 1 << voter)
    }

    /// The voter that this request asks, how often the driver repeated it, and for which step it is.
    pub(super) fn asked(&self, request: RequestId) -> Option<(usize, u8, Step)> {
        self.0.iter().enumerate().find_map(|(voter, vote)| match vote {
            Vote::Asked { request: known, repeats, step } if *known == request => {
                Some((voter, *repeats, *step))
            }
            Vote::Asked { .. }
            | Vote::Unasked
            | Vote::For
            | Vote::Against
            | Vote::Unknown
            | Vote::Failed
            | Vote::Unreached
            | Vote::Settled => None,
        })
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.iter().any(|vote| matches!(vote, Vote::Unasked | Vote::Asked { .. }))
    }

    pub(super) fn tally(&self) -> Tally {
        let count = |wanted: Vote| self.0.iter().filter(|vote| **vote == wanted).count();
        let (failed, unreached) = (count(Vote::Failed), count(Vote::Unreached));
        let open = self.0.iter().filter(|vote| matches!(vote, Vote::Unasked | Vote::Asked { .. })).count();
        Tally {
            yes: count(Vote::For),
            no: count(Vote::Against) + failed,
            unknown: count(Vote::Unknown) + unreached + open,
            failed,
            unreached,
            open,
            members: self.0.len() - count(Vote::Settled),
        }
    }

    pub(super) fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        canon.by_voter(&mut self.0);
        for vote in &mut self.0 {
            if let Vote::Asked { request, .. } = vote {
                canon.id(IdKind::Request(client), &mut request.0);
            }
        }
    }

    fn first_unasked(&self) -> Option<usize> {
        self.0.iter().position(|vote| *vote == Vote::Unasked)
    }
}

impl Sender<'_> {
    /// Asks everybody who is to be asked, or only the next in index order if the policy asks serially.
    pub(super) fn ask(&mut self, ballot: &mut Ballot, errand: Errand) {
        let Some(first) = ballot.first_unasked() else { return };
        let command = errand.command(self.terms, Step::First);
        match self.terms.policy().asking {
            Asking::Serial => self.send(ballot, (first, 0, Step::First), errand, command),
            Asking::Concurrent => {
                for voter in first..ballot.0.len() {
                    if ballot.0[voter] == Vote::Unasked {
                        self.send(ballot, (voter, 0, Step::First), errand, command.clone());
                    }
                }
            }
        }
    }

    /// Takes the answer to one request of the round.
    pub(super) fn hear(
        &mut self,
        ballot: &mut Ballot,
        errand: Errand,
        request: RequestId,
        answer: &Answer,
    ) -> Heard {
        let Some((voter, repeats, step)) = ballot.asked(request) else { return Heard::Stranger };
        if self.will_repeat(ballot, request, answer) {
            let command = errand.command(self.terms, step);
            self.send(ballot, (voter, repeats + 1, step), errand, command);
            return Heard::Open;
        }
        if let Some(next) = errand.follow_up(self.terms, step, answer) {
            let command = errand.command(self.terms, next);
            self.send(ballot, (voter, 0, next), errand, command);
            return Heard::Open;
        }
        ballot.0[voter] = errand.vote(self.terms, step, answer);
        if self.is_decided(ballot, errand) {
            return Heard::Complete;
        }
        self.ask_next(ballot, errand);
        Heard::Open
    }

    /// Sends to everybody who is to be asked, whatever the policy says of the order, and expects no answer.
    pub(super) fn tell(&mut self, mut ballot: Ballot, errand: Errand) {
        let command = errand.command(self.terms, Step::First);
        for voter in 0..ballot.0.len() {
            if ballot.0[voter] == Vote::Unasked {
                self.send(&mut ballot, (voter, 0, Step::First), errand, command.clone());
            }
        }
    }

    /// Whether the driver will send this request again, unnoticed by the algorithm.
    pub(super) fn will_repeat(&self, ballot: &Ballot, request: RequestId, answer: &Answer) -> bool {
        let repeats = ballot.asked(request).map(|(_, repeats, _)| repeats);
        answer.is_broken() && repeats.is_some_and(|repeats| repeats < self.terms.policy().driver_retries)
    }

    fn is_decided(&self, ballot: &Ballot, errand: Errand) -> bool {
        let deciding = if errand.is_voted() { self.terms.policy().deciding } else { Deciding::All };
        let tally = ballot.tally();
        let quorum = errand.quorum(self.terms, tally);
        match deciding {
            Deciding::All => !ballot.is_open(),
            Deciding::AtQuorum => tally.yes >= quorum || tally.yes + tally.open < quorum,
            Deciding::AtQuorumOfBoth => {
                tally.yes >= quorum || tally.no + tally.unknown - tally.open >= quorum
            }
        }
    }

    fn ask_next(&mut self, ballot: &mut Ballot, errand: Errand) {
        match self.terms.policy().asking {
            Asking::Concurrent => {}
            Asking::Serial => self.ask(ballot, errand),
        }
    }

    fn send(
        &mut self,
        ballot: &mut Ballot,
        (voter, repeats, step): (usize, u8, Step),
        errand: Errand,
        command: Command,
    ) {
        *self.requests = self.requests.checked_add(1).unwrap_or(1);
        let request = RequestId(*self.requests);
        ballot.0[voter] = Vote::Asked { request, repeats, step };
        self.out.push(Output::Send {
            request,
            voter: VoterId(voter as u8),
            connection: ConnectionId(0),
            command,
            limit: errand.limit(self.terms),
            label: errand.label(self.terms, repeats),
        });
    }
}

impl Answer {
    /// Whether a driver that repeats broken commands would send this one again. A timeout is not a break.
    fn is_broken(&self) -> bool {
        match self {
            Self::Unknown(UnknownReason::NotSent | UnknownReason::Disconnected) => true,
            Self::Unknown(UnknownReason::TimedOut) | Self::Reply(_) => false,
        }
    }
}
