//! The first line: the sentence that a person needs.
//!
//! It says who did what for how long, which oracle that is, and which faults came before. Must not repeat the
//! table of verdicts: one violation is told, the rest is counted.

use super::Story;
use super::cast::Cast;
use super::choose::evidence;
use super::fault::{fault, list};
use super::verdict::{doubt, judged, mismatch};
use super::words;
use crate::check::{Mismatch, OracleName, Outcome, Verdict};
use crate::history::{Access, Fact, LostWhy, Record, Watch, WatchKind};
use crate::name::GrantId;

/// How many faults a sentence names.
const FAULTS: usize = 3;

/// Which of several violations is told: what harms data first, then what a library did wrong, then what its
/// callers suffered, then what lay behind it.
pub(super) const TELLING: [OracleName; 18] = [
    OracleName::LostUpdate,
    OracleName::StaleWrite,
    OracleName::ValidWriteRefused,
    OracleName::ForeignChange,
    OracleName::Continuity,
    OracleName::FenceOrder,
    OracleName::FalseRefusal,
    OracleName::SilentLoss,
    OracleName::Unfair,
    OracleName::HoldCount,
    OracleName::Stuck,
    OracleName::Unavailable,
    OracleName::Leak,
    OracleName::Orphan,
    OracleName::SectionOverlap,
    OracleName::PromiseOverlap,
    OracleName::PromiseEmpty,
    OracleName::PromiseUnbacked,
];

/// The sentence of a run.
pub fn sentence(story: Story<'_>) -> String {
    let mismatches = story.result.judgement.mismatches.as_deref();
    match mismatches {
        Some([first, rest @ ..]) => {
            let more = match rest.len() {
                0 => String::new(),
                1 => " (and 1 more difference)".to_owned(),
                more => format!(" (and {more} more differences)"),
            };
            format!("not as expected: {}{more}{}", mismatch(first), told(story, first))
        }
        Some([]) => format!("as expected: {}", ending(story)),
        None => ending(story),
    }
}

/// The story of the violation that a difference is about.
fn told(story: Story<'_>, difference: &Mismatch) -> String {
    match difference {
        Mismatch::Oracle { oracle, found: Outcome::Violated(_), .. } => {
            format!(": {}", violation(story, *oracle))
        }
        Mismatch::Oracle { .. }
        | Mismatch::Witness { .. }
        | Mismatch::UnmetFault(_)
        | Mismatch::UnmetMessage(_)
        | Mismatch::UnmetOrder(_)
        | Mismatch::Limit => String::new(),
    }
}

fn ending(story: Story<'_>) -> String {
    match &story.result.judgement.verdict {
        Verdict::Violated => {
            let all: Vec<OracleName> = evidence(story).into_iter().map(|(oracle, _)| oracle).collect();
            let chosen = TELLING.iter().find(|oracle| all.contains(oracle));
            chosen.map_or_else(|| "violated".to_owned(), |oracle| violation(story, *oracle))
        }
        Verdict::Held => {
            let held = judged(story).iter().filter(|(_, outcome)| *outcome == Outcome::Held).count();
            let witnessed = story.result.witnesses.counts().map(|(name, count)| format!("{name} {count}"));
            let witnessed: Vec<String> = witnessed.collect();
            let oracles = if held == 1 { "oracle" } else { "oracles" };
            format!("{held} {oracles} held; witnessed: {}", list(&witnessed))
        }
        Verdict::Inconclusive(doubts) => {
            let doubts: Vec<String> = doubts.iter().map(|reason| doubt(*reason)).collect();
            format!("inconclusive: {}", doubts.join("; "))
        }
    }
}

/// Who did what, when, and after which faults.
fn violation(story: Story<'_>, oracle: OracleName) -> String {
    let found = evidence(story).into_iter().find(|(name, _)| *name == oracle);
    let faults = found.map(|(_, [_, second])| faults(story, second));
    format!("{}{}", event(story, oracle), faults.unwrap_or_default())
}

/// What the violation of one oracle is in a run: who did what, and when.
pub fn event(story: Story<'_>, oracle: OracleName) -> String {
    let records = &story.result.records;
    let Some((_, [first, second])) = evidence(story).into_iter().find(|(name, _)| *name == oracle) else {
        return format!("{oracle} was violated");
    };
    let cast = Cast::of(records, story.result.end);
    let what = happening(&cast, oracle, &records[first], &records[second]);
    format!("{what} ({oracle})")
}

/// `, after …`: the faults that took effect before this record, the latest of them.
fn faults(story: Story<'_>, before: usize) -> String {
    let planned = &story.scenario.setup.plan.faults;
    let begun = story.result.records[..=before].iter().filter_map(|record| {
        if let Fact::FaultBegan { index, effective: true, .. } = &record.fact {
            Some(fault(&planned[*index as usize]))
        } else if let Fact::Delayed { name } = &record.fact {
            Some(format!("{name} was delayed"))
        } else if let Fact::MessageLost { name, why: LostWhy::Directive } = &record.fact {
            Some(format!("{name} was lost"))
        } else {
            None
        }
    });
    let begun: Vec<String> = begun.collect();
    if begun.is_empty() {
        return ", without any fault".to_owned();
    }
    let named = &begun[begun.len().saturating_sub(FAULTS)..];
    let earlier = match begun.len() - named.len() {
        0 => String::new(),
        1 => " (1 earlier fault not named)".to_owned(),
        earlier => format!(" ({earlier} earlier faults not named)"),
    };
    format!(", after {}{earlier}", named.join("; "))
}

/// What the two records of an oracle's evidence mean together.
fn happening(cast: &Cast<'_>, oracle: OracleName, first: &Record, second: &Record) -> String {
    let (old, young) = (grant_of(&first.fact), grant_of(&second.fact));
    let (a, b) = (name(cast, old, first), name(cast, young, second));
    let at = format!("at {}", time(second));
    match oracle {
        OracleName::PromiseOverlap => {
            let together = old.zip(young).map(|(old, young)| cast.promises_together(old, young, second));
            format!("{a} and {b} were both promised the lock{} from {}", after(together), time(second))
        }
        OracleName::SectionOverlap => {
            let together = old.zip(young).map(|(old, young)| cast.sections_together(old, young, second));
            format!("{a} and {b} were both inside the section{} from {}", after(together), time(second))
        }
        OracleName::PromiseEmpty => format!("{b} was given a promise that was already over {at}"),
        OracleName::PromiseUnbacked => {
            let votes = if let Fact::Backing { winnable, quorum, cause, .. } = second.fact {
                format!("{winnable} votes of the {quorum} it needs, because {}", words::cause(cause))
            } else {
                "a quorum".to_owned()
            };
            format!("while the promise of {a} ran, {at}, a rival could win {votes}")
        }
        OracleName::StaleWrite => {
            format!("the store accepted a write of {b} {at}, although {a} had written with a newer grant")
        }
        OracleName::ValidWriteRefused => {
            format!(
                "the store refused a write of {b} inside its promise {at}, although no newer grant exists"
            )
        }
        OracleName::LostUpdate => {
            if let Fact::StoreWrite { access: Access::Run { item, .. }, .. } = second.fact {
                format!("{b} did again {at} what {a} had done: item {}", item + 1)
            } else {
                let sold = cast.stock().map(|stock| format!("; in the end {stock}")).unwrap_or_default();
                format!("an order of {b} overwrote another {at}{sold}")
            }
        }
        OracleName::FenceOrder => format!("{b} was granted {at} with a fence not above the last one, {a}'s"),
        OracleName::ForeignChange => {
            format!("a command of {} {at} hit the live hold of {}", changer(second), changer(first))
        }
        OracleName::Continuity => {
            format!("an extension of {b} succeeded {at}, although {a} had been granted")
        }
        OracleName::FalseRefusal => {
            format!("{b} was told {at} that the lock is taken, although its own value had won")
        }
        OracleName::Orphan => {
            format!("a key of {} was left over at {} when all had settled", changer(first), second.process)
        }
        OracleName::Leak | OracleName::Stuck | OracleName::Unavailable | OracleName::SilentLoss => {
            format!("{} {at}", missed(second))
        }
        OracleName::Unfair => {
            format!("{} was served {at} before {}, who had come earlier", changer(second), changer(first))
        }
        OracleName::HoldCount => miscounted(&b, second),
    }
}

fn after(together: Option<super::cast::Together>) -> String {
    together.map(|together| format!(" {together}")).unwrap_or_default()
}

fn time(record: &Record) -> String {
    format!("{} s", words::seconds(record.at.0 as i64))
}

/// The owner of the grant, or the process that the record happened at.
fn name(cast: &Cast<'_>, grant: Option<GrantId>, record: &Record) -> String {
    grant.map_or_else(|| record.process.to_string(), |grant| cast.owner(grant))
}

/// The grant that evidence is about; none where it is about a call.
fn grant_of(fact: &Fact) -> Option<GrantId> {
    if let Fact::Granted { grant, .. }
    | Fact::ExtendBegan { grant }
    | Fact::Extended { grant, .. }
    | Fact::HoldsCounted { grant, .. }
    | Fact::PromiseBegan { grant, .. }
    | Fact::SectionEntered { grant }
    | Fact::Backing { grant, .. }
    | Fact::StoreRead { grant, .. }
    | Fact::StoreLooked { grant, .. }
    | Fact::StoreWrite { grant, .. } = fact
    {
        return Some(*grant);
    }
    None
}

/// The client on whose behalf a node executed a command.
fn changer(record: &Record) -> String {
    if let Fact::Applied { by, .. } = record.fact {
        by.client.to_string()
    } else {
        record.process.to_string()
    }
}

fn miscounted(owner: &str, record: &Record) -> String {
    let Fact::HoldsCounted { believed, most, assured, .. } = record.fact else {
        return format!("holds and acquires of {owner} differed at {}", time(record));
    };
    let carry = if most > believed { "a voter carries" } else { "a quorum carries" };
    let wrong = if most > believed { most } else { assured };
    format!(
        "{owner} has {} by its own count at {}, and {carry} {wrong}",
        words::holds(believed),
        time(record)
    )
}

fn missed(record: &Record) -> String {
    let Fact::WatchOver { watch: Watch { kind, call }, .. } = record.fact else {
        return "what was expected did not come".to_owned();
    };
    let client = call.client;
    match kind {
        WatchKind::Leak => {
            format!("{client} does not hold, and a key of its call {} still blocked others", call.number)
        }
        WatchKind::Stuck => {
            format!("{client} still had no grant, although nothing was wrong and nobody else asked")
        }
        WatchKind::Unavailable => {
            format!("{client} got no grant, although a quorum was up and nobody else held or wanted the lock")
        }
        WatchKind::SilentLoss => format!("{client} lost its hold inside the section and was not told"),
    }
}
