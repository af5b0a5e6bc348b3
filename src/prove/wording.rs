//! A choice of the checker in plain words, for a person who walks through the graph.
//!
//! Must not choose.

use super::choices::Choice;
use super::kind::Kind;
use super::state::State;
use super::terms::Terms;
use crate::lock::{LockCore, WakeReason};
use crate::name::{Direction, Process};
use crate::world::{Event, GroupEvent, LaneId, NodeTimer, Place, TimerKind, Way};

/// What is chosen. Which messages a choice about messages means, only a state knows: [`sent_words`].
pub(super) fn choice_words(terms: &Terms, choice: Choice) -> String {
    match choice {
        Choice::Stay(client) => format!("{client} stays as it is in this tick"),
        Choice::Handle(event) => event_words(event),
        Choice::Delay(0) => "what was just sent takes no time".to_owned(),
        Choice::Delay(code) => format!("what was just sent is on its way (combination of delays {code})"),
        Choice::Lose(index) => format!("message {} of those just sent is lost", index + 1),
        Choice::Late(index, by) => {
            format!("message {} of those just sent is later than its bound, by {}", index + 1, ticks(by))
        }
        Choice::Begin(slot) => format!("{} begins", fault_words(terms, slot)),
        Choice::Flash(slot) => format!("{} begins and ends at once", fault_words(terms, slot)),
        Choice::End(slot) => format!("{} ends", fault_words(terms, slot)),
        Choice::Last(slot) => format!("{} lasts for this tick", fault_words(terms, slot)),
        Choice::Calm => "no more faults begin now".to_owned(),
    }
}

/// Which message is meant, and how long it takes; a line for each that a choice decides about.
pub(super) fn sent_words<C: LockCore>(terms: &Terms, state: &State<C>, choice: Choice) -> Vec<String> {
    let places = state.system.undecided();
    let only =
        |index: u8| places.get(usize::from(index)).map(|place| message_words(place.lane, place.direction));
    match choice {
        Choice::Delay(mut code) => {
            let timed = |place: &Place| {
                let base = u32::from(terms.bound(place)) + 1;
                let takes = (code % base) as u8;
                code /= base;
                format!("{} takes {}", message_words(place.lane, place.direction), ticks(takes))
            };
            places.iter().map(timed).collect()
        }
        Choice::Lose(index) | Choice::Late(index, _) => only(index).into_iter().collect(),
        Choice::Stay(_)
        | Choice::Handle(_)
        | Choice::Begin(_)
        | Choice::Flash(_)
        | Choice::End(_)
        | Choice::Last(_)
        | Choice::Calm => Vec::new(),
    }
}

fn ticks(count: u8) -> String {
    match count {
        1 => "1 tick".to_owned(),
        count => format!("{count} ticks"),
    }
}

fn message_words(lane: LaneId, direction: Direction) -> String {
    let LaneId { client, peer, .. } = lane;
    match direction {
        Direction::Request => format!("the request of {client} to {peer}"),
        Direction::Reply => format!("the answer of {peer} to {client}"),
    }
}

fn event_words(event: Event) -> String {
    match event {
        Event::Deliver(lane, direction) => format!("{} arrives", message_words(lane, direction)),
        Event::Timer(client, TimerKind::User) => format!("{client} goes on: it calls, works on, or leaves"),
        Event::Timer(client, TimerKind::Wake(WakeReason::Retry)) => format!("{client} tries again"),
        Event::Timer(client, TimerKind::Wake(WakeReason::Renew)) => format!("the watchdog of {client} wakes"),
        Event::Timer(client, TimerKind::Redial(voter, _)) => {
            format!("{client} opens its connection to {voter} again")
        }
        Event::Timer(client, TimerKind::Request(_)) => format!("{client} waits no longer for an answer"),
        Event::FaultBegin(index) => format!("fault {} begins", index + 1),
        Event::FaultEnd(index) => format!("fault {} ends", index + 1),
        Event::Group(GroupEvent::Ship(stream)) => {
            format!("{} ships its stream to {}", stream.primary(), stream.replica())
        }
        Event::Group(GroupEvent::Arrive(stream, Way::Out)) => {
            format!("what {} shipped arrives at {}", stream.primary(), stream.replica())
        }
        Event::Group(GroupEvent::Arrive(stream, Way::Back)) => {
            format!("what {} answered arrives at {}", stream.replica(), stream.primary())
        }
        Event::Group(GroupEvent::Timer(node, NodeTimer::Expire)) => {
            format!("{node} deletes what has expired")
        }
        Event::Group(GroupEvent::Timer(node, NodeTimer::Acknowledge)) => {
            format!("{node} says how far it has come")
        }
        Event::Group(GroupEvent::Timer(node, NodeTimer::GiveUp)) => {
            format!("the time of a WAIT at {node} is over")
        }
        Event::Group(GroupEvent::Learn(client, voter)) => {
            format!("{client} learns which node of {voter} it is to address")
        }
    }
}

fn fault_words(terms: &Terms, slot: u32) -> String {
    let slot = &terms.slots[slot as usize];
    let at: Process = slot.at;
    match slot.kind {
        Kind::ClientStop => format!("a standstill of {at}"),
        Kind::ClientSuspend => format!("a suspension of {at}"),
        Kind::ClientClockSlow => format!("a standstill of the clock of {at}"),
        Kind::NodeClockFast => format!("a clock of double speed at {at}"),
        Kind::NodeClockStep => format!("a step of the clock of {at}"),
        Kind::NodeCrashKeeping | Kind::NodeCrashLosing => format!("a crash of {at}"),
        Kind::Failover => format!("the promotion of {at}"),
        Kind::Eviction => format!("the eviction of the key at {at}"),
        Kind::MessageLoss | Kind::LateMessage | Kind::StoreDelay => {
            unreachable!("kinds that act on messages have no slot")
        }
    }
}
