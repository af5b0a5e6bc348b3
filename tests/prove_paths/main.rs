//! Seeded runs are paths of the model, and paths of the model are seeded runs.
//!
//! **Forth.** A random path of the graph is exported as a plan, and the seeded explorer runs the plan. What happened must
//! be the same: for every process and every tick, the same facts in the same order. Names that a state counts anew
//! (numbers of calls, grants, attempts) are left out, ends of promises are told in ticks from their moment.
//!
//! **Back.** A random seeded run, whose messages take 0 or 1 tick and some microseconds, of which perhaps one is lost,
//! and whose clients start at random ticks, is followed through the graph: kept are all states that a path leads to on
//! which exactly the facts of the run happen, per process and tick, in order. At least one must be left in every tick.
//!
//! In both directions three things are compared as sets within their tick and process: ends of promises that a clock
//! reached, and keys that expired, for only time brings them, which in ticks is first and in microseconds whenever the
//! moment is; and what was sent, for nodes that are asked at once are asked in the order of their places, and a state
//! changes those. Not compared: what the prover does not derive (votes of rivals, holds that thin, watches), that a
//! directive delayed or lost a message, and everything about replicas and files. Must not look at verdicts.

mod accept;
mod shape;

use accept::accepts;
use fencepost::check::OracleName;
use fencepost::history::Fact;
use fencepost::lock::{Core, Extension, Policy, Protocol, Ttl};
use fencepost::name::{ClientId, CommandName, Direction, MessageName, Operation, Process, Route, VoterId};
use fencepost::plan::{MessageDirective, MessageFate, Plan};
use fencepost::prove::search::Graph;
use fencepost::prove::{
    Allowed, Choice, Kind, Menu, Question, REPLAY_SEED, Scope, ScopeModel, State, Step, Told, export,
    records, seeded,
};
use fencepost::sim::{Explorer, Keep, cores};
use fencepost::time::{Span, WorldTime};
use fencepost::world::{Event, Holder, Length, Setup, TimerKind};
use proptest::prelude::*;
use shape::Story;

/// All that can be judged: what an oracle sees is explored in every order.
const ORACLES: [OracleName; 8] = ScopeModel::<Core>::JUDGED;

fn model(scope: Scope, extension: Extension, menu: Menu) -> ScopeModel<Core> {
    let protocol = if scope.nodes == 1 { Protocol::Single } else { Protocol::Redlock };
    let policy = Policy { extension, ..Policy::spec(protocol, scope.nodes, Ttl::Of(Span::from_ms(1))) };
    let setup = scope.setup(policy);
    let cores = cores(&setup);
    ScopeModel::new(scope, menu, setup, cores, &ORACLES, Question::Violated)
}

/// What clients do: hold and leave, hold to the end of the promise, write, extend.
fn scopes(nodes: u8, delay: u8) -> [(Scope, Extension); 4] {
    let small = Scope { delay, ..Scope::small(nodes) };
    let writes = Scope { writes: 1, holder: Holder::BeforeWrite, ..small };
    [
        (small, Extension::None),
        (Scope { node_timeout: 2, work: 4, ..small }, Extension::None),
        (writes, Extension::None),
        (Scope { work: 3, extend_every: Some(2), ..small }, Extension::Compare),
    ]
}

fn menus() -> Vec<Menu> {
    let one = |kind, ticks| Menu { total: 1, allowed: vec![Allowed { kind, budget: 1, ticks }] };
    vec![
        Menu::none(),
        one(Kind::ClientStop, (1, 4)),
        one(Kind::ClientSuspend, (1, 4)),
        one(Kind::MessageLoss, (0, 0)),
        one(Kind::ClientClockSlow, (1, 4)),
        one(Kind::NodeClockFast, (1, 4)),
        one(Kind::NodeClockStep, (1, 4)),
        one(Kind::NodeCrashLosing, (0, 2)),
        one(Kind::Eviction, (0, 0)),
    ]
}

/// Whether no plan can say what happens on this step: a timer of a client fires while another of the same client is due
/// too. Of those the seeded explorer fires the one that was due first, and a plan says when, but not which. So it is
/// where a client is at rest, which is a timer of its own, and still gives up an answer.
fn is_unwritable(state: &State<Core>, choice: Choice, step: &Step<Core>) -> bool {
    let fires = |client: ClientId| {
        matches!(choice, Choice::Handle(Event::Timer(owner, _)) if owner == client)
            && state.system.due_timers(client).len() > 1
    };
    let resting = |client| {
        let idle = state.system.is_idle(client) || step.state.system.is_idle(client);
        let given_up = |told: &Told| {
            told.record.process == Process::Client(client)
                && matches!(told.record.fact, Fact::TimedOut { .. })
        };
        idle && step.told.iter().any(given_up)
    };
    state.system.clients().any(|client| fires(client) || resting(client))
}

/// A path, as many choices as there are picks, or until one that [`is_unwritable`].
fn path(model: &ScopeModel<Core>, picks: &[u16]) -> Vec<Choice> {
    let mut state = model.opening().state;
    let (mut path, mut choices) = (Vec::new(), Vec::new());
    for pick in picks {
        choices.clear();
        model.choices(&state, &mut choices);
        if choices.is_empty() {
            break;
        }
        let choice = choices[usize::from(*pick) % choices.len()];
        let step = model.step_from(&state, choice);
        if is_unwritable(&state, choice, &step) {
            break;
        }
        state = step.state;
        path.push(choice);
    }
    path
}

/// What the seeded world tells of an exported path, through its last tick. Nothing of the plan happens after it.
fn run_of(model: &ScopeModel<Core>, path: &[Choice], ticks: u32) -> Story {
    let exported = export(model, path);
    let mut scenario = seeded(model, &exported.plan, exported.end);
    scenario.setup.limit = WorldTime::ZERO + Scope::ticks(i64::from(ticks) + 1) + Span(-1);
    let result = Explorer::new(&scenario).run_cores(model.cores().to_vec(), REPLAY_SEED, Keep::Records);
    let mut story = Story::of_run(&result.records);
    // A fast clock brings some ends between ticks: in the graph, with the next.
    story.0.retain(|(tick, _), _| *tick <= ticks);
    story
}

fn ticks_of(model: &ScopeModel<Core>, path: &[Choice]) -> u32 {
    let first = model.opening();
    let (mut state, mut ticks) = (first.state, first.ticks);
    for choice in path {
        let step = model.step_from(&state, *choice);
        ticks += step.ticks;
        state = step.state;
    }
    ticks
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, max_shrink_iters: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_path_is_a_seeded_run(
        nodes in 1_u8..=2,
        delay in 0_u8..=1,
        scope in 0_usize..4,
        menu in 0_usize..9,
        picks in prop::collection::vec(any::<u16>(), 1..60),
    ) {
        let (scope, extension) = scopes(nodes, delay)[scope];
        let model = model(scope, extension, menus()[menu].clone());
        let path = path(&model, &picks);
        let ticks = ticks_of(&model, &path);
        let (told, run) = (Story::of_path(&records(&model, &path)), run_of(&model, &path, ticks));
        if let Some(difference) = told.difference(&run) {
            let plan = export(&model, &path).plan;
            return Err(TestCaseError::fail(format!("{difference}\nscope {scope:?}\npath {path:?}\nplan {plan:#?}")));
        }
    }
}

/// The limit of what plans can say, as small as it gets: a client whose extension was lost begins its next attempt in the
/// very tick in which it gives the extension up, and before that. The plan says when the client's timers fire, and the
/// seeded explorer fires the one that was due first. Once plans can say which, [`is_unwritable`] is to go.
#[test]
fn of_two_timers_due_at_once_a_plan_cannot_put_the_later_first() {
    let (scope, extension) = scopes(1, 1)[3];
    let model = model(scope, extension, menus()[3].clone());
    let calls = |client| Choice::Handle(Event::Timer(ClientId(client), TimerKind::User));
    let stays = Choice::Stay(ClientId(1));
    let (prompt, late) = (Choice::Delay(0), Choice::Delay(1));
    let path = [
        calls(0),
        prompt,
        stays,
        prompt,
        stays,
        stays,
        Choice::Lose(0),
        calls(1),
        late,
        prompt,
        late,
        prompt,
        calls(0),
    ];
    let ticks = ticks_of(&model, &path);
    let (told, run) = (Story::of_path(&records(&model, &path)), run_of(&model, &path, ticks));
    let first = |story: &Story| story.0[&(5, Process::Client(ClientId(0)))].acted[0].clone();
    assert_eq!((ticks, first(&told).as_str()), (5, "acquire"));
    assert_eq!(first(&run), "gives up client-1#1>node-1:extend.0.eval.0:request");
}

/// A seeded run: how late each message is, when clients first call, how long they rest, what is lost.
#[derive(Clone, Debug)]
struct Drawn {
    delays: Vec<(bool, u8)>,
    starts: [u8; 2],
    rests: [u8; 2],
    lost: Option<usize>,
}

/// The most microseconds that a message takes beyond its ticks. All of a run together stay below a millisecond, in which
/// keys expire: what is later would not be aligned to ticks.
const ROUND_US: u8 = 20;

/// How many cycles of each client are directed; with the longest rests there are not more within the horizon.
const CYCLES: u32 = 5;

/// How many ticks are followed.
const HORIZON: u32 = 20;

fn drawn() -> impl Strategy<Value = Drawn> {
    let delay = (any::<bool>(), 1..=ROUND_US);
    // Nothing of the last attempt is in flight any more, even if its messages took as long as they can.
    let rest = 7_u8..=9;
    let lost = prop::option::of(0_usize..40);
    (prop::collection::vec(delay, 128), [0_u8..4, 0_u8..4], [rest.clone(), rest], lost)
        .prop_map(|(delays, starts, rests, lost)| Drawn { delays, starts, rests, lost })
}

/// Every message that a cycle may send.
fn names(nodes: u8) -> Vec<MessageName> {
    let mut names = Vec::new();
    for number in 1..=CYCLES {
        for client in [ClientId(0), ClientId(1)] {
            for voter in (0..nodes).map(VoterId) {
                let sends = [
                    (Operation::Acquire, CommandName::Set),
                    (Operation::Acquire, CommandName::Eval),
                    (Operation::Release, CommandName::Eval),
                ];
                for (operation, command) in sends {
                    let route = Route::Command { voter, operation, number, command, occurrence: 1 };
                    for direction in [Direction::Request, Direction::Reply] {
                        names.push(MessageName { client, incarnation: 1, route, direction });
                    }
                }
            }
        }
    }
    names
}

fn setup_of(model: &ScopeModel<Core>, drawn: &Drawn) -> Setup {
    let names = names(model.scope().nodes);
    let directive = |(index, name): (usize, &MessageName)| {
        let (late, us) = drawn.delays[index % drawn.delays.len()];
        let fate = match drawn.lost {
            Some(lost) if lost == index => MessageFate::Lose,
            Some(_) | None => MessageFate::Delay(Scope::ticks(i64::from(late)) + Span(i64::from(us))),
        };
        MessageDirective { name: *name, fate }
    };
    let messages = names.iter().enumerate().map(directive).collect();
    let mut setup = Setup { plan: Plan { messages, ..Plan::empty() }, ..model.setup().clone() };
    for (index, client) in setup.clients.iter_mut().enumerate() {
        let rest = Scope::ticks(i64::from(drawn.rests[index]));
        client.start =
            WorldTime::ZERO + Scope::ticks(i64::from(drawn.starts[index])) + Span(index as i64 + 1);
        (client.workload.think, client.workload.again) = (Length::Of(rest), rest);
    }
    setup.limit = WorldTime::ZERO + Scope::ticks(i64::from(HORIZON) + 1) + Span(-1);
    setup
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_shrink_iters: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_seeded_run_is_a_path(nodes in 1_u8..=2, scope in 0_usize..3, drawn in drawn()) {
        let (scope, extension) = scopes(nodes, 1)[scope];
        let loss = Allowed { kind: Kind::MessageLoss, budget: 1, ticks: (0, 0) };
        let menu = drawn.lost.map_or_else(Menu::none, |_| Menu { total: 1, allowed: vec![loss] });
        let model = model(scope, extension, menu);
        let setup = setup_of(&model, &drawn);
        let scenario = fencepost::scenario::Scenario { setup, ..seeded(&model, &Plan::empty(), WorldTime::ZERO) };
        let result = Explorer::new(&scenario).run_cores(model.cores().to_vec(), REPLAY_SEED, Keep::Records);
        let run = Story::of_run(&result.records);
        if let Err(tick) = accepts(&model, &run, HORIZON) {
            return Err(TestCaseError::fail(format!("no path does what the run does in tick {tick}\n{run}scope {scope:?}")));
        }
    }
}
