//! Presets, drills and twins: every published lock ends as its file pins, every drill as it expects, every switch that
//! breaks a lock breaks it, and its twin holds.
//!
//! The drills are short, so all of it runs in the debug build too. Must not know any lock: files do.

use fencepost::check::{Expected, OracleName, Outcome, WitnessName};
use fencepost::report::{DrillStory, drills_text, unpinned};
use fencepost::scenario::{
    Broken, Scenario, Twin, drills, parse, preset, presets, shipped, twin_scenario, twins, with_lock,
};
use fencepost::sim::{
    DRILL_RUNS, DrillCell, DrillRow, Explorer, Keep, RunResult, drill_one, drill_scenario, in_order,
};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("like::overrides", || overrides().map_err(Failed::from)),
        Trial::test("like::every_client", || every_client().map_err(Failed::from)),
        Trial::test("like::refusals", || refusals().map_err(Failed::from)),
        Trial::test("like::every_preset_in_every_shipped_drill_can_be_written_down", || {
            written().map_err(Failed::from)
        }),
    ];
    trials.extend(presets().into_iter().map(|preset| {
        Trial::test(format!("preset::{}", preset.name), move || pinned(&preset.name).map_err(Failed::from))
    }));
    trials.extend(
        drills()
            .into_iter()
            .map(|drill| Trial::test(drill.name.clone(), move || expected(&drill).map_err(Failed::from))),
    );
    trials.extend(twins().into_iter().map(|twin| {
        Trial::test(format!("switch::{}", twin.name), move || told_apart(&twin).map_err(Failed::from))
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Every oracle ends over all drills as the preset's file says, and every drill can be run.
fn pinned(name: &str) -> Result<(), String> {
    let preset = preset(name).map_err(|unknown| unknown.to_string())?;
    for text in preset.source.iter().chain([&preset.title, &preset.why, &preset.advice]) {
        if text.trim().is_empty() {
            return Err(format!("{name} leaves a text empty"));
        }
    }
    let drills = in_order(drills());
    let cells = drills.iter().map(|drill| drill_one(&preset, drill)).collect();
    let row = DrillRow { preset, cells };
    if unpinned(&row).is_empty() && row.faults().next().is_none() {
        return Ok(());
    }
    let rows = [row];
    Err(drills_text(DrillStory { drills: &drills, rows: &rows, command: "", title: "" }))
}

/// With the lock that it has, a drill ends as its own file says, under every seed that presets meet.
fn expected(drill: &Scenario) -> Result<(), String> {
    let expect = drill.expect.as_ref().map(|expect| expect.oracles.clone()).unwrap_or_default();
    if expect.is_empty() {
        return Err(format!("{} expects nothing", drill.name));
    }
    match drill_scenario(drill) {
        // A drill about watchdogs or second holds does not concern the specification's lock, and runs all the same.
        DrillCell::Ended { .. } | DrillCell::NotApplicable => {}
        DrillCell::Refused(error) => return Err(error.to_string()),
        DrillCell::Divergent { seed } => return Err(format!("two runs under seed {seed} differ")),
    }
    for seed in drill.seed..drill.seed + DRILL_RUNS {
        let result = Explorer::new(drill).run(seed, Keep::Nothing);
        for (oracle, wanted) in &expect {
            let ended = ended(&result, *oracle);
            if ended != Some(*wanted) {
                return Err(format!(
                    "{} under seed {seed}: {oracle} is {ended:?}, expected {wanted:?}",
                    drill.origin
                ));
            }
        }
        if let Some(index) = result.unmet.faults.first() {
            return Err(format!("{} under seed {seed}: fault {} never took effect", drill.origin, index + 1));
        }
    }
    Ok(())
}

/// Guilty with the switch, innocent without it, under one plan.
fn told_apart(twin: &Twin) -> Result<(), String> {
    let scenario = |name: &str| twin_scenario(name).map_err(|unknown| unknown.to_string());
    let (guilty, innocent) = (scenario(&twin.name)?, scenario(&format!("{}:twin", twin.name))?);
    if guilty.setup.plan != innocent.setup.plan || guilty.setup.nodes != innocent.setup.nodes {
        return Err("the twins do not face the same plan".to_owned());
    }
    if guilty.setup.clients == innocent.setup.clients {
        return Err(format!("{} changes nothing", twin.switch));
    }
    let mut shown = false;
    for seed in guilty.seed..guilty.seed + DRILL_RUNS {
        let runs = [&guilty, &innocent].map(|scenario| Explorer::new(scenario).run(seed, Keep::Nothing));
        let [with, without] = &runs;
        match twin.breaks {
            Broken::Oracle(oracle) => {
                shown |= ended(with, oracle) == Some(Expected::Violated);
                if ended(without, oracle) != Some(Expected::Held) {
                    let ended = ended(without, oracle);
                    return Err(format!("without {} under seed {seed}: {oracle} is {ended:?}", twin.switch));
                }
            }
            Broken::Grants(few) => {
                let grants = runs.each_ref().map(|run| run.witnesses.of(WitnessName::Grants));
                shown |= grants[0] == few;
                if grants[1] <= few {
                    return Err(format!("without {} under seed {seed}: {} grants", twin.switch, grants[1]));
                }
            }
        }
    }
    if shown { Ok(()) } else { Err(format!("{} breaks nothing under {}", twin.switch, twin.drill)) }
}

fn ended(result: &RunResult, oracle: OracleName) -> Option<Expected> {
    let (_, outcome) = result.outcomes.iter().find(|(name, _)| *name == oracle)?;
    match outcome {
        Outcome::Held => Some(Expected::Held),
        Outcome::Violated(_) => Some(Expected::Violated),
        Outcome::NotExercised => Some(Expected::NotExercised),
        Outcome::NotApplicable => None,
    }
}

/// A scenario with this lock table.
fn scenario_of(lock: &str) -> Result<Scenario, fencepost::scenario::InputError> {
    let drill = drills().into_iter().find(|drill| drill.name == "drill:calm").expect("it is shipped");
    let from = drill.text.find("[lock.").expect("it has a lock");
    let to = from + drill.text[from..].find("[clients]").expect("it has clients");
    parse("some.toml", &format!("{}{lock}\n\n{}", &drill.text[..from], &drill.text[to..]))
}

/// What a file says after `like` wins over the preset, and a preset may start from another.
fn overrides() -> Result<(), String> {
    let policy = |lock: &str| {
        let scenario = scenario_of(lock).map_err(|error| error.to_string())?;
        scenario.setup.clients[0].lock.policy().cloned().ok_or_else(|| "no quorum lock".to_owned())
    };
    let plain = policy("[lock.single]\nlike = \"shedlock\"")?;
    let safe = policy("[lock.single]\nlike = \"shedlock-safe-update\"")?;
    let by_hand = policy(
        "[lock.single]\nlike = \"shedlock\"\nrelease = \"compare-and-delete\"\nextension = \"compare\"",
    )?;
    if plain == safe || safe != by_hand {
        return Err("a preset that starts from another differs from the same said by hand".to_owned());
    }
    let short = policy("[lock.single]\nlike = \"shedlock\"\nttl_ms = 2_000")?;
    let endless = policy("[lock.single]\nlike = \"shedlock\"\nttl = \"none\"");
    if short.ttl == plain.ttl
        || short.release != plain.release
        || endless.is_ok_and(|policy| policy.ttl == plain.ttl)
    {
        return Err("a TTL does not override that of a preset".to_owned());
    }
    Ok(())
}

/// A preset takes the place of every lock, also of one that a single client has for its own.
fn every_client() -> Result<(), String> {
    let (_, text) = shipped().find(|(name, _)| *name == "reentrant-against-string").expect("it is shipped");
    let mixed = parse("mixed.toml", text).map_err(|error| error.to_string())?;
    let preset = preset("redis-py").map_err(|unknown| unknown.to_string())?;
    let dressed = with_lock(&mixed, &preset).map_err(|error| error.to_string())?;
    let clients = |scenario: &Scenario| scenario.setup.clients.clone();
    if clients(&mixed)[0].lock == clients(&mixed)[1].lock
        || clients(&dressed)[0].lock != clients(&dressed)[1].lock
    {
        return Err("a client kept a lock of its own".to_owned());
    }
    Ok(())
}

/// What is refused, where, and what was meant.
fn refusals() -> Result<(), String> {
    for (lock, said, meant) in [
        ("[lock.single]\nlike = \"shedlok\"", "no preset is called `shedlok`", "shedlock"),
        ("[lock.single]\nlike = \"redsync\"", "`redsync` is a preset for [lock.redlock]", "[lock.redlock]"),
        ("[lock.redlock]\nlike = \"redisson-fair\"", "is a preset for [lock.fair]", "--like redisson-fair"),
        ("[lock.single]\nlike = \"redis-py\"\nquorum = 2", "quorum 2 of 1 voters", "quorum = 1"),
    ] {
        let Err(error) = scenario_of(lock) else { return Err(format!("{lock} was taken")) };
        if !error.message.contains(said) || error.suggestion.as_deref() != Some(meant) || error.line < 10 {
            return Err(format!("{lock}: line {}: {} ({:?})", error.line, error.message, error.suggestion));
        }
    }
    if preset("redsink").err().and_then(|unknown| unknown.suggestion).as_deref() != Some("redsync") {
        return Err("a name that is nearly known is not suggested".to_owned());
    }
    Ok(())
}

/// A scenario with another lock in it is a scenario of its own: its text says all of it.
fn written() -> Result<(), String> {
    for preset in presets() {
        for drill in drills() {
            let dressed = with_lock(&drill, &preset).map_err(|error| format!("{}: {error}", preset.name))?;
            let again = parse(&dressed.origin, &dressed.text).map_err(|error| error.to_string())?;
            if again.setup != dressed.setup {
                return Err(format!(
                    "{} in {} reads otherwise when it is read again",
                    preset.name, drill.name
                ));
            }
        }
    }
    Ok(())
}
