//! A second hold inside a section: the user's code calls acquire through a handle that it already holds.
//!
//! It waits for the answer, works on, and gives the inner hold back before the outer one: when its time is over, or
//! right before it leaves; whoever has to leave at once gives it back on the way out. While a call or a release of the
//! inner hold is open, what the core sends goes out on behalf of the inner call. Must not end a section.

use super::client::Client;
use super::scene::Scene;
use super::user::{Step, User};
use crate::canon::{Canon, IdKind};
use crate::history::Fact;
use crate::lock::{Input, LockCore, Output, RefuseReason, Ttl, Until};
use crate::name::{CallId, ClientId, GrantId, Nonce, Point};
use crate::time::MonoTime;

/// How far the second hold of a section has come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Inner {
    /// It was not asked for so far, or never will be.
    Ahead,
    /// Acquire was called.
    Calling(Outer),
    /// It was granted.
    Holding(Box<Second>),
    /// Release was called.
    Releasing(Box<Second>),
    /// It was given back, or refused.
    Over,
}

/// The call that the outer hold rests on, and whether a voter had applied a write of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Outer {
    number: u32,
    wrote: bool,
}

/// A second hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Second {
    pub(crate) grant: GrantId,
    pub(crate) call: CallId,
    wrote: bool,
    /// When it was granted.
    pub(crate) since: MonoTime,
    outer: Outer,
}

impl Inner {
    /// The grant of the second hold, from its decision until it was given back.
    pub(crate) fn grant(&self) -> Option<GrantId> {
        match self {
            Self::Holding(second) | Self::Releasing(second) => Some(second.grant),
            Self::Ahead | Self::Calling(_) | Self::Over => None,
        }
    }

    /// The same while it is held: nobody has called release.
    pub(crate) fn held(&self) -> Option<GrantId> {
        match self {
            Self::Holding(second) => Some(second.grant),
            Self::Ahead | Self::Calling(_) | Self::Releasing(_) | Self::Over => None,
        }
    }

    pub(crate) fn canonical(&mut self, client: ClientId, canon: &mut Canon) {
        match self {
            Self::Calling(outer) => canon.id(IdKind::Call(client), &mut outer.number),
            Self::Holding(second) | Self::Releasing(second) => second.canonical(canon),
            Self::Ahead | Self::Over => {}
        }
    }
}

impl Second {
    pub(crate) fn canonical(&mut self, canon: &mut Canon) {
        canon.id(IdKind::Call(self.call.client), &mut self.outer.number);
        canon.grant(&mut self.grant);
        canon.call(&mut self.call);
        canon.mono_moment(&mut self.since);
    }
}

impl<C: LockCore> Client<C> {
    /// Calls acquire again, inside.
    pub(crate) fn reenter(&mut self, scene: &mut Scene<'_>, draws: &mut dyn super::event::Draws) {
        let nested = scene.setup(self.id).workload.nested;
        let outer = Outer { number: self.present, wrote: self.wrote };
        let User::Inside(section) = &mut self.user else { return };
        let (Step::Working { read }, Some(nested)) = (section.step, nested) else { return };
        section.step = Step::Nesting { read };
        section.inner = Inner::Calling(outer);
        self.counts.calls += 1;
        self.counts.acquires += 1;
        (self.present, self.wrote) = (self.counts.calls, false);
        scene.record(self, Fact::AcquireBegan { call: self.call() });
        self.point(Point::Acquire(self.counts.acquires), scene);
        let ttl = nested.ttl.map_or(self.traits.0.ttl, Ttl::Of);
        self.feed(Input::Acquire { caller: super::client::CALLER, ttl, draw: draws.draw(self.id) }, scene);
    }

    /// Whether acquire was called inside and is not decided.
    pub(crate) fn is_nesting(&self) -> bool {
        matches!(&self.user, User::Inside(section) if matches!(section.inner, Inner::Calling(_)))
    }

    /// The inner call was granted. Its end is its own: the promise of the outer hold stays as it was given.
    pub(crate) fn on_inner_granted(
        &mut self,
        (nonce, until, fence): (Nonce, Until, Option<i64>),
        scene: &mut Scene<'_>,
    ) {
        let User::Inside(section) = &self.user else { return };
        let Inner::Calling(outer) = section.inner else { return };
        let around = section.grant;
        scene.record(self, Fact::Reentered { grant: scene.world.ledger.upcoming(), outer: around });
        let grant = scene.granted(self, nonce, until, fence);
        self.counts.grants += 1;
        self.point(Point::Granted(self.counts.grants), scene);
        let (call, wrote, since) = (self.call(), self.wrote, self.now(scene.at()).mono);
        self.resume(outer, Inner::Holding(Box::new(Second { grant, call, wrote, since, outer })));
        scene.count(self, around, 2);
    }

    /// The inner call was refused: the section goes on as it was.
    pub(crate) fn on_inner_refused(&mut self, why: RefuseReason, scene: &mut Scene<'_>) {
        let User::Inside(section) = &self.user else { return };
        let (Inner::Calling(outer), around) = (&section.inner, section.grant) else { return };
        let outer = *outer;
        scene.refused(self, self.call(), why);
        self.counts.refusals += 1;
        self.point(Point::Refused(self.counts.refusals), scene);
        self.resume(outer, Inner::Over);
        scene.count(self, around, 1);
    }

    /// Goes on on behalf of the outer call.
    fn resume(&mut self, outer: Outer, inner: Inner) {
        (self.present, self.wrote) = (outer.number, outer.wrote);
        if let User::Inside(section) = &mut self.user {
            section.inner = inner;
            if let Step::Nesting { read } = section.step {
                section.step = Step::Working { read };
            }
        }
    }

    /// Gives the inner hold back, inside.
    pub(crate) fn give_back(&mut self, scene: &mut Scene<'_>) {
        let User::Inside(section) = &mut self.user else { return };
        let Step::Working { read } = section.step else { return };
        let inner = std::mem::replace(&mut section.inner, Inner::Over);
        let Inner::Holding(second) = inner else {
            section.inner = inner;
            return;
        };
        section.step = Step::Nesting { read };
        section.inner = Inner::Releasing(second.clone());
        self.release_inner(&second, scene);
    }

    fn release_inner(&mut self, second: &Second, scene: &mut Scene<'_>) {
        (self.present, self.wrote) = (second.call.number, second.wrote);
        self.counts.releases += 1;
        scene.record(self, Fact::ReleaseBegan { grant: second.grant });
        self.point(Point::Release(self.counts.releases), scene);
        scene.released(self, second.grant);
        self.feed(Input::Release { caller: super::client::CALLER }, scene);
    }

    /// Whoever leaves with a second hold gives that back first; a second call that is still open is given up.
    pub(crate) fn give_up_inner(&mut self, scene: &mut Scene<'_>) {
        if self.is_nesting() {
            self.feed(Input::Cancel { caller: super::client::CALLER }, scene);
        }
        // A core may say nothing to that.
        if let User::Inside(section) = &self.user
            && let Inner::Calling(outer) = section.inner
        {
            self.resume(outer, Inner::Over);
        }
    }

    /// Has left with this grant: gives back what it holds, the inner hold first.
    pub(crate) fn unwind(&mut self, grant: GrantId, scene: &mut Scene<'_>) {
        let User::Inside(section) = &mut self.user else { return };
        match std::mem::replace(&mut section.inner, Inner::Over) {
            Inner::Ahead | Inner::Calling(_) | Inner::Over => self.release(grant, scene),
            Inner::Holding(second) => {
                self.user = User::Unwinding { outer: grant, second: second.clone() };
                self.release_inner(&second, scene);
            }
            Inner::Releasing(second) => self.user = User::Unwinding { outer: grant, second },
        }
    }

    /// The release of the inner hold ended, if one was under way.
    pub(crate) fn on_inner_released(&mut self, outcome: &Output, scene: &mut Scene<'_>) -> bool {
        let Output::Released { how, .. } = outcome else { return false };
        let (second, around, left) = match &self.user {
            User::Inside(section) => match &section.inner {
                Inner::Releasing(second) => (second.clone(), section.grant, false),
                Inner::Ahead | Inner::Calling(_) | Inner::Holding(_) | Inner::Over => return false,
            },
            User::Unwinding { outer, second } => (second.clone(), *outer, true),
            User::Resting { .. }
            | User::Calling { .. }
            | User::Again { .. }
            | User::Declining { .. }
            | User::Releasing { .. }
            | User::Done => return false,
        };
        scene.record(self, Fact::ReleaseEnded { grant: second.grant, how: *how });
        scene.expect_gone(self);
        self.resume(second.outer, Inner::Over);
        scene.count(self, around, 1);
        if left {
            self.release(around, scene);
        }
        true
    }
}
