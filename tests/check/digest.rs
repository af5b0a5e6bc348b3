//! The digest: pinned bytes over every fact, and no two records alike in their encoding.

use crate::story::*;
use fencepost::history::{
    Access, Cause, Digest, ENCODING_VERSION, Fact, HoldChange, HoldEffect, LostWhy, PromiseEnd, Record,
    SectionEnd, Watch, WatchEnd, WatchKind, encode,
};
use fencepost::lock::{ExtendFailure, Found, LossReason, RefuseReason, Released, Until};
use fencepost::name::{
    CallId, ClientId, CommandName, Direction, GrantId, MessageName, NodeId, Operation, Point, PointName,
    Process, Route, StoreAccess, VoterId,
};
use fencepost::plan::FaultKind;
use fencepost::time::{MonoTime, Now, WallTime, WorldTime};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// How many facts there are, and which one this is.
const FACTS: usize = 44;
/// As many as there were when the digests of all of them were pinned; later ones have pins of their own.
const FIRST: usize = 39;
/// The same of the next pins.
const SECOND: usize = 42;

fn kind(fact: &Fact) -> usize {
    match fact {
        Fact::AcquireBegan { .. } => 0,
        Fact::AttemptBegan { .. } => 1,
        Fact::Granted { .. } => 2,
        Fact::Refused { .. } => 3,
        Fact::ExtendBegan { .. } => 4,
        Fact::Extended { .. } => 5,
        Fact::ExtendFailed { .. } => 6,
        Fact::LossTold { .. } => 7,
        Fact::ReleaseBegan { .. } => 8,
        Fact::ReleaseEnded { .. } => 9,
        Fact::Reached { .. } => 10,
        Fact::PromiseBegan { .. } => 11,
        Fact::PromiseEnded { .. } => 12,
        Fact::SectionEntered { .. } => 13,
        Fact::SectionLeft { .. } => 14,
        Fact::Sent { .. } => 15,
        Fact::Handled { .. } => 16,
        Fact::MessageLost { .. } => 17,
        Fact::TimedOut { .. } => 18,
        // A change of a compatible hold is spelled otherwise, as if it were another fact.
        Fact::Applied { change: Some(HoldChange { compatible: true, .. }), .. } => 41,
        Fact::Applied { .. } => 19,
        Fact::HoldGone { .. } => 20,
        Fact::Backing { .. } => 21,
        Fact::HoldThinned { .. } => 22,
        Fact::StoreRead { .. } => 23,
        Fact::StoreWrite { .. } => 24,
        Fact::WatchBegan { .. } => 25,
        Fact::WatchOver { .. } => 26,
        Fact::FaultBegan { .. } => 27,
        Fact::FaultEnded { .. } => 28,
        Fact::Started { .. } => 29,
        Fact::Done => 30,
        Fact::Settled => 31,
        Fact::LeftOver { .. } => 32,
        Fact::Delayed { .. } => 33,
        Fact::StoreLooked { .. } => 34,
        Fact::Rerouted { .. } => 35,
        Fact::Replicated { .. } => 36,
        Fact::Resynced { .. } => 37,
        Fact::CheckEnded { .. } => 38,
        Fact::Reentered { .. } => 39,
        Fact::HoldsCounted { .. } => 40,
        Fact::Blocked { .. } => 42,
        Fact::Published { .. } => 43,
    }
}

/// The commands that there were when the digests were pinned, in the order that they had.
const COMMANDS: [CommandName; 10] = [
    CommandName::Del,
    CommandName::Eval,
    CommandName::Evalsha,
    CommandName::Get,
    CommandName::Pexpire,
    CommandName::Role,
    CommandName::Set,
    CommandName::Setnx,
    CommandName::Wait,
    CommandName::Other,
];

/// Small values by a stream of choices, so that two records often differ in one field only.
struct Maker<'a>(std::slice::Iter<'a, u8>);

impl Maker<'_> {
    fn below(&mut self, bound: u8) -> u8 {
        self.0.next().map_or(0, |choice| choice % bound)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.below(of.len() as u8))]
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn number(&mut self) -> u32 {
        self.one(&[0, 1, 2, 256, u32::MAX])
    }

    fn signed(&mut self) -> i64 {
        self.one(&[0, 1, -1, 256, i64::MIN])
    }

    fn call(&mut self) -> CallId {
        CallId { client: ClientId(self.one(&[0, 1, 256])), number: self.number() }
    }

    fn grant(&mut self) -> GrantId {
        GrantId(self.number())
    }

    fn voter(&mut self) -> VoterId {
        VoterId(self.below(3))
    }

    fn node(&mut self) -> NodeId {
        NodeId { voter: self.voter(), member: self.below(3) }
    }

    fn until(&mut self) -> Until {
        let time = self.signed();
        self.one(&[Until::Mono(MonoTime(time)), Until::Wall(WallTime(time)), Until::Released, Until::Lost])
    }

    fn operation(&mut self) -> Operation {
        self.one(&Operation::TEXTS).0
    }

    fn message(&mut self) -> MessageName {
        let (voter, number) = (self.voter(), self.number());
        let route = match self.below(3) {
            0 => Route::Connect { voter, number },
            1 => Route::Store { access: self.one(&StoreAccess::TEXTS).0, number },
            _ => {
                let (operation, command) = (self.operation(), self.one(&COMMANDS));
                Route::Command { voter, operation, number, command, occurrence: self.below(3) }
            }
        };
        let direction = self.one(&Direction::TEXTS).0;
        MessageName { client: ClientId(self.one(&[0, 1])), incarnation: self.one(&[1, 2]), route, direction }
    }

    fn point(&mut self) -> PointName {
        let n = self.number();
        let point = self.one(&[
            Point::Acquire(n),
            Point::Granted(n),
            Point::Enter(n),
            Point::WriteCheck(n),
            Point::WriteSend(n),
            Point::Extend(n),
            Point::Leave(n),
            Point::Release(n),
            Point::Refused(n),
        ]);
        PointName { client: ClientId(self.one(&[0, 1])), incarnation: self.one(&[1, 2]), point }
    }

    fn change(&mut self) -> Option<HoldChange> {
        use HoldEffect::{Prolonged, Removed, Updated, Written};
        let (operation, effect) = (self.operation(), self.one(&[Written, Updated, Prolonged, Removed]));
        let owner = self.flag().then(|| self.call());
        self.flag().then_some(HoldChange { operation, effect, owner, compatible: false })
    }

    fn cause(&mut self) -> Cause {
        use Cause::{ClockFault, Eviction, Expiry, Failover, Own, Promise, Restart, Resync, Rival};
        self.one(&[Own, Rival, Expiry, ClockFault, Eviction, Restart, Promise, Failover, Resync])
    }

    fn watch(&mut self) -> Watch {
        use WatchKind::{Leak, SilentLoss, Stuck, Unavailable};
        Watch { kind: self.one(&[Leak, Stuck, Unavailable, SilentLoss]), call: self.call() }
    }

    fn access(&mut self) -> Access {
        let (read, left, orders, start) = (self.signed(), self.signed(), self.signed(), self.signed());
        let (item, times) = (self.number(), self.number());
        self.one(&[Access::Write, Access::Buy { read, left, orders, start }, Access::Run { item, times }])
    }

    fn fault(&mut self) -> FaultKind {
        self.one(&FaultKind::TEXTS).0
    }

    /// The fact of this kind: the inverse of [`kind`].
    fn fact(&mut self, kind: usize) -> Fact {
        match kind {
            0..=10 => self.lock_fact(kind),
            11..=18 => self.hold_fact(kind),
            _ => self.world_fact(kind),
        }
    }

    fn lock_fact(&mut self, kind: usize) -> Fact {
        use RefuseReason::{Cancelled, Error, Misuse, Taken, TooLate, Unknown};
        let (call, grant) = (self.call(), self.grant());
        match kind {
            0 => Fact::AcquireBegan { call },
            1 => Fact::AttemptBegan { call, number: self.number() },
            2 => {
                let (until, ahead) = (self.until(), self.flag());
                Fact::Granted { call, grant, until, ahead, fence: self.flag().then(|| self.signed()) }
            }
            3 => {
                let why = self.one(&[Taken, Unknown, TooLate, Error, Cancelled, Misuse]);
                let (carried, quorum) = (self.below(3), self.below(3));
                Fact::Refused { call, why, carried, quorum, wrote: self.flag() }
            }
            4 => Fact::ExtendBegan { grant },
            5 => Fact::Extended { grant, until: self.until(), ahead: self.flag() },
            6 => {
                use ExtendFailure::{Gone, NotHeld, TooLate, Unknown};
                Fact::ExtendFailed { grant, why: self.one(&[Gone, Unknown, TooLate, NotHeld]) }
            }
            7 => Fact::LossTold { grant, why: self.one(&[LossReason::Gone, LossReason::Expired]) },
            8 => Fact::ReleaseBegan { grant },
            9 => {
                use Released::{Confirmed, NotOwned, Unknown};
                Fact::ReleaseEnded { grant, how: self.one(&[Confirmed, Unknown, NotOwned]) }
            }
            _ => Fact::Reached { point: self.point() },
        }
    }

    fn hold_fact(&mut self, kind: usize) -> Fact {
        let (call, grant, name) = (self.call(), self.grant(), self.message());
        match kind {
            11 => Fact::PromiseBegan { grant, call },
            12 => {
                use PromiseEnd::{Crashed, Lost, Reached, Released, Replaced};
                Fact::PromiseEnded { grant, why: self.one(&[Reached, Released, Lost, Crashed, Replaced]) }
            }
            13 => Fact::SectionEntered { grant },
            14 => {
                use SectionEnd::{Crashed, Expired, Finished, Lost};
                Fact::SectionLeft { grant, why: self.one(&[Finished, Expired, Lost, Crashed]) }
            }
            15 => Fact::Sent { name },
            16 => Fact::Handled { name },
            17 => {
                use LostWhy::{BlackHole, Directive, Down, Reset};
                Fact::MessageLost { name, why: self.one(&[Directive, Reset, BlackHole, Down]) }
            }
            _ => Fact::TimedOut { name },
        }
    }

    fn world_fact(&mut self, kind: usize) -> Fact {
        let (call, grant, node, index) = (self.call(), self.grant(), self.voter(), self.number());
        match kind {
            19 => Fact::Applied { name: self.message(), by: call, change: self.change() },
            20 => Fact::HoldGone { node, writer: call, cause: self.cause() },
            21 => {
                let (winnable, quorum, promised) = (self.below(3), self.below(3), self.flag());
                Fact::Backing { grant, winnable, quorum, promised, cause: self.cause() }
            }
            22 => Fact::HoldThinned { grant },
            23 => Fact::StoreRead { client: call.client, grant, stock: self.signed() },
            24 => {
                let (accepted, promised) = (self.flag(), self.flag());
                Fact::StoreWrite { grant, accepted, promised, access: self.access() }
            }
            25 => Fact::WatchBegan { watch: self.watch(), due: WorldTime(u64::from(index)) },
            26 => {
                let end = self.one(&[WatchEnd::Met, WatchEnd::Void, WatchEnd::Missed]);
                Fact::WatchOver { watch: self.watch(), end }
            }
            27 => Fact::FaultBegan { index, kind: self.fault(), effective: self.flag() },
            28 => Fact::FaultEnded { index, kind: self.fault() },
            29 => Fact::Started { incarnation: self.one(&[1, 2, 256]) },
            30 => Fact::Done,
            31 => Fact::Settled,
            32 => Fact::LeftOver { node, writer: call, excused: self.flag() },
            33 => Fact::Delayed { name: self.message() },
            34 => Fact::StoreLooked { client: call.client, grant, item: index, times: self.number() },
            35 => Fact::Rerouted { to: self.node() },
            36 => Fact::Replicated { from: self.node(), entry: index },
            37 => Fact::Resynced { from: self.node() },
            38 => {
                use Found::{Gone, Held, Unknown};
                Fact::CheckEnded { grant, found: self.one(&[Held, Gone, Unknown]) }
            }
            39 => Fact::Reentered { grant, outer: self.grant() },
            40 => {
                let (believed, most, assured) = (index, self.number(), self.number());
                Fact::HoldsCounted { grant, believed, most, assured }
            }
            42 => Fact::Blocked { name: self.message() },
            43 => Fact::Published { name: self.message(), hearers: self.number() },
            _ => {
                let (effect, owner) = (HoldEffect::Updated, Some(self.call()));
                let change = HoldChange { operation: self.operation(), effect, owner, compatible: true };
                Fact::Applied { name: self.message(), by: call, change: Some(change) }
            }
        }
    }

    fn record(&mut self) -> Record {
        let process = match self.below(3) {
            0 => Process::Node(self.node()),
            1 => Process::Store,
            _ => Process::Client(ClientId(self.one(&[0, 1, 256]))),
        };
        let (mono, wall) = (MonoTime(self.signed()), WallTime(self.signed()));
        let kind = usize::from(self.below(FACTS as u8));
        Record {
            at: WorldTime(u64::from(self.number())),
            process,
            now: Now { mono, wall },
            fact: self.fact(kind),
        }
    }
}

/// One record of every fact, in order, with different values in all fields.
fn every_fact() -> Vec<Record> {
    let choices: Vec<u8> = (0..=250_u8).map(|n| n.wrapping_mul(37).wrapping_add(11)).collect();
    let facts = (0..FACTS).map(|kind| Maker(choices[kind * 3..].iter()).fact(kind));
    facts.zip(1..).map(|(fact, at)| record(at, client(at as u16 % 3), fact)).collect()
}

fn digest(records: &[Record]) -> u64 {
    let mut digest = Digest::new();
    records.iter().for_each(|record| digest.push(record));
    digest.finish()
}

fn encoded(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(record, &mut bytes);
    bytes
}

#[test]
fn the_digest_of_every_fact_is_pinned() {
    let records = every_fact();
    let kinds: Vec<usize> = records.iter().map(|record| kind(&record.fact)).collect();
    assert_eq!(kinds, (0..FACTS).collect::<Vec<_>>(), "every fact is there");
    assert_eq!(ENCODING_VERSION, 1);
    assert_eq!(format!("{:016x}", digest(&records[..FIRST])), "3e88b88f5f13b48d");
    assert_eq!(format!("{:016x}", digest(&records[FIRST..SECOND])), "d015dc5db5ba24b9");
    assert_eq!(format!("{:016x}", digest(&records[SECOND..])), "7b5b230adffd746d");
}

/// Enums without data are pinned value by value, so that a number that moves is seen whichever it is.
#[test]
fn the_digest_of_every_enum_value_is_pinned() {
    let values = |kinds: std::ops::Range<usize>| {
        let mut records = Vec::new();
        let mut at = 0;
        for kind in kinds {
            for choice in 0..=40_u8 {
                at += 1;
                records.push(record(at, Process::Store, Maker([choice; 40].iter()).fact(kind)));
            }
        }
        format!("{:016x}", digest(&records))
    };
    assert_eq!(values(0..FIRST), "53022ec2f951c372");
    assert_eq!(values(FIRST..SECOND), "0c96db8a511425a4");
    assert_eq!(values(SECOND..FACTS), "72b92d3f9258c092");
}

#[test]
fn every_command_has_a_number_of_its_own() {
    let bytes = CommandName::TEXTS.map(|(command, _)| {
        let (voter, operation) = (VoterId(0), Operation::Acquire);
        let route = Route::Command { voter, operation, number: 1, command, occurrence: 1 };
        let direction = Direction::Request;
        let name = MessageName { client: ClientId(0), incarnation: 1, route, direction };
        encoded(&record(1, Process::Store, Fact::Sent { name }))
    });
    let distinct: std::collections::BTreeSet<_> = bytes.iter().collect();
    assert_eq!(distinct.len(), CommandName::TEXTS.len());
}

#[test]
fn one_record_is_the_bytes_that_the_encoding_documents() {
    let change = HoldChange {
        operation: Operation::Release,
        effect: HoldEffect::Removed,
        owner: Some(CallId { client: ClientId(0x0102), number: 0x0304_0506 }),
        compatible: false,
    };
    let route = Route::Command {
        voter: VoterId(4),
        operation: Operation::Release,
        number: 7,
        command: CommandName::Evalsha,
        occurrence: 1,
    };
    let name = MessageName { client: ClientId(1), incarnation: 2, route, direction: Direction::Reply };
    let by = CallId { client: ClientId(1), number: 9 };
    let record = Record {
        at: WorldTime(0x0a0b),
        process: Process::Node(NodeId::first(VoterId(4))),
        now: Now { mono: MonoTime(-1), wall: WallTime(1) },
        fact: Fact::Applied { name, by, change: Some(change) },
    };
    let parts: [&[u8]; 9] = [
        &[0x0b, 0x0a, 0, 0, 0, 0, 0, 0],
        &[0xff; 8],
        &[1, 0, 0, 0, 0, 0, 0, 0],
        &[0, 4, 0],
        &[19],
        &[1, 0, 2, 0, 7, 0, 0, 0, 1, 1, 4, 2, 2, 1],
        &[1, 0, 9, 0, 0, 0],
        &[1, 2, 3],
        &[1, 0x02, 0x01, 0x06, 0x05, 0x04, 0x03],
    ];
    assert_eq!(encoded(&record), parts.concat());
}

#[test]
fn different_records_differ_in_bytes_and_none_begins_another() {
    let streams = prop::collection::vec(prop::collection::vec(any::<u8>(), 24), 2..120);
    let distinct = |streams: Vec<Vec<u8>>| {
        let mut records: Vec<(Vec<u8>, Record)> = Vec::new();
        for stream in &streams {
            let made = Maker(stream.iter()).record();
            // The same place in the run, so that only what happened tells the records apart.
            let made = record(1, Process::Store, made.fact);
            records.push((encoded(&made), made));
            let made = Maker(stream.iter()).record();
            records.push((encoded(&made), made));
        }
        records.sort_by(|(one, _), (two, _)| one.cmp(two));
        for pair in records.windows(2) {
            let ((bytes, one), (other_bytes, two)) = (&pair[0], &pair[1]);
            prop_assert_eq!(one == two, bytes == other_bytes, "{:?} and {:?}", one, two);
            prop_assert!(one == two || !other_bytes.starts_with(bytes), "{:?} begins {:?}", one, two);
        }
        Ok(())
    };
    let config = Config { cases: 256, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner.run(&streams, distinct).expect("two records encode alike");
}

#[test]
fn blocks_do_not_show_in_the_digest() {
    let long: Vec<Record> = every_fact().into_iter().cycle().take(2_000).collect();
    let mut bytes = ENCODING_VERSION.to_le_bytes().to_vec();
    long.iter().for_each(|record| encode(record, &mut bytes));
    assert_eq!(digest(&long), xxhash_rust::xxh3::xxh3_64(&bytes));
    let mut digest_of = Digest::new();
    long.iter().for_each(|record| {
        digest_of.push(record);
        digest_of.finish();
    });
    assert_eq!(digest_of.finish(), digest(&long), "asking in between changes nothing");
    assert_ne!(digest(&long[1..]), digest(&long));
}
