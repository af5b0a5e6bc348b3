//! The workload `hold` of a scenario as asynchronous code: what a client of the plain explorer does with its lock, done
//! from outside of the world.
//!
//! The same at the same moments as `world/user.rs`: it can be read as an example of code over a [`Driven`]. Must not know
//! which lock it is.

use super::driven::{Driven, Grant};
use super::sim::Sim;
use crate::history::SectionEnd;
use crate::lock::LockCore;
use crate::time::{MonoTime, Span};
use crate::world::{Ack, Act, Ask, Extend, Holder, Length, OfflineQueue, Setup, StoreMode, Task, Workload};
use std::sync::{MutexGuard, PoisonError};

/// What of a scenario is not done by code over a [`Driven`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no code outside of the world does {what}")]
pub struct NotDriven {
    /// What of it.
    pub what: &'static str,
}

/// What of a client's workload outlives a crash of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    cycles_left: u32,
    /// Until when it rests, between two cycles.
    rests_until: Option<MonoTime>,
}

impl Kept {
    pub(super) fn new(cycles: u32) -> Self {
        Self { cycles_left: cycles, rests_until: None }
    }
}

/// The numbers of a workload that this code does.
#[derive(Clone, Debug)]
struct Holding {
    writes: u32,
    work: Span,
    think: Span,
    patience: Span,
    again: Span,
    extend: Extend,
    claims: bool,
}

/// What of this setup the code does not do.
pub(super) fn check(setup: &Setup) -> Result<(), NotDriven> {
    if setup.offline_queue == OfflineQueue::On {
        return Err(NotDriven { what: "an offline queue" });
    }
    setup.clients.iter().try_for_each(|client| holding(&client.workload, setup).map(drop))
}

fn holding(workload: &Workload, setup: &Setup) -> Result<Holding, NotDriven> {
    let Workload { task, cycles: _, work, extend, nested, patience, again, think, holder, ack } = workload;
    let Task::Hold { writes } = task else {
        return Err(NotDriven { what: "any workload but `hold`" });
    };
    let (Length::Of(work), Length::Of(think)) = (work, think) else {
        return Err(NotDriven { what: "lengths that are drawn" });
    };
    if nested.is_some() {
        return Err(NotDriven { what: "a second hold inside the first" });
    }
    if *holder != Holder::Never {
        return Err(NotDriven { what: "any holder but `never`" });
    }
    if *ack != Ack::Await {
        return Err(NotDriven { what: "writes that nobody waits for" });
    }
    let claims = setup.store.mode == StoreMode::NonceCas;
    let (extend, patience, again) = (extend.clone(), *patience, *again);
    Ok(Holding { writes: *writes, work: *work, think: *think, patience, again, extend, claims })
}

/// All cycles that are left of this client.
///
/// # Panics
/// If [`check`] refuses the setup.
pub(super) async fn run<C: LockCore>(sim: Sim, mut lock: Driven<C>, setup: &Setup) {
    let workload = &setup.clients[sim.client()].workload;
    let holding = holding(workload, setup).unwrap_or_else(|error| panic!("{error}"));
    let mut client = Client { sim: &sim, lock: &mut lock, holding };
    loop {
        let Kept { cycles_left, rests_until } = *kept(&sim);
        if cycles_left == 0 {
            return;
        }
        if let Some(until) = rests_until {
            client.lock.sleep_until(until).await;
            kept(&sim).rests_until = None;
        }
        client.cycle().await;
        let mut kept = kept(&sim);
        if workload.cycles != Workload::ENDLESS {
            kept.cycles_left -= 1;
        }
        kept.rests_until = Some(sim.now().mono + client.holding.think);
    }
}

fn kept(sim: &Sim) -> MutexGuard<'_, Kept> {
    sim.place.kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One life of a client.
struct Client<'a, C> {
    sim: &'a Sim,
    lock: &'a mut Driven<C>,
    holding: Holding,
}

/// What is done next inside the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Finish,
    Write,
    Extend,
}

impl<C: LockCore> Client<'_, C> {
    fn now(&self) -> MonoTime {
        self.sim.now().mono
    }

    /// Wants the lock, holds it, gives it back.
    async fn cycle(&mut self) {
        let patience_end = self.now() + self.holding.patience;
        loop {
            match self.lock.acquire_persisting(patience_end).await {
                Ok(grant) => {
                    self.section(grant).await;
                    self.lock.release().await;
                    return;
                }
                Err(_) if self.now() >= patience_end => return,
                Err(_) => {
                    // Whoever calls again at once would never let time pass.
                    let again = self.holding.again.max(Span(1));
                    self.lock.sleep_until(self.now() + again).await;
                    if self.now() >= patience_end {
                        return self.sim.tell(Act::GiveUp);
                    }
                }
            }
        }
    }

    async fn section(&mut self, grant: Grant) {
        self.sim.tell(Act::Enter(grant.fence));
        let mut since = self.now();
        if self.holding.claims && self.sim.store().claim().await.is_ok() {
            since = self.now();
        }
        let (mut writes, mut extends, mut extended) = (0, 0, since);
        loop {
            let (at, deed) = self.next((since, extended), writes, extends);
            self.lock.sleep_until(at).await;
            match deed {
                Deed::Finish => return self.sim.tell(Act::Leave(SectionEnd::Finished)),
                Deed::Write => {
                    writes += 1;
                    self.write().await;
                }
                Deed::Extend => {
                    extends += 1;
                    extended = self.now();
                    // It works on, whatever came of it.
                    let _ = self.lock.extend().await;
                }
            }
        }
    }

    /// Decides to write, and writes: two steps, between which a pause may come.
    async fn write(&mut self) {
        self.sim.tell(Act::Check);
        self.lock.sleep_until(self.now()).await;
        // It works on, whatever came of it.
        let _ = self.sim.store().ask(Ask::Write).await;
    }

    /// What is due next, and when. What is due with the end comes before it.
    fn next(&self, (since, extended): (MonoTime, MonoTime), writes: u32, extends: usize) -> (MonoTime, Deed) {
        let Holding { writes: all, work, extend, .. } = &self.holding;
        let end = since + *work;
        let share = |number: u32| Span(work.0 * i64::from(number) / i64::from(*all));
        let write = (writes < *all).then(|| (since + share(writes + 1), Deed::Write));
        let extend = match extend {
            Extend::At(times) => times.get(extends).map(|after| since + *after),
            Extend::Every(period) => Some(extended + *period).filter(|at| *at < end),
        };
        let extend = extend.map(|at| (at, Deed::Extend));
        [write, extend]
            .into_iter()
            .flatten()
            .fold((end, Deed::Finish), |next, other| if other.0 <= next.0 { other } else { next })
    }
}
