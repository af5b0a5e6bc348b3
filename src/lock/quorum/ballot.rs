//! One round of questions: who is still to be asked, who was asked by which request, and how each voter counts.
//!
//! The driver's own repetition of broken commands happens here, below the algorithm, which never hears of it.
//! Must not know what is asked or what a vote leads to.

use crate::canon::{Canon, IdKind};
use crate::lock::policy::Asking;
use crate::lock::{ConnectionId, Output, RequestId, UnknownReason};
use crate::name::{ClientId, VoterId};
use crate::resp::{Command, Reply};

use smallvec::SmallVec;

use super::commands::{Errand, Step};
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
    /// Not part of the round, or answered where the answer does not matter.
    Settled,
}

/// Index: voter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ballot(SmallVec<[Vote; 5]>);

/// How the votes of a finished round add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) yes: usize,
    pub(super) no: usize,
    pub(super) unknown: usize,
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
    /// Everybody answered or is unknown.
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
            | Vote::Settled => None,
        })
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.iter().any(|vote| matches!(vote, Vote::Unasked | Vote::Asked { .. }))
    }

    pub(super) fn tally(&self) -> Tally {
        let count = |wanted: Vote| self.0.iter().filter(|vote| **vote == wanted).count();
        Tally { yes: count(Vote::For), no: count(Vote::Against), unknown: count(Vote::Unknown) }
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
        let command = errand.command(self.terms);
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
        let asked = errand.at(step);
        if repeats < self.terms.policy().driver_retries && answer.is_broken() {
            let command = asked.command(self.terms);
            self.send(ballot, (voter, repeats + 1, step), asked, command);
            return Heard::Open;
        }
        if let Some(second) = asked.follow_up(self.terms, answer) {
            let command = second.command(self.terms);
            self.send(ballot, (voter, 0, Step::Second), second, command);
            return Heard::Open;
        }
        ballot.0[voter] = asked.vote(self.terms, answer);
        self.ask_next(ballot, errand);
        if ballot.is_open() { Heard::Open } else { Heard::Complete }
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
