//! Second holds, shared holds and lines: what the world says of them, and how the oracles take it.

use super::counting::{Counting, Kind, Leaving, Line, OWNER};
use super::story::{Given, given, same, story};
use fencepost::check::OracleName::{self, *};
use fencepost::history::Record;
use fencepost::name::{ClientId, Process};
use fencepost::report::Story;
use fencepost::sim::RunResult;
use fencepost::time::Span;

/// Clients that hold for so long, with a second call inside, on locks of these kinds, one per client.
fn counting(given: &Given, kinds: &[Kind]) -> RunResult {
    given.run_with(|index, setup| Counting::new(kinds[index.min(kinds.len() - 1)], 1_000, &setup.key))
}

fn nested(keys: &str) -> Given {
    given().work(&format!("cycles = 1\nwork_ms = 100\nwrites = 1\nholder = \"never\"\nnested = {{ {keys} }}"))
}

#[track_caller]
fn ends(result: &RunResult, expected: &[(OracleName, &str)]) {
    for (oracle, wanted) in expected {
        let found =
            result.outcomes.iter().find(|(known, _)| known == oracle).map(|(_, outcome)| outcome.text());
        assert_eq!(found, Some(*wanted), "{oracle}");
    }
}

fn told(records: &[Record], kinds: &str, expected: &str) {
    same(&story(records, kinds), expected);
}

#[test]
fn a_second_hold_is_counted_and_given_back_before_the_first() {
    let kinds = "acquire reentered granted promise promise-end counted enter leave release released";
    let result = counting(&nested("at_ms = 10, for_ms = 30"), &[OWNER]);
    told(
        &result.records,
        kinds,
        "0 client-1 acquire 1
         2 client-1 granted 1 until mono 1000
         2 client-1 promise 1
         2 client-1 counted 1 believed 1 most 1 assured 1
         2 client-1 enter 1
         12 client-1 acquire 2
         14 client-1 reentered 2 inside 1
         14 client-1 granted 2 until mono 1012
         14 client-1 promise 2
         14 client-1 counted 1 believed 2 most 2 assured 2
         44 client-1 release 2
         44 client-1 promise-end 2 Released
         46 client-1 released 2 Confirmed
         46 client-1 counted 1 believed 1 most 1 assured 1
         104 client-1 leave 1 Finished
         104 client-1 release 1
         104 client-1 promise-end 1 Released
         106 client-1 released 1 Confirmed
         106 client-1 counted 1 believed 0 most 0 assured 0",
    );
    ends(&result, &[(HoldCount, "held"), (ForeignChange, "held"), (PromiseUnbacked, "held"), (Leak, "held")]);
    // Without a length it is given back as the last thing inside.
    let kinds = "leave release released";
    let to_the_end = counting(&nested("at_ms = 10"), &[OWNER]);
    told(
        &to_the_end.records,
        kinds,
        "104 client-1 release 2
         106 client-1 released 2 Confirmed
         106 client-1 leave 1 Finished
         106 client-1 release 1
         108 client-1 released 1 Confirmed",
    );
}

#[test]
fn counts_are_wrong_where_a_lost_answer_is_asked_for_again() {
    let lost =
        |message: &str| format!("message = {{ name = \"client-1#1>node-1:{message}:reply\", lose = true }}");
    let cases = [
        // Two counts for one acquire: nobody can get the lock when it was given back once.
        ("acquire.1.eval.1", "violated", "held"),
        ("acquire.2.eval.1", "violated", "held"),
        // The inner hold is given back twice, and with it the outer one.
        ("release.1.eval.1", "violated", "violated"),
        // Nothing is left that a second release could take.
        ("release.2.eval.1", "held", "held"),
    ];
    for (message, count, foreign) in cases {
        let result = counting(&nested("at_ms = 10, for_ms = 30").plan(&[&lost(message)]), &[OWNER]);
        ends(&result, &[(HoldCount, count), (ForeignChange, foreign)]);
    }
}

#[test]
fn what_only_time_and_crashes_took_is_no_miscount() {
    // The second call shortens the life of the key that both holds rest on.
    let shrunk = counting(&nested("at_ms = 10, for_ms = 60, ttl_ms = 50"), &[OWNER]);
    ends(&shrunk, &[(HoldCount, "held"), (PromiseUnbacked, "violated")]);
    let plans = [
        "evict = { at_ms = 20, of = \"node-1\" }",
        "kill = { at_ms = 20, of = \"node-1\", for_ms = 5 }",
        "clock-step = { at_ms = 20, of = \"node-1\", clock = \"wall\", by_ms = 5_000 }",
        // What is left of the first life is nobody's hold in the second.
        "crash = { at_ms = 20, of = \"client-1\", for_ms = 10 }",
    ];
    for plan in plans {
        let mut given = nested("at_ms = 10, for_ms = 30").plan(&[plan]);
        given.work.1.push_str("\npatience_ms = 3_000\nagain_ms = 50");
        ends(&counting(&given, &[OWNER]), &[(HoldCount, "held")]);
    }
}

#[test]
fn a_lock_that_counts_nothing_refuses_the_second_call() {
    let mut given = nested("at_ms = 10, for_ms = 30");
    let kinds = "acquire granted refused watch watched leave release released reentered counted";
    given.tells(
        kinds,
        "0 client-1 acquire 1
         0 client-1 watch Unavailable 1 due 40
         0 client-1 watch Stuck 1 due 240
         2 client-1 granted 1 until mono 988
         2 client-1 watched Stuck 1 Met
         2 client-1 watched Unavailable 1 Met
         12 client-1 acquire 2
         12 client-1 refused Misuse
         104 client-1 leave 1 Finished
         104 client-1 release 1
         106 client-1 released 1 Confirmed
         106 client-1 watch Leak 1 due 147
         147.001 client-1 watched Leak 1 Met",
    );
    given.clients = 2;
    let result = given.run();
    ends(&result, &[(ForeignChange, "held"), (HoldCount, "n/a"), (Unfair, "n/a")]);
}

#[test]
fn whoever_leaves_early_gives_back_the_second_hold_on_the_way_out() {
    let early = |keys: &str| {
        let keys =
            format!("cycles = 1\nwork_ms = 3_000\nwrites = 0\nholder = \"leaves\"\nnested = {{ {keys} }}");
        given().work(&keys)
    };
    let kinds = "leave acquire refused release promise-end released done counted";
    told(
        &counting(&early("at_ms = 10"), &[OWNER]).records,
        kinds,
        "0 client-1 acquire 1
         2 client-1 counted 1 believed 1 most 1 assured 1
         12 client-1 acquire 2
         14 client-1 counted 1 believed 2 most 2 assured 2
         1000 client-1 promise-end 1 Reached
         1000 client-1 leave 1 Expired
         1000 client-1 release 2
         1000 client-1 promise-end 2 Released
         1002 client-1 released 2 Confirmed
         1002 client-1 counted 1 believed 1 most 1 assured 1
         1002 client-1 release 1
         1004 client-1 released 1 Confirmed
         1004 client-1 counted 1 believed 0 most 0 assured 0
         1004 client-1 done",
    );
    // The second call is never answered, so the code never works on: it leaves when its time is up.
    let silent = "cut = { at_ms = 5, between = [\"client-1\", \"node-1\"], direction = \"both\", how = \"black-hole\", for_ms = 1_200 }";
    told(
        &counting(&early("at_ms = 10").plan(&[silent]), &[OWNER]).records,
        "acquire refused leave release released done counted",
        "0 client-1 acquire 1
         2 client-1 counted 1 believed 1 most 1 assured 1
         12 client-1 acquire 2
         1000 client-1 refused Cancelled
         1000 client-1 leave 1 Expired
         1000 client-1 release 1
         1222 client-1 released 1 NotOwned
         1222 client-1 done",
    );
}

const READER: Kind = Kind { shared: true, ..OWNER };
const BLUNT: Kind = Kind { leaving: Leaving::Blunt, ..READER };
const MUTE: Kind = Kind { leaving: Leaving::Mute, ..READER };

/// Clients that come at 0, 20 and 40 ms and hold for 100.
fn three() -> Given {
    let mut three = given();
    (three.clients, three.start_ms) = (3, "[0, 20, 40]".into());
    three
}

#[test]
fn readers_are_no_rivals_of_each_other() {
    let result = counting(&three(), &[READER]);
    told(&result.records, "enter", "2 client-1 enter 1\n22 client-2 enter 2\n42 client-3 enter 3");
    let alone = [PromiseOverlap, SectionOverlap, Continuity];
    ends(&result, &alone.map(|oracle| (oracle, if oracle == Continuity { "n/a" } else { "not-exercised" })));
    let held = [PromiseUnbacked, ForeignChange, Leak, Orphan, FalseRefusal];
    ends(&result, &held[..4].iter().map(|oracle| (*oracle, "held")).collect::<Vec<_>>());
    ends(&result, &[(FalseRefusal, "not-exercised")]);
    // A writer among them is kept out while they hold, and is a rival of theirs.
    let mixed = counting(&three().work(PATIENT), &[READER, READER, OWNER]);
    ends(&mixed, &[(PromiseOverlap, "held"), (SectionOverlap, "held"), (PromiseUnbacked, "held")]);
    ends(&mixed, &[(ForeignChange, "held"), (Leak, "held"), (Orphan, "held")]);
}

const PATIENT: &str =
    "cycles = 1\nwork_ms = 100\nwrites = 0\nholder = \"never\"\npatience_ms = 2_000\nagain_ms = 5";

#[test]
fn a_reader_that_takes_the_lock_from_other_readers_is_caught() {
    let result = counting(&three().work(PATIENT), &[BLUNT, READER, OWNER]);
    let all = [ForeignChange, PromiseUnbacked, PromiseOverlap, SectionOverlap];
    ends(&result, &all.map(|oracle| (oracle, "violated")));
    // Its own key it may take.
    let alone = counting(&three().work(PATIENT), &[OWNER, BLUNT, OWNER]);
    ends(&alone, &all.map(|oracle| (oracle, "held")));
}

#[test]
fn a_reader_that_does_not_give_back_its_entry_leaks_it() {
    // The first reader created the key, which stays until the last one's release; that is no leak of the first.
    ends(&counting(&three(), &[READER]), &[(Leak, "held"), (HoldCount, "not-exercised")]);
    for (leaking, kinds) in
        [(0, [MUTE, READER, READER]), (1, [READER, MUTE, READER]), (2, [READER, READER, MUTE])]
    {
        let result = counting(&three(), &kinds);
        ends(&result, &[(Leak, "violated"), (HoldCount, "violated"), (ForeignChange, "held")]);
        let leak = result.violations.iter().find(|violation| violation.oracle == Leak).unwrap();
        assert_eq!(leak.evidence(&result.records).unwrap().1.process, Process::Client(ClientId(leaking)));
    }
}

#[test]
fn a_line_is_the_order_in_which_calls_came_to_the_node() {
    let (slow, fast) = (Span::from_ms(40), Span::from_ms(5));
    let kinds = |line| {
        let waits = |delay| Kind { line, delay, tries: 1_000, ..OWNER };
        [waits(fast), waits(slow), waits(fast)]
    };
    ends(&counting(&three(), &kinds(Line::Ignored)), &[(Unfair, "violated"), (PromiseOverlap, "held")]);
    ends(&counting(&three(), &kinds(Line::Kept)), &[(Unfair, "held"), (PromiseOverlap, "held")]);
    ends(&counting(&three(), &kinds(Line::None)), &[(Unfair, "n/a")]);
    // The second's request is overtaken on its way by the third's: the line is theirs.
    let late = "message = { name = \"client-2#1>node-1:acquire.1.eval.1:request\", delay_ms = 30 }";
    let overtaken = counting(&three().plan(&[late]), &kinds(Line::Kept));
    told(&overtaken.records, "enter", "2 client-1 enter 1\n105 client-3 enter 2\n219 client-2 enter 3");
    ends(&overtaken, &[(Unfair, "held")]);
    let mut two = three();
    two.clients = 2;
    two.start_ms = "[0, 20]".into();
    ends(&counting(&two, &kinds(Line::Kept)), &[(Unfair, "not-exercised")]);
}

/// What the violation of an oracle is, in one sentence.
fn said(given: &Given, kinds: &[Kind], oracle: OracleName) -> String {
    let (scenario, result) = (given.scenario(), counting(given, kinds));
    fencepost::report::event(Story { scenario: &scenario, result: &result }, oracle)
}

#[test]
fn violations_of_counts_and_lines_are_told() {
    let lost = |what: &str| {
        let message =
            format!("message = {{ name = \"client-1#1>node-1:{what}.eval.1:reply\", lose = true }}");
        nested("at_ms = 10, for_ms = 30").plan(&[&message])
    };
    let waits = |line, delay| Kind { line, delay: Span::from_ms(delay), tries: 1_000, ..OWNER };
    let crowd = [waits(Line::Ignored, 5), waits(Line::Ignored, 40), waits(Line::Ignored, 5)];
    let cases = [
        (
            said(&lost("acquire.1"), &[OWNER], HoldCount),
            "client-1 has 1 hold by its own count at 0.022 s, and a voter carries 2 (hold-count)",
        ),
        (
            said(&lost("release.1"), &[OWNER], HoldCount),
            "client-1 has 1 hold by its own count at 0.066 s, and a quorum carries 0 (hold-count)",
        ),
        (
            said(&three(), &crowd, Unfair),
            "client-3 was served at 0.104 s before client-2, who had come earlier (unfair)",
        ),
    ];
    for (told, expected) in cases {
        assert_eq!(told, expected);
    }
}
#[test]
fn a_refused_call_of_a_lock_that_counts_leaks_what_it_took() {
    let lost = |what: &str| {
        let message =
            format!("message = {{ name = \"client-1#1>node-1:{what}.1.eval.1:reply\", lose = true }}");
        let reentrant = nested("at_ms = 10, for_ms = 30").lock("reentrant", "ttl_ms = 1_000");
        reentrant.plan(&[&message]).run()
    };
    // It was told that it may have the lock, and never takes it back.
    ends(&lost("acquire"), &[(Leak, "violated"), (HoldCount, "not-exercised")]);
    // The second hold was taken back, though nobody heard of it; the first is given back as ever.
    ends(&lost("release"), &[(Leak, "held"), (HoldCount, "held"), (ForeignChange, "held")]);
}
