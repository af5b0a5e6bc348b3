//! The lock of these tests: one key, one node, a nonce, redis-rs. It is sound as far as its TTL goes.
//!
//! Must not retry by itself beyond what is asked.

use super::ground::millis;
use fencepost::async_sim::Sim;
use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Script};
use std::time::Duration;

/// Its TTL.
pub(crate) const TTL: Duration = millis(2_000);

/// A hold.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) connection: MultiplexedConnection,
    key: String,
    nonce: String,
    /// Rises with every grant.
    pub(crate) fence: i64,
}

/// Asks once; `None` if somebody else has it.
pub(crate) async fn tries(
    mut connection: MultiplexedConnection,
    key: String,
    nonce: String,
) -> RedisResult<Option<Held>> {
    let mut set = redis::cmd("SET");
    set.arg(&key).arg(&nonce).arg("NX").arg("PX").arg(TTL.as_millis() as u64);
    let set: Option<String> = set.query_async(&mut connection).await?;
    if set.is_none() {
        return Ok(None);
    }
    let fence = redis::cmd("INCR").arg(format!("{key}:fence")).query_async(&mut connection).await?;
    Ok(Some(Held { connection, key, nonce, fence }))
}

/// Asks every 100 ms, for up to 10 s.
pub(crate) async fn takes(sim: Sim) -> Result<Held, String> {
    let connection = sim.redis(0).await;
    let nonce = format!("{:016x}", sim.draw().nonce.0);
    for _ in 0..100 {
        match tries(connection.clone(), sim.key(), nonce.clone()).await {
            Ok(Some(held)) => return Ok(held),
            Ok(None) => tokio::time::sleep(millis(100)).await,
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("nobody gave way".to_owned())
}

/// Prolongs a hold by the TTL, if it is still there.
pub(crate) async fn prolongs(held: &mut Held) -> Result<(), String> {
    let script = Script::new(
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0",
    );
    let mut call = script.key(&held.key);
    call.arg(&held.nonce).arg(TTL.as_millis() as u64);
    match call.invoke_async::<i64>(&mut held.connection).await {
        Ok(1) => Ok(()),
        Ok(_) => Err("gone".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Gives a hold back, if it is still there.
pub(crate) async fn gives_back(mut held: Held) -> RedisResult<i64> {
    let script = Script::new(
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0",
    );
    script.key(&held.key).arg(&held.nonce).invoke_async(&mut held.connection).await
}
