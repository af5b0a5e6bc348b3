//! Short words for records, so that a history of ten records is ten lines.
//!
//! Clients count from 0. Unless said otherwise a record happens one microsecond after the one before it.

use fencepost::check::{Readers, Scope};
use fencepost::history::{
    Access, Cause, Fact, HoldChange, HoldEffect, PromiseEnd, Record, SectionEnd, Watch, WatchEnd, WatchKind,
};
use fencepost::lock::{RefuseReason, Until};
use fencepost::name::{
    CallId, ClientId, CommandName, Direction, GrantId, MessageName, NodeId, Operation, Process, Route,
    VoterId,
};
use fencepost::plan::FaultKind;
use fencepost::time::{MonoTime, Now, WallTime, WorldTime};

/// The scope in which every oracle applies.
pub(crate) const EVERYTHING: Scope = Scope {
    clients: 4,
    asks: true,
    fenced: true,
    extends: true,
    renews: true,
    writes: true,
    store_refuses: true,
    invariant: true,
    reentrant: true,
    fifo: true,
    readers: Readers::NONE,
};

/// A fact and where it happens.
pub(crate) type Step = (Process, Fact);

/// One microsecond per step, from 1.
pub(crate) fn history(steps: impl IntoIterator<Item = Step>) -> Vec<Record> {
    let records = steps.into_iter().zip(1..);
    records.map(|((process, fact), at)| record(at, process, fact)).collect()
}

pub(crate) fn record(at: u64, process: Process, fact: Fact) -> Record {
    let now = Now { mono: MonoTime(at as i64), wall: WallTime(at as i64) };
    Record { at: WorldTime(at), process, now, fact }
}

pub(crate) fn client(index: u16) -> Process {
    Process::Client(ClientId(index))
}

pub(crate) fn call(client: u16, number: u32) -> CallId {
    CallId { client: ClientId(client), number }
}

pub(crate) fn attempt(by: CallId) -> Step {
    (Process::Client(by.client), Fact::AttemptBegan { call: by, number: 1 })
}

pub(crate) fn acquire(by: CallId) -> Step {
    (Process::Client(by.client), Fact::AcquireBegan { call: by })
}

pub(crate) fn granted(by: CallId, grant: u32) -> Step {
    granted_with(by, grant, Ahead::Yes, None)
}

pub(crate) enum Ahead {
    Yes,
    No,
}

pub(crate) fn granted_with(by: CallId, grant: u32, ahead: Ahead, fence: Option<i64>) -> Step {
    let (grant, ahead) = (GrantId(grant), matches!(ahead, Ahead::Yes));
    (Process::Client(by.client), Fact::Granted { call: by, grant, until: Until::Released, ahead, fence })
}

pub(crate) fn promise(by: CallId, grant: u32) -> Step {
    (Process::Client(by.client), Fact::PromiseBegan { grant: GrantId(grant), call: by })
}

pub(crate) fn promise_over(of: u16, grant: u32, why: PromiseEnd) -> Step {
    (client(of), Fact::PromiseEnded { grant: GrantId(grant), why })
}

pub(crate) fn entered(of: u16, grant: u32) -> Step {
    (client(of), Fact::SectionEntered { grant: GrantId(grant) })
}

pub(crate) fn left(of: u16, grant: u32) -> Step {
    (client(of), Fact::SectionLeft { grant: GrantId(grant), why: SectionEnd::Finished })
}

pub(crate) fn extended(of: u16, grant: u32, ahead: Ahead) -> Step {
    let ahead = matches!(ahead, Ahead::Yes);
    (client(of), Fact::Extended { grant: GrantId(grant), until: Until::Released, ahead })
}

pub(crate) fn backing(of: u16, grant: u32, winnable: u8, promised: bool, cause: Cause) -> Step {
    (client(of), Fact::Backing { grant: GrantId(grant), winnable, quorum: 3, promised, cause })
}

pub(crate) fn write(grant: u32, accepted: bool, promised: bool) -> Step {
    let fact = Fact::StoreWrite { grant: GrantId(grant), accepted, promised, access: Access::Write };
    (Process::Store, fact)
}

pub(crate) fn buy(grant: u32, left: i64, orders: i64, start: i64) -> Step {
    let access = Access::Buy { read: left + 1, left, orders, start };
    (Process::Store, Fact::StoreWrite { grant: GrantId(grant), accepted: true, promised: true, access })
}

pub(crate) fn read(of: u16, grant: u32, stock: i64) -> Step {
    (Process::Store, Fact::StoreRead { client: ClientId(of), grant: GrantId(grant), stock })
}

pub(crate) fn looked(of: u16, grant: u32, item: u32, times: u32) -> Step {
    (Process::Store, Fact::StoreLooked { client: ClientId(of), grant: GrantId(grant), item, times })
}

/// Something done for this time.
pub(crate) fn ran(grant: u32, item: u32, times: u32) -> Step {
    let access = Access::Run { item, times };
    (Process::Store, Fact::StoreWrite { grant: GrantId(grant), accepted: true, promised: true, access })
}

pub(crate) fn refused(by: CallId, why: RefuseReason, carried: u8, wrote: bool) -> Step {
    (Process::Client(by.client), Fact::Refused { call: by, why, carried, quorum: 3, wrote })
}

/// A command of `by` at `node`.
pub(crate) fn applied(node: u8, by: CallId, operation: Operation, change: Option<HoldChange>) -> Step {
    let (command, occurrence, number) = (CommandName::Eval, 1, 1);
    let route = Route::Command { voter: VoterId(node), operation, number, command, occurrence };
    let name = MessageName { client: by.client, incarnation: 1, route, direction: Direction::Request };
    (Process::Node(NodeId::first(VoterId(node))), Fact::Applied { name, by, change })
}

pub(crate) fn wrote(node: u8, by: CallId, over: Option<CallId>) -> Step {
    let change = HoldChange {
        operation: Operation::Acquire,
        effect: HoldEffect::Written,
        owner: over,
        compatible: false,
    };
    applied(node, by, Operation::Acquire, Some(change))
}

pub(crate) fn removed(node: u8, by: CallId, owner: CallId) -> Step {
    let change = HoldChange {
        operation: Operation::Release,
        effect: HoldEffect::Removed,
        owner: Some(owner),
        compatible: false,
    };
    applied(node, by, Operation::Release, Some(change))
}

/// A command of `by` that changed a value of another call and left it to all who hold by it.
pub(crate) fn joined(node: u8, by: CallId, operation: Operation, owner: CallId) -> Step {
    let (effect, owner, compatible) = (HoldEffect::Updated, Some(owner), true);
    applied(node, by, operation, Some(HoldChange { operation, effect, owner, compatible }))
}

pub(crate) fn reentered(of: u16, grant: u32, outer: u32) -> Step {
    (client(of), Fact::Reentered { grant: GrantId(grant), outer: GrantId(outer) })
}

pub(crate) fn counted(of: u16, grant: u32, believed: u32, most: u32, assured: u32) -> Step {
    (client(of), Fact::HoldsCounted { grant: GrantId(grant), believed, most, assured })
}

pub(crate) fn crashed(of: u16) -> Step {
    (client(of), Fact::FaultBegan { index: 0, kind: FaultKind::Crash, effective: true })
}

pub(crate) fn gone(node: u8, writer: CallId, cause: Cause) -> Step {
    (Process::Node(NodeId::first(VoterId(node))), Fact::HoldGone { node: VoterId(node), writer, cause })
}

pub(crate) fn watch(kind: WatchKind, by: CallId) -> Step {
    let due = WorldTime(1_000);
    (Process::Client(by.client), Fact::WatchBegan { watch: Watch { kind, call: by }, due })
}

pub(crate) fn watch_over(kind: WatchKind, by: CallId, end: WatchEnd) -> Step {
    (Process::Client(by.client), Fact::WatchOver { watch: Watch { kind, call: by }, end })
}

pub(crate) fn settled() -> Step {
    (Process::Store, Fact::Settled)
}

pub(crate) fn left_over(node: u8, writer: CallId, excused: bool) -> Step {
    (Process::Node(NodeId::first(VoterId(node))), Fact::LeftOver { node: VoterId(node), writer, excused })
}
