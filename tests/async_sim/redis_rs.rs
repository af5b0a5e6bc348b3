//! What redis-rs does with a connection: pipelines, scripts, transactions, RESP3, channels, blocking pops.
//!
//! Must not test redis-rs: what it is given by the world is what is looked at.

use super::ground::{Notes, count, millis, noted, world};
use fencepost::async_sim::Sim;
use fencepost::history::Fact;
use redis::aio::MultiplexedConnection;
use redis::{
    AsyncCommands, AsyncConnectionConfig, ProtocolVersion, RedisConnectionInfo, RedisResult, Script, Value,
};

async fn connects(
    sim: &Sim,
    protocol: ProtocolVersion,
    config: AsyncConnectionConfig,
) -> MultiplexedConnection {
    let stream = sim.stream(0).await.expect("nothing is in the way");
    let info = RedisConnectionInfo::default().set_protocol(protocol);
    let connected = MultiplexedConnection::new_with_config(&info, stream, config).await;
    let (connection, driver) = connected.expect("the handshake succeeds");
    tokio::spawn(driver);
    connection
}

#[test]
fn a_pipeline_is_one_round_trip() {
    let (notes, _) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        let mut connection = sim.redis(0).await;
        let mut pipe = redis::pipe();
        pipe.set("a", 1).ignore().incr("a", 41).get("a").del("missing");
        let got: RedisResult<(i64, i64, i64)> = pipe.query_async(&mut connection).await;
        notes.say(&sim, format!("{got:?}"));
    });
    assert_eq!(notes, ["60 Ok((42, 42, 0))"]);
}

#[test]
fn a_transaction_is_executed_as_one() {
    let (notes, _) = noted(world(1, 1, ""), async |sim: Sim, notes: Notes| {
        let mut connection = sim.redis(0).await;
        let mut pipe = redis::pipe();
        pipe.atomic().set("a", 1).ignore().incr("a", 1);
        let got: RedisResult<(i64,)> = pipe.query_async(&mut connection).await;
        notes.say(&sim, format!("{got:?}"));
        // Another connection changes what was watched.
        let mut other = sim.redis(0).await;
        let watched: RedisResult<()> = redis::cmd("WATCH").arg("a").query_async(&mut connection).await;
        let set: RedisResult<()> = other.set("a", 5).await;
        let got: RedisResult<Option<(i64,)>> =
            redis::pipe().atomic().incr("a", 1).query_async(&mut connection).await;
        notes.say(&sim, format!("{} {} {got:?}", watched.is_ok(), set.is_ok()));
    });
    assert_eq!(notes, ["60 Ok((2,))", "160 true true Ok(None)"]);
}

#[test]
fn a_script_that_the_node_does_not_know_is_loaded_and_run_again() {
    let plan = "[[plan]]\nflush-scripts = { at_ms = 200, of = \"node-1\" }";
    let (notes, result) = noted(world(1, 1, plan), async |sim: Sim, notes: Notes| {
        let mut connection = sim.redis(0).await;
        let script = Script::new("return redis.call('incrby', KEYS[1], ARGV[1])");
        for _ in 0..2 {
            let got: RedisResult<i64> = script.key("k").arg(20).invoke_async(&mut connection).await;
            notes.say(&sim, format!("{got:?}"));
        }
        sim.sleep(millis(100)).await;
        let got: RedisResult<i64> = script.key("k").arg(2).invoke_async(&mut connection).await;
        notes.say(&sim, format!("{got:?}"));
    });
    assert_eq!(notes, ["100 Ok(20)", "120 Ok(40)", "280 Ok(42)"]);
    let evalsha = |fact: &Fact| matches!(fact, Fact::Sent { name } if name.to_string().contains("evalsha"));
    let requests = count(&result, |fact| evalsha(fact) && format!("{fact:?}").contains("Request"));
    assert_eq!(requests, 5);
}

#[test]
fn resp3_is_spoken_where_it_is_asked_for() {
    let cases = [(ProtocolVersion::RESP2, "Array"), (ProtocolVersion::RESP3, "Map")];
    for (protocol, expected) in cases {
        let (notes, _) = noted(world(1, 1, ""), move |sim: Sim, notes: Notes| async move {
            let mut connection = connects(&sim, protocol, AsyncConnectionConfig::new()).await;
            let set: RedisResult<i64> = connection.hset("h", "field", "value").await;
            let got: RedisResult<Value> = redis::cmd("HGETALL").arg("h").query_async(&mut connection).await;
            let missing: RedisResult<Option<String>> = connection.get("missing").await;
            let shape = match got {
                Ok(Value::Map(_)) => "Map",
                Ok(Value::Array(_)) => "Array",
                _ => "something else",
            };
            notes.add(format!("{set:?} {shape} {missing:?}"));
        });
        assert_eq!(notes, [format!("Ok(1) {expected} Ok(None)")], "{protocol:?}");
    }
}

/// Client 2 publishes at 300 ms; 10 ms later the node has it, 10 ms after that client 1.
#[test]
fn a_message_of_a_channel_reaches_who_subscribed_when_it_must() {
    let (notes, _) = noted(world(2, 1, ""), async |sim: Sim, notes: Notes| {
        if sim.client() == 1 {
            let mut connection = sim.redis(0).await;
            sim.sleep(millis(260)).await;
            let heard: RedisResult<i64> = connection.publish("news", "freed").await;
            return notes.say(&sim, format!("published to {heard:?}"));
        }
        let (sender, mut pushes) = tokio::sync::mpsc::unbounded_channel();
        let config = AsyncConnectionConfig::new().set_push_sender(sender);
        let mut connection = connects(&sim, ProtocolVersion::RESP3, config).await;
        connection.subscribe("news").await.expect("it is taken");
        notes.say(&sim, format!("{:?}", pushes.recv().await.map(|push| push.kind)));
        // Its own timers go on meanwhile.
        let ticks = async {
            loop {
                sim.sleep(millis(7)).await;
            }
        };
        let push = tokio::select! { push = pushes.recv() => push, () = ticks => None };
        let push = push.expect("the connection is open");
        notes.say(
            &sim,
            format!(
                "{:?} {:?}",
                push.kind,
                redis::from_redis_value::<(String, String)>(Value::Array(push.data)).ok()
            ),
        );
    });
    assert_eq!(
        notes,
        ["60 Some(Subscribe)", r#"320 Message Some(("news", "freed"))"#, "320 published to Ok(1)",]
    );
}

/// Nobody looks at the clock of the other: the moment of waking is the network's.
#[test]
fn a_blocking_pop_ends_when_another_client_pushes_or_its_time_is_over() {
    let cases = [(300, 0.0, "320 Some(\"item\")"), (300, 0.2, "261 None"), (150, 0.2, "170 Some(\"item\")")];
    for (pushed, timeout, expected) in cases {
        let (notes, _) = noted(world(2, 1, ""), move |sim: Sim, notes: Notes| async move {
            if sim.client() == 1 {
                let mut connection = sim.redis(0).await;
                sim.sleep(millis(pushed - 40)).await;
                let _: RedisResult<i64> = connection.rpush("queue", "item").await;
                return;
            }
            let config = AsyncConnectionConfig::new().set_response_timeout(None);
            let mut connection = sim.try_redis(0, config).await.expect("nothing is in the way");
            let got: RedisResult<Option<(String, String)>> = connection.blpop("queue", timeout).await;
            notes.say(&sim, format!("{:?}", got.expect("it is answered").map(|(_, item)| item)));
        });
        assert_eq!(notes, [expected], "pushed at {pushed} ms, for {timeout} s");
    }
}

/// Two clients hand an item to and fro: every hop is one request, one wake.
#[test]
fn clients_that_wait_for_each_other_take_turns() {
    let (notes, _) = noted(world(2, 1, ""), async |sim: Sim, notes: Notes| {
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let mut connection = sim.try_redis(0, config).await.expect("nothing is in the way");
        let (own, others) = if sim.client() == 0 { ("a", "b") } else { ("b", "a") };
        if sim.client() == 0 {
            let _: RedisResult<i64> = connection.rpush(own, 1).await;
        }
        for _ in 0..50 {
            let got: RedisResult<(String, u32)> = connection.blpop(own, 0.0).await;
            let (_, number) = got.expect("it is answered");
            let _: RedisResult<i64> = connection.rpush(others, number + 1).await;
            if number >= 99 {
                notes.say(&sim, number);
            }
        }
    });
    assert_eq!(notes, ["2060 99", "2080 100"]);
}
