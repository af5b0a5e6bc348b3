//! The latency of a message: a function of the seed and the message's name, and of nothing else.
//!
//! So removing a fault, adding a node or swapping the algorithm leaves the latencies of all other messages as
//! they were. The mixer is splitmix64's finalizer (Steele, Lea, Flood 2014) over two words that pack the name;
//! its layout is part of every digest. Must not draw from a stream.

use crate::name::{ClientId, CommandName, Direction, MessageName, Operation, Route, StoreAccess};
use crate::world::{Lesson, ParcelKind, Shipment, Stretch};

/// A fraction of 2^64 for this message under this seed.
pub(crate) fn fraction(seed: u64, name: &MessageName) -> u64 {
    let (place, count) = pack(name);
    hashed(seed, place, count)
}

/// A fraction of 2^64 for the length of something that a client does in a cycle. A function as that of messages: a
/// client that gets fewer cycles leaves the lengths of the others as they were.
pub(crate) fn length_fraction(seed: u64, client: ClientId, cycle: u32, stretch: Stretch) -> u64 {
    let kind = match stretch {
        Stretch::Work => 32,
        Stretch::Think => 33,
    };
    hashed(seed, u64::from(client.0) | kind << 48, u64::from(cycle))
}

/// A fraction of 2^64 for a parcel of a replication link: a function of the link and the parcel's number.
pub(crate) fn parcel_fraction(seed: u64, shipment: &Shipment) -> u64 {
    let kind = match shipment.parcel {
        ParcelKind::Entry => 40,
        ParcelKind::Snapshot => 41,
        ParcelKind::AskAck => 42,
        ParcelKind::Close => 43,
        ParcelKind::Sync => 44,
        ParcelKind::Ack => 45,
    };
    let stream = shipment.stream;
    let ends = u64::from(stream.from) | u64::from(stream.to) << 8;
    hashed(seed, ends | (u64::from(stream.voter.0) + 1) << 32 | kind << 48, u64::from(shipment.number))
}

/// A fraction of 2^64 for the news of a promotion on its way to a client.
pub(crate) fn lesson_fraction(seed: u64, lesson: &Lesson) -> u64 {
    let place = u64::from(lesson.client.0) | (u64::from(lesson.voter.0) + 1) << 32 | 46 << 48;
    hashed(seed, place, u64::from(lesson.promotion))
}

fn hashed(seed: u64, place: u64, count: u64) -> u64 {
    mix(mix(mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ place) ^ count)
}

fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Word one: client, incarnation, peer, kind of message. Word two: number, occurrence, command.
fn pack(name: &MessageName) -> (u64, u64) {
    let (peer, kind, number, detail) = match name.route {
        Route::Connect { voter, number } => (u64::from(voter.0) + 1, 0, number, 0),
        Route::Command { voter, operation, number, command, occurrence } => (
            u64::from(voter.0) + 1,
            1 + operation_number(operation),
            number,
            command_number(command) << 8 | u64::from(occurrence),
        ),
        Route::Store { access, number } => (0, 16 + access_number(access), number, 0),
        Route::Further { voter, connection, number } => {
            (u64::from(voter.0) + 1, 256 + u64::from(connection), number, 0)
        }
        Route::Push { voter, number } => (u64::from(voter.0) + 1, 64, number, 0),
    };
    let way = match name.direction {
        Direction::Request => 0,
        Direction::Reply => 1,
    };
    let place =
        u64::from(name.client.0) | u64::from(name.incarnation) << 16 | peer << 32 | kind << 48 | way << 63;
    (place, u64::from(number) | detail << 32)
}

const fn operation_number(operation: Operation) -> u64 {
    match operation {
        Operation::Acquire => 0,
        Operation::Extend => 1,
        Operation::Release => 2,
        Operation::Check => 3,
        Operation::Aside => 4,
    }
}

const fn command_number(command: CommandName) -> u64 {
    match command {
        CommandName::Del => 0,
        CommandName::Eval => 1,
        CommandName::Evalsha => 2,
        CommandName::Get => 3,
        CommandName::Set => 4,
        CommandName::Other => 5,
        CommandName::Role => 6,
        CommandName::Wait => 7,
        CommandName::Setnx => 8,
        CommandName::Pexpire => 9,
        CommandName::Delex => 10,
        CommandName::Exec => 11,
        CommandName::Expire => 12,
        CommandName::Multi => 13,
        CommandName::Ttl => 14,
        CommandName::Unwatch => 15,
        CommandName::Watch => 16,
    }
}

const fn access_number(access: StoreAccess) -> u64 {
    match access {
        StoreAccess::Claim => 0,
        StoreAccess::Read => 1,
        StoreAccess::Write => 2,
    }
}
