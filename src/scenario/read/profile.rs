//! A profile: hazards in the order of the format, targets and distributions at their own places.

use super::super::error::{InputErrorKind, Wrong, closest};
use super::super::shape::{
    BetweenWord, ClockFreezeHazard, ClockRateHazard, ClockStepHazard, CutHazard, DownHazard,
    ErrorReplyHazard, FailoverHazard, InstantHazard, LagHazard, LengthHazard, NumberOrQuantiles, OldWord,
    PauseHazard, ProfileFile, ProfileTable, SizeHazard,
};
use super::number::{LONGEST_MS, in_range, ranged};
use super::quantiles::{constant, plain};
use crate::name::Process;
use crate::plan::{Between, Class, Death, Failover, Harm, Hazard, OldPrimary, Pace, Profile, Quantiles};
use crate::time::{ClockKind, Span, WorldTime};
use bytes::Bytes;
use std::ops::RangeInclusive;
use toml::Spanned;

/// How long something lasts, or is apart.
const LENGTH: RangeInclusive<i64> = 1..=LONGEST_MS;

/// How long something takes, if any time at all.
const WAIT: RangeInclusive<i64> = 0..=LONGEST_MS;

/// How far a clock steps.
const STEP: RangeInclusive<i64> = -LONGEST_MS..=LONGEST_MS;

/// Rate errors lie between a clock that hardly moves and one ten times too fast.
const PPM: RangeInclusive<i64> = -999_999..=9_000_000;

/// The most hazards of one sort.
const REPEATS_MAX: usize = 200;

/// The most nodes that may be down.
const DOWN_MAX: i64 = 31;

/// Whom a sort of hazard can hit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Victims {
    Clients,
    Nodes,
    NodesAndReplicas,
    Replicas,
    ClientsAndNodes,
}

/// Everything in the file, or the first thing wrong with it.
pub(in crate::scenario) fn profile(file: ProfileFile) -> Result<Profile, Wrong> {
    if let Some(format) = file.format.filter(|format| *format.get_ref() != super::setup::FORMAT) {
        let message = format!("format {} is not known; this version reads format 1", format.get_ref());
        return Err(Wrong::new(InputErrorKind::Value, format.span(), message).meant("format = 1"));
    }
    let table = file.profile.into_inner();
    let name = named(&table.name, "name")?;
    if let Some(title) = table.title.as_ref().filter(|title| title.get_ref().trim().is_empty()) {
        return Err(Wrong::new(InputErrorKind::Value, title.span(), "`title` is empty"));
    }
    let (from, to) = window(&table.window_ms)?;
    let latency = table.latency_us.as_ref().map(|keys| drawn(keys, "latency_us", 0..=LONGEST_MS * 1_000));
    Ok(Profile {
        name,
        title: table.title.as_ref().unwrap_or(&table.name).get_ref().clone(),
        from,
        to,
        latency: latency.transpose()?,
        hazards: hazards(&table)?,
    })
}

/// A name that needs no quotes on a command line.
pub(in crate::scenario) fn named(name: &Spanned<String>, key: &str) -> Result<String, Wrong> {
    let text = name.get_ref();
    if text.is_empty() || !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        let message = format!("`{key}` is letters, digits and hyphens");
        return Err(Wrong::new(InputErrorKind::Value, name.span(), message));
    }
    Ok(text.clone())
}

fn window(window: &Spanned<Vec<Spanned<i64>>>) -> Result<(WorldTime, WorldTime), Wrong> {
    let [from, to] = window.get_ref().as_slice() else {
        let message = "`window_ms` is two times: faults begin from the first on, and before the second";
        return Err(Wrong::new(InputErrorKind::Value, window.span(), message).meant("[0, 60_000]"));
    };
    let at = |number| Ok(WorldTime::ZERO + Span::from_ms(ranged(number, "window_ms", WAIT)?));
    let (begin, end) = (at(from)?, at(to)?);
    if begin >= end {
        return Err(Wrong::contradiction(to.span(), "the window ends before it begins"));
    }
    Ok((begin, end))
}

/// All hazards: by their keys in alphabetical order, those of one key in the order of the file.
fn hazards(table: &ProfileTable) -> Result<Vec<Hazard>, Wrong> {
    let mut all = Vec::new();
    let mut add = |made: Vec<Result<Hazard, Wrong>>| -> Result<(), Wrong> {
        if made.len() > REPEATS_MAX {
            let message = format!("at most {REPEATS_MAX} hazards of one sort");
            return Err(Wrong::contradiction(table.name.span(), message));
        }
        all.extend(made.into_iter().collect::<Result<Vec<_>, _>>()?);
        Ok(())
    };
    add(table.clock_freeze.0.iter().map(clock_freeze).collect())?;
    add(table.clock_rate.0.iter().map(clock_rate).collect())?;
    add(table.clock_step.0.iter().map(clock_step).collect())?;
    add(table.crash.0.iter().map(crash).collect())?;
    add(table.cut.0.iter().map(cut).collect())?;
    add(table.down.0.iter().map(down).collect())?;
    add(table.error_reply.0.iter().map(error_reply).collect())?;
    add(table.evict.0.iter().map(evict).collect())?;
    add(table.failover.0.iter().map(failover).collect())?;
    add(table.flush_scripts.0.iter().map(flush_scripts).collect())?;
    add(table.kill.0.iter().map(|keys| kill(keys, Death::Process, "kill")).collect())?;
    add(table.lag.0.iter().map(lag).collect())?;
    add(table.late_timer.0.iter().map(late_timer).collect())?;
    add(table.pause.0.iter().map(pause).collect())?;
    add(table.power_loss.0.iter().map(|keys| kill(keys, Death::Power, "power-loss")).collect())?;
    add(table.slow.0.iter().map(slow).collect())?;
    Ok(all)
}

fn clock_freeze(keys: &ClockFreezeHazard) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::ClientsAndNodes, "clock-freeze")?;
    let (pace, lasts) = (every(&keys.every_ms)?, length(&keys.for_ms)?);
    let clock = keys.clock.unwrap_or(ClockKind::Wall);
    Ok(Hazard { harm: Harm::ClockFreeze { of, clock, lasts }, pace })
}

fn clock_step(keys: &ClockStepHazard) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::ClientsAndNodes, "clock-step")?;
    let by = drawn(&keys.by_ms, "by_ms", STEP)?;
    Ok(Hazard { harm: Harm::ClockStep { of, by }, pace: every(&keys.every_ms)? })
}

fn down(keys: &DownHazard) -> Result<Hazard, Wrong> {
    let count = ranged(&keys.count, "count", 1..=DOWN_MAX)? as u8;
    Ok(Hazard { harm: Harm::Down { count }, pace: Pace::Window })
}

fn evict(keys: &InstantHazard) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::Nodes, "evict")?;
    Ok(Hazard { harm: Harm::Evict { of }, pace: every(&keys.every_ms)? })
}

fn flush_scripts(keys: &InstantHazard) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::NodesAndReplicas, "flush-scripts")?;
    Ok(Hazard { harm: Harm::FlushScripts { of }, pace: every(&keys.every_ms)? })
}

fn late_timer(keys: &SizeHazard) -> Result<Hazard, Wrong> {
    sized(keys, Victims::Clients, "late-timer", |of, by, lasts| Harm::LateTimer { of, by, lasts })
}

fn pause(keys: &PauseHazard) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::ClientsAndNodes, "pause")?;
    let (pace, lasts) = (every(&keys.every_ms)?, length(&keys.for_ms)?);
    Ok(Hazard { harm: Harm::Pause { of, kind: keys.kind, lasts }, pace })
}

fn slow(keys: &SizeHazard) -> Result<Hazard, Wrong> {
    sized(keys, Victims::NodesAndReplicas, "slow", |of, by, lasts| Harm::Slow { of, by, lasts })
}

fn every(keys: &Spanned<NumberOrQuantiles>) -> Result<Pace, Wrong> {
    drawn(keys, "every_ms", LENGTH).map(Pace::Every)
}

fn length(keys: &Spanned<NumberOrQuantiles>) -> Result<Quantiles, Wrong> {
    drawn(keys, "for_ms", LENGTH)
}

/// Always the same, or drawn; every value must lie in `range`.
fn drawn(
    keys: &Spanned<NumberOrQuantiles>,
    key: &str,
    range: RangeInclusive<i64>,
) -> Result<Quantiles, Wrong> {
    match keys.get_ref() {
        NumberOrQuantiles::Number(number) => in_range(*number, keys.span(), key, range).map(constant),
        NumberOrQuantiles::Quantiles(inner) => plain(inner, key, range),
    }
}

/// Both keys: again and again. None: once, for the whole window.
fn pace_and_length(
    every_ms: Option<&Spanned<NumberOrQuantiles>>,
    for_ms: Option<&Spanned<NumberOrQuantiles>>,
) -> Result<(Pace, Option<Quantiles>), Wrong> {
    match (every_ms, for_ms) {
        (Some(pace), Some(lasts)) => Ok((every(pace)?, Some(length(lasts)?))),
        (None, None) => Ok((Pace::Window, None)),
        (Some(lone), None) | (None, Some(lone)) => {
            let message = "`every_ms` and `for_ms` go together; without both it lasts for the whole window";
            Err(Wrong::contradiction(lone.span(), message))
        }
    }
}

fn clock_rate(keys: &ClockRateHazard) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::ClientsAndNodes, "clock-rate")?;
    let clocks = keys.clock.map_or(vec![ClockKind::Mono, ClockKind::Wall], |clock| vec![clock]);
    let ppm = drawn(&keys.ppm, "ppm", PPM)?;
    let (pace, lasts) = pace_and_length(keys.every_ms.as_ref(), keys.for_ms.as_ref())?;
    Ok(Hazard { harm: Harm::ClockRate { of, clocks, ppm, lasts }, pace })
}

fn crash(keys: &LengthHazard) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::Clients, "crash")?;
    Ok(Hazard { harm: Harm::Crash { of, lasts: length(&keys.for_ms)? }, pace: every(&keys.every_ms)? })
}

fn kill(keys: &LengthHazard, death: Death, key: &str) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::NodesAndReplicas, key)?;
    Ok(Hazard { harm: Harm::Kill { of, death, lasts: length(&keys.for_ms)? }, pace: every(&keys.every_ms)? })
}

fn cut(keys: &CutHazard) -> Result<Hazard, Wrong> {
    let between = match keys.between {
        BetweenWord::ClientNode => Between::ClientNode,
        BetweenWord::ClientAllNodes => Between::ClientAllNodes,
        BetweenWord::NodeAllClients => Between::NodeAllClients,
        BetweenWord::NodeReplica => Between::NodeReplica,
        BetweenWord::ClientStore => Between::ClientStore,
    };
    let lasts = length(&keys.for_ms)?;
    Ok(Hazard {
        harm: Harm::Cut { between, way: keys.direction, how: keys.how, lasts },
        pace: every(&keys.every_ms)?,
    })
}

fn sized(
    keys: &SizeHazard,
    victims: Victims,
    key: &str,
    make: impl FnOnce(Class, Quantiles, Quantiles) -> Harm,
) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, victims, key)?;
    let by = drawn(&keys.by_ms, "by_ms", LENGTH)?;
    Ok(Hazard { harm: make(of, by, length(&keys.for_ms)?), pace: every(&keys.every_ms)? })
}

fn lag(keys: &LagHazard) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::Replicas, "lag")?;
    let by = drawn(&keys.by_ms, "by_ms", LENGTH)?;
    let (pace, lasts) = pace_and_length(keys.every_ms.as_ref(), keys.for_ms.as_ref())?;
    Ok(Hazard { harm: Harm::Lag { of, by, lasts }, pace })
}

fn error_reply(keys: &ErrorReplyHazard) -> Result<Hazard, Wrong> {
    let of = class(&keys.of, Victims::NodesAndReplicas, "error-reply")?;
    let text: Bytes = super::plan::entries::error_text(&keys.text)?;
    Ok(Hazard {
        harm: Harm::ErrorReply { of, text, lasts: length(&keys.for_ms)? },
        pace: every(&keys.every_ms)?,
    })
}

fn failover(keys: &FailoverHazard) -> Result<Hazard, Wrong> {
    let old = match (keys.old.get_ref(), &keys.down_ms) {
        (OldWord::Killed, Some(down)) => OldPrimary::Killed(drawn(down, "down_ms", LENGTH)?),
        (OldWord::Alive, None) => OldPrimary::Alive,
        (OldWord::Killed, None) => {
            let message = "a killed primary needs to know how long it is down: `down_ms`";
            return Err(Wrong::new(InputErrorKind::MissingKey, keys.old.span(), message));
        }
        (OldWord::Alive, Some(down)) => {
            let message = "a primary that is alive is not down; remove `down_ms`, or say old = \"killed\"";
            return Err(Wrong::contradiction(down.span(), message));
        }
    };
    let failover = Failover {
        old,
        detect: drawn(&keys.detect_ms, "detect_ms", WAIT)?,
        learn: drawn(&keys.learn_ms, "learn_ms", WAIT)?,
        demote: drawn(&keys.demote_ms, "demote_ms", WAIT)?,
    };
    Ok(Hazard { harm: Harm::Failover(failover), pace: every(&keys.every_ms)? })
}

/// The class of targets that a word means.
fn class(of: &Spanned<String>, victims: Victims, key: &str) -> Result<Class, Wrong> {
    let text = of.get_ref();
    let class = match text.as_str() {
        "clients" => Class::Clients,
        "nodes" => Class::Nodes,
        "replicas" => Class::Replicas,
        _ => Class::One(text.parse::<Process>().map_err(|error| {
            let words = ["clients", "nodes", "replicas", "store", "client-1", "node-1"];
            Wrong::new(InputErrorKind::Name, of.span(), format!("`{text}` is {error}"))
                .maybe_meant(closest(text, words))
        })?),
    };
    if victims.contain(class) {
        return Ok(class);
    }
    let message = format!("`{key}` is for {}; {text} cannot suffer it", victims.text());
    Err(Wrong::new(InputErrorKind::Name, of.span(), message).meant(victims.example()))
}

impl Victims {
    fn contain(self, class: Class) -> bool {
        let (client, node, replica) = match class {
            Class::Clients | Class::One(Process::Client(_)) => (true, false, false),
            Class::Nodes => (false, true, false),
            Class::Replicas => (false, false, true),
            Class::One(Process::Node(node)) => (false, !node.is_replica(), node.is_replica()),
            Class::One(Process::Store) => (false, false, false),
        };
        match self {
            Self::Clients => client,
            Self::Nodes => node,
            Self::NodesAndReplicas => node || replica,
            Self::Replicas => replica,
            Self::ClientsAndNodes => client || node || replica,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Clients => "clients",
            Self::Nodes => "nodes",
            Self::NodesAndReplicas => "nodes and replicas",
            Self::Replicas => "replicas",
            Self::ClientsAndNodes => "clients, nodes and replicas",
        }
    }

    fn example(self) -> &'static str {
        match self {
            Self::Clients | Self::ClientsAndNodes => "clients",
            Self::Nodes | Self::NodesAndReplicas => "nodes",
            Self::Replicas => "replicas",
        }
    }
}
