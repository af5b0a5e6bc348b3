//! Connections of redis-rs that are opened when first used, and again after they broke, as its `ConnectionManager` does:
//! the command that finds a connection broken fails, the next one dials. That manager itself takes an address only.
//!
//! One copy per version of redis-rs: their traits are different traits. No time limits, as is their default. Must not send
//! a command twice.

macro_rules! dialing {
    ($module:ident, $redis:ident) => {
        pub(super) mod $module {
            use fencepost::async_sim::Sim;
            use std::sync::Arc;
            use tokio::sync::Mutex;
            use $redis::aio::{ConnectionLike, MultiplexedConnection};
            use $redis::{Cmd, Pipeline, RedisConnectionInfo, RedisFuture, RedisResult, Value};

            /// A connection to one node. Clones share it.
            #[derive(Clone)]
            pub(crate) struct Dialing {
                sim: Sim,
                node: usize,
                open: Arc<Mutex<Option<MultiplexedConnection>>>,
            }

            impl Dialing {
                pub(crate) fn new(sim: &Sim, node: usize) -> Self {
                    Self { sim: sim.clone(), node, open: Arc::default() }
                }

                async fn connection(&self) -> RedisResult<MultiplexedConnection> {
                    let mut open = self.open.lock().await;
                    if let Some(connection) = &*open {
                        return Ok(connection.clone());
                    }
                    let stream = self.sim.stream(self.node).await?;
                    let info = RedisConnectionInfo::default();
                    let (connection, driver) = MultiplexedConnection::new(&info, stream).await?;
                    tokio::spawn(driver);
                    *open = Some(connection.clone());
                    Ok(connection)
                }

                async fn look_at<T>(&self, result: RedisResult<T>) -> RedisResult<T> {
                    if result.as_ref().is_err_and(|error| error.is_unrecoverable_error()) {
                        *self.open.lock().await = None;
                    }
                    result
                }
            }

            impl ConnectionLike for Dialing {
                fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
                    Box::pin(async move {
                        let mut connection = self.connection().await?;
                        let result = connection.send_packed_command(command).await;
                        self.look_at(result).await
                    })
                }

                fn req_packed_commands<'a>(
                    &'a mut self,
                    commands: &'a Pipeline,
                    offset: usize,
                    count: usize,
                ) -> RedisFuture<'a, Vec<Value>> {
                    Box::pin(async move {
                        let mut connection = self.connection().await?;
                        let result = connection.send_packed_commands(commands, offset, count).await;
                        self.look_at(result).await
                    })
                }

                fn get_db(&self) -> i64 {
                    0
                }
            }
        }
    };
}

dialing!(for_027, redis_027);
dialing!(for_032, redis_032);
