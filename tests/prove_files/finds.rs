//! Models that once broke the prover, each as small as it was found, and how it has to end.

use super::GOOD;
use fencepost::prove::{Finding, Options, Replay, Verdict, parse_model, prove_model, replay};
use std::ops::ControlFlow;

const OPTIONS: Options = Options { threads: 2, states_max: 300_000, bytes_max: 8 << 30 };

/// What follows the head of the file; the exit code that `prove` ends with.
const FINDS: [(&str, &str, u8); 6] = [
    (
        "a schedule without end in which answers are as late as the client waits",
        "[scope]\nclients = 1\nnodes = 1\ndelay_ticks_max = 1\nttl_ticks = 2\nwork_ticks_max = 0\nholder = \"never\"\n\
         [lock.single]\nlike = \"spec\"\nnode_timeout_ticks = 1\nmargin_ticks = 1\n\
         [progress]\ntogether = { retry_ticks = [1, 1], expect = \"trapped\" }\n",
        0,
    ),
    (
        "a client that has not learned of a promotion when the path ends",
        "[scope]\nclients = 2\nnodes = 1\ndelay_ticks_max = 0\nttl_ticks = 2\nwork_ticks_max = 0\nholder = \"never\"\n\
         replicas = 1\n[lock.single]\nlike = \"spec\"\nnode_timeout_ticks = 1\nmargin_ticks = 1\n\
         [faults]\ntotal = 1\nfailover = { ticks_max = 1 }\n[expect]\nsection-overlap = \"violated\"\n",
        0,
    ),
    (
        "a promise that is empty by a point",
        "[scope]\nclients = 1\nnodes = 1\ndelay_ticks_max = 1\nttl_ticks = 3\nwork_ticks_max = 0\n\
         holder = \"before-write\"\n[lock.single]\nlike = \"spec\"\nunsound = true\nnode_timeout_ticks = 1\n\
         margin_ticks = 1\nvalidity = \"no-check\"\ntaking = \"setnx-expire\"\n\
         [faults]\ntotal = 1\nnode-clock-fast = { ticks_max = 1 }\n[expect]\npromise-empty = \"violated\"\n",
        0,
    ),
    (
        "without a lock a holder asks nobody",
        "[scope]\nclients = 2\nnodes = 1\ndelay_ticks_max = 0\nwork_ticks_min = 2\nwork_ticks_max = 2\n\
         holder = \"remote\"\nwrites = 1\n[lock.none]\n[faults]\ntotal = 2\nclient-clock-slow = { ticks_max = 2 }\n\
         store-delay = { ticks_max = 1 }\n[expect]\nstale-write = \"violated\"\n",
        0,
    ),
    (
        "a clock that still stands when the path ends",
        "[scope]\nclients = 2\nnodes = 1\ndelay_ticks_max = 0\nttl_ticks = 2\nwork_ticks_min = 4\nwork_ticks_max = 4\n\
         holder = \"leaves\"\n[lock.single]\nlike = \"spec\"\nnode_timeout_ticks = 1\nmargin_ticks = 1\n\
         [faults]\ntotal = 1\nclient-clock-slow = { ticks_max = 6 }\n[expect]\npromise-overlap = \"violated\"\n",
        0,
    ),
    (
        "two timers of one client, due at once: nobody can tell the seeded world which is first",
        "[scope]\nclients = 2\nnodes = 1\ndelay_ticks_max = 0\nttl_ticks = 2\nwork_ticks_min = 2\nwork_ticks_max = 2\n\
         holder = \"remote\"\nextend_every_ticks = 1\n[lock.single]\nlike = \"spec\"\nnode_timeout_ticks = 1\n\
         margin_ticks = 1\nrenewal = \"watchdog\"\n[faults]\ntotal = 1\neviction = {}\n\
         [expect]\ncontinuity = \"violated\"\n",
        2,
    ),
];

#[test]
fn what_once_broke_the_prover() {
    let head = &GOOD[..GOOD.find("[scope]").expect("a scope")];
    for (what, text, exit) in FINDS {
        let model = parse_model("find.toml", &format!("{head}{text}"))
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let proof = prove_model(&model, &OPTIONS, &mut |_| ControlFlow::Continue(()));
        let verdict = Verdict::of(&model, &proof);
        assert_eq!(verdict.exit_code(), exit, "{what}: {verdict:?} {:?}", proof.findings);
        for (oracle, finding) in &proof.findings {
            let Finding::Violated(found) = finding else { continue };
            let (outcome, result) = replay(&model, *oracle, &found.plan, found.end);
            let confirmed = matches!(outcome, fencepost::check::Outcome::Violated(_));
            assert_eq!(confirmed, found.replay == Replay::Agrees, "{what}: {outcome:?}");
            assert_eq!(
                result.ending,
                fencepost::check::Ending::Settled,
                "{what}: the kept schedule ends by itself"
            );
        }
    }
}
