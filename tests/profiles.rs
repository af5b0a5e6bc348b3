//! Profiles: what is drawn from a seed, and what is refused.
//!
//! Plans must not depend on what else there is to hit, nor on what else the file says. Must not run anything.

use fencepost::name::{ClientId, NodeId, Process, VoterId};
use fencepost::plan::{CutHow, Fault, FaultKind, Plan, PlannedFault, Profile, Slots, When};
use fencepost::scenario::{InputErrorKind as Kind, parse_profile, shipped_profiles};
use fencepost::sim::{draw, draw_swarm, plans};
use fencepost::time::{Span, WorldTime};
use proptest::prop_assert;
use proptest::test_runner::{TestError, TestRunner};

const SEEDS: std::ops::Range<u64> = 0..300;

fn shipped() -> Vec<Profile> {
    shipped_profiles()
        .map(|(name, text)| parse_profile(name, text).unwrap_or_else(|e| panic!("{e}")))
        .collect()
}

/// A profile of these hazards, with a window of 100 s.
#[track_caller]
fn profile(hazards: &str) -> Profile {
    let text = format!("[profile]\nname = \"test\"\nwindow_ms = [0, 100_000]\n{hazards}\n");
    parse_profile("test.toml", &text).unwrap_or_else(|error| panic!("{error}"))
}

fn at(fault: &PlannedFault) -> WorldTime {
    match fault.when {
        When::At(at) => at,
        When::After(_) => panic!("a profile knows no events"),
    }
}

/// The processes that a fault is aimed at.
fn targets(fault: &Fault) -> Vec<Process> {
    match fault {
        Fault::Pause { scope: fencepost::plan::PauseScope::Process(process), .. }
        | Fault::ClockStep { process, .. }
        | Fault::ClockRate { process, .. }
        | Fault::ClockFreeze { process, .. }
        | Fault::LateTimer { process, .. } => vec![*process],
        Fault::Pause { scope: fencepost::plan::PauseScope::Worker(client, _), .. }
        | Fault::Crash { client }
        | Fault::Cancel { client } => {
            vec![Process::Client(*client)]
        }
        Fault::Kill { node, .. }
        | Fault::Slow { node, .. }
        | Fault::Evict { node, .. }
        | Fault::ErrorReply { node, .. }
        | Fault::FlushScripts { node }
        | Fault::Promote { node, .. }
        | Fault::Demote { node }
        | Fault::Lag { node, .. } => vec![Process::Node(*node)],
        Fault::Cut { one, other, .. } => one.iter().chain(other).copied().collect(),
    }
}

fn is_in(slots: Slots, process: Process) -> bool {
    match process {
        Process::Client(client) => client.0 < slots.clients,
        Process::Node(node) => {
            let voters = if node.is_replica() { slots.replicated } else { slots.nodes };
            node.voter.0 < voters
        }
        Process::Store => true,
    }
}

/// What is left of a plan where there are only these targets.
fn restricted(plan: &Plan, slots: Slots) -> Vec<PlannedFault> {
    let there = |processes: &[Process]| -> Vec<Process> {
        processes.iter().copied().filter(|process| is_in(slots, *process)).collect()
    };
    let kept = plan.faults.iter().filter_map(|planned| {
        let fault = match &planned.fault {
            Fault::Cut { one, other, way, how } => {
                let (one, other) = (there(one), there(other));
                (!one.is_empty() && !other.is_empty()).then_some(Fault::Cut {
                    one,
                    other,
                    way: *way,
                    how: *how,
                })
            }
            Fault::Promote { node, learn, except } => is_in(slots, Process::Node(*node)).then(|| {
                let except = except.iter().filter(|(client, _)| client.0 < slots.clients).copied();
                Fault::Promote { node: *node, learn: *learn, except: except.collect() }
            }),
            // Only a primary that has a replica is ever demoted.
            Fault::Demote { node } => (node.voter.0 < slots.replicated).then(|| planned.fault.clone()),
            other @ (Fault::Pause { .. }
            | Fault::Crash { .. }
            | Fault::Cancel { .. }
            | Fault::Kill { .. }
            | Fault::ClockStep { .. }
            | Fault::ClockRate { .. }
            | Fault::ClockFreeze { .. }
            | Fault::Slow { .. }
            | Fault::Evict { .. }
            | Fault::LateTimer { .. }
            | Fault::ErrorReply { .. }
            | Fault::FlushScripts { .. }
            | Fault::Lag { .. }) => {
                targets(other).iter().all(|process| is_in(slots, *process)).then(|| other.clone())
            }
        };
        Some(PlannedFault { fault: fault?, ..planned.clone() })
    });
    kept.collect()
}

#[test]
fn the_same_seed_draws_the_same_plan_and_another_another() {
    for profile in shipped().iter().filter(|profile| !profile.hazards.is_empty()) {
        let plans: Vec<Plan> = SEEDS.map(|seed| draw(seed, profile, Slots::UNIVERSE)).collect();
        let again: Vec<Plan> = SEEDS.map(|seed| draw(seed, profile, Slots::UNIVERSE)).collect();
        assert_eq!(plans, again, "{}", profile.name);
        let mut different = plans.clone();
        different.sort_by_key(|plan| format!("{plan:?}"));
        different.dedup();
        assert!(different.len() >= 5, "{}: {} plans from 300 seeds", profile.name, different.len());
    }
}

#[test]
fn every_row_faces_the_same_plan() {
    let rows = [
        Slots { clients: 3, nodes: 1, replicated: 0 },
        Slots { clients: 3, nodes: 1, replicated: 1 },
        Slots { clients: 8, nodes: 3, replicated: 3 },
        Slots { clients: 2, nodes: 5, replicated: 0 },
        Slots { clients: 4, nodes: 0, replicated: 0 },
    ];
    for profile in shipped() {
        for slots in rows {
            for seed in SEEDS {
                let whole = draw(seed, &profile, Slots::UNIVERSE);
                let own = draw(seed, &profile, slots).faults;
                // A failover without a replica is a kill of the first node each time, not of whoever is primary.
                let fails_over = ["everything", "failover", "split-brain"].contains(&profile.name.as_str());
                if !fails_over || slots.replicated == slots.nodes {
                    assert_eq!(own, restricted(&whole, slots), "{} {slots:?} seed {seed}", profile.name);
                }
                assert!(profile.can_hit(slots) || own.is_empty(), "{} {slots:?}", profile.name);
            }
        }
    }
}

#[test]
fn hazards_do_not_scramble_each_other() {
    let pause =
        "pause = { of = \"clients\", kind = \"stop\", every_ms = 9_000, for_ms = { p0 = 1, p100 = 8_000 } }";
    let kill =
        "kill = { of = \"nodes\", every_ms = { p0 = 1, p100 = 40_000 }, for_ms = { p0 = 1, p100 = 9_000 } }";
    let more = "pause = [\n  { of = \"clients\", kind = \"stop\", every_ms = 9_000, for_ms = { p0 = 1, p100 = 8_000 } },\n  \
                { of = \"nodes\", kind = \"suspend\", every_ms = { p0 = 1, p100 = 500 }, for_ms = 3 },\n]";
    let (alone, other) = (profile(pause), profile(kill));
    let both = profile(&format!("{pause}\n{kill}"));
    let repeated = profile(more);
    let of = |plan: &Plan, kind: FaultKind| -> Vec<PlannedFault> {
        plan.faults.iter().filter(|planned| planned.fault.kind() == kind).cloned().collect()
    };
    for seed in SEEDS {
        let plan = |profile| draw(seed, profile, Slots::UNIVERSE);
        assert_eq!(of(&plan(&alone), FaultKind::Stop), of(&plan(&both), FaultKind::Stop));
        assert_eq!(of(&plan(&other), FaultKind::Kill), of(&plan(&both), FaultKind::Kill));
        assert_eq!(of(&plan(&alone), FaultKind::Stop), of(&plan(&repeated), FaultKind::Stop));
    }
}

#[test]
fn faults_begin_inside_the_window_and_never_overlap_at_one_target() {
    for profile in shipped() {
        for seed in SEEDS {
            let plan = draw(seed, &profile, Slots::UNIVERSE);
            assert!(plan.faults.is_sorted_by_key(at), "{} seed {seed}", profile.name);
            // Promotions and demotions follow from a failover that began inside.
            let begun = plan
                .faults
                .iter()
                .filter(|planned| !matches!(planned.fault, Fault::Promote { .. } | Fault::Demote { .. }));
            for planned in begun {
                let begins = at(planned);
                assert!(profile.from <= begins && begins < profile.to, "{}: {planned:?}", profile.name);
                assert_eq!(begins.0 % 1_000, 0, "whole milliseconds: {planned:?}");
                assert!(planned.lasts.is_none_or(|lasts| lasts >= Span::from_ms(1) && lasts.0 % 1_000 == 0));
            }
        }
    }
    let renewed = profile("crash = { of = \"clients\", every_ms = 10, for_ms = { p0 = 1, p100 = 3_000 } }");
    for seed in SEEDS {
        let plan = draw(seed, &renewed, Slots::UNIVERSE);
        for client in (0..8).map(ClientId) {
            let own: Vec<&PlannedFault> =
                plan.faults.iter().filter(|planned| planned.fault == Fault::Crash { client }).collect();
            assert!(own.len() > 20, "{} crashes", own.len());
            for pair in own.windows(2) {
                let end = at(pair[0]) + pair[0].lasts.unwrap();
                assert!(at(pair[1]) >= end && at(pair[1]) - at(pair[0]) >= Span::from_ms(10));
            }
        }
    }
}

#[test]
fn arrivals_and_sizes_follow_their_quantiles() {
    let steps = profile(
        "clock-step = { of = \"nodes\", every_ms = { p0 = 1_000, p100 = 3_000 }, \
         by_ms = { p0 = -1_000, p50 = -500, p100 = 4_500 } }",
    );
    let (mut gaps, mut sizes) = (Vec::new(), Vec::new());
    for seed in SEEDS {
        let plan = draw(seed, &steps, Slots::UNIVERSE);
        for node in (0..5).map(|voter| Process::Node(NodeId::first(VoterId(voter)))) {
            let own = plan.faults.iter().filter(|planned| targets(&planned.fault) == [node]);
            let own: Vec<&PlannedFault> = own.collect();
            gaps.extend(own.windows(2).map(|pair| (at(pair[1]) - at(pair[0])).as_ms_floor()));
            sizes.extend(own.iter().map(|planned| {
                let Fault::ClockStep { by, .. } = planned.fault else { panic!("{planned:?}") };
                by.as_ms_floor()
            }));
        }
    }
    let share = |of: &[i64], below: i64| of.iter().filter(|value| **value < below).count() * 1_000 / of.len();
    assert!(gaps.len() > 20_000, "{}", gaps.len());
    // A step by 0 does not happen: about one in ten thousand, and then two gaps look like one.
    assert!(gaps.iter().all(|gap| (1_000..=6_000).contains(gap)));
    assert!(gaps.iter().filter(|gap| **gap > 3_000).count() * 1_000 < gaps.len());
    assert!((480..=520).contains(&share(&gaps, 2_000)), "{}", share(&gaps, 2_000));
    assert!(sizes.iter().all(|size| (-1_000..=4_500).contains(size) && *size != 0));
    assert!((480..=520).contains(&share(&sizes, -500)), "{}", share(&sizes, -500));
    assert!((730..=770).contains(&share(&sizes, 2_000)), "{}", share(&sizes, 2_000));
}

#[test]
fn so_many_nodes_are_down_and_each_as_often() {
    for count in [1_u8, 2] {
        let down = profile(&format!("down = {{ count = {count} }}"));
        let mut hits = [0_u64; 5];
        for seed in 0..2_000 {
            let plan = draw(seed, &down, Slots::UNIVERSE);
            assert_eq!(plan.faults.len(), usize::from(count));
            for planned in plan.faults {
                assert_eq!((at(&planned), planned.lasts), (WorldTime::ZERO, None));
                let Fault::Kill { node, .. } = planned.fault else { panic!("{planned:?}") };
                hits[usize::from(node.voter.0)] += 1;
            }
        }
        let usual = 400 * u64::from(count);
        assert!(hits.iter().all(|hits| hits.abs_diff(usual) < usual / 5), "{hits:?}");
    }
}

#[test]
fn a_failover_changes_sides_each_time() {
    let failover = profile(
        "failover = { old = \"killed\", every_ms = 20_000, down_ms = 12_000, detect_ms = 500, learn_ms = { p0 = 1, \
         p100 = 900 }, demote_ms = 200 }",
    );
    let plan = draw(7, &failover, Slots { clients: 2, nodes: 1, replicated: 1 });
    let seen: Vec<(u64, FaultKind, u8)> = plan
        .faults
        .iter()
        .map(|planned| match targets(&planned.fault)[..] {
            [Process::Node(node)] => (at(planned).0 / 1_000, planned.fault.kind(), node.member),
            _ => panic!("{planned:?}"),
        })
        .collect();
    let first = [
        (20_000, FaultKind::Kill, 0),
        (20_500, FaultKind::Promote, 1),
        (32_001, FaultKind::Demote, 0),
        (52_001, FaultKind::Kill, 1),
        (52_501, FaultKind::Promote, 0),
        (64_002, FaultKind::Demote, 1),
    ];
    assert_eq!(seen[..6], first);
    let Fault::Promote { except, .. } = &plan.faults[1].fault else { panic!("{:?}", plan.faults[1]) };
    assert_eq!(except.iter().map(|(client, _)| client.0).collect::<Vec<_>>(), [0, 1]);
    // Without a replica the primary dies all the same.
    let alone = draw(7, &failover, Slots { clients: 2, nodes: 1, replicated: 0 });
    assert!(alone.faults.iter().all(|planned| planned.fault.kind() == FaultKind::Kill));
    assert_eq!(alone.faults.len(), 3);
}

#[test]
fn a_swarm_leaves_out_some_hazards_but_never_all() {
    let everything = shipped().into_iter().find(|profile| profile.name == "everything").unwrap();
    let mut counts = std::collections::BTreeSet::new();
    for seed in SEEDS {
        let whole = draw(seed, &everything, Slots::UNIVERSE);
        let swarm = draw_swarm(seed, &everything, Slots::UNIVERSE);
        assert!(swarm.faults.iter().all(|fault| whole.faults.contains(fault)), "seed {seed}");
        counts.insert(swarm.faults.len() * 10 / whole.faults.len().max(1));
    }
    assert!(counts.len() >= 6, "shares of faults in tenths: {counts:?}");
    let one = profile(
        "cut = { between = \"client-node\", direction = \"both\", how = \"hold\", every_ms = 900, for_ms = 1 }",
    );
    for seed in SEEDS {
        let plan = draw_swarm(seed, &one, Slots::UNIVERSE);
        assert!(plan.faults.iter().all(|p| matches!(p.fault, Fault::Cut { how: CutHow::Hold, .. })));
        assert!(!plan.faults.is_empty(), "seed {seed}");
    }
}

#[test]
fn failing_plans_shrink_to_what_matters() {
    let everything = shipped().into_iter().find(|profile| profile.name == "everything").unwrap();
    let long = |planned: &PlannedFault| {
        planned.fault.kind() == FaultKind::Stop && planned.lasts >= Some(Span::from_ms(700))
    };
    let mut runner = TestRunner::deterministic();
    let failed = runner.run(&plans(&everything, Slots::UNIVERSE), |plan| {
        prop_assert!(!plan.faults.iter().any(long));
        Ok(())
    });
    let Err(TestError::Fail(_, plan)) = failed else { panic!("{failed:?}") };
    assert_eq!(plan.faults.len(), 1, "{plan:?}");
    assert_eq!(
        (plan.faults[0].fault.kind(), plan.faults[0].lasts),
        (FaultKind::Stop, Some(Span::from_ms(700)))
    );
}

#[test]
fn what_cannot_hit_a_row() {
    let (bare, nobody) =
        (Slots { clients: 3, nodes: 1, replicated: 0 }, Slots { clients: 3, nodes: 0, replicated: 0 });
    let cannot = |slots| -> Vec<String> {
        shipped().into_iter().filter(|profile| !profile.can_hit(slots)).map(|profile| profile.name).collect()
    };
    assert_eq!(cannot(bare), ["split-brain"]);
    let nodes_only = [
        "crash-restart",
        "failover",
        "node-clock-steps",
        "nodes-down-1",
        "nodes-down-2",
        "partitions",
        "split-brain",
    ];
    assert_eq!(cannot(nobody), nodes_only);
    let lag = profile("lag = { of = \"replicas\", by_ms = 5 }");
    assert!(!lag.can_hit(bare) && lag.can_hit(Slots::UNIVERSE));
}

#[test]
fn shipped_profiles_bear_the_names_of_their_files() {
    let names: Vec<&str> = shipped_profiles().map(|(name, _)| name).collect();
    assert_eq!(shipped().iter().map(|profile| profile.name.as_str()).collect::<Vec<_>>(), names);
    assert_eq!(names.len(), 14);
}

/// What is wrong, the hazards, and the kind, place and words of the refusal.
type BadProfile = (&'static str, String, Kind, (usize, usize), &'static str);

#[test]
fn bad_profiles_are_refused_at_their_places() {
    let pause = "pause = { of = \"clients\", kind = \"stop\", every_ms = 9, for_ms = 1 }";
    let cases: Vec<BadProfile> = vec![
        ("a key", pause.replace("for_ms", "lasts_ms"), Kind::UnknownKey, (4, 56), "known here: of, kind"),
        ("a hazard", pause.replace("pause", "pauze"), Kind::UnknownKey, (4, 1), "unknown key `pauze`"),
        ("a class", pause.replace("clients", "client"), Kind::Name, (4, 16), "not a process"),
        (
            "a victim",
            "evict = { of = \"clients\", every_ms = 9 }".to_owned(),
            Kind::Name,
            (4, 16),
            "for nodes",
        ),
        ("a word", pause.replace("\"stop\"", "\"halt\""), Kind::Value, (4, 34), "known: stop, suspend"),
        ("a length", pause.replace("for_ms = 1", "for_ms = 0"), Kind::Range, (4, 65), "between 1"),
        (
            "quantiles",
            pause.replace("for_ms = 1", "for_ms = { p0 = 5, p50 = 2, p100 = 9 }"),
            Kind::Contradiction,
            (4, 81),
            "must not fall",
        ),
        (
            "a second table",
            format!("pause = [\n  {},\n  {} ]", &pause[8..], pause[8..].replace("every_ms", "all_ms")),
            Kind::UnknownKey,
            (6, 36),
            "unknown key `all_ms`",
        ),
        (
            "half a pace",
            "clock-rate = { of = \"nodes\", ppm = 5, for_ms = 4 }".to_owned(),
            Kind::Contradiction,
            (4, 48),
            "go together",
        ),
        (
            "a step",
            "clock-step = { of = \"store\", every_ms = 5, by_ms = 4 }".to_owned(),
            Kind::Name,
            (4, 21),
            "suffer",
        ),
        (
            "a missing key",
            "crash = { of = \"clients\", every_ms = 5 }".to_owned(),
            Kind::MissingKey,
            (4, 9),
            "`for_ms`",
        ),
        ("nobody down", "down = { count = 0 }".to_owned(), Kind::Range, (4, 18), "between 1"),
    ];
    for (what, hazards, kind, place, words) in cases {
        let text = format!("[profile]\nname = \"test\"\nwindow_ms = [0, 100_000]\n{hazards}\n");
        let error = parse_profile("bad.toml", &text).expect_err(what);
        assert_eq!((error.kind, (error.line, error.column)), (kind, place), "{what}: {error}");
        assert!(error.message.contains(words), "{what}: {error}");
    }
    let windows = [("[0]", 13), ("[5, 5]", 17), ("[9, -1]", 17)];
    for (window, column) in windows {
        let text = format!("[profile]\nname = \"test\"\nwindow_ms = {window}\n");
        let error = parse_profile("bad.toml", &text).expect_err(window);
        assert_eq!((error.line, error.column), (3, column), "{window}: {error}");
    }
}

/// A run can be kept as a file only if nothing of its plan begins after its end; death by power has streams of its own.
#[test]
fn plans_end_with_the_run_and_deaths_share_no_stream() {
    let failover = shipped().into_iter().find(|profile| profile.name == "failover").expect("it is shipped");
    let (name, text) =
        fencepost::scenario::shipped().find(|(name, _)| *name == "failover-loses-lock").expect("shipped");
    let scenario = fencepost::scenario::parse(name, text).expect("a scenario");
    let limit = scenario.setup.limit;
    let late = |seed| draw(seed, &failover, Slots::UNIVERSE).faults.iter().any(|fault| at(fault) >= limit);
    assert!(SEEDS.into_iter().any(late), "some plan would outlast the run");
    for seed in SEEDS {
        let plan = fencepost::sim::plan_under(&scenario, &failover, seed);
        let drawn = &plan.faults[scenario.setup.plan.faults.len()..];
        assert!(drawn.iter().all(|fault| at(fault) < limit), "seed {seed}");
    }
    let power = "power-loss = { of = \"nodes\", every_ms = { p0 = 1_000, p100 = 50_000 }, for_ms = 10 }";
    let alone = draw(7, &profile(power), Slots::UNIVERSE).faults;
    let both = profile(&format!("kill = {{ of = \"nodes\", every_ms = 9_000, for_ms = 10 }}\n{power}"));
    let mut beside = draw(7, &both, Slots::UNIVERSE).faults;
    beside.retain(|planned| planned.fault.kind() == FaultKind::PowerLoss);
    assert_eq!(beside, alone);
}
