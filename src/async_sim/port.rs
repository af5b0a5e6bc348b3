//! What the code of one client process shares with whoever runs it: its connections, its alarms, what it did.
//!
//! Code puts acts in and waits; the hub takes them out, puts arrivals in and wakes. Must not know how code is run, nor
//! what it is: `labels.rs` guesses what a command is for, `stream.rs` and `wire.rs` are the two ends that code holds.

use super::labels::Labels;
use super::process::Stirred;
use crate::lock::{ConnectionId, Label, LinkState, RequestId};
use crate::name::{StoreAccess, VoterId};
use crate::resp::codec::{Decoded, Protocol, decode_command, encode_reply};
use crate::resp::{Command, Reply};
use crate::time::MonoTime;
use crate::world::{Act, Answer, Arrival, Carries};
use bytes::BytesMut;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

/// The port, shared by the code and its runner.
#[derive(Clone)]
pub(super) struct Port(Arc<Mutex<Shared>>);

/// What is behind a port.
pub(super) struct Shared {
    acts: Vec<Act>,
    /// Set with every act: the runner stops at the moment at which it was.
    stirred: Stirred,
    pipes: Vec<Pipe>,
    /// Voters to which a connection was open before the process began, and that nobody has taken up.
    ready: Vec<VoterId>,
    alarms: Vec<Alarm>,
    last_id: u64,
    /// What the store was asked and somebody waits for.
    asked: Vec<Asked>,
    /// How often it was asked, by kind.
    asks: Vec<(StoreAccess, u32)>,
    /// Whether the caller is to give up its call.
    cancelled: bool,
    caller: Option<Waker>,
    /// What commands are for.
    pub(super) labels: Labels,
    /// The process is dead: nothing that is dropped with it does anything.
    muted: bool,
    /// What went wrong outside of the world, so that nothing of this run can be believed.
    failure: Option<String>,
}

/// One connection.
struct Pipe {
    id: u64,
    voter: VoterId,
    connection: ConnectionId,
    state: PipeState,
    inbound: Inbound,
    /// The beginning of a command.
    outbound: BytesMut,
    /// How many commands were sent.
    sent: u32,
    /// Per command whose reply is to come, its number, and the protocol that it asks for, if it is a HELLO.
    awaited: VecDeque<(RequestId, Option<Protocol>)>,
    protocol: Protocol,
    waker: Option<Waker>,
}

/// How a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PipeState {
    Opening,
    Open,
    Refused,
    Reset,
}

/// What has arrived and was not read.
enum Inbound {
    Bytes(BytesMut),
    Replies(VecDeque<Heard>),
    /// The same where some may be missing.
    Numbered(VecDeque<Heard>),
}

/// What is heard on a connection that is read reply by reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// The answer to the oldest command that has none.
    Reply(Reply),
    /// The oldest commands without an answer, so many, will not get any.
    Missing(usize),
    /// A message of a channel, which no command asked for.
    Push(Reply),
}

/// How a connection is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// As bytes.
    Bytes,
    /// Reply by reply.
    Replies,
    /// Reply by reply, and what is missing is said.
    Numbered,
}

impl Reads {
    /// Whoever knows what a reply answers can do without one: a driver of a core is as the world's own.
    fn carries(self) -> Carries {
        match self {
            Self::Bytes | Self::Replies => Carries::Bytes,
            Self::Numbered => Carries::Messages,
        }
    }
}

/// A request to the store.
struct Asked {
    access: StoreAccess,
    number: u32,
    /// The answer, if it has come: `None` inside if nobody will ever know it.
    answer: Option<Option<Answer>>,
    waker: Option<Waker>,
}

/// A moment at which code wants to go on.
struct Alarm {
    id: u64,
    at: MonoTime,
    rung: bool,
    waker: Option<Waker>,
}

impl Port {
    /// A port with a connection open to each of these voters.
    pub(super) fn new(stirred: Stirred, ready: Vec<VoterId>) -> Self {
        Self(Arc::new(Mutex::new(Shared {
            acts: Vec::new(),
            stirred,
            pipes: Vec::new(),
            ready,
            alarms: Vec::new(),
            last_id: 0,
            asked: Vec::new(),
            asks: Vec::new(),
            cancelled: false,
            caller: None,
            labels: Labels::new(),
            muted: false,
            failure: None,
        })))
    }

    /// A panic of the code while it held the port leaves nothing half done that matters: its run is over.
    pub(super) fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

// The runner's side.
impl Shared {
    /// What was done since the last look.
    pub(super) fn take_acts(&mut self) -> Vec<Act> {
        self.stirred.reset();
        std::mem::take(&mut self.acts)
    }

    pub(super) fn has_acted(&self) -> bool {
        !self.acts.is_empty()
    }

    /// The process is dead.
    pub(super) fn mute(&mut self) {
        self.muted = true;
        self.acts.clear();
    }

    /// What went wrong outside of the world.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The first moment at which code wants to go on.
    pub(super) fn next_alarm(&self) -> Option<MonoTime> {
        self.alarms.iter().filter(|alarm| !alarm.rung).map(|alarm| alarm.at).min()
    }

    /// Wakes whoever waits for a moment that has come.
    pub(super) fn ring(&mut self, now: MonoTime) {
        for alarm in self.alarms.iter_mut().filter(|alarm| alarm.at <= now) {
            alarm.rung = true;
            if let Some(waker) = alarm.waker.take() {
                waker.wake();
            }
        }
    }

    /// Something has reached the process.
    pub(super) fn arrive(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Link { voter, connection, state } => {
                let Some(pipe) = self.pipe_of(voter, connection) else {
                    return self.ready.retain(|ready| (*ready, ConnectionId(0)) != (voter, connection));
                };
                pipe.state = match state {
                    LinkState::Up => PipeState::Open,
                    LinkState::Refused => PipeState::Refused,
                    LinkState::Reset => PipeState::Reset,
                };
                pipe.wake();
            }
            Arrival::Reply { voter, connection, request, reply } => {
                let noscript = matches!(&reply, Reply::Error(text) if text.starts_with(b"NOSCRIPT"));
                let Some(pipe) = self.pipe_of(voter, connection) else { return };
                let missing = pipe.awaited.iter().take_while(|(awaited, _)| *awaited != request).count();
                if missing > 0 && !pipe.skip(missing) {
                    // Nothing is read from a stream behind what is missing of it.
                    pipe.state = PipeState::Reset;
                    pipe.wake();
                    return self.act(Act::Close { voter, connection });
                }
                if let Some((_, Some(protocol))) = pipe.awaited.pop_front()
                    && !reply.is_error()
                {
                    pipe.protocol = protocol;
                }
                pipe.put(Heard::Reply(reply));
                if noscript {
                    self.labels.no_script(voter);
                }
            }
            Arrival::Push { voter, connection, message } => {
                if let Some(pipe) = self.pipe_of(voter, connection) {
                    pipe.put(Heard::Push(message));
                }
            }
            Arrival::Store { access, number, answer } => {
                // Nobody waits for it any more if its future was dropped.
                let asked =
                    self.asked.iter_mut().find(|asked| (asked.access, asked.number) == (access, number));
                if let Some(asked) = asked {
                    asked.answer_with(Some(answer));
                }
            }
            Arrival::StoreBroke => self.forget_store(),
            Arrival::Cancel => {
                self.cancelled = true;
                if let Some(waker) = self.caller.take() {
                    waker.wake();
                }
            }
            Arrival::Died | Arrival::Rose => unreachable!("a life is the runner's affair"),
        }
    }

    fn pipe_of(&mut self, voter: VoterId, connection: ConnectionId) -> Option<&mut Pipe> {
        self.pipes.iter_mut().find(|pipe| (pipe.voter, pipe.connection) == (voter, connection))
    }
}

// The code's side.
impl Shared {
    /// Does something.
    ///
    /// # Panics
    /// If so much was done without a look at the world that it can only be for ever.
    pub(super) fn act(&mut self, act: Act) {
        if !self.muted {
            assert!(self.acts.len() < ACTS_MAX, "a million things were done without waiting for any");
            self.acts.push(act);
            self.stirred.set();
        }
    }

    /// Something went wrong that no world has: the run is over.
    pub(super) fn fail(&mut self, text: String) {
        self.failure.get_or_insert(text);
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// The first number that no connection to this voter has.
    pub(super) fn free(&self, voter: VoterId) -> io::Result<ConnectionId> {
        let taken = |number: u8| {
            self.pipes.iter().any(|pipe| (pipe.voter, pipe.connection) == (voter, ConnectionId(number)))
        };
        let free = (0..=u8::MAX).find(|number| !taken(*number)).map(ConnectionId);
        free.ok_or_else(|| io::Error::other("256 connections are open"))
    }

    /// Whether a connection was open before the process began, and nobody has taken it up.
    pub(super) fn is_ready(&self, voter: VoterId) -> bool {
        self.ready.contains(&voter)
    }

    /// Begins to open a connection, or takes up the one that is open; its id. No other has this number.
    pub(super) fn open(&mut self, voter: VoterId, connection: ConnectionId, reads: Reads) -> u64 {
        let id = self.next_id();
        let inbound = match reads {
            Reads::Bytes => Inbound::Bytes(BytesMut::new()),
            Reads::Replies => Inbound::Replies(VecDeque::new()),
            Reads::Numbered => Inbound::Numbered(VecDeque::new()),
        };
        let taken_up = connection == ConnectionId(0) && self.is_ready(voter);
        let state = if taken_up { PipeState::Open } else { PipeState::Opening };
        let (outbound, awaited) = (BytesMut::new(), VecDeque::new());
        let (protocol, waker) = (Protocol::Resp2, None);
        let sent = 0;
        let pipe = Pipe { id, voter, connection, state, inbound, outbound, sent, awaited, protocol, waker };
        self.pipes.push(pipe);
        match taken_up {
            true => self.ready.retain(|ready| *ready != voter),
            false => self.act(Act::Connect { voter, connection, carries: reads.carries() }),
        }
        id
    }

    fn pipe(&mut self, id: u64) -> io::Result<&mut Pipe> {
        let pipe = self.pipes.iter_mut().find(|pipe| pipe.id == id);
        pipe.ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Whether a connection is open.
    pub(super) fn poll_open(&mut self, id: u64, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let pipe = match self.pipe(id) {
            Ok(pipe) => pipe,
            Err(error) => return Poll::Ready(Err(error)),
        };
        match pipe.state {
            PipeState::Open => Poll::Ready(Ok(())),
            PipeState::Refused => Poll::Ready(Err(io::ErrorKind::ConnectionRefused.into())),
            PipeState::Reset => Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
            PipeState::Opening => {
                pipe.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Lets go of a connection.
    pub(super) fn close(&mut self, id: u64) {
        let Some(at) = self.pipes.iter().position(|pipe| pipe.id == id) else { return };
        let Pipe { voter, connection, state, .. } = self.pipes.remove(at);
        match state {
            PipeState::Opening | PipeState::Open => self.act(Act::Close { voter, connection }),
            // The world has let go of it already.
            PipeState::Refused | PipeState::Reset => {}
        }
    }

    /// Writes bytes; whole commands go out at once.
    pub(super) fn write(&mut self, id: u64, bytes: &[u8]) -> io::Result<usize> {
        let pipe = self.pipe(id)?;
        if pipe.state != PipeState::Open {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        pipe.outbound.extend_from_slice(bytes);
        loop {
            let pipe = self.pipe(id)?;
            match decode_command(&pipe.outbound) {
                Ok(Decoded::Incomplete) => return Ok(bytes.len()),
                Ok(Decoded::Done { value, used }) => {
                    let _ = pipe.outbound.split_to(used);
                    // An empty line is no command.
                    if let Some(command) = value {
                        self.send(id, command, None)?;
                    }
                }
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string())),
            }
        }
    }

    /// Sends a command; what it is for is guessed if nobody says.
    pub(super) fn send(&mut self, id: u64, command: Command, label: Option<Label>) -> io::Result<()> {
        let pipe = self.pipe(id)?;
        if pipe.state != PipeState::Open {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        pipe.sent += 1;
        let request = RequestId(pipe.sent);
        pipe.awaited.push_back((request, asked_protocol(&command)));
        let (voter, connection) = (pipe.voter, pipe.connection);
        let (label, back, attempt) = match label {
            Some(label) => (label, 0, None),
            None => self.labels.of(voter, &command),
        };
        if let Some(number) = attempt {
            self.act(Act::Attempt { number });
        }
        self.act(Act::Send { voter, connection, request, command, label, back });
        Ok(())
    }

    /// Reads what has arrived; nothing at the end of a connection that broke.
    pub(super) fn poll_bytes(
        &mut self,
        id: u64,
        most: usize,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<BytesMut>> {
        let Ok(pipe) = self.pipe(id) else { return Poll::Ready(Ok(BytesMut::new())) };
        if let Inbound::Bytes(bytes) = &mut pipe.inbound
            && !bytes.is_empty()
        {
            let count = most.min(bytes.len());
            return Poll::Ready(Ok(bytes.split_to(count)));
        }
        match pipe.state {
            PipeState::Opening | PipeState::Open => {
                pipe.waker = Some(context.waker().clone());
                Poll::Pending
            }
            PipeState::Refused | PipeState::Reset => Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
        }
    }

    /// What is heard next on a connection that is read reply by reply; an error once it broke.
    pub(super) fn poll_heard(&mut self, id: u64, context: &mut Context<'_>) -> Poll<io::Result<Heard>> {
        let pipe = match self.pipe(id) {
            Ok(pipe) => pipe,
            Err(error) => return Poll::Ready(Err(error)),
        };
        if let Inbound::Replies(replies) | Inbound::Numbered(replies) = &mut pipe.inbound
            && let Some(heard) = replies.pop_front()
        {
            return Poll::Ready(Ok(heard));
        }
        match pipe.state {
            PipeState::Opening | PipeState::Open => {
                pipe.waker = Some(context.waker().clone());
                Poll::Pending
            }
            PipeState::Refused => Poll::Ready(Err(io::ErrorKind::ConnectionRefused.into())),
            PipeState::Reset => Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
        }
    }

    /// Sets an alarm; its id.
    pub(super) fn set_alarm(&mut self, at: MonoTime) -> u64 {
        let id = self.next_id();
        self.alarms.push(Alarm { id, at, rung: false, waker: None });
        id
    }

    pub(super) fn poll_alarm(&mut self, id: u64, context: &mut Context<'_>) -> Poll<()> {
        let Some(alarm) = self.alarms.iter_mut().find(|alarm| alarm.id == id) else {
            return Poll::Ready(());
        };
        if alarm.rung {
            return Poll::Ready(());
        }
        alarm.waker = Some(context.waker().clone());
        Poll::Pending
    }

    pub(super) fn drop_alarm(&mut self, id: u64) {
        self.alarms.retain(|alarm| alarm.id != id);
    }

    /// The store is asked; the number of this request among those of its kind.
    pub(super) fn ask(&mut self, access: StoreAccess) -> u32 {
        let at = self.asks.iter().position(|(known, _)| *known == access).unwrap_or_else(|| {
            self.asks.push((access, 0));
            self.asks.len() - 1
        });
        self.asks[at].1 += 1;
        let number = self.asks[at].1;
        self.asked.push(Asked { access, number, answer: None, waker: None });
        number
    }

    /// Whoever left the section, or whose connection to the store broke, hears no more answers.
    pub(super) fn forget_store(&mut self) {
        for asked in self.asked.iter_mut().filter(|asked| asked.answer.is_none()) {
            asked.answer_with(None);
        }
    }

    /// The answer to a request; `None` if nobody will ever know it.
    pub(super) fn poll_store(
        &mut self,
        access: StoreAccess,
        number: u32,
        context: &mut Context<'_>,
    ) -> Poll<Option<Answer>> {
        let asked = self.asked.iter_mut().find(|asked| (asked.access, asked.number) == (access, number));
        let Some(asked) = asked else { return Poll::Ready(None) };
        match asked.answer {
            Some(answer) => Poll::Ready(answer),
            None => {
                asked.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Nobody waits for this answer any more.
    pub(super) fn drop_ask(&mut self, access: StoreAccess, number: u32) {
        self.asked.retain(|asked| (asked.access, asked.number) != (access, number));
    }

    /// Whether the caller is to give up; asked at the beginning of a call it forgets what came too late for the last.
    pub(super) fn begin_call(&mut self) {
        self.cancelled = false;
    }

    pub(super) fn poll_cancelled(&mut self, context: &mut Context<'_>) -> bool {
        self.caller = Some(context.waker().clone());
        std::mem::take(&mut self.cancelled)
    }
}

impl Asked {
    fn answer_with(&mut self, answer: Option<Answer>) {
        self.answer = Some(answer);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Pipe {
    /// The oldest commands without an answer, so many, will not get any. Whether that can be said.
    fn skip(&mut self, missing: usize) -> bool {
        let Inbound::Numbered(replies) = &mut self.inbound else { return false };
        replies.push_back(Heard::Missing(missing));
        self.awaited.drain(..missing);
        true
    }

    fn put(&mut self, heard: Heard) {
        match &mut self.inbound {
            Inbound::Bytes(bytes) => {
                let (Heard::Reply(reply) | Heard::Push(reply)) = heard else { return };
                let mut encoded = Vec::new();
                encode_reply(&reply, self.protocol, &mut encoded);
                bytes.extend_from_slice(&encoded);
            }
            Inbound::Replies(replies) | Inbound::Numbered(replies) => replies.push_back(heard),
        }
        self.wake();
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// How much code may do before it waits.
const ACTS_MAX: usize = 1_000_000;

/// The protocol that a HELLO asks for.
fn asked_protocol(command: &Command) -> Option<Protocol> {
    if !command.name().eq_ignore_ascii_case(b"hello") {
        return None;
    }
    match command.args().first()?.as_ref() {
        b"3" => Some(Protocol::Resp3),
        b"2" => Some(Protocol::Resp2),
        _ => None,
    }
}
