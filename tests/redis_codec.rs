//! Bytes of commands and replies: round trips, hostile bytes, splits.

use bytes::Bytes;
use fencepost::resp::codec::{
    CommandError, DEPTH_MAX, Decoded, LINE_MAX, Protocol, ReplyError, decode_command, decode_reply,
    encode_command, encode_reply,
};
use fencepost::resp::{Command, Reply};
use proptest::prelude::*;

fn command(words: &[&str]) -> Command {
    Command::new(words.iter().map(|word| Bytes::copy_from_slice(word.as_bytes())))
}

#[track_caller]
fn check_command(bytes: &[u8], expected: &[&str]) {
    let value = (!expected.is_empty()).then(|| command(expected));
    assert_eq!(decode_command(bytes), Ok(Decoded::Done { value, used: bytes.len() }), "{:?}", bytes);
}

#[test]
fn commands_are_arrays_or_lines() {
    check_command(b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", &["GET", "k"]);
    check_command(b"*1\r\n$4\r\nPINGxx", &["PING"]);
    check_command(b"*2\r\n$3\r\nGET\r\n$0\r\n\r\n", &["GET", ""]);
    check_command(b"PING\r\n", &["PING"]);
    check_command(b"  set  k\tv \n", &["set", "k", "v"]);
    check_command(b"set \"a b\\n\\x41\\\"\" 'c\\'d\\n'\r\n", &["set", "a b\nA\"", "c'd\\n"]);
    check_command(b"get \"\"\n", &["get", ""]);
    check_command(b"*0\r\n", &[]);
    check_command(b"*-1\r\n", &[]);
    check_command(b"\r\n", &[]);
}

#[test]
fn protocol_errors_have_redis_texts() {
    let long = vec![b'1'; LINE_MAX + 1];
    let cases: [(Vec<u8>, &str); 12] = [
        (b"*x\r\n".to_vec(), "invalid multibulk length"),
        (b"*2147483648\r\n".to_vec(), "invalid multibulk length"),
        (b"*01\r\n".to_vec(), "invalid multibulk length"),
        (b"*1\r\n$x\r\n".to_vec(), "invalid bulk length"),
        (b"*1\r\n$-1\r\n".to_vec(), "invalid bulk length"),
        (b"*1\r\n$536870913\r\n".to_vec(), "invalid bulk length"),
        (b"*1\r\n+OK\r\n".to_vec(), "expected '$', got '+'"),
        (b"get \"a\r\n".to_vec(), "unbalanced quotes in request"),
        (b"get 'a'b\r\n".to_vec(), "unbalanced quotes in request"),
        (long.clone(), "too big inline request"),
        ([b"*", long.as_slice()].concat(), "too big mbulk count string"),
        ([b"*1\r\n$", long.as_slice()].concat(), "too big bulk count string"),
    ];
    for (bytes, text) in cases {
        let error = decode_command(&bytes).expect_err(text);
        assert_eq!(error.to_string(), format!("ERR Protocol error: {text}"));
    }
    assert_eq!(decode_command(b"*1\r\n+"), Ok(Decoded::Incomplete), "Redis waits for the line's end");
    assert_eq!(decode_command(b"*1\r\n\r\n"), Err(CommandError::ExpectedBulk(b'\r')));
}

#[test]
fn a_reply_looks_different_in_each_version() {
    let text = Bytes::from_static;
    let cases: [(Reply, &str, &str); 16] = [
        (Reply::OK, "+OK\r\n", "+OK\r\n"),
        (Reply::error("ERR a\r\nb"), "-ERR a  b\r\n", "-ERR a  b\r\n"),
        (Reply::Int(-7), ":-7\r\n", ":-7\r\n"),
        (Reply::Bulk(text(b"a\r\n")), "$3\r\na\r\n\r\n", "$3\r\na\r\n\r\n"),
        (Reply::Null, "$-1\r\n", "_\r\n"),
        (Reply::NullArray, "*-1\r\n", "_\r\n"),
        (Reply::Array(vec![Reply::Int(1), Reply::Null]), "*2\r\n:1\r\n$-1\r\n", "*2\r\n:1\r\n_\r\n"),
        (Reply::Map(vec![(Reply::Int(1), Reply::Int(2))]), "*2\r\n:1\r\n:2\r\n", "%1\r\n:1\r\n:2\r\n"),
        (Reply::Set(vec![Reply::Int(1)]), "*1\r\n:1\r\n", "~1\r\n:1\r\n"),
        (Reply::Push(vec![Reply::Int(1)]), "*1\r\n:1\r\n", ">1\r\n:1\r\n"),
        (Reply::Several(vec![Reply::Int(1), Reply::Null]), ":1\r\n$-1\r\n", ":1\r\n_\r\n"),
        (Reply::Double(text(b"2.5")), "$3\r\n2.5\r\n", ",2.5\r\n"),
        (Reply::Bool(true), ":1\r\n", "#t\r\n"),
        (Reply::Bool(false), ":0\r\n", "#f\r\n"),
        (Reply::BigNumber(text(b"12")), "$2\r\n12\r\n", "(12\r\n"),
        (Reply::Verbatim { format: *b"txt", text: text(b"hi") }, "$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n"),
    ];
    for (reply, resp2, resp3) in cases {
        for (protocol, expected) in [(Protocol::Resp2, resp2), (Protocol::Resp3, resp3)] {
            let mut bytes = Vec::new();
            encode_reply(&reply, protocol, &mut bytes);
            assert_eq!(String::from_utf8_lossy(&bytes), expected);
        }
    }
}

#[test]
fn malformed_replies_are_refused() {
    let cases: [(&[u8], ReplyError); 9] = [
        (b"x", ReplyError::UnknownMark(b'x')),
        (b":1x\r\n", ReplyError::Malformed(b':')),
        (b"$-2\r\n", ReplyError::Malformed(b'$')),
        (b"*1\r\n?", ReplyError::UnknownMark(b'?')),
        (b"#x\r\n", ReplyError::Malformed(b'#')),
        (b",x\r\n", ReplyError::Malformed(b',')),
        (b"(-\r\n", ReplyError::Malformed(b'(')),
        (b"=3\r\ntxt\r\n", ReplyError::Malformed(b'=')),
        (b"$999999999999\r\n", ReplyError::TooLong),
    ];
    for (bytes, error) in cases {
        assert_eq!(decode_reply(bytes), Err(error));
    }
    let deep = b"*1\r\n".repeat(DEPTH_MAX + 2);
    assert_eq!(decode_reply(&deep), Err(ReplyError::TooDeep));
    let attributes = b"|0\r\n".repeat(1_000_000);
    assert_eq!(decode_reply(&attributes), Err(ReplyError::TooDeep));
    assert_eq!(
        decode_reply(b"*2147483647\r\n"),
        Ok(Decoded::Incomplete),
        "nothing is allocated for a promise"
    );
    let attributed = decode_reply(b"|1\r\n+ttl\r\n:1\r\n:5\r\n");
    assert_eq!(attributed, Ok(Decoded::Done { value: Reply::Int(5), used: 18 }));
}

fn any_bytes() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(any::<u8>(), 0..20).prop_map(Bytes::from)
}

fn one_line() -> impl Strategy<Value = Bytes> {
    "[ -~]{0,20}".prop_map(Bytes::from)
}

/// Replies that RESP3 writes without loss.
fn resp3_reply() -> impl Strategy<Value = Reply> {
    let leaf = prop_oneof![
        one_line().prop_map(Reply::Status),
        one_line().prop_map(Reply::Error),
        any::<i64>().prop_map(Reply::Int),
        any_bytes().prop_map(Reply::Bulk),
        Just(Reply::Null),
        any::<i32>().prop_map(|n| Reply::Double(format!("{}", f64::from(n) / 8.0).into())),
        any::<bool>().prop_map(Reply::Bool),
        any::<i128>().prop_map(|n| Reply::BigNumber(n.to_string().into())),
        ("[a-z]{3}", any_bytes()).prop_map(|(f, text)| Reply::Verbatim {
            format: f.as_bytes().try_into().expect("three letters"),
            text
        }),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let items = prop::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            items.clone().prop_map(Reply::Array),
            items.clone().prop_map(Reply::Set),
            items.prop_map(Reply::Push),
            prop::collection::vec((inner.clone(), inner), 0..4).prop_map(Reply::Map),
        ]
    })
}

/// Replies that RESP2 writes without loss.
fn resp2_reply() -> impl Strategy<Value = Reply> {
    let leaf = prop_oneof![
        one_line().prop_map(Reply::Status),
        one_line().prop_map(Reply::Error),
        any::<i64>().prop_map(Reply::Int),
        any_bytes().prop_map(Reply::Bulk),
        Just(Reply::Null),
        Just(Reply::NullArray),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| prop::collection::vec(inner, 0..6).prop_map(Reply::Array))
}

fn any_command() -> impl Strategy<Value = Command> {
    prop::collection::vec(any_bytes(), 1..6).prop_map(Command::new)
}

/// Bytes that often look like the protocol.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        "[*$+:_#,(=%~>|!-]-?[0-9]{0,4}".prop_map(String::into_bytes),
        Just(b"\r\n".to_vec()),
        Just(b"\r\n".to_vec()),
        "[a-z\"'\\\\ ]{0,4}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// Every prefix answers "more" or what the whole answers.
#[track_caller]
fn check_prefixes<T, E>(bytes: &[u8], decode: fn(&[u8]) -> Result<Decoded<T>, E>)
where
    T: PartialEq + std::fmt::Debug,
    E: PartialEq + std::fmt::Debug,
{
    let whole = decode(bytes);
    let needed = match &whole {
        Ok(Decoded::Done { used, .. }) => {
            assert!(*used >= 1 && *used <= bytes.len());
            *used
        }
        Ok(Decoded::Incomplete) | Err(_) => bytes.len(),
    };
    for end in 0..needed {
        let prefix = decode(&bytes[..end]);
        let agrees = prefix == Ok(Decoded::Incomplete) || (whole.is_err() && prefix == whole);
        assert!(agrees, "{prefix:?} of {end} bytes, then {whole:?}");
    }
    for end in needed..bytes.len() {
        assert_eq!(decode(&bytes[..end]), whole);
    }
}

proptest! {
    #[test]
    fn commands_survive_the_wire(command in any_command(), rest in any_bytes()) {
        let mut bytes = Vec::new();
        encode_command(&command, &mut bytes);
        let used = bytes.len();
        bytes.extend_from_slice(&rest);
        prop_assert_eq!(decode_command(&bytes), Ok(Decoded::Done { value: Some(command), used }));
        check_prefixes(&bytes, decode_command);
    }

    #[test]
    fn resp3_replies_survive_the_wire(reply in resp3_reply(), rest in any_bytes()) {
        let mut bytes = Vec::new();
        encode_reply(&reply, Protocol::Resp3, &mut bytes);
        let used = bytes.len();
        bytes.extend_from_slice(&rest);
        prop_assert_eq!(decode_reply(&bytes), Ok(Decoded::Done { value: reply, used }));
        check_prefixes(&bytes, decode_reply);
    }

    #[test]
    fn resp2_replies_survive_the_wire(reply in resp2_reply(), rest in any_bytes()) {
        let mut bytes = Vec::new();
        encode_reply(&reply, Protocol::Resp2, &mut bytes);
        let used = bytes.len();
        bytes.extend_from_slice(&rest);
        prop_assert_eq!(decode_reply(&bytes), Ok(Decoded::Done { value: reply, used }));
    }

    #[test]
    fn resp3_only_replies_are_still_framed_in_resp2(reply in resp3_reply()) {
        let mut bytes = Vec::new();
        encode_reply(&reply, Protocol::Resp2, &mut bytes);
        let decoded = decode_reply(&bytes);
        let framed = matches!(decoded, Ok(Decoded::Done { used, .. }) if used == bytes.len());
        prop_assert!(framed);
    }

    #[test]
    fn hostile_bytes_never_panic(bytes in hostile()) {
        check_prefixes(&bytes, decode_command);
        check_prefixes(&bytes, decode_reply);
    }
}
