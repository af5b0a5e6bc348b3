//! Plausible histories from a stream of choices.
//!
//! Two to four clients ask, hold, enter again, overrun, extend, write late and crash over three nodes, a stock and two jobs. Which kinds
//! of misbehaviour a history may contain is drawn first, so that for every oracle some histories hold. A pure
//! function of the choices: shrinking them shrinks the history.

#![expect(clippy::wildcard_enum_match_arm, reason = "a scan looks for one fact among all")]

use crate::story::*;
use fencepost::history::{
    Access, Cause, Fact, HoldChange, HoldEffect, PromiseEnd, Record, SectionEnd, WatchEnd, WatchKind,
};
use fencepost::lock::{ExtendFailure, LossReason, RefuseReason, Released, Until};
use fencepost::name::{CallId, ClientId, GrantId, Operation, Process, VoterId};
use proptest::prelude::*;

/// The histories: up to 120 choices each.
pub(crate) fn histories() -> impl Strategy<Value = Vec<Record>> {
    let choices = prop::collection::vec(any::<u32>(), 2..120);
    (2..=4_u16, any::<u32>(), choices)
        .prop_map(|(clients, faults, choices)| Play::run(clients, faults, &choices))
}

/// What may go wrong in a history; each is one bit of the number drawn first.
#[derive(Clone, Copy)]
enum Flaw {
    /// Grants while another promise runs.
    GrantsInside,
    /// Ends in the past.
    Empty,
    /// Enters whether or not somebody is inside.
    EntersOver,
    /// Writes of grants long given back reach the store.
    LateWrites,
    /// The store refuses at random.
    RefusesAtRandom,
    /// The stock was read long ago.
    OldReads,
    /// Fences fall back.
    FencesFall,
    /// Release and set do not look at the value.
    Blind,
    /// Extensions succeed whatever happened.
    ExtendsAnyway,
    /// Told taken without looking.
    SaysTaken,
    /// Keys stay when all has settled.
    LeavesKeys,
    /// Watches are missed.
    Misses,
    /// Votes are lost.
    Unbacked,
    /// Holds are counted wrong.
    Miscounts,
    /// Whoever comes later may be served first.
    Jumps,
}

const NODES: usize = 3;
const ITEMS: usize = 2;
const START: i64 = 10;

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Idle,
    Asking(CallId),
    Holding { call: CallId, grant: u32, promised: bool, inside: bool, read: i64 },
}

struct Play<'a> {
    choices: std::slice::Iter<'a, u32>,
    flaws: u32,
    stages: Vec<Stage>,
    /// The second hold of each client: call, grant, whether its promise runs.
    seconds: Vec<Option<(CallId, u32, bool)>>,
    calls: Vec<u32>,
    past: Vec<u32>,
    /// The calls that came to a node and wait, in that order.
    line: Vec<CallId>,
    keys: [Option<CallId>; NODES],
    grants: u32,
    fence: i64,
    stock: i64,
    orders: i64,
    /// How often each item was done.
    done: [u32; ITEMS],
    newest_writer: u32,
    steps: Vec<Step>,
}

impl<'a> Play<'a> {
    fn run(clients: u16, flaws: u32, choices: &'a [u32]) -> Vec<Record> {
        let count = usize::from(clients);
        let mut play = Self {
            choices: choices.iter(),
            flaws,
            stages: vec![Stage::Idle; count],
            seconds: vec![None; count],
            calls: vec![0; count],
            past: vec![0; count],
            line: Vec::new(),
            keys: [None; NODES],
            grants: 0,
            fence: 0,
            stock: START,
            orders: 0,
            done: [0; ITEMS],
            newest_writer: 0,
            steps: Vec::new(),
        };
        while let Some(choice) = play.choices.next() {
            play.act((choice % u32::from(clients)) as u16, choice / 4 % 16, choice >> 8);
        }
        play.end();
        history(play.steps)
    }

    fn may(&self, flaw: Flaw) -> bool {
        self.flaws >> (flaw as u32) & 1 == 1
    }

    fn say(&mut self, process: Process, fact: Fact) {
        self.steps.push((process, fact));
    }

    fn act(&mut self, of: u16, action: u32, detail: u32) {
        let stage = self.stages[usize::from(of)];
        match stage {
            _ if action == 0 => self.node_event(detail),
            _ if action == 1 => self.watch(of, detail),
            _ if action == 2 && self.may(Flaw::LateWrites) => self.late_write(of),
            Stage::Idle => self.ask(of),
            Stage::Asking(call) => self.asking(of, call, action, detail),
            Stage::Holding { .. } => self.holding(of, action, detail),
        }
    }

    fn node_event(&mut self, detail: u32) {
        let node = detail as usize % NODES;
        if let Some(writer) = self.keys[node].take() {
            let cause = [Cause::Expiry, Cause::Eviction, Cause::Restart][detail as usize / 4 % 3];
            self.steps.push(gone(node as u8, writer, cause));
        }
    }

    fn watch(&mut self, of: u16, detail: u32) {
        let kinds = [WatchKind::Leak, WatchKind::Stuck, WatchKind::Unavailable, WatchKind::SilentLoss];
        let kind = kinds[detail as usize % 4];
        let by = call(of, self.calls[usize::from(of)]);
        self.steps.push(watch(kind, by));
        let missed = self.may(Flaw::Misses) && (detail / 4).is_multiple_of(4);
        let end = [WatchEnd::Met, WatchEnd::Void, WatchEnd::Missed]
            [if missed { 2 } else { detail as usize / 16 % 2 }];
        self.steps.push(watch_over(kind, by, end));
    }

    fn ask(&mut self, of: u16) {
        self.calls[usize::from(of)] += 1;
        let by = call(of, self.calls[usize::from(of)]);
        self.steps.extend([acquire(by), attempt(by)]);
        self.stages[usize::from(of)] = Stage::Asking(by);
    }

    fn asking(&mut self, of: u16, by: CallId, action: u32, detail: u32) {
        match action {
            3..=8 => self.set(by, detail as usize % NODES),
            9 => self.steps.push(attempt(by)),
            10 | 11 => self.refuse(of, by, detail),
            _ if self.is_next(by) && (self.may(Flaw::GrantsInside) || !self.anybody_else(of)) => {
                self.grant(of, by, detail);
            }
            _ => self.refuse(of, by, detail),
        }
    }

    /// Somebody else has a promise that runs.
    fn anybody_else(&self, of: u16) -> bool {
        let others = self.stages.iter().enumerate().filter(|(index, _)| *index != usize::from(of));
        others.into_iter().any(|(_, stage)| matches!(stage, Stage::Holding { promised: true, .. }))
    }

    fn set(&mut self, by: CallId, node: usize) {
        let over = self.keys[node];
        let free = over.is_none_or(|owner| owner == by) || self.may(Flaw::Blind);
        if free && self.is_next(by) {
            self.line.retain(|known| *known != by);
            self.steps.push(wrote(node as u8, by, over));
            self.keys[node] = Some(by);
        } else {
            self.steps.push(applied(node as u8, by, Operation::Acquire, None));
            if !self.keys.contains(&Some(by)) && !self.line.contains(&by) {
                self.line.push(by);
            }
        }
    }

    /// Whether nobody waits who came before.
    fn is_next(&self, by: CallId) -> bool {
        self.may(Flaw::Jumps) || self.line.first().is_none_or(|first| *first == by)
    }

    fn refuse(&mut self, of: u16, by: CallId, detail: u32) {
        self.line.retain(|known| *known != by);
        let carried = self.keys.iter().filter(|key| **key == Some(by)).count() as u8;
        let wrote = self.steps.iter().any(|(_, fact)| {
            matches!(fact, Fact::Applied { by: known, change: Some(change), .. }
                if *known == by && change.effect == HoldEffect::Written)
        });
        let truth = if carried < 2 { RefuseReason::Taken } else { RefuseReason::Unknown };
        let why = if self.may(Flaw::SaysTaken) { RefuseReason::Taken } else { truth };
        let fact = Fact::Refused { call: by, why, carried, quorum: 2, wrote };
        self.say(client(of), fact);
        if detail.is_multiple_of(2) {
            self.take_back(by, Operation::Acquire);
        }
        self.stages[usize::from(of)] = Stage::Idle;
    }

    fn grant(&mut self, of: u16, by: CallId, detail: u32) {
        self.line.retain(|known| *known != by);
        self.grants += 1;
        let late = self.may(Flaw::Empty) && detail.is_multiple_of(4);
        let falls = self.may(Flaw::FencesFall) && (detail / 4).is_multiple_of(4);
        self.fence = if falls { self.fence - 1 } else { self.fence + 1 };
        let fact = Fact::Granted {
            call: by,
            grant: GrantId(self.grants),
            until: Until::Released,
            ahead: !late,
            fence: (!(detail / 16).is_multiple_of(4)).then_some(self.fence),
        };
        self.say(client(of), fact);
        if !late {
            self.steps.push(promise(by, self.grants));
        }
        let (call, grant) = (by, self.grants);
        self.stages[usize::from(of)] =
            Stage::Holding { call, grant, promised: !late, inside: false, read: self.stock };
    }

    fn holding(&mut self, of: u16, action: u32, detail: u32) {
        let Stage::Holding { call, grant, promised, inside, read: seen } = self.stages[usize::from(of)]
        else {
            return;
        };
        let at = usize::from(of);
        let next = |promised, inside, read| Stage::Holding { call, grant, promised, inside, read };
        match action {
            3 if promised => {
                self.steps.push(promise_over(of, grant, PromiseEnd::Reached));
                self.stages[at] = next(false, inside, seen);
            }
            4 | 5 if !inside => {
                let free =
                    !self.stages.iter().any(|stage| matches!(stage, Stage::Holding { inside: true, .. }));
                if free || self.may(Flaw::EntersOver) {
                    self.steps.push(entered(of, grant));
                    self.stages[at] = next(promised, true, seen);
                }
            }
            6 if detail.is_multiple_of(3) => {
                let item = detail as usize / 4 % ITEMS;
                self.steps.push(looked(of, grant, item as u32, self.done[item]));
            }
            6 => {
                let stock = if self.may(Flaw::OldReads) { seen } else { self.stock };
                self.steps.push(read(of, grant, stock));
                self.stages[at] = next(promised, inside, stock);
            }
            7..=9 => {
                self.write(grant, promised, Some(seen), detail);
            }
            10 | 11 => self.extend(of, detail),
            12 => {
                let winnable = if self.may(Flaw::Unbacked) { detail as u8 % 4 } else { detail as u8 % 3 };
                self.steps.push(backing(of, grant, winnable, promised, Cause::Rival));
            }
            13 => self.crash(of),
            15 => self.nest(of, call, grant, detail),
            _ => self.release(of),
        }
    }

    fn write(&mut self, grant: u32, promised: bool, seen: Option<i64>, detail: u32) {
        let stale = grant < self.newest_writer;
        let random = self.may(Flaw::RefusesAtRandom) && detail.is_multiple_of(3);
        let accepted = !random && (!stale || self.may(Flaw::LateWrites));
        let left = if self.may(Flaw::OldReads) { seen.unwrap_or(self.stock) - 1 } else { self.stock - 1 };
        let orders = self.orders + 1;
        let buys = seen.is_some() && (detail / 4).is_multiple_of(2);
        let item = detail as usize / 32 % ITEMS;
        let again = self.may(Flaw::OldReads) || self.done[item] == 0;
        let runs = seen.is_some() && !buys && again && (detail / 8).is_multiple_of(2);
        let times = self.done[item] + u32::from(accepted);
        let access = match (buys, runs) {
            (true, _) => Access::Buy { read: left + 1, left, orders, start: START },
            (false, true) => Access::Run { item: item as u32, times },
            (false, false) => Access::Write,
        };
        if accepted {
            self.newest_writer = self.newest_writer.max(grant);
            if buys {
                (self.stock, self.orders) = (left, orders);
            }
            if runs {
                self.done[item] = times;
            }
        }
        if buys {
            let of = self.owner(grant);
            self.steps.push(read(of, grant, left + 1));
        }
        if runs {
            let of = self.owner(grant);
            self.steps.push(looked(of, grant, item as u32, times - u32::from(accepted)));
        }
        self.say(Process::Store, Fact::StoreWrite { grant: GrantId(grant), accepted, promised, access });
    }

    fn owner(&self, wanted: u32) -> u16 {
        let found = self.steps.iter().find_map(|(_, fact)| match fact {
            Fact::Granted { call, grant, .. } if grant.0 == wanted => Some(call.client.0),
            _ => None,
        });
        found.expect("a grant that writes was granted")
    }

    fn late_write(&mut self, of: u16) {
        let grant = self.past[usize::from(of)];
        if grant != 0 {
            self.write(grant, false, None, 1);
        }
    }

    fn extend(&mut self, of: u16, detail: u32) {
        let Stage::Holding { call, grant, promised, inside, read } = self.stages[usize::from(of)] else {
            return;
        };
        let node = detail as usize % NODES;
        let own = self.keys[node] == Some(call);
        let owner = self.keys[node].filter(|_| own || self.may(Flaw::Blind));
        let (operation, effect) = (Operation::Extend, HoldEffect::Prolonged);
        let change =
            owner.map(|owner| HoldChange { operation, effect, owner: Some(owner), compatible: false });
        self.steps.push(applied(node as u8, call, operation, change));
        let overtaken = self.grants > grant;
        let fails = if self.may(Flaw::ExtendsAnyway) {
            (detail / 4).is_multiple_of(4)
        } else {
            overtaken || (detail / 4).is_multiple_of(2)
        };
        if fails {
            let (grant, unknown) = (GrantId(grant), (detail / 16).is_multiple_of(4));
            let fact = match (detail / 64 % 2, unknown) {
                (0, true) => Fact::ExtendFailed { grant, why: ExtendFailure::Unknown },
                (0, false) => Fact::ExtendFailed { grant, why: ExtendFailure::Gone },
                (_, true) => Fact::LossTold { grant, why: LossReason::Expired },
                (_, false) => Fact::LossTold { grant, why: LossReason::Gone },
            };
            return self.say(client(of), fact);
        }
        let (late, alone) =
            (self.may(Flaw::Empty) && (detail / 16).is_multiple_of(4), !self.anybody_else(of));
        if late {
            return self.steps.push(extended(of, grant, Ahead::No));
        }
        self.steps.push(extended(of, grant, Ahead::Yes));
        if promised {
            self.steps.push(promise_over(of, grant, PromiseEnd::Replaced));
        }
        let renewed = promised || alone || self.may(Flaw::GrantsInside);
        if renewed {
            self.steps.push(promise(call, grant));
        }
        self.stages[usize::from(of)] = Stage::Holding { call, grant, promised: renewed, inside, read };
    }

    /// Enters again, or gives that hold back.
    fn nest(&mut self, of: u16, outer: CallId, around: u32, detail: u32) {
        let at = usize::from(of);
        if self.seconds[at].is_some() {
            return self.unnest(of, outer, around, PromiseEnd::Released, detail);
        }
        self.calls[at] += 1;
        let by = call(of, self.calls[at]);
        self.steps.extend([acquire(by), attempt(by)]);
        self.join(by, Operation::Acquire, outer, detail);
        self.grants += 1;
        let grant = self.grants;
        self.steps.push(reentered(of, grant, around));
        let late = self.may(Flaw::Empty) && detail.is_multiple_of(4);
        let same = (detail / 4).is_multiple_of(2);
        self.fence += i64::from(!same);
        let fence = (!(detail / 16).is_multiple_of(4)).then_some(self.fence);
        self.steps.push(granted_with(by, grant, if late { Ahead::No } else { Ahead::Yes }, fence));
        if !late {
            self.steps.push(promise(by, grant));
        }
        self.count(of, around, 2, detail);
        self.seconds[at] = Some((by, grant, !late));
    }

    fn join(&mut self, by: CallId, operation: Operation, outer: CallId, detail: u32) {
        let node = detail as usize % NODES;
        if self.keys[node] == Some(outer) {
            self.steps.push(joined(node as u8, by, operation, outer));
        }
    }

    fn count(&mut self, of: u16, grant: u32, believed: u32, detail: u32) {
        let wrong = if self.may(Flaw::Miscounts) { detail / 64 % 5 } else { 0 };
        let (most, assured) = match wrong {
            1 => (believed + 1, believed),
            2 => (believed, believed.saturating_sub(1)),
            _ => (believed, believed),
        };
        if !(detail / 8).is_multiple_of(4) {
            self.steps.push(counted(of, grant, believed, most, assured));
        }
    }

    fn unnest(&mut self, of: u16, outer: CallId, around: u32, why: PromiseEnd, detail: u32) {
        let Some((by, grant, promised)) = self.seconds[usize::from(of)].take() else { return };
        if promised {
            self.steps.push(promise_over(of, grant, why));
        }
        if why == PromiseEnd::Released {
            self.say(client(of), Fact::ReleaseBegan { grant: GrantId(grant) });
            self.join(by, Operation::Release, outer, detail);
            self.say(client(of), Fact::ReleaseEnded { grant: GrantId(grant), how: Released::Confirmed });
            self.count(of, around, 1, detail);
        }
    }

    fn crash(&mut self, of: u16) {
        self.finish(of, PromiseEnd::Crashed, SectionEnd::Crashed);
    }

    fn release(&mut self, of: u16) {
        let Some((call, grant)) = self.finish(of, PromiseEnd::Released, SectionEnd::Finished) else { return };
        self.say(client(of), Fact::ReleaseBegan { grant: GrantId(grant) });
        self.take_back(call, Operation::Release);
        self.say(client(of), Fact::ReleaseEnded { grant: GrantId(grant), how: Released::Confirmed });
    }

    fn finish(&mut self, of: u16, promise: PromiseEnd, section: SectionEnd) -> Option<(CallId, u32)> {
        let Stage::Holding { call, grant, promised, inside, .. } = self.stages[usize::from(of)] else {
            return None;
        };
        self.unnest(of, call, grant, promise, 0);
        if inside {
            self.say(client(of), Fact::SectionLeft { grant: GrantId(grant), why: section });
        }
        if promised {
            self.steps.push(promise_over(of, grant, promise));
        }
        self.past[usize::from(of)] = grant;
        self.stages[usize::from(of)] = Stage::Idle;
        Some((call, grant))
    }

    fn take_back(&mut self, by: CallId, operation: Operation) {
        for node in 0..NODES {
            let owner = self.keys[node].filter(|owner| *owner == by || self.may(Flaw::Blind));
            let effect = HoldEffect::Removed;
            let change =
                owner.map(|owner| HoldChange { operation, effect, owner: Some(owner), compatible: false });
            self.steps.push(applied(node as u8, by, operation, change));
            if owner.is_some() {
                self.keys[node] = None;
            }
        }
    }

    fn end(&mut self) {
        if self.calls[0] % 4 == 3 {
            return;
        }
        self.say(Process::Client(ClientId(0)), Fact::Settled);
        for node in 0..NODES {
            if let Some(writer) = self.keys[node] {
                let excused = !self.may(Flaw::LeavesKeys);
                let node = VoterId(node as u8);
                self.say(Process::Node(node.into()), Fact::LeftOver { node, writer, excused });
            }
        }
    }
}
