//! `[faults]`: which kinds, how often, how far, and that the scope can suffer them.

use super::super::kind::{Allowed, Kind, Menu};
use super::super::scope::Scope;
use super::read::TICKS_MAX;
use super::shape::{FaultTable, KindKeys};
use crate::scenario::{InputErrorKind, Wrong, ranged};
use crate::world::Persistence;
use toml::Spanned;

/// What the table allows; nothing if there is none.
pub(super) fn menu(table: Option<&Spanned<FaultTable>>, scope: &Scope) -> Result<Menu, Wrong> {
    let Some(table) = table else { return Ok(Menu::none()) };
    let (place, table) = (table.span(), table.get_ref());
    let total = table.total.as_ref();
    let count = total.map_or(Ok(0), |total| ranged(total, "total", 0..=i64::from(u8::MAX)))? as u8;
    let at_total = total.map_or(place, Spanned::span);
    match (count, table.kinds.as_slice()) {
        (0, [(kind, _), ..]) => {
            let name = kind.get_ref().text();
            let message = format!(
                "`total` is 0, so no {name} could ever happen: say how many faults the whole run may have"
            );
            let at = if total.is_some() { at_total } else { kind.span() };
            return Err(Wrong::contradiction(at, message).meant("total = 1"));
        }
        (1.., []) => {
            let message = "faults may happen, but no kind is listed; a kind that is left out cannot happen";
            return Err(Wrong::contradiction(at_total, message).meant("total = 0"));
        }
        (0, []) | (1.., [_, ..]) => {}
    }
    let mut allowed = table
        .kinds
        .iter()
        .map(|(kind, keys)| allow(kind, keys, count, scope))
        .collect::<Result<Vec<Allowed>, Wrong>>()?;
    allowed.sort_by_key(|allowed| allowed.kind.place());
    Ok(Menu { total: count, allowed })
}

fn allow(kind: &Spanned<Kind>, keys: &KindKeys, total: u8, scope: &Scope) -> Result<Allowed, Wrong> {
    suffers(kind, scope)?;
    let name = *kind.get_ref();
    let budget = match &keys.budget {
        None => total,
        Some(budget) => {
            let count = ranged(budget, "budget", 1..=i64::from(u8::MAX))? as u8;
            if count > total {
                let message = format!("a budget of {count} can never be spent: `total` is {total}");
                return Err(Wrong::contradiction(budget.span(), message).meant(format!("budget = {total}")));
            }
            count
        }
    };
    let ticks = match (extent(name), keys.ticks_max.as_ref().or(keys.ticks_min.as_ref())) {
        (Extent::None, Some(written)) => {
            let message = format!("{} has no extent: it happens at once", name.text());
            return Err(Wrong::contradiction(written.span(), message));
        }
        (Extent::None | Extent::AtOnce, None) => (0, 0),
        (Extent::AtOnce, Some(_)) => ticks(kind, keys, 0)?,
        (Extent::AtLeast(least), _) => ticks(kind, keys, least)?,
    };
    // Who learns of a promotion when is one choice.
    let lessons = (u32::from(ticks.1 - ticks.0) + 1).checked_pow(u32::from(scope.clients));
    if name == Kind::Failover && lessons.is_none_or(|lessons| lessons > LESSONS_MAX) {
        let message = format!(
            "{} clients that learn of a promotion within {} ticks are more than {LESSONS_MAX} combinations",
            scope.clients, ticks.1
        );
        return Err(Wrong::contradiction(kind.span(), message).meant("ticks_max = 1"));
    }
    Ok(Allowed { kind: name, budget, ticks })
}

/// The most combinations of when clients learn of a promotion.
const LESSONS_MAX: u32 = 1_024;

fn ticks(kind: &Spanned<Kind>, keys: &KindKeys, least: i64) -> Result<(u8, u8), Wrong> {
    let most = keys.ticks_max.as_ref().ok_or_else(|| {
        let message = format!("{} needs to know how far it may go: `ticks_max`", kind.get_ref().text());
        Wrong::new(InputErrorKind::MissingKey, kind.span(), message).meant("ticks_max = 6")
    })?;
    let longest = ranged(most, "ticks_max", least..=TICKS_MAX)?;
    let shortest =
        keys.ticks_min.as_ref().map_or(Ok(least), |number| ranged(number, "ticks_min", least..=TICKS_MAX))?;
    if shortest > longest {
        let message = format!("`ticks_min` is {shortest} and `ticks_max` only {longest}");
        return Err(Wrong::contradiction(most.span(), message));
    }
    Ok((shortest as u8, longest as u8))
}

/// What the ticks of a kind mean.
enum Extent {
    /// It has none.
    None,
    /// None unless it is written.
    AtOnce,
    /// It is needed, and at least so many ticks.
    AtLeast(i64),
}

/// The extent of a kind. A node may be back at once; of a promotion it is how long a client takes to learn of it.
fn extent(kind: Kind) -> Extent {
    match kind {
        Kind::ClientStop
        | Kind::ClientSuspend
        | Kind::ClientClockSlow
        | Kind::NodeClockFast
        | Kind::NodeClockStep
        | Kind::LateMessage
        | Kind::StoreDelay => Extent::AtLeast(1),
        Kind::NodeCrashKeeping | Kind::NodeCrashLosing => Extent::AtLeast(0),
        Kind::Failover => Extent::AtOnce,
        Kind::MessageLoss | Kind::Eviction => Extent::None,
    }
}

/// That the scope has what this kind strikes.
fn suffers(kind: &Spanned<Kind>, scope: &Scope) -> Result<(), Wrong> {
    let (lacks, meant) = match kind.get_ref() {
        Kind::Failover if scope.replicas == 0 => ("there is no replica to promote", "replicas = 1"),
        Kind::NodeCrashKeeping if scope.persistence != Persistence::AofAlways => {
            ("a node keeps nothing here", "persistence = \"aof-always\"")
        }
        Kind::NodeCrashLosing if scope.persistence != Persistence::None => {
            ("a node keeps everything here", "persistence = \"none\"")
        }
        Kind::StoreDelay if scope.writes == 0 => ("nobody writes to the store", "writes = 1"),
        Kind::ClientStop
        | Kind::ClientSuspend
        | Kind::ClientClockSlow
        | Kind::NodeClockFast
        | Kind::NodeClockStep
        | Kind::MessageLoss
        | Kind::LateMessage
        | Kind::NodeCrashKeeping
        | Kind::NodeCrashLosing
        | Kind::Failover
        | Kind::Eviction
        | Kind::StoreDelay => return Ok(()),
    };
    let message = format!("no {} can happen in this scope: {lacks}", kind.get_ref().text());
    Err(Wrong::contradiction(kind.span(), message).meant(meant))
}
