//! A call of acquire that is given up at each of its awaits, one after the other, where nothing else goes wrong.

use crate::adapters::Published;
use fencepost::history::{Fact, Record, WatchEnd, WatchKind};
use fencepost::lock::RefuseReason;

/// A call given up at its N-th await.
pub(crate) struct GivenUp {
    /// Whether the key of this call still blocked others; those of other calls are another matter.
    pub(crate) leaked: Option<bool>,
    /// How long after the call was given up another client, or the same, was granted next, in microseconds, if anybody was.
    pub(crate) next_grant: Option<i64>,
}

/// One per await of the first call.
pub(crate) fn all(published: &Published) -> Vec<GivenUp> {
    (1..).map_while(|number| one(published, number)).collect()
}

/// Nothing if the call does not wait so often.
fn one(published: &Published, number: u32) -> Option<GivenUp> {
    let plan = format!("[[plan]]\ncancel = {{ after = \"client-1#1:await.{number}\", of = \"client-1\" }}\n");
    let text = format!("{}\n{plan}", published.frame.text);
    let records = published.in_text("given-up", &text).run_seed(1).1.records;
    // A later call is cancelled where the first had fewer awaits.
    let given_up = |record: &Record| {
        let Fact::Refused { call, why: RefuseReason::Cancelled, .. } = record.fact else { return None };
        (call.number == 1).then_some(call)
    };
    let (place, call) =
        records.iter().enumerate().find_map(|(place, record)| Some((place, given_up(record)?)))?;
    let rest = &records[place..];
    let ends = rest.iter().filter_map(|record| {
        let Fact::WatchOver { watch, end } = record.fact else { return None };
        (watch.kind == WatchKind::Leak && watch.call == call).then_some(end)
    });
    let judged = ends.filter(|end| *end != WatchEnd::Void).map(|end| end == WatchEnd::Missed);
    let granted = rest.iter().find(|record| matches!(record.fact, Fact::Granted { .. }));
    let next_grant = granted.map(|granted| (granted.at - rest[0].at).0);
    Some(GivenUp { leaked: judged.reduce(|one, other| one || other), next_grant })
}
