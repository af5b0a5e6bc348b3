//! The replication link between a primary and one replica: what is held back, what is on the wire, who knows what.
//!
//! A link knows nothing of time or servers: `replica.rs` decides what is sent on it and what arrives does. Parcels keep
//! their order on each leg. A snapshot also stands for a partial resynchronisation: it leaves the replica with the
//! same data, and how many bytes travel is nobody's concern here.

use super::event::{Leg, ParcelKind, Way};
use crate::canon::Canon;
use crate::redis::{Entry, Snapshot};
use crate::time::{MonoTime, WallTime};
use std::collections::VecDeque;

/// A replica's link to the primary it follows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Feed {
    /// The place of the primary in the voter.
    pub(crate) from: u8,
    pub(crate) link: Link,
    held: VecDeque<Parcel>,
    out: VecDeque<Parcel>,
    back: VecDeque<Parcel>,
    /// Whether a black hole has swallowed something of it: what follows makes no sense without it.
    pub(crate) holed: bool,
    /// Since when, on the primary's wall clock, one side has not heard of the other.
    pub(crate) silent_since: Option<WallTime>,
    /// How much of the stream the primary knows to have been applied.
    pub(crate) acked: u32,
    /// When it last heard so, in whole seconds of its wall clock.
    pub(crate) acked_s: i64,
    /// When the replica next says so by itself, on its monotonic clock.
    pub(crate) beat: MonoTime,
    /// How often the replica has asked to synchronise.
    pub(crate) syncs: u32,
}

/// The state of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Link {
    /// There is none.
    Down,
    /// The replica's call is on its way to the primary.
    Asking,
    /// The primary took the call; its snapshot is on its way.
    Loading,
    /// The replica is as its primary was.
    Up,
    /// The primary's process is gone. What it had sent still arrives.
    Closing,
}

/// One thing that travels on a link.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parcel {
    pub(crate) kind: ParcelKind,
    /// Of an entry its place in the stream, of a snapshot the stream's length, of an acknowledgement how much was
    /// applied, of the others a count.
    pub(crate) number: u32,
    pub(crate) serial: u32,
    pub(crate) load: Load,
}

/// What it carries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Load {
    /// Nothing but what it is.
    Bare,
    /// An entry of the stream.
    Entry(Entry),
    /// A whole state.
    Snapshot(Snapshot),
}

impl Feed {
    /// A link that is up and in step from the start.
    pub(crate) fn in_step(from: u8, acked_s: i64, beat: MonoTime) -> Self {
        Self { link: Link::Up, acked_s, beat, ..Self::down(from) }
    }

    /// No link yet.
    pub(crate) fn down(from: u8) -> Self {
        Self {
            from,
            link: Link::Down,
            held: VecDeque::new(),
            out: VecDeque::new(),
            back: VecDeque::new(),
            holed: false,
            silent_since: None,
            acked: 0,
            acked_s: 0,
            beat: MonoTime(0),
            syncs: 0,
        }
    }

    /// Whether the primary counts this replica for WAIT, ROLE and `min-replicas`: it has taken over the snapshot.
    ///
    /// **Source** Redis 7.0.15, `replicationCountAcksByOffset`, `roleCommand`, `refreshGoodSlavesCount`: replicas that
    /// are online. A partial resynchronisation would count at once, here it does one latency later.
    pub(crate) fn is_online(&self) -> bool {
        self.link == Link::Up
    }

    /// Whether the primary has taken the replica's call.
    pub(crate) fn is_connected(&self) -> bool {
        match self.link {
            Link::Loading | Link::Up => true,
            Link::Down | Link::Asking | Link::Closing => false,
        }
    }

    pub(crate) fn leg(&self, leg: Leg) -> &VecDeque<Parcel> {
        match leg {
            Leg::Held => &self.held,
            Leg::Wire(Way::Out) => &self.out,
            Leg::Wire(Way::Back) => &self.back,
        }
    }

    pub(crate) fn leg_mut(&mut self, leg: Leg) -> &mut VecDeque<Parcel> {
        match leg {
            Leg::Held => &mut self.held,
            Leg::Wire(Way::Out) => &mut self.out,
            Leg::Wire(Way::Back) => &mut self.back,
        }
    }

    /// Both ends forget the link and all that travels on it.
    pub(crate) fn close(&mut self) {
        self.link = Link::Down;
        self.held.clear();
        self.out.clear();
        self.back.clear();
        self.holed = false;
        self.silent_since = None;
    }

    /// The primary's process is gone: what it held back and what had not reached it is lost.
    pub(crate) fn lose_primary(&mut self) {
        self.held.clear();
        self.back.clear();
        self.link = match self.link {
            Link::Loading | Link::Up | Link::Closing => Link::Closing,
            Link::Down | Link::Asking => Link::Down,
        };
    }

    /// Every place in the stream that the link knows of.
    pub(crate) fn places(&mut self) -> impl Iterator<Item = &mut u32> {
        let parcels = self.held.iter_mut().chain(&mut self.out).chain(&mut self.back);
        let placed = parcels.filter(|parcel| match parcel.kind {
            ParcelKind::Entry | ParcelKind::Snapshot | ParcelKind::Ack => true,
            ParcelKind::AskAck | ParcelKind::Close | ParcelKind::Sync => false,
        });
        placed.map(|parcel| &mut parcel.number).chain(std::iter::once(&mut self.acked))
    }

    /// Visits what travels; the clocks of the replica are the present ones of the pass. What the primary's clocks
    /// mean was visited with the primary.
    pub(crate) fn canonical(&mut self, canon: &mut Canon) {
        if self.link == Link::Up {
            canon.mono_deadline(&mut self.beat);
        } else {
            self.beat = MonoTime(0);
        }
        self.syncs = 0;
        if let Some(since) = &mut self.silent_since {
            canon.wall_moment(since);
        }
        for leg in [&mut self.held, &mut self.out, &mut self.back] {
            for parcel in leg {
                parcel.serial = 0;
                match &mut parcel.load {
                    Load::Bare => {}
                    Load::Entry(entry) => entry.canonical(canon),
                    Load::Snapshot(snapshot) => snapshot.canonical(canon),
                }
            }
        }
    }
}
