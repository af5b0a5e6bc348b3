//! Walking through a graph: choices and steps in words, and a server that shows them.
//!
//! Must not leave a server behind.

use fencepost::check::OracleName;
use fencepost::lock::{Core, Policy, Protocol, Ttl};
use fencepost::prove::{Allowed, Choice, Explorable, Kind, Menu, Question, Scope, ScopeModel};
use fencepost::report::explored_text;
use fencepost::sim::cores;
use fencepost::time::Span;
use stateright::Model;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn explorable() -> Explorable<Core> {
    let scope = Scope::small(1);
    let setup = scope.setup(Policy::spec(Protocol::Single, 1, Ttl::Of(Span::from_ms(1))));
    let menu = Menu { total: 1, allowed: vec![Allowed { kind: Kind::ClientStop, budget: 1, ticks: (1, 2) }] };
    let cores = cores(&setup);
    let oracles = [OracleName::PromiseOverlap];
    Explorable::new(ScopeModel::new(scope, menu, setup, cores, &oracles, Question::Violated), explored_text)
}

/// Takes the first choice whose words contain each of these, in turn; returns what was offered and what was shown.
fn walk(explorable: &Explorable<Core>, wanted: &[&str]) -> (Vec<String>, Vec<String>) {
    let mut state = explorable.init_states().remove(0);
    let (mut offered, mut shown) = (Vec::new(), Vec::new());
    for part in wanted {
        let mut actions: Vec<Choice> = Vec::new();
        explorable.actions(&state, &mut actions);
        let words: Vec<String> = actions.iter().map(|action| explorable.format_action(action)).collect();
        let place = words.iter().position(|words| words.contains(part));
        let place = place.unwrap_or_else(|| panic!("no {part:?} among {words:?}\nafter {shown:#?}"));
        offered.extend(words);
        let step = explorable.format_step(&state, actions[place]).expect("every choice leads somewhere");
        state = explorable.next_state(&state, actions[place]).expect("every choice leads somewhere");
        assert_eq!(format!("{state:#?}"), step, "a state shows the step that led to it");
        shown.push(step);
    }
    (offered, shown)
}

#[test]
fn a_path_is_told_in_words() {
    let wanted = ["client-1 goes on", "takes no time", "stays as it is", "takes no time", "arrives"];
    let (offered, shown) = walk(&explorable(), &wanted);
    let shown = shown.join("\n");
    for part in [
        "client-1 stays as it is in this tick",
        "combination of delays 1",
        "the answer of node-1 to client-1 arrives",
        "a standstill of client-1 begins",
    ] {
        assert!(offered.iter().any(|words| words.contains(part)), "{part:?} is not offered: {offered:#?}");
    }
    for part in [
        "calls acquire",
        "the request of client-1 to node-1 takes 0 ticks",
        "the answer of node-1 to client-1 takes 0 ticks",
        "GRANTED",
        "ENTERS the section",
        "its mono",
    ] {
        assert!(shown.contains(part), "{part:?} is not shown:\n{shown}");
    }
}

#[test]
#[should_panic(expected = "can be reached from elsewhere")]
fn only_the_machine_itself_is_served() {
    explorable().serve("0.0.0.0:0".parse().expect("an address"), 1);
}

/// A server that ends with the test, whatever happens in it.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn get(address: SocketAddr, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a server in another process is awaited, but not for ever")]
fn the_command_serves_the_graph() {
    // A port that was free a moment ago.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(["prove", "single", "--explorer", &address.to_string()]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let server = Server(command.spawn().expect("the binary runs"));
    let until = Instant::now() + Duration::from_secs(60);
    let status = loop {
        match get(address, "/.status") {
            Some(text) if !text.is_empty() => break text,
            Some(_) | None => assert!(Instant::now() < until, "nobody answers at {address}"),
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    assert!(status.contains("200 OK") && status.contains("unique_state_count"), "{status}");
    let states = get(address, "/.states/0").expect("a state");
    assert!(states.contains("client-1 stays as it is in this tick"), "{states}");
    drop(server);
}
