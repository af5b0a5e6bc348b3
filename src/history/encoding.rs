//! The bytes of a record, for the digest.
//!
//! Integers are little-endian at their own width. A record is: `at` u64 · `mono` i64 · `wall` i64 · process · one
//! tag byte of the fact · its fields in the order of their declaration. A process is one tag byte (0 node, 1 store,
//! 2 client, 3 replica) and its index, u16, 0 for the store; of a replica its number in the low byte and its voter in
//! the high one. An option is one byte, 0 or 1, and the value; of a change 2 if it is a compatible one. Booleans are 0 or 1;
//! enums without data are one byte of `codes.rs`; those with data are a tag byte and their fields. A message name
//! is client u16 · incarnation u16 · number u32 · direction · tag of the route (0 connect, 1 command, 2 store,
//! 3 a further connection, 4 push) and four bytes of it. What follows a tag has a fixed layout, so no encoding is the beginning of another, and a
//! sequence of records has one reading.

use super::codes::Code;
use super::fact::{Access, Fact, HoldChange, Record, Watch};
use crate::lock::Until;
use crate::name::{CallId, GrantId, MessageName, NodeId, Point, PointName, Process, Route, VoterId};

/// The version of the encoding; part of every digest.
pub const ENCODING_VERSION: u32 = 1;

/// Appends the encoding of one record.
pub fn encode(record: &Record, out: &mut Vec<u8>) {
    let mut buffer = [0; CAPACITY];
    let length = encode_into(record, &mut buffer);
    out.extend_from_slice(&buffer[..length]);
}

/// Encodes one record at the beginning of the buffer and says how long it is.
#[inline]
pub(super) fn encode_into(record: &Record, buffer: &mut [u8; CAPACITY]) -> usize {
    buffer[0..8].copy_from_slice(&record.at.0.to_le_bytes());
    buffer[8..16].copy_from_slice(&record.now.mono.0.to_le_bytes());
    buffer[16..24].copy_from_slice(&record.now.wall.0.to_le_bytes());
    buffer[24..HEAD].copy_from_slice(&process(record.process));
    let mut bytes = Bytes { buffer, length: HEAD };
    bytes.fact(&record.fact);
    bytes.length
}

/// What comes before the fact.
const HEAD: usize = 27;

/// More than the longest record takes: the head, and 39 of a purchase.
pub(super) const CAPACITY: usize = 96;

/// One record on its way.
struct Bytes<'a> {
    buffer: &'a mut [u8; CAPACITY],
    length: usize,
}

fn process(process: Process) -> [u8; 3] {
    let (tag, index) = match process {
        Process::Node(NodeId { voter, member: 0 }) => (0, u16::from(voter.0)),
        Process::Node(NodeId { voter, member }) => (3, u16::from(voter.0) << 8 | u16::from(member)),
        Process::Store => (1, 0),
        Process::Client(client) => (2, client.0),
    };
    let [low, high] = index.to_le_bytes();
    [tag, low, high]
}

macro_rules! integers {
    ($($name:ident)*) => {$(
        #[inline]
        fn $name(&mut self, value: $name) {
            self.put(value.to_le_bytes());
        }
    )*};
}

impl Bytes<'_> {
    /// Fields are gathered into one array where they can be: one write, one bound to check.
    #[inline]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.buffer[self.length..self.length + N].copy_from_slice(&bytes);
        self.length += N;
    }

    integers!(u8 u16 u32 u64 i64);

    #[inline]
    fn flag(&mut self, flag: bool) {
        self.u8(u8::from(flag));
    }

    #[inline]
    fn code(&mut self, value: impl Code) {
        self.u8(value.code());
    }

    #[inline]
    fn grant(&mut self, grant: GrantId) {
        self.u32(grant.0);
    }

    #[inline]
    fn voter(&mut self, voter: VoterId) {
        self.u8(voter.0);
    }

    fn node(&mut self, node: NodeId) {
        self.put([node.voter.0, node.member]);
    }

    #[inline]
    fn call(&mut self, call: CallId) {
        let ([c0, c1], [n0, n1, n2, n3]) = (call.client.0.to_le_bytes(), call.number.to_le_bytes());
        self.put([c0, c1, n0, n1, n2, n3]);
    }

    fn until(&mut self, until: Until) {
        match until {
            Until::Mono(time) => {
                self.u8(0);
                self.i64(time.0);
            }
            Until::Wall(time) => {
                self.u8(1);
                self.i64(time.0);
            }
            Until::Released => self.u8(2),
            Until::Lost => self.u8(3),
            Until::Untold => self.u8(4),
        }
    }

    fn message(&mut self, name: &MessageName) {
        let (number, tag, route) = match name.route {
            Route::Connect { voter, number } => (number, 0, [voter.0, 0, 0, 0]),
            Route::Command { voter, operation, number, command, occurrence } => {
                (number, 1, [voter.0, operation.code(), command.code(), occurrence])
            }
            Route::Store { access, number } => (number, 2, [access.code(), 0, 0, 0]),
            Route::Further { voter, connection, number } => (number, 3, [voter.0, connection, 0, 0]),
            Route::Push { voter, number } => (number, 4, [voter.0, 0, 0, 0]),
        };
        let ([c0, c1], [i0, i1]) = (name.client.0.to_le_bytes(), name.incarnation.to_le_bytes());
        let ([n0, n1, n2, n3], [r0, r1, r2, r3]) = (number.to_le_bytes(), route);
        self.put([c0, c1, i0, i1, n0, n1, n2, n3, name.direction.code(), tag, r0, r1, r2, r3]);
    }

    fn point(&mut self, name: &PointName) {
        self.u16(name.client.0);
        self.u16(name.incarnation);
        let (tag, number) = match name.point {
            Point::Acquire(n) => (0, n),
            Point::Granted(n) => (1, n),
            Point::Enter(n) => (2, n),
            Point::WriteCheck(n) => (3, n),
            Point::WriteSend(n) => (4, n),
            Point::Extend(n) => (5, n),
            Point::Leave(n) => (6, n),
            Point::Release(n) => (7, n),
            Point::Refused(n) => (8, n),
            Point::Await(n) => (9, n),
        };
        self.u8(tag);
        self.u32(number);
    }

    fn change(&mut self, change: Option<HoldChange>) {
        let Some(HoldChange { operation, effect, owner, compatible }) = change else { return self.u8(0) };
        self.u8(if compatible { 2 } else { 1 });
        self.code(operation);
        self.code(effect);
        self.flag(owner.is_some());
        if let Some(owner) = owner {
            self.call(owner);
        }
    }

    fn watch(&mut self, watch: Watch) {
        self.code(watch.kind);
        self.call(watch.call);
    }

    fn access(&mut self, access: Access) {
        match access {
            Access::Write => self.u8(0),
            Access::Buy { read, left, orders, start } => {
                self.u8(1);
                self.i64(read);
                self.i64(left);
                self.i64(orders);
                self.i64(start);
            }
            Access::Run { item, times } => {
                self.u8(2);
                self.u32(item);
                self.u32(times);
            }
        }
    }
}

/// Writes a tag and then each field: a method of [`Bytes`], and what it writes. One line per layout.
macro_rules! layout {
    ($bytes:ident: $tag:literal $(, $kind:ident $value:expr)*) => {{
        $bytes.u8($tag);
        $($bytes.$kind($value);)*
    }};
}

impl Bytes<'_> {
    #[inline]
    fn fact(&mut self, fact: &Fact) {
        match fact {
            Fact::AcquireBegan { call } => layout!(self: 0, call *call),
            Fact::AttemptBegan { call, number } => layout!(self: 1, call *call, u32 *number),
            Fact::Granted { call, grant, until, ahead, fence } => {
                layout!(self: 2, call *call, grant *grant, until *until, flag *ahead, fence *fence)
            }
            Fact::Refused { call, why, carried, quorum, wrote } => {
                layout!(self: 3, call *call, code *why, u8 *carried, u8 *quorum, flag *wrote)
            }
            Fact::ExtendBegan { grant } => layout!(self: 4, grant *grant),
            Fact::Extended { grant, until, ahead } => {
                layout!(self: 5, grant *grant, until *until, flag *ahead)
            }
            Fact::ExtendFailed { grant, why } => layout!(self: 6, grant *grant, code *why),
            Fact::LossTold { grant, why } => layout!(self: 7, grant *grant, code *why),
            Fact::ReleaseBegan { grant } => layout!(self: 8, grant *grant),
            Fact::ReleaseEnded { grant, how } => layout!(self: 9, grant *grant, code *how),
            Fact::Reached { point } => layout!(self: 10, point point),
            Fact::PromiseBegan { grant, call } => layout!(self: 11, grant *grant, call *call),
            Fact::PromiseEnded { grant, why } => layout!(self: 12, grant *grant, code *why),
            Fact::SectionEntered { grant } => layout!(self: 13, grant *grant),
            Fact::SectionLeft { grant, why } => layout!(self: 14, grant *grant, code *why),
            Fact::Sent { name } => layout!(self: 15, message name),
            Fact::Delayed { name } => layout!(self: 33, message name),
            Fact::Handled { name } => layout!(self: 16, message name),
            Fact::MessageLost { name, why } => layout!(self: 17, message name, code *why),
            Fact::TimedOut { name } => layout!(self: 18, message name),
            Fact::Applied { name, by, change } => layout!(self: 19, message name, call *by, change *change),
            Fact::HoldGone { node, writer, cause } => {
                layout!(self: 20, voter *node, call *writer, code *cause)
            }
            Fact::Backing { grant, winnable, quorum, promised, cause } => {
                layout!(self: 21, grant *grant, u8 *winnable, u8 *quorum, flag *promised, code *cause)
            }
            Fact::HoldThinned { grant } => layout!(self: 22, grant *grant),
            Fact::StoreRead { client, grant, stock } => {
                layout!(self: 23, u16 client.0, grant *grant, i64 *stock)
            }
            Fact::StoreWrite { grant, accepted, promised, access } => {
                layout!(self: 24, grant *grant, flag *accepted, flag *promised, access *access)
            }
            Fact::WatchBegan { watch, due } => layout!(self: 25, watch *watch, u64 due.0),
            Fact::WatchOver { watch, end } => layout!(self: 26, watch *watch, code *end),
            Fact::FaultBegan { index, kind, effective } => {
                layout!(self: 27, u32 *index, code *kind, flag *effective)
            }
            Fact::FaultEnded { index, kind } => layout!(self: 28, u32 *index, code *kind),
            Fact::Started { incarnation } => layout!(self: 29, u16 *incarnation),
            Fact::Done => layout!(self: 30),
            Fact::Settled => layout!(self: 31),
            Fact::LeftOver { node, writer, excused } => {
                layout!(self: 32, voter *node, call *writer, flag *excused)
            }
            Fact::StoreLooked { client, grant, item, times } => {
                layout!(self: 34, u16 client.0, grant *grant, u32 *item, u32 *times)
            }
            Fact::Rerouted { to } => layout!(self: 35, node *to),
            Fact::Replicated { from, entry } => layout!(self: 36, node *from, u32 *entry),
            Fact::Resynced { from } => layout!(self: 37, node *from),
            Fact::Blocked { name } => layout!(self: 41, message name),
            Fact::Published { name, hearers } => layout!(self: 42, message name, u32 *hearers),
            Fact::CheckEnded { grant, found } => layout!(self: 38, grant *grant, code *found),
            Fact::Reentered { grant, outer } => layout!(self: 39, grant *grant, grant *outer),
            Fact::HoldsCounted { grant, believed, most, assured } => {
                layout!(self: 40, grant *grant, u32 *believed, u32 *most, u32 *assured)
            }
        }
    }

    fn fence(&mut self, fence: Option<i64>) {
        self.flag(fence.is_some());
        if let Some(fence) = fence {
            self.i64(fence);
        }
    }
}
