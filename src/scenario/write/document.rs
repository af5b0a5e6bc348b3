//! The file as a document whose parts are replaced.

use super::super::Scenario;
use super::entry::entries;
use crate::check::OracleName;
use crate::name::{ClientId, Process};
use crate::plan::{Plan, Quantile, Quantiles};
use crate::time::Span;
use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, Value};

/// What is written instead of what the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edits<'a> {
    /// The seed.
    pub seed: u64,
    /// The whole plan, in the form in which plans are read: a fault that is over at once has no length, exceptions of
    /// a promotion are in index order, texts are UTF-8, and everything named exists.
    pub plan: &'a Plan,
    /// No more clients than this; `None`: as many as there are.
    pub clients: Option<u16>,
    /// No client wants more sections than this; `None`: as many as they want.
    pub cycles: Option<u32>,
    /// No client works for longer than this, rounded down to a millisecond; `None`: as long as they do. Work that is
    /// drawn from a distribution stays as it is.
    pub work: Option<Span>,
    /// Of the expectations only this oracle's is kept, if the file has any; `None`: all are.
    pub only: Option<OracleName>,
}

impl<'a> Edits<'a> {
    /// Another seed; all else as it is, the plan spelled out.
    pub fn seed(scenario: &'a Scenario, seed: u64) -> Self {
        Self { seed, plan: &scenario.setup.plan, clients: None, cycles: None, work: None, only: None }
    }
}

/// The text of the scenario with these edits.
///
/// Whether the text can be read is for [`parse`](super::super::parse()) to say: fewer clients or less work may
/// contradict what the file says elsewhere.
///
/// # Panics
/// If `scenario.text` is not what the scenario was read from, or the plan is not in the form of [`Edits::plan`].
pub fn write(scenario: &Scenario, edits: &Edits<'_>) -> String {
    let mut document: DocumentMut = scenario.text.parse().expect("the scenario was read from this text");
    let seed = i64::try_from(edits.seed).expect("seeds lie below 2^53");
    let run = table(&mut document["run"]);
    replace(run.get_mut("seed").expect("a scenario has a seed"), seed);
    if let Some(count) = edits.clients {
        drop_clients(&mut document, count);
    }
    if let Some(most) = edits.cycles {
        lower(&mut document, "cycles", i64::from(most));
    }
    if let Some(longest) = edits.work {
        lower(&mut document, "work_ms", longest.as_ms_floor());
    }
    if scenario.drawn.is_some() {
        // A profile may have replaced the network's latencies as well as the plan.
        replace_latency(&mut document, &scenario.latency);
    }
    replace_plan(&mut document, edits.plan);
    if let Some(oracle) = edits.only {
        keep_expectation(&mut document, oracle);
    }
    document.to_string()
}

/// Puts a number where another was, in the other's place with its comments.
fn replace(item: &mut Item, number: i64) {
    let decor = item.as_value().map(|value| value.decor().clone());
    let mut value = Value::from(number);
    if let Some(decor) = decor {
        *value.decor_mut() = decor;
    }
    *item = Item::Value(value);
}

/// Puts a distribution where the network's was.
fn replace_latency(document: &mut DocumentMut, latency: &Quantiles) {
    let mut quantiles = InlineTable::new();
    for Quantile { permille, value } in latency.points() {
        let key = match (permille / 10, permille % 10) {
            (percent, 0) => format!("p{percent}"),
            (percent, tenth) => format!("p{percent}_{tenth}"),
        };
        quantiles.insert(key, Value::from(*value));
    }
    let network = table(&mut document["network"]);
    network.insert("latency_us", Item::Value(Value::InlineTable(quantiles)));
}

fn table(item: &mut Item) -> &mut dyn TableLike {
    item.as_table_like_mut().expect("the file was read as a table here")
}

/// Keeps the first `count` clients.
fn drop_clients(document: &mut DocumentMut, count: u16) {
    let clients = table(&mut document["clients"]);
    if let Some(written) = clients.get_mut("count") {
        let fewer = written.as_integer().map_or(i64::from(count), |before| before.min(i64::from(count)));
        replace(written, fewer);
    }
    if let Some(starts) = clients.get_mut("start_ms").and_then(Item::as_array_mut) {
        shorten(starts, usize::from(count));
    }
    let keeps = |order: usize, table: &dyn TableLike| {
        let id = table.get("id").and_then(Item::as_str).and_then(|id| id.parse().ok());
        match id {
            Some(Process::Client(ClientId(index))) => index < count,
            Some(Process::Node(_) | Process::Store) | None => order < usize::from(count),
        }
    };
    match document.get_mut("client") {
        Some(Item::ArrayOfTables(tables)) => {
            let kept: Vec<bool> = tables.iter().enumerate().map(|(order, own)| keeps(order, own)).collect();
            let mut kept = kept.into_iter();
            tables.retain(|_| kept.next() == Some(true));
        }
        Some(Item::Value(Value::Array(tables))) => {
            let own = tables.iter().enumerate();
            let kept: Vec<bool> =
                own.map(|(order, own)| own.as_inline_table().is_some_and(|own| keeps(order, own))).collect();
            let mut kept = kept.into_iter();
            tables.retain(|_| kept.next() == Some(true));
        }
        Some(Item::None | Item::Value(_) | Item::Table(_)) | None => {}
    }
}

fn shorten(list: &mut Array, length: usize) {
    while list.len() > length {
        list.remove(list.len() - 1);
    }
}

/// Lowers a number of the common workload and of those of single clients to at most this.
fn lower(document: &mut DocumentMut, key: &str, most: i64) {
    let lowered = |workload: &mut dyn TableLike| {
        if let Some(written) = workload.get_mut(key)
            && written.as_integer().is_some_and(|number| number > most)
        {
            replace(written, most);
        }
    };
    if let Some(workloads) =
        table(&mut document["clients"]).get_mut("workload").and_then(Item::as_table_like_mut)
    {
        for (_, workload) in workloads.iter_mut() {
            if let Some(workload) = workload.as_table_like_mut() {
                lowered(workload);
            }
        }
    }
    let own = |client: &mut dyn TableLike| {
        if let Some(workload) = client.get_mut("workload").and_then(Item::as_table_like_mut) {
            lowered(workload);
        }
    };
    match document.get_mut("client") {
        Some(Item::ArrayOfTables(tables)) => tables.iter_mut().for_each(|client| own(client)),
        Some(Item::Value(Value::Array(tables))) => {
            tables.iter_mut().filter_map(Value::as_inline_table_mut).for_each(|client| own(client));
        }
        Some(Item::None | Item::Value(_) | Item::Table(_)) | None => {}
    }
}

/// Puts the plan where the old one began; without one, before the expectations.
fn replace_plan(document: &mut DocumentMut, plan: &Plan) {
    let old = document.remove("plan");
    let place = match &old {
        Some(Item::ArrayOfTables(tables)) => tables.iter().find_map(toml_edit::Table::position),
        Some(Item::None | Item::Value(_) | Item::Table(_)) | None => make_room(document),
    };
    let text = entries(plan);
    let mut written: DocumentMut = text.parse().expect("the entries of a plan are TOML");
    let Some(Item::ArrayOfTables(mut tables)) = written.remove("plan") else { return };
    for table in tables.iter_mut() {
        table.set_position(place);
    }
    document.insert("plan", Item::ArrayOfTables(tables));
}

/// A position before the expectations, which move on by one.
fn make_room(document: &mut DocumentMut) -> Option<isize> {
    let expect = document.get_mut("expect")?.as_table_mut()?;
    let place = expect.position()?;
    expect.set_position(Some(place + 1));
    for (_, within) in expect.iter_mut() {
        if let Some(within) = within.as_table_mut() {
            within.set_position(within.position().map(|place| place + 1));
        }
    }
    Some(place)
}

/// Drops what the file expects of anything but this oracle.
fn keep_expectation(document: &mut DocumentMut, oracle: OracleName) {
    let Some(expect) = document.get_mut("expect").and_then(Item::as_table_like_mut) else { return };
    let others: Vec<String> =
        expect.iter().map(|(key, _)| key.to_owned()).filter(|key| key != oracle.text()).collect();
    for key in others {
        expect.remove(&key);
    }
    if expect.is_empty() {
        document.remove("expect");
    }
}
