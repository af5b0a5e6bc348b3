//! When an entry begins, how long it lasts, and other times of it.

use super::super::super::error::{InputErrorKind, Wrong};
use super::super::super::shape::{ByKeys, LastsKeys, WhenKeys};
use super::super::Scope;
use super::super::number::Scaled;
use crate::plan::When;
use crate::time::{Span, WorldTime};
use std::ops::Range;
use toml::Spanned;

impl Scope {
    pub(super) fn when(self, keys: WhenKeys<'_>, entry: Range<usize>) -> Result<When, Wrong> {
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

    pub(super) fn at(
        self,
        at_ms: Option<&Spanned<i64>>,
        at_us: Option<&Spanned<i64>>,
        entry: Range<usize>,
    ) -> Result<WorldTime, Wrong> {
        let at = Scaled { ms: at_ms, us: at_us, keys: ["at_ms", "at_us"] };
        let Some((span, place)) = at.span(0)? else {
            let message = "this entry does not say when: it needs `at_ms` or `at_us`";
            return Err(Wrong::new(InputErrorKind::MissingKey, entry, message).meant("at_ms = 0"));
        };
        let time = WorldTime::ZERO + span;
        if time >= self.limit {
            let message = format!("`{}` is {time}; the run is over at {} (`limit_ms`)", at.key(), self.limit);
            return Err(Wrong::contradiction(place, message));
        }
        Ok(time)
    }

    /// `None`: to the end of the run, or over at once.
    pub(super) fn lasts(self, keys: LastsKeys<'_>) -> Result<Option<Span>, Wrong> {
        let lasts = Scaled { ms: keys.for_ms, us: keys.for_us, keys: ["for_ms", "for_us"] };
        Ok(lasts.span(1)?.map(|(span, _)| span))
    }

    /// How much later.
    pub(super) fn by(self, keys: &ByKeys) -> Result<Span, Wrong> {
        let by = Scaled { ms: keys.by_ms.as_ref(), us: keys.by_us.as_ref(), keys: ["by_ms", "by_us"] };
        by.needed(1, &keys.of.span()).map(|(span, _)| span)
    }
}
