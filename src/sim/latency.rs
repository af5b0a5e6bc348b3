//! The latency of a message: a function of the seed and the message's name, and of nothing else.
//!
//! So removing a fault, adding a node or swapping the algorithm leaves the latencies of all other messages as
//! they were. The mixer is splitmix64's finalizer (Steele, Lea, Flood 2014) over two words that pack the name;
//! its layout is part of every digest. Must not draw from a stream.

use crate::name::{CommandName, Direction, MessageName, Operation, Route, StoreAccess};

/// A fraction of 2^64 for this message under this seed.
pub(crate) fn fraction(seed: u64, name: &MessageName) -> u64 {
    let (place, count) = pack(name);
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
    }
}

const fn access_number(access: StoreAccess) -> u64 {
    match access {
        StoreAccess::Claim => 0,
        StoreAccess::Read => 1,
        StoreAccess::Write => 2,
    }
}
