//! `[[plan]]` entries as faults and directives. A list of targets becomes one fault for each.

use super::super::error::{InputErrorKind, Wrong, closest};
use super::super::shape::{
    ClockFreezeKeys, ClockRateKeys, ClockStepKeys, CutKeys, MessageKeys, OneOrMany, OrderKeys, PauseKeys,
    PlanEntry, WhenKeys, WorkerWord,
};
use super::Scope;
use super::names::Named;
use super::number::{LONGEST_MS, distance_ms, optional_ms, ranged, span_ms};
use crate::name::{ClientId, Name, Process, VoterId, Worker};
use crate::plan::{
    Fault, MessageDirective, MessageFate, OrderDirective, OrderTerm, PauseKind, PauseScope, Plan,
    PlannedFault, When,
};
use crate::time::{ClockKind, Span, WorldTime};
use bytes::Bytes;
use std::ops::Range;
use toml::Spanned;

/// Rate errors lie between a clock that hardly moves and one ten times too fast.
const PPM: std::ops::RangeInclusive<i64> = -999_999..=9_000_000;

type Targets = Spanned<OneOrMany<String>>;

impl Scope {
    /// The whole plan.
    pub(super) fn plan(self, entries: &[PlanEntry]) -> Result<Plan, Wrong> {
        let mut plan = Plan::empty();
        for entry in entries {
            match entry {
                PlanEntry::Message(keys) => {
                    let directive = self.message_directive(keys)?;
                    if plan.messages.iter().any(|before| before.name == directive.name) {
                        let message = format!("{} already has an entry; only one can happen", directive.name);
                        return Err(Wrong::contradiction(keys.get_ref().name.span(), message));
                    }
                    plan.messages.push(directive);
                }
                PlanEntry::Order(keys) => plan.orders.push(self.order_directive(keys)?),
                PlanEntry::ClockFreeze(_)
                | PlanEntry::ClockRate(_)
                | PlanEntry::ClockStep(_)
                | PlanEntry::Crash(_)
                | PlanEntry::Cut(_)
                | PlanEntry::ErrorReply(_)
                | PlanEntry::Evict(_)
                | PlanEntry::FlushScripts(_)
                | PlanEntry::Kill(_)
                | PlanEntry::LateTimer(_)
                | PlanEntry::Pause(_)
                | PlanEntry::Slow(_) => {
                    let (when, lasts, faults) = self.faults(entry)?;
                    plan.faults.extend(faults.into_iter().map(|fault| PlannedFault { when, lasts, fault }));
                }
            }
        }
        Ok(plan)
    }

    /// The faults of one entry, with their common interval.
    fn faults(self, entry: &PlanEntry) -> Result<(When, Option<Span>, Vec<Fault>), Wrong> {
        let (when, span, lasts, faults) = match entry {
            PlanEntry::ClockFreeze(keys) => {
                (keys.get_ref().when(), keys.span(), &keys.get_ref().for_ms, self.freezes(keys.get_ref())?)
            }
            PlanEntry::ClockRate(keys) => {
                (keys.get_ref().when(), keys.span(), &keys.get_ref().for_ms, self.rates(keys.get_ref())?)
            }
            PlanEntry::ClockStep(keys) => {
                (keys.get_ref().when(), keys.span(), &None, self.steps(keys.get_ref())?)
            }
            PlanEntry::Crash(entry) => {
                let keys = entry.get_ref();
                let crash = |client| Fault::Crash { client };
                (keys.when(), entry.span(), &keys.for_ms, self.of_clients(&keys.of, "crash", crash)?)
            }
            PlanEntry::Cut(keys) => {
                (keys.get_ref().when(), keys.span(), &keys.get_ref().for_ms, vec![self.cut(keys.get_ref())?])
            }
            PlanEntry::ErrorReply(entry) => {
                let keys = entry.get_ref();
                let text = error_text(&keys.text)?;
                let error = |node| Fault::ErrorReply { node, text: text.clone() };
                (keys.when(), entry.span(), &keys.for_ms, self.of_nodes(&keys.of, "error-reply", error)?)
            }
            PlanEntry::Evict(entry) => {
                let keys = entry.get_ref();
                let key = keys.key.as_ref().map(|key| Bytes::copy_from_slice(key.get_ref().as_bytes()));
                let evict = |node| Fault::Evict { node, key: key.clone() };
                (keys.when(), entry.span(), &None, self.of_nodes(&keys.of, "evict", evict)?)
            }
            PlanEntry::FlushScripts(entry) => {
                let keys = entry.get_ref();
                let flush = |node| Fault::FlushScripts { node };
                (keys.when(), entry.span(), &None, self.of_nodes(&keys.of, "flush-scripts", flush)?)
            }
            PlanEntry::Kill(entry) => {
                let keys = entry.get_ref();
                let kill = |node| Fault::Kill { node };
                (keys.when(), entry.span(), &keys.for_ms, self.of_nodes(&keys.of, "kill", kill)?)
            }
            PlanEntry::LateTimer(entry) => {
                let keys = entry.get_ref();
                let by = span_ms(&keys.by_ms, "by_ms", 1)?;
                let late = |process| Fault::LateTimer { process, by };
                let faults = self.of_clocks(&keys.of, "late-timer", late)?;
                (keys.when(), entry.span(), &keys.for_ms, faults)
            }
            PlanEntry::Pause(keys) => {
                (keys.get_ref().when(), keys.span(), &keys.get_ref().for_ms, self.pauses(keys.get_ref())?)
            }
            PlanEntry::Slow(entry) => {
                let keys = entry.get_ref();
                let by = span_ms(&keys.by_ms, "by_ms", 1)?;
                let slow = |node| Fault::Slow { node, by };
                (keys.when(), entry.span(), &keys.for_ms, self.of_nodes(&keys.of, "slow", slow)?)
            }
            PlanEntry::Message(_) | PlanEntry::Order(_) => unreachable!("directives are no faults"),
        };
        Ok((self.when(when, span)?, optional_ms(lasts.as_ref(), "for_ms", 1)?, faults))
    }

    fn when(self, keys: WhenKeys<'_>, entry: Range<usize>) -> Result<When, Wrong> {
        match (keys.at_ms.or(keys.at_us), keys.after) {
            (Some(at), Some(_)) => Err(Wrong::contradiction(
                at.span(),
                "a fault begins at a time or after an event, not both; keep one of `at_ms`, `at_us` and `after`",
            )),
            (None, None) => Err(Wrong::new(
                InputErrorKind::MissingKey,
                entry,
                "this entry does not say when it begins: it needs `at_ms`, `at_us` or `after`",
            )
            .meant("at_ms = 0")),
            (None, Some(after)) => self.name(after, "after").map(When::After),
            (Some(_), None) => self.at(keys.at_ms, keys.at_us, entry).map(When::At),
        }
    }

    fn at(
        self,
        at_ms: Option<&Spanned<i64>>,
        at_us: Option<&Spanned<i64>>,
        entry: Range<usize>,
    ) -> Result<WorldTime, Wrong> {
        let (number, key, scale) = match (at_ms, at_us) {
            (Some(_), Some(us)) => {
                let message = "`at_ms` and `at_us` are both set; keep one of them";
                return Err(Wrong::contradiction(us.span(), message));
            }
            (Some(ms), None) => (ms, "at_ms", 1_000),
            (None, Some(us)) => (us, "at_us", 1),
            (None, None) => {
                let message = "this entry does not say when: it needs `at_ms` or `at_us`";
                return Err(Wrong::new(InputErrorKind::MissingKey, entry, message).meant("at_ms = 0"));
            }
        };
        let at = ranged(number, key, 0..=LONGEST_MS * 1_000 / scale)? * scale;
        let at = WorldTime(at as u64);
        if at >= self.limit {
            let message = format!("`{key}` is {at}; the run is over at {} (`limit_ms`)", self.limit);
            return Err(Wrong::contradiction(number.span(), message));
        }
        Ok(at)
    }

    fn pauses(self, keys: &PauseKeys) -> Result<Vec<Fault>, Wrong> {
        let kind = *keys.kind.get_ref();
        let mut faults = Vec::new();
        for Named { process, span } in self.processes(&keys.of)? {
            let scope = match (process, &keys.worker) {
                (Process::Client(client), Some(worker)) => {
                    if kind == PauseKind::Suspend {
                        let message =
                            "a machine is suspended as a whole; a worker is paused with kind = \"stop\"";
                        return Err(Wrong::contradiction(keys.kind.span(), message).meant("kind = \"stop\""));
                    }
                    PauseScope::Worker(
                        client,
                        match worker.get_ref() {
                            WorkerWord::User => Worker::User,
                            WorkerWord::Watchdog => Worker::Watchdog,
                        },
                    )
                }
                (Process::Node(_) | Process::Store, Some(worker)) => {
                    let message = format!("only clients have workers; {process} is paused as a whole");
                    return Err(Wrong::contradiction(worker.span(), message));
                }
                (Process::Store, None) => {
                    return Err(misplaced(process, &span, "pause", "clients and nodes", None));
                }
                (Process::Client(_) | Process::Node(_), None) => PauseScope::Process(process),
            };
            faults.push(Fault::Pause { scope, kind });
        }
        Ok(faults)
    }

    fn steps(self, keys: &ClockStepKeys) -> Result<Vec<Fault>, Wrong> {
        let clock = keys.clock.as_ref().map_or(ClockKind::Wall, |clock| *clock.get_ref());
        if let (ClockKind::Mono, Some(written)) = (clock, &keys.clock) {
            let message = "a monotonic clock never steps; change its rate, freeze it, or suspend the machine";
            return Err(Wrong::contradiction(written.span(), message).meant("clock = \"wall\""));
        }
        let by = distance_ms(&keys.by_ms, "by_ms")?;
        if by == Span::ZERO {
            return Err(Wrong::new(InputErrorKind::Range, keys.by_ms.span(), "a step by 0 changes nothing"));
        }
        self.of_clocks(&keys.of, "clock-step", |process| Fault::ClockStep { process, clock, by })
    }

    fn rates(self, keys: &ClockRateKeys) -> Result<Vec<Fault>, Wrong> {
        let both = vec![ClockKind::Mono, ClockKind::Wall];
        let clocks = keys.clock.as_ref().map_or(both, |clock| vec![*clock.get_ref()]);
        let ppm = i32::try_from(ranged(&keys.ppm, "ppm", PPM)?).expect("the range fits");
        if ppm == 0 {
            return Err(Wrong::new(
                InputErrorKind::Range,
                keys.ppm.span(),
                "a rate error of 0 changes nothing",
            ));
        }
        let rate = |process| Fault::ClockRate { process, clocks: clocks.clone(), ppm };
        self.of_clocks(&keys.of, "clock-rate", rate)
    }

    fn freezes(self, keys: &ClockFreezeKeys) -> Result<Vec<Fault>, Wrong> {
        let clock = keys.clock.as_ref().map_or(ClockKind::Wall, |clock| *clock.get_ref());
        self.of_clocks(&keys.of, "clock-freeze", |process| Fault::ClockFreeze { process, clock })
    }

    fn cut(self, keys: &CutKeys) -> Result<Fault, Wrong> {
        let [one_side, other_side] = keys.between.get_ref().as_slice() else {
            let message = "`between` has two sides: the clients, then their peers";
            return Err(Wrong::new(InputErrorKind::Value, keys.between.span(), message)
                .meant("between = [\"clients\", \"nodes\"]"));
        };
        let mut clients = Vec::new();
        for Named { process, span } in self.processes(one_side)? {
            match process {
                Process::Client(client) => clients.push(client),
                Process::Node(_) | Process::Store => {
                    let message =
                        format!("`between` names clients first, then their peers; {process} is a peer");
                    return Err(Wrong::contradiction(span, message));
                }
            }
        }
        let mut peers = Vec::new();
        for Named { process, span } in self.processes(other_side)? {
            match process {
                Process::Node(_) | Process::Store => peers.push(process),
                Process::Client(_) => {
                    let message = format!("{process} is no peer of a client; peers are nodes and the store");
                    return Err(Wrong::contradiction(span, message));
                }
            }
        }
        Ok(Fault::Cut { clients, peers, way: keys.direction, how: keys.how })
    }

    fn of_clients(
        self,
        of: &Targets,
        fault: &str,
        make: impl Fn(ClientId) -> Fault,
    ) -> Result<Vec<Fault>, Wrong> {
        let each = self.processes(of)?.into_iter().map(|Named { process, span }| match process {
            Process::Client(client) => Ok(make(client)),
            Process::Node(_) => Err(misplaced(process, &span, fault, "clients", Some("kill"))),
            Process::Store => Err(misplaced(process, &span, fault, "clients", None)),
        });
        each.collect()
    }

    fn of_nodes(
        self,
        of: &Targets,
        fault: &str,
        make: impl Fn(VoterId) -> Fault,
    ) -> Result<Vec<Fault>, Wrong> {
        let each = self.processes(of)?.into_iter().map(|Named { process, span }| match process {
            Process::Node(node) => Ok(make(node)),
            Process::Client(_) => {
                let other = (fault == "kill").then_some("crash");
                Err(misplaced(process, &span, fault, "nodes", other))
            }
            Process::Store => Err(misplaced(process, &span, fault, "nodes", None)),
        });
        each.collect()
    }

    fn of_clocks(
        self,
        of: &Targets,
        fault: &str,
        make: impl Fn(Process) -> Fault,
    ) -> Result<Vec<Fault>, Wrong> {
        let each = self.processes(of)?.into_iter().map(|Named { process, span }| match process {
            Process::Client(_) | Process::Node(_) => Ok(make(process)),
            Process::Store => Err(misplaced(process, &span, fault, "clients and nodes", None)),
        });
        each.collect()
    }

    fn message_directive(self, keys: &Spanned<MessageKeys>) -> Result<MessageDirective, Wrong> {
        let (entry, keys) = (keys.span(), keys.get_ref());
        let name = self.message(&keys.name)?;
        let fate = match (&keys.delay_ms, &keys.lose) {
            (Some(delay), None) => MessageFate::Delay(span_ms(delay, "delay_ms", 0)?),
            (None, Some(lose)) if *lose.get_ref() => MessageFate::Lose,
            (None, Some(lose)) => {
                let message = "`lose = false` is what happens anyway; remove this entry";
                return Err(Wrong::contradiction(lose.span(), message));
            }
            (Some(_), Some(lose)) => {
                let message = "a lost message has no delay; keep one of `lose` and `delay_ms`";
                return Err(Wrong::contradiction(lose.span(), message));
            }
            (None, None) => {
                let message = "this entry does not say what happens: it needs `delay_ms` or `lose = true`";
                return Err(Wrong::new(InputErrorKind::MissingKey, entry, message).meant("lose = true"));
            }
        };
        Ok(MessageDirective { name, fate })
    }

    fn order_directive(self, keys: &Spanned<OrderKeys>) -> Result<OrderDirective, Wrong> {
        let (entry, keys) = (keys.span(), keys.get_ref());
        let of = self.process(keys.of.get_ref(), &keys.of.span())?;
        let at = self.at(keys.at_ms.as_ref(), keys.at_us.as_ref(), entry)?;
        let (first, then) = (self.order_term(&keys.first, of)?, self.order_term(&keys.then, of)?);
        if first == then {
            let message = "`first` and `then` are the same; nothing can come before itself";
            return Err(Wrong::contradiction(keys.then.span(), message));
        }
        Ok(OrderDirective { at, of, first, then })
    }

    fn order_term(self, text: &Spanned<String>, of: Process) -> Result<OrderTerm, Wrong> {
        match text.get_ref().as_str() {
            "messages" => Ok(OrderTerm::Messages),
            "timers" => Ok(OrderTerm::Timers),
            written => {
                let name = self.message(text).map_err(|wrong| match written.parse::<Name>() {
                    Ok(_) => wrong,
                    Err(_) => Wrong {
                        message: format!("`{written}` is neither `messages`, `timers` nor a message"),
                        suggestion: wrong.suggestion.or_else(|| closest(written, ["messages", "timers"])),
                        ..wrong
                    },
                })?;
                if name.target() != of {
                    let message = format!("{name} is handled by {}, not by {of}", name.target());
                    return Err(Wrong::contradiction(text.span(), message));
                }
                Ok(OrderTerm::Message(name))
            }
        }
    }
}

fn error_text(text: &Spanned<String>) -> Result<Bytes, Wrong> {
    let written = text.get_ref();
    if written.is_empty() || written.contains(['\r', '\n']) || written.starts_with('-') {
        let message = "an error reply is one line without the leading minus, such as \"BUSY Redis is busy\"";
        return Err(Wrong::new(InputErrorKind::Value, text.span(), message));
    }
    Ok(Bytes::copy_from_slice(written.as_bytes()))
}

/// A fault at a process that cannot suffer it.
fn misplaced(
    process: Process,
    span: &Range<usize>,
    fault: &str,
    whose: &str,
    instead: Option<&str>,
) -> Wrong {
    let message = format!("`{fault}` is for {whose}; {process} cannot suffer it");
    Wrong::new(InputErrorKind::Name, span.clone(), message).maybe_meant(instead.map(str::to_owned))
}
