//! Workloads and the store: patience, acknowledgements, claims, stock and fences.

use super::story::given;

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
