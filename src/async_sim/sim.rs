//! What the code of one client process is given: connections, the store, its clock, and the words to say what it did.
//!
//! `call.rs` holds the words around a call of acquire, `store.rs` those inside a section. Must not contain Redis or lock
//! semantics.

use super::clock::{Clock, Kind, nearest};
use super::port::Port;
use super::sockets::Sockets;
use super::store::Store;
use super::stream::Stream;
use super::wire::Wire;
use super::workload::Kept;
use crate::lock::{ConnectionId, Draw, ExtendFailure, LossReason, Terms, Until};
use crate::name::{ClientId, VoterId};
use crate::sim::Streams;
use crate::time::{MonoTime, Now, Span};
use crate::world::{Act, Draws, Length, Stretch, Workload};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, RedisConnectionInfo, RedisResult};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One client process, as its code sees it. Clones are the same process.
#[derive(Clone)]
pub struct Sim {
    pub(super) port: Port,
    pub(super) place: Arc<Place>,
}

/// Which process it is, and when it began.
pub(super) struct Place {
    pub(super) terms: Terms,
    pub(super) incarnation: u16,
    pub(super) habits: Arc<Habits>,
    pub(super) clock: Clock,
    /// What of its workload outlives it.
    pub(super) kept: Arc<Mutex<Kept>>,
    pub(super) draws: Arc<Mutex<dyn FnMut() -> Draw + Send>>,
    pub(super) sockets: Option<Sockets>,
}

/// How the scenario wants the client to work.
pub(super) struct Habits {
    pub(super) workload: Workload,
    pub(super) seed: u64,
}

/// How long [`Sim::redis`] waits before it tries again to connect.
const REDIAL: Duration = Duration::from_millis(100);
/// How long a client of redis-rs tries to connect.
const DIAL_MAX: Duration = Duration::from_secs(1);

impl Sim {
    /// Which client it is, from 0.
    pub fn client(&self) -> usize {
        usize::from(self.place.terms.client.0)
    }

    /// How often its process has been started: 1 before its first crash.
    pub fn incarnation(&self) -> u16 {
        self.place.incarnation
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        usize::from(self.place.terms.voters)
    }

    /// The terms on which the scenario wants the resource locked: key, TTL, node timeout. Code may keep to them.
    pub fn terms(&self) -> &Terms {
        &self.place.terms
    }

    /// How many cycles the scenario wants of each client. Code may keep to it.
    pub fn cycles(&self) -> u32 {
        self.place.habits.workload.cycles
    }

    /// How the scenario wants its clients to work. Code may keep to it.
    pub fn workload(&self) -> &Workload {
        &self.place.habits.workload
    }

    /// How long the scenario wants this cycle, counted from 0, to work: as long as its own lock's under the same seed.
    pub fn work(&self, cycle: u32) -> Duration {
        self.length(cycle, Stretch::Work, &self.workload().work)
    }

    /// How long it wants to wait after this cycle.
    pub fn think(&self, cycle: u32) -> Duration {
        self.length(cycle, Stretch::Think, &self.workload().think)
    }

    fn length(&self, cycle: u32, stretch: Stretch, length: &Length) -> Duration {
        let span = match length {
            Length::Of(span) => *span,
            Length::Drawn(of) => {
                let clients = self.client() + 1;
                Streams::new(self.place.habits.seed, clients).length(self.id(), cycle, stretch, of)
            }
        };
        Duration::from_micros(span.0.unsigned_abs())
    }

    /// The key of the guarded resource.
    pub fn key(&self) -> String {
        String::from_utf8_lossy(&self.place.terms.key).into_owned()
    }

    /// A connection of redis-rs to a node, counted from 0, as it comes: RESP2, its own time limits, which are 1 s to connect
    /// and 500 ms for a reply (on madsim none for a reply). Tries again every 100 ms while the node cannot be reached. Once it
    /// is broken it stays so, as any such connection.
    ///
    /// # Panics
    /// If there is no such node.
    pub async fn redis(&self, node: usize) -> MultiplexedConnection {
        loop {
            let dialed = tokio::select! {
                biased;
                dialed = self.try_redis(node, AsyncConnectionConfig::new()) => Some(dialed),
                () = self.sleep(DIAL_MAX) => None,
            };
            match dialed {
                Some(Ok(connection)) => return connection,
                Some(Err(_)) | None => self.sleep(REDIAL).await,
            }
        }
    }

    /// The same, once, and with settings of one's own. On madsim its own time limits are off: they are tokio's. The limit to
    /// connect is that of a `redis::Client`, not of a connection: here whoever calls sets one around it.
    ///
    /// # Errors
    /// The node could not be reached.
    ///
    /// # Panics
    /// If there is no such node; in blocking code, which has no runtime.
    pub async fn try_redis(
        &self,
        node: usize,
        config: AsyncConnectionConfig,
    ) -> RedisResult<MultiplexedConnection> {
        let stream = self.stream(node).await?;
        let info = RedisConnectionInfo::default();
        match self.place.clock.kind() {
            Kind::Tokio => {
                let (connection, driver) =
                    MultiplexedConnection::new_with_config(&info, stream, config).await?;
                tokio::spawn(driver);
                Ok(connection)
            }
            Kind::Madsim => {
                let untimed = config.set_response_timeout(None).set_connection_timeout(None);
                let (connection, driver) =
                    MultiplexedConnection::new_with_config(&info, stream, untimed).await?;
                madsim::task::spawn_local(driver);
                Ok(connection)
            }
            Kind::Thread => panic!("redis-rs needs a runtime: blocking code uses `wire`"),
        }
    }

    /// A connection to a node as a stream of bytes, for any client library that takes one.
    ///
    /// # Errors
    /// It was refused.
    ///
    /// # Panics
    /// If there is no such node.
    pub async fn stream(&self, node: usize) -> io::Result<Stream> {
        Stream::open(self.port.clone(), self.voter(node)).await
    }

    /// A connection to a node as commands and replies, for code that brings no client library.
    ///
    /// # Errors
    /// It was refused.
    ///
    /// # Panics
    /// If there is no such node.
    pub async fn wire(&self, node: usize) -> io::Result<Wire> {
        Wire::open(self.port.clone(), self.voter(node)).await
    }

    /// The address of a node, for libraries that connect by themselves: `redis::Client::open(sim.url(0))`, and its connection
    /// manager. Needs [`sockets`](super::Trial::sockets).
    ///
    /// It is `redis+unix://` and the path of a socket; a library must know such addresses (`fred` by its feature
    /// `unix-sockets`). Whoever connects is connected at once, and to the node as by [`stream`](Self::stream) behind that, as
    /// through a proxy on its own machine: what is refused shows as a connection that ends at once, what is lost on the way
    /// as a handshake without an answer.
    ///
    /// Only for asynchronous connections: one that blocks waits for ever, for its thread is the one that would answer. The
    /// path differs from run to run and from life to life: code that lets a hash of it decide is not repeated by a seed. A
    /// connection takes two descriptors of the machine. What is written to it reaches the world after all that the code does
    /// before it next waits, and a call has more awaits than on a stream. No test of the same binary may start a program
    /// meanwhile: for a moment it holds copies of descriptors, and connections that are dropped then end later.
    ///
    /// # Panics
    /// If there is no such node; without `sockets`; if the folder for temporary files has a name that fits no URL, or one
    /// that is too long for a socket.
    pub fn url(&self, node: usize) -> String {
        let voter = self.voter(node);
        let Some(sockets) = &self.place.sockets else {
            panic!("nodes have no addresses: say `.sockets()` before `.client(..)`")
        };
        let path = sockets.listen(&self.port, voter);
        let plain = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic() && !b"%?#".contains(&byte));
        let Some(path) = path.to_str().filter(plain) else {
            panic!("{}: no URL can name it; set TMPDIR to a folder of letters and digits", path.display())
        };
        format!("redis+unix://{path}")
    }

    fn voter(&self, node: usize) -> VoterId {
        assert!(node < self.nodes(), "node {node} of {}, counted from 0", self.nodes());
        VoterId(node as u8)
    }

    /// The guarded resource.
    pub fn store(&self) -> Store {
        Store::new(self.clone())
    }

    /// What the process's clocks show, to the microsecond.
    pub fn now(&self) -> Now {
        self.place.clock.now()
    }

    /// The end of a promise that runs until this moment.
    pub fn by(&self, instant: Instant) -> Until {
        Until::Mono(self.place.clock.at(instant))
    }

    /// The end of a promise that runs for so long from now.
    pub fn lasting(&self, time: Duration) -> Until {
        Until::Mono(self.now().mono + Span(nearest(time)))
    }

    /// Sleeps on the process's clock, to the microsecond. The sleep of a runtime works as well, with its own rounding.
    pub async fn sleep(&self, time: Duration) {
        self.sleep_until(self.now().mono + Span(nearest(time))).await;
    }

    /// Sleeps until the clock shows this.
    pub async fn sleep_until(&self, mono: MonoTime) {
        let alarm = Alarm { port: self.port.clone(), id: self.port.lock().set_alarm(mono) };
        std::future::poll_fn(|context| alarm.port.lock().poll_alarm(alarm.id, context)).await;
    }

    /// Lets the world see what was done so far before anything else is: a fault may come between.
    pub async fn turn(&self) {
        // A moment that has long come: the clock that code reads may be a little ahead of the world's.
        self.sleep_until(self.place.clock.beginning()).await;
    }

    /// A nonce that nobody else has, and jitter, from the seed of the run.
    pub fn draw(&self) -> Draw {
        let mut draws = self.place.draws.lock().unwrap_or_else(PoisonError::into_inner);
        (*draws)()
    }

    /// Says that the holder was told that its hold is lost; nothing if it holds nothing. Why, nobody says: who knows that an
    /// answer showed the key gone says `tell(Act::Lost(LossReason::Gone))`, which *continuity* judges.
    pub fn lost(&self) {
        if self.holding().is_some() {
            self.tell(Act::Lost(LossReason::Unsaid));
        }
    }

    /// The call by which it holds.
    fn holding(&self) -> Option<u32> {
        let port = self.port.lock();
        (port.labels.phase() == super::labels::Phase::Holding).then(|| port.labels.calls())
    }

    /// Prolongs the hold by this future, and says until when it then lasts; nothing is said of a hold that is not there.
    ///
    /// # Errors
    /// As the future.
    pub async fn extend<T, E>(
        &self,
        extension: impl Future<Output = Result<T, E>>,
        until: impl FnOnce(&T) -> Until,
    ) -> Result<T, E> {
        let began = self.holding();
        if began.is_some() {
            self.tell(Act::Extend);
        }
        let result = extension.await;
        // What comes when another hold has begun, or none is left, says nothing of it.
        if began.is_some() && self.holding() == began {
            self.tell(match &result {
                Ok(extended) => Act::Extended(until(extended)),
                Err(_) => Act::ExtendFailed(ExtendFailure::Unknown, None),
            });
        }
        result
    }

    /// Says that acquire is called and that its first attempt begins.
    pub(super) fn call(&self) {
        self.tell(Act::Acquire);
        let number = self.port.lock().labels.next_attempt();
        self.tell(Act::Attempt { number });
    }

    /// Says what was done, in the world's own words: for adapters that the others do not fit. Whoever does not tell the
    /// attempts of a call has them told by what is sent.
    pub fn tell(&self, act: Act) {
        let mut port = self.port.lock();
        match &act {
            Act::Acquire => {
                port.begin_call();
                port.labels.call();
            }
            Act::Attempt { number } => port.labels.attempt(*number),
            Act::Granted { .. } => port.labels.hold(),
            Act::Release => port.labels.release(),
            Act::Leave(_) => port.forget_store(),
            Act::Connect { .. }
            | Act::Close { .. }
            | Act::Send { .. }
            | Act::Await
            | Act::Persist { .. }
            | Act::Refused(_)
            | Act::GiveUp
            | Act::Enter(_)
            | Act::Check
            | Act::Ask(_)
            | Act::Extend
            | Act::Extended(_)
            | Act::ExtendFailed(..)
            | Act::Lost(_)
            | Act::Released(_)
            | Act::Done => {}
        }
        port.act(act);
    }

    /// The connections that were open before the process began, and that nobody has taken up.
    pub(super) fn ready(&self) -> Vec<(VoterId, ConnectionId)> {
        let port = self.port.lock();
        let all = (0..self.place.terms.voters).map(VoterId);
        all.filter(|voter| port.is_ready(*voter)).map(|voter| (voter, ConnectionId(0))).collect()
    }

    pub(super) fn id(&self) -> ClientId {
        self.place.terms.client
    }
}

struct Alarm {
    port: Port,
    id: u64,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.port.lock().drop_alarm(self.id);
    }
}

impl std::fmt::Debug for Sim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}", self.id(), self.place.incarnation)
    }
}
