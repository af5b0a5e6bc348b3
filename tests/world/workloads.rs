//! Workloads and the store: patience, acknowledgements, claims, stock and fences.

use super::story::{given, story};

#[test]
fn patience_calls_again_until_it_is_over() {
    let two = |patience: u32| {
        let mut two = given().work(&format!(
            "cycles = 1\nwork_ms = 100\nwrites = 0\nholder = \"never\"\npatience_ms = {patience}\nagain_ms = 30"
        ));
        (two.clients, two.start_ms) = (2, "[0, 10]".into());
        two
    };
    let kinds = "acquire granted refused done";
    two(0).tells(
        kinds,
        "0 client-1 acquire 1
         2 client-1 granted 1 until mono 988
         10 client-2 acquire 1
         14 client-2 refused Taken
         14 client-2 done
         104 client-1 done",
    );
    two(60).tells(
        kinds,
        "0 client-1 acquire 1
         2 client-1 granted 1 until mono 988
         10 client-2 acquire 1
         14 client-2 refused Taken
         44 client-2 acquire 2
         48 client-2 refused Taken
         78 client-2 done
         104 client-1 done",
    );
    two(95).tells(
        kinds,
        "0 client-1 acquire 1
         2 client-1 granted 1 until mono 988
         10 client-2 acquire 1
         14 client-2 refused Taken
         44 client-2 acquire 2
         48 client-2 refused Taken
         78 client-2 acquire 3
         82 client-2 refused Taken
         104 client-1 done
         112 client-2 done",
    );
}

#[test]
fn an_awaited_write_keeps_the_section_open_and_a_forgotten_one_does_not() {
    let writer = |ack: &str| {
        let keys = "cycles = 1\nwork_ms = 10\nwrites = 2\nholder = \"never\"";
        given().work(&format!("{keys}\nack = \"{ack}\""))
    };
    writer("await").tells(
        "sent write leave",
        "0 client-1 sent client-1#1>node-1:acquire.1.set.1:request
         1 node-1 sent client-1#1>node-1:acquire.1.set.1:reply
         7 client-1 sent client-1#1>store:write.1:request
         8 store write 1 accepted promised Write
         8 store sent client-1#1>store:write.1:reply
         12 client-1 sent client-1#1>store:write.2:request
         13 store write 1 accepted promised Write
         13 store sent client-1#1>store:write.2:reply
         14 client-1 leave 1 Finished
         14 client-1 sent client-1#1>node-1:release.1.eval.1:request
         15 node-1 sent client-1#1>node-1:release.1.eval.1:reply",
    );
    writer("fire-and-forget").tells(
        "write leave",
        "8 store write 1 accepted promised Write
         12 client-1 leave 1 Finished
         13 store write 1 accepted over Write",
    );
}

#[test]
fn a_claim_is_taken_over_and_the_old_claimant_is_refused() {
    // Client 1 stands still beyond its promise; client 2 claims and writes; client 1's write is refused.
    let mut two = given()
        .work("cycles = 1\nwork_ms = 10\nwrites = 1\nholder = \"never\"")
        .plan(&["pause = { at_ms = 6, of = \"client-1\", kind = \"stop\", for_ms = 2_000 }"]);
    (two.clients, two.start_ms, two.store) = (2, "[0, 1_100]".into(), "mode = \"nonce-cas\"".into());
    two.tells(
        "enter write leave",
        "2 client-1 enter 1
         1102 client-2 enter 2
         1115 store write 2 accepted promised Write
         1116 client-2 leave 2 Finished
         2007 store write 1 refused over Write
         2008 client-1 leave 1 Finished",
    );
}

#[test]
fn stock_is_read_and_written_back_less_one_while_there_is_any() {
    let mut shop = given();
    shop.work = ("stock", "cycles = 3\nwork_ms = 10\nholder = \"never\"".into());
    shop.store = "stock = 2".into();
    shop.tells(
        "read write leave",
        "3 store read 2
         15 store write 1 accepted promised Buy { read: 2, left: 1, orders: 1, start: 2 }
         16 client-1 leave 1 Finished
         21 store read 1
         33 store write 2 accepted promised Buy { read: 1, left: 0, orders: 2, start: 2 }
         34 client-1 leave 2 Finished
         39 store read 0
         50 client-1 leave 3 Finished",
    );
    // Without a lock two buyers read the same stock and one order is lost.
    let mut rush = given();
    (rush.lock.0, rush.clients) = ("none", 2);
    rush.work = ("stock", "cycles = 1\nwork_ms = 10\nholder = \"never\"".into());
    rush.store = "stock = 5".into();
    rush.tells(
        "read write",
        "1 store read 5
         1 store read 5
         13 store write 1 accepted promised Buy { read: 5, left: 4, orders: 1, start: 5 }
         13 store write 2 accepted promised Buy { read: 5, left: 4, orders: 2, start: 5 }",
    );
}

#[test]
fn a_fencing_store_refuses_what_is_older() {
    let mut two = given()
        .lock("single", "ttl_ms = 1_000\nfence = \"incr\"")
        .work("cycles = 1\nwork_ms = 10\nwrites = 1\nholder = \"never\"")
        .plan(&["pause = { at_ms = 6, of = \"client-1\", kind = \"stop\", for_ms = 2_000 }"]);
    (two.clients, two.start_ms, two.store) = (2, "[0, 1_100]".into(), "mode = \"fence\"".into());
    two.tells(
        "granted write",
        "2 client-1 granted 1 until mono 988 fence 1
         1102 client-2 granted 2 until mono 2088 fence 2
         1113 store write 2 accepted promised Write
         2007 store write 1 refused over Write",
    );
}

#[test]
fn an_answer_of_an_earlier_section_is_not_taken_for_the_present_one() {
    // The leaver left while its write was under way; the late answer comes in its next section.
    let mut slow = given()
        .lock("single", "ttl_ms = 100")
        .work("cycles = 2\nwork_ms = 80\nwrites = 1\nholder = \"leaves\"")
        .plan(&["message = { name = \"client-1#1>store:write.1:reply\", delay_ms = 106 }"]);
    slow.limit_ms = 10_000;
    slow.tells(
        "reached enter leave handled",
        "1 node-1 handled client-1#1>node-1:acquire.1.set.1:request
         2 client-1 handled client-1#1>node-1:acquire.1.set.1:reply
         2 client-1 enter 1
         82 client-1 reached client-1#1:write.1.check
         83 store handled client-1#1>store:write.1:request
         97 client-1 leave 1 Expired
         98 node-1 handled client-1#1>node-1:release.1.eval.1:request
         99 client-1 handled client-1#1>node-1:release.1.eval.1:reply
         100 node-1 handled client-1#1>node-1:acquire.2.set.1:request
         101 client-1 handled client-1#1>node-1:acquire.2.set.1:reply
         101 client-1 enter 2
         181 client-1 reached client-1#1:write.2.check
         182 store handled client-1#1>store:write.2:request
         189 client-1 handled client-1#1>store:write.1:reply
         189 client-1 handled client-1#1>store:write.2:reply
         189 client-1 leave 2 Finished
         190 node-1 handled client-1#1>node-1:release.2.eval.1:request
         191 client-1 handled client-1#1>node-1:release.2.eval.1:reply",
    );
}

#[test]
fn a_cron_job_is_done_once_per_period_of_the_wall_clock() {
    let job = |keys: &str| {
        let mut job = given();
        job.work = ("cron", format!("cycles = 4\nperiod_ms = 100\nwork_ms = 10\nholder = \"never\"{keys}"));
        job
    };
    let kinds = "acquire looked write done";
    job("").tells(
        kinds,
        "0 client-1 acquire 1
         3 store looked 0 0
         15 store write 1 accepted promised Run { item: 0, times: 1 }
         100 client-1 acquire 2
         103 store looked 1 0
         115 store write 2 accepted promised Run { item: 1, times: 1 }
         200 client-1 acquire 3
         203 store looked 2 0
         215 store write 3 accepted promised Run { item: 2, times: 1 }
         300 client-1 acquire 4
         303 store looked 3 0
         315 store write 4 accepted promised Run { item: 3, times: 1 }
         318 client-1 done",
    );
    // A clock that lags begins its periods later; what a pause slept through is skipped, what it overlaps is not.
    let mut late =
        job("").plan(&["pause = { at_ms = 150, of = \"client-1\", kind = \"stop\", for_ms = 200 }"]);
    late.more = "[[client]]\noffset_ms = -30\n".into();
    late.tells(
        kinds,
        "30 client-1 acquire 1
         33 store looked 0 0
         45 store write 1 accepted promised Run { item: 0, times: 1 }
         130 client-1 acquire 2
         133 store looked 1 0
         145 store write 2 accepted promised Run { item: 1, times: 1 }
         350 client-1 acquire 3
         353 store looked 3 0
         365 store write 3 accepted promised Run { item: 3, times: 1 }
         368 client-1 done",
    );
    // Whoever wakes when all periods are over has nothing to do.
    job("").plan(&["pause = { at_ms = 50, of = \"client-1\", kind = \"stop\", for_ms = 350 }"]).tells(
        "acquire done",
        "0 client-1 acquire 1
         400 client-1 done",
    );
    // A wall clock that steps back does a period's job at its time, not twice.
    let back = "clock-step = { at_ms = 90, of = \"client-1\", by_ms = -70 }";
    job("").plan(&[back]).tells(
        "acquire",
        "0 client-1 acquire 1
         170 client-1 acquire 2
         270 client-1 acquire 3
         370 client-1 acquire 4",
    );
}

#[test]
fn what_is_done_already_is_left_alone() {
    let orders = |lock: &'static str| {
        let mut orders = given();
        (orders.lock.0, orders.clients) = (lock, 2);
        let patience = "patience_ms = 1_000\nagain_ms = 10";
        orders.work = ("submit", format!("cycles = 2\nwork_ms = 10\nholder = \"never\"\n{patience}"));
        orders
    };
    // The second to come looks, and leaves without working.
    orders("single").tells(
        "looked write leave",
        "3 store looked 0 0
         15 store write 1 accepted promised Run { item: 0, times: 1 }
         16 client-1 leave 1 Finished
         21 store looked 1 0
         33 store write 2 accepted promised Run { item: 1, times: 1 }
         34 client-1 leave 2 Finished
         45 store looked 0 1
         46 client-2 leave 3 Finished
         51 store looked 1 1
         52 client-2 leave 4 Finished",
    );
    let mut twice = orders("none");
    twice.work.1 = "cycles = 1\nwork_ms = 10\nholder = \"never\"".into();
    twice.tells(
        "looked write",
        "1 store looked 0 0
         1 store looked 0 0
         13 store write 1 accepted promised Run { item: 0, times: 1 }
         13 store write 2 accepted promised Run { item: 0, times: 2 }",
    );
}

#[test]
fn a_leader_writes_and_extends_in_its_rhythm_until_its_work_is_done() {
    let mut leader = given().lock("single", "ttl_ms = 100\nextension = \"compare\"");
    let keys = "cycles = 1\nwork_ms = 130\nwrite_every_ms = 40\nextend_every_ms = 50\nholder = \"leaves\"";
    leader.work = ("leader", keys.into());
    leader.tells(
        "granted extend extended write leave",
        "2 client-1 granted 1 until mono 97
         43 store write 1 accepted promised Write
         52 client-1 extend 1
         54 client-1 extended 1 true
         83 store write 1 accepted promised Write
         102 client-1 extend 1
         104 client-1 extended 1 true
         123 store write 1 accepted promised Write
         132 client-1 leave 1 Finished",
    );
    // After a pause it writes and extends once, not as often as it was late.
    let pause = "pause = { at_ms = 10, of = \"client-1\", kind = \"stop\", for_ms = 85 }";
    leader.lock("single", "ttl_ms = 1_000\nextension = \"compare\"").plan(&[pause]).tells(
        "extend extended write leave",
        "96 store write 1 accepted promised Write
         97 client-1 extend 1
         99 client-1 extended 1 true
         132 client-1 leave 1 Finished",
    );
}

#[test]
fn a_leader_steps_down_when_it_learns_of_a_loss_and_runs_again() {
    let leader = |keys: &str| {
        let mut leader = given().lock("single", keys);
        let keys = "cycles = 2\nwork_ms = 60\nwrite_every_ms = 40\nextend_every_ms = 20\nholder = \"never\"";
        leader.work = ("leader", keys.into());
        leader
    };
    let evicted = "evict = { at_ms = 10, of = \"node-1\" }";
    leader("ttl_ms = 1_000\nextension = \"compare\"\non_loss = \"silent\"").plan(&[evicted]).tells(
        "acquire extend extend-failed write leave",
        "0 client-1 acquire 1
         22 client-1 extend 1
         24 client-1 extend-failed 1 Gone
         24 client-1 leave 1 Lost
         26 client-1 acquire 2
         48 client-1 extend 2
         68 client-1 extend 2
         71 store write 2 accepted promised Write
         88 client-1 leave 2 Finished",
    );
    // It does not wait to find out whether an extension that nobody answered succeeded.
    let silent = "cut = { at_ms = 10, between = [\"client-1\", \"node-1\"], direction = \"replies\", how = \"black-hole\", for_ms = 40 }";
    leader("ttl_ms = 1_000\nextension = \"compare\"").plan(&[silent]).tells(
        "extend-failed leave",
        "42 client-1 extend-failed 1 Unknown
         42 client-1 leave 1 Lost
         124 client-1 leave 2 Finished",
    );
    // A store that refuses its write tells it as well.
    let mut fenced = leader("ttl_ms = 20\nnode_timeout_ms = 5\nfence = \"incr\"\nextension = \"compare\"")
        .plan(&["pause = { after = \"client-1#1:write.1.check\", of = \"client-1\", kind = \"stop\", for_ms = 30 }"]);
    fenced.work.1 = "cycles = 1\nwork_ms = 30\nwrite_every_ms = 5\nholder = \"never\"".into();
    (fenced.clients, fenced.start_ms, fenced.store) = (2, "[0, 25]".into(), "mode = \"fence\"".into());
    fenced.tells(
        "granted write leave",
        "2 client-1 granted 1 until mono 17.800 fence 1
         27 client-2 granted 2 until mono 42.800 fence 2
         33 store write 2 accepted promised Write
         38 store write 1 refused over Write
         38 store write 2 accepted promised Write
         39 client-1 leave 1 Lost
         43 store write 2 accepted over Write
         48 store write 2 accepted over Write
         53 store write 2 accepted over Write
         58 store write 2 accepted over Write
         59 client-2 leave 2 Finished",
    );
}

#[test]
fn a_remote_holder_asks_at_entry_and_before_each_write() {
    let mut remote = given().lock("redlock", "ttl_ms = 1_000");
    remote.nodes = 3;
    let remote = remote.work("cycles = 1\nwork_ms = 20\nwrites = 2\nholder = \"remote\"");
    let kinds = "enter reached checked write leave";
    remote.tells(
        kinds,
        "2 client-1 enter 1
         4 client-1 checked 1 Held
         14 client-1 reached client-1#1:write.1.check
         16 client-1 checked 1 Held
         17 store write 1 accepted promised Write
         24 client-1 reached client-1#1:write.2.check
         26 client-1 checked 1 Held
         27 store write 1 accepted promised Write
         28 client-1 leave 1 Finished",
    );
    let evicted =
        |ms: u32, nodes: &str| remote.clone().plan(&[&format!("evict = {{ at_ms = {ms}, of = {nodes} }}")]);
    evicted(10, "\"nodes\"").tells(
        kinds,
        "2 client-1 enter 1
         4 client-1 checked 1 Held
         14 client-1 reached client-1#1:write.1.check
         16 client-1 checked 1 Gone
         16 client-1 leave 1 Lost",
    );
    // One voter that forgot is a minority, and one that is silent too leaves a doubt, which is enough to leave.
    evicted(10, "\"node-1\"").tells(
        "checked",
        "4 client-1 checked 1 Held\n16 client-1 checked 1 Held\n26 client-1 checked 1 Held",
    );
    let doubt = "slow = { at_ms = 10, of = \"node-2\", by_ms = 100, for_ms = 20 }";
    evicted(10, "\"node-1\"").plan(&[doubt]).tells(
        "checked leave",
        "4 client-1 checked 1 Held
         34 client-1 checked 1 Unknown
         34 client-1 leave 1 Lost",
    );
    // Gone at entry: it never begins.
    evicted(2, "\"nodes\"")
        .tells("checked write leave", "4 client-1 checked 1 Gone\n4 client-1 leave 1 Lost");
    // It does not look at its clock: its promise is over and its keys are still there.
    let slow = "clock-rate = { at_ms = 0, of = \"nodes\", clock = \"wall\", ppm = -999_000 }";
    let mut patient = remote.clone().lock("redlock", "ttl_ms = 22\nnode_timeout_ms = 20").plan(&[slow]);
    patient.nodes = 3;
    patient.tells(
        "promise-end checked write leave",
        "4 client-1 checked 1 Held
         16 client-1 checked 1 Held
         17 store write 1 accepted promised Write
         19.780 client-1 promise-end 1 Reached
         26 client-1 checked 1 Held
         27 store write 1 accepted over Write
         28 client-1 leave 1 Finished",
    );
}

#[test]
fn a_pause_fits_between_the_answer_and_the_write() {
    let remote = given().work("cycles = 1\nwork_ms = 20\nwrites = 1\nholder = \"remote\"");
    let after = "client-1#1>node-1:check.2.get.1:reply";
    let pause =
        format!("pause = {{ after = \"{after}\", of = \"client-1\", kind = \"stop\", for_ms = 2_000 }}");
    remote.plan(&[&pause]).tells(
        "checked gone write leave",
        "4 client-1 checked 1 Held
         26 client-1 checked 1 Held
         1002 node-1 gone Expiry
         2027 store write 1 accepted over Write
         2028 client-1 leave 1 Finished",
    );
}

#[test]
fn a_rhythm_of_extensions_counts_from_the_last() {
    let hold = given().lock("single", "ttl_ms = 100\nextension = \"compare\"");
    let hold = hold.work("cycles = 1\nwork_ms = 200\nwrites = 1\nextend_every_ms = 60\nholder = \"never\"");
    hold.clone().tells(
        "extend write leave",
        "62 client-1 extend 1
         122 client-1 extend 1
         182 client-1 extend 1
         203 store write 1 accepted promised Write
         204 client-1 leave 1 Finished",
    );
    let pause = "pause = { at_ms = 65, of = \"client-1\", kind = \"stop\", for_ms = 65 }";
    hold.plan(&[pause]).tells("extend", "62 client-1 extend 1\n130 client-1 extend 1\n190 client-1 extend 1");
}

#[test]
fn drawn_lengths_are_of_the_cycle_and_nobody_elses() {
    let drawn = |clients: u8, cycles: u32| {
        let mut drawn = given();
        (drawn.lock.0, drawn.clients) = ("none", clients);
        let lengths = "work_ms = { p0 = 10, p50 = 20, p100 = 90 }\nthink_ms = { p0 = 1, p100 = 2 }";
        let drawn = drawn.work(&format!("cycles = {cycles}\n{lengths}\nwrites = 0\nholder = \"never\""));
        let told = story(&drawn.run().records, "enter leave");
        let own = told.into_iter().filter(|line| line.contains("client-1"));
        own.map(|line| line.rsplit_once(' ').expect("a grant").0.to_owned()).collect::<Vec<_>>()
    };
    let times = |lines: &[String]| {
        let us =
            |line: &String| line.split(' ').next().and_then(|ms| ms.parse::<f64>().ok()).expect("a time");
        lines.iter().map(us).collect::<Vec<_>>()
    };
    let alone = times(&drawn(1, 6));
    let work: Vec<f64> = alone.chunks(2).map(|stay| stay[1] - stay[0]).collect();
    assert!(work.iter().all(|ms| (10.0..=90.0).contains(ms)), "{work:?}");
    assert!(work.windows(2).all(|pair| pair[0] != pair[1]), "{work:?}");
    let think: Vec<f64> =
        alone[1..].chunks(2).filter(|rest| rest.len() == 2).map(|rest| rest[1] - rest[0]).collect();
    assert!(think.iter().all(|ms| (0.999..=2.0).contains(ms)), "{think:?}");
    assert_eq!(times(&drawn(3, 6)), alone);
    assert_eq!(times(&drawn(1, 4)), alone[..8]);
}
