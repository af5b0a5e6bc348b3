//! `redsync` 1.0.1: Redlock in code that blocks, over its own trait of an instance.
//!
//! The instance here does what the crate's own does over a socket: a connection per command, the same scripts, by redis-rs
//! 0.23. That one limits the time to connect to 1 % of the TTL and nothing else; a thread that waits for a lost reply for
//! ever would never ask the next node, so here the limit is that of the whole command. One attempt per call: the crate
//! sleeps on the thread between attempts, which no virtual clock moves, so the client waits and calls again.

use super::{FIVE, Published, THREE_GROUPS, cycles, work};
use ::redsync::{Instance, Lock, Redsync, RedsyncBuilder, RedsyncError};
use fencepost::async_sim::{BlockingSim, Code, Sim, Trial, Wire};
use fencepost::resp::codec::{Decoded, Protocol, decode_command, encode_reply};
use fencepost::time::{MonoTime, Span};
use redis_023::{ConnectionLike, RedisResult, Script, Value, parse_redis_value};
use std::io;
use std::time::Duration;

pub(super) const PUBLISHED: Published = Published {
    name: "redsync",
    version: "1.0.1",
    about: "Redlock, blocking, one node after the other, over a trait of an instance; commands by redis-rs 0.23",
    stated: "a deadline: `Lock::expiry`, an `Instant`",
    assumed: "the instance is the adapter's, after the crate's own: a connection and at most 100 ms per command, which is \
              the crate's limit for connecting; one attempt per call, the client calls again",
    frame: FIVE,
    replicated: THREE_GROUPS,
    code,
    gives_up: false,
};

const TTL: Duration = Duration::from_secs(10);
const LIMIT_MS: i64 = 100;

fn code(trial: Trial) -> Code {
    trial
        .named("redsync 1.0.1")
        .ttl(TTL)
        .node_timeout(Duration::from_millis(LIMIT_MS.unsigned_abs()))
        .wall_clock_unread()
        .blocking_client(client)
}

fn client(sim: BlockingSim) {
    let instances = (0..sim.nodes()).map(|node| Node { sim: sim.clone(), node }).collect();
    let redsync: Redsync<Node> = RedsyncBuilder::new(instances).retry_count(1).build();
    let (key, now) = (sim.key(), &sim);
    sim.wait(cycles(&sim, async |number| {
        let acquire = async { redsync.lock(&key, TTL) };
        let inside = async |_: &mut Lock| work(now, number).await;
        let hold = now.hold(acquire).until(|lock| now.by(lock.expiry));
        hold.work_then(inside, async |lock| redsync.unlock(&lock)).await
    }));
}

/// One node.
struct Node {
    sim: BlockingSim,
    node: usize,
}

impl Node {
    /// Runs a script over a connection of its own, within the limit.
    fn run(&self, script: &str, lock: &Lock, with_ttl: bool) -> Result<Value, RedsyncError> {
        let sim = &self.sim;
        let limit = sim.now().mono + Span::from_ms(LIMIT_MS);
        let wire = sim.wait(within(sim, limit, sim.wire(self.node)))?;
        let mut connection = Connection { sim, wire, limit };
        let script = Script::new(script);
        let mut call = script.key(&lock.resource);
        call.arg(&lock.value);
        if with_ttl {
            call.arg(lock.ttl.as_millis() as u64);
        }
        Ok(call.invoke(&mut connection)?)
    }

    /// Whether a script that prolongs or deletes found what it compares with.
    fn owned(&self, script: &str, lock: &Lock, with_ttl: bool) -> Result<(), RedsyncError> {
        match self.run(script, lock, with_ttl)? {
            Value::Int(1) => Ok(()),
            Value::Int(0) => Err(RedsyncError::InvalidLease),
            other @ (Value::Nil
            | Value::Int(_)
            | Value::Data(_)
            | Value::Bulk(_)
            | Value::Status(_)
            | Value::Okay) => Err(RedsyncError::UnexpectedResponse(other)),
        }
    }
}

impl Instance for Node {
    fn acquire(&self, lock: &Lock) -> Result<(), RedsyncError> {
        match self.run(LOCK_SCRIPT, lock, true)? {
            Value::Okay => Ok(()),
            Value::Nil => Err(RedsyncError::ResourceLocked),
            other @ (Value::Int(_) | Value::Data(_) | Value::Bulk(_) | Value::Status(_)) => {
                Err(RedsyncError::UnexpectedResponse(other))
            }
        }
    }

    fn extend(&self, lock: &Lock) -> Result<(), RedsyncError> {
        self.owned(EXTEND_SCRIPT, lock, true)
    }

    fn release(&self, lock: &Lock) -> Result<(), RedsyncError> {
        self.owned(UNLOCK_SCRIPT, lock, false)
    }
}

/// What redis-rs 0.23 talks to: it encodes and decodes, the world carries.
struct Connection<'a> {
    sim: &'a BlockingSim,
    wire: Wire,
    limit: MonoTime,
}

impl ConnectionLike for Connection<'_> {
    fn req_packed_command(&mut self, bytes: &[u8]) -> RedisResult<Value> {
        let Ok(Decoded::Done { value: Some(command), .. }) = decode_command(bytes) else {
            panic!("redis-rs encodes whole commands");
        };
        let reply = self.sim.wait(within(self.sim, self.limit, self.wire.call(command)))?;
        let mut encoded = Vec::new();
        encode_reply(&reply, Protocol::Resp2, &mut encoded);
        parse_redis_value(&encoded)
    }

    fn req_packed_commands(&mut self, _: &[u8], _: usize, _: usize) -> RedisResult<Vec<Value>> {
        panic!("a script is no pipeline");
    }

    fn get_db(&self) -> i64 {
        0
    }

    fn check_connection(&mut self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        true
    }
}

/// Waits no longer than until the clock shows this.
async fn within<T>(
    sim: &Sim,
    limit: MonoTime,
    future: impl Future<Output = io::Result<T>>,
) -> RedisResult<T> {
    let late = || io::Error::from(io::ErrorKind::TimedOut);
    Ok(tokio::select! {
        biased;
        result = future => result,
        () = sim.sleep_until(limit) => Err(late()),
    }?)
}

// The crate's own, which it does not show.
const LOCK_SCRIPT: &str = "\
return redis.call(\"set\", KEYS[1], ARGV[1], \"nx\", \"px\", ARGV[2])";

const UNLOCK_SCRIPT: &str = "\
if redis.call(\"get\", KEYS[1]) == ARGV[1] then
    return redis.call(\"del\", KEYS[1])
else
    return 0
end";

const EXTEND_SCRIPT: &str = "\
if redis.call(\"get\", KEYS[1]) == ARGV[1] then
    return redis.call(\"pexpire\", KEYS[1], ARGV[2])
else
    return 0
end";
