//! Names and their texts: every name reads back from what it prints, and nothing else is accepted.
//!
//! Scenario files, directives and reports meet at these texts. Must not know what a message carries.

use fencepost::check::{OracleName, WitnessName};
use fencepost::name::{
    ClientId, CommandName, Direction, MessageName, Name, NameError, NodeId, Nonce, Operation, Point,
    PointName, Process, Route, StoreAccess, VoterId,
};
use fencepost::plan::FaultKind;
use proptest::prelude::*;

fn one_of<V: Copy + std::fmt::Debug + 'static>(
    texts: &'static [(V, &'static str)],
) -> impl Strategy<Value = V> {
    prop::sample::select(texts).prop_map(|(value, _)| value)
}

fn client() -> impl Strategy<Value = ClientId> {
    prop_oneof![0_u16..10, Just(u16::MAX - 1)].prop_map(ClientId)
}

fn node() -> impl Strategy<Value = NodeId> {
    (voter(), 0..=4_u8).prop_map(|(voter, member)| NodeId { voter, member })
}

fn voter() -> impl Strategy<Value = VoterId> {
    prop_oneof![0_u8..10, Just(u8::MAX - 1)].prop_map(VoterId)
}

fn process() -> impl Strategy<Value = Process> {
    prop_oneof![client().prop_map(Process::Client), node().prop_map(Process::Node), Just(Process::Store)]
}

fn route() -> impl Strategy<Value = Route> {
    let command =
        (voter(), one_of(&Operation::TEXTS), 1_u32..=u32::MAX, one_of(&CommandName::TEXTS), 1_u8..=u8::MAX);
    prop_oneof![
        (voter(), 1_u32..=u32::MAX).prop_map(|(voter, number)| Route::Connect { voter, number }),
        command.prop_map(|(voter, operation, number, command, occurrence)| Route::Command {
            voter,
            operation,
            number,
            command,
            occurrence
        }),
        (voter(), 1_u8..u8::MAX, 1_u32..=u32::MAX).prop_map(|(voter, connection, number)| Route::Further {
            voter,
            connection,
            number
        }),
        (voter(), 1_u32..=u32::MAX).prop_map(|(voter, number)| Route::Push { voter, number }),
        (one_of(&StoreAccess::TEXTS), 1_u32..=u32::MAX)
            .prop_map(|(access, number)| Route::Store { access, number }),
    ]
}

fn message() -> impl Strategy<Value = MessageName> {
    (client(), 1_u16..=u16::MAX, route(), one_of(&Direction::TEXTS)).prop_map(
        |(client, incarnation, route, direction)| {
            // Nobody asks for what is pushed.
            let push = matches!(route, Route::Push { .. });
            let direction = if push { Direction::Reply } else { direction };
            MessageName { client, incarnation, route, direction }
        },
    )
}

fn point() -> impl Strategy<Value = PointName> {
    let kinds: [fn(u32) -> Point; 10] = [
        Point::Acquire,
        Point::Granted,
        Point::Enter,
        Point::WriteCheck,
        Point::WriteSend,
        Point::Extend,
        Point::Leave,
        Point::Release,
        Point::Refused,
        Point::Await,
    ];
    (client(), 1_u16..=u16::MAX, prop::sample::select(kinds.to_vec()), 1_u32..=u32::MAX).prop_map(
        |(client, incarnation, kind, number)| PointName { client, incarnation, point: kind(number) },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn processes_read_back(process in process()) {
        prop_assert_eq!(process.to_string().parse(), Ok(process));
    }

    #[test]
    fn messages_read_back(message in message()) {
        prop_assert_eq!(message.to_string().parse(), Ok(message));
        prop_assert_eq!(message.to_string().parse(), Ok(Name::Message(message)));
    }

    #[test]
    fn points_read_back(point in point()) {
        prop_assert_eq!(point.to_string().parse(), Ok(point));
        prop_assert_eq!(point.to_string().parse(), Ok(Name::Point(point)));
    }

    /// Different names never share a text, so a directive means one message.
    #[test]
    fn different_messages_have_different_texts(one in message(), other in message()) {
        prop_assert_eq!(one == other, one.to_string() == other.to_string());
    }

    #[test]
    fn nonces_read_back(nonce in any::<u64>()) {
        let nonce = Nonce(nonce);
        prop_assert_eq!(Nonce::from_bytes(&nonce.to_bytes()), Some(nonce));
        let printed = nonce.to_string();
        prop_assert_eq!(printed.as_bytes(), &nonce.to_bytes()[..]);
    }

    /// Whatever is accepted is the text of what it was read as: there is one way to write a name.
    #[test]
    fn a_name_is_written_in_one_way(text in "(client|node|store)-?[0-9]{0,3}(#[0-9]{1,2})?[:>]?[a-z0-9.:>-]{0,30}") {
        if let Ok(process) = text.parse::<Process>() {
            prop_assert_eq!(process.to_string(), text.clone());
        }
        if let Ok(name) = text.parse::<Name>() {
            prop_assert_eq!(name.to_string(), text);
        }
    }

    /// One changed character never reads back as the same name.
    #[test]
    fn a_changed_character_is_another_name(message in message(), place in any::<prop::sample::Index>(), other in "[a-z0-9#>:. -]") {
        let mut text = message.to_string();
        let place = place.index(text.len());
        text.replace_range(place..=place, &other);
        if text != message.to_string() {
            prop_assert_ne!(text.parse(), Ok(message));
        }
    }
}

#[test]
fn bad_processes_say_how_to_write_one() {
    for text in [
        "",
        "client",
        "client-",
        "client-0",
        "client-01",
        "client-+1",
        "client-1 ",
        " client-1",
        "client--1",
        "Client-1",
        "node-0",
        "node-256",
        "client-65536",
        "store-1",
        "replica-1",
        "replica-1.0",
        "replica-0.1",
        "replica-1.256",
        "client-1>node-1",
        "node-1\n",
    ] {
        assert_eq!(text.parse::<Process>(), Err(NameError::Process), "{text:?}");
    }
    assert!(NameError::Process.to_string().contains("client-N, node-N, replica-N.M or store"));
}

#[test]
fn bad_messages_say_how_to_write_one() {
    for text in [
        "",
        "client-1#1",
        "client-1>node-3:acquire.2.set.1:request",
        "client-1#0>node-3:acquire.2.set.1:request",
        "node-1#1>node-3:acquire.2.set.1:request",
        "client-1#1>client-2:acquire.2.set.1:request",
        "client-1#1>node-3:acquire.0.set.1:request",
        "client-1#1>node-3:acquire.2.set.0:request",
        "client-1#1>node-3:acquire.2.set.256:request",
        "client-1#1>node-3:acquire.2.SET.1:request",
        "client-1#1>node-3:acquires.2.set.1:request",
        "client-1#1>node-3:acquire.2.set:request",
        "client-1#1>node-3:acquire.2.set.1",
        "client-1#1>node-3:acquire.2.set.1:requests",
        "client-1#1>node-3:acquire.2.set.1:request:request",
        "client-1#1>node-3:write.1:request",
        "client-1#1>store:acquire.2.set.1:request",
        "client-1#1>store:connect.1:request",
        "client-1#1>store:write:request",
        "client-1#1>store:write.4294967296:request",
    ] {
        assert_eq!(text.parse::<MessageName>(), Err(NameError::Message), "{text:?}");
    }
    let example = "client-1#1>node-3:acquire.2.set.1:request";
    assert!(NameError::Message.to_string().contains(example));
    assert!(example.parse::<MessageName>().is_ok(), "the error's own example is a name");
}

#[test]
fn bad_points_say_how_to_write_one() {
    for text in [
        "client-1:write.1.check",
        "client-1#1:write.1",
        "client-1#1:write.0.check",
        "client-1#1:write.1.done",
        "client-1#1:enter",
        "client-1#1:enter.1.2",
        "client-1#1:grant.1",
        "node-1#1:enter.1",
        "store#1:enter.1",
        "client-1#1",
    ] {
        assert_eq!(text.parse::<PointName>(), Err(NameError::Point), "{text:?}");
        assert_eq!(text.parse::<Name>(), Err(NameError::Point), "{text:?}");
    }
    let example = "client-1#1:write.1.check";
    assert!(NameError::Point.to_string().contains(example));
    assert!(example.parse::<PointName>().is_ok(), "the error's own example is a name");
}

#[test]
fn only_the_exact_shape_is_a_nonce() {
    for bytes in [
        "",
        "nonce-",
        "nonce-0000000000000000 ",
        "nonce-000000000000000",
        "nonce-00000000000000000",
        "nonce-000000000000000G",
        "nonce-000000000000000A",
        "Nonce-0000000000000000",
        "nonce-+00000000000000f",
    ] {
        assert_eq!(Nonce::from_bytes(bytes.as_bytes()), None, "{bytes:?}");
    }
}

/// The ends of a message, as the world routes it.
#[test]
fn a_reply_travels_back_to_its_client() {
    let request: MessageName = "client-2#3>node-4:release.5.eval.1:request".parse().expect("a name");
    assert_eq!(request.target(), Process::Node(NodeId::first(VoterId(3))));
    assert_eq!(request.reply().target(), Process::Client(ClientId(1)));
    assert_eq!(request.reply().to_string(), "client-2#3>node-4:release.5.eval.1:reply");
    let write: MessageName = "client-2#3>store:write.1:request".parse().expect("a name");
    assert_eq!(write.target(), Process::Store);
}

/// The words that scenario files use as keys read back to the one thing they mean, and are kebab-case.
#[test]
fn words_of_scenario_files_are_unique_and_kebab_case() {
    let oracles = OracleName::TEXTS.iter().map(|(name, text)| (*text, name.to_string()));
    let faults = FaultKind::TEXTS.iter().map(|(kind, text)| (*text, kind.text().to_owned()));
    let witnesses = WitnessName::TEXTS.iter().map(|(name, text)| (*text, name.to_string()));
    let mut seen = std::collections::BTreeSet::new();
    for (text, printed) in oracles.chain(faults).chain(witnesses) {
        assert_eq!(text, printed);
        assert!(seen.insert(text), "{text} has two meanings");
        assert!(text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{text}");
    }
    for (name, text) in WitnessName::TEXTS {
        assert_eq!(WitnessName::of(text), Some(name));
    }
    for (kind, text) in FaultKind::TEXTS {
        assert_eq!(WitnessName::of(text), Some(WitnessName::Fault(kind)));
    }
    assert_eq!(WitnessName::of("grant"), None);
}
