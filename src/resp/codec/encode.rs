//! Values to bytes.
//!
//! Every value can be written: a line break inside a one-line reply becomes a space, as Redis does, so that
//! the output is always well framed.

use super::Protocol;
use crate::resp::{Command, Reply};

/// Appends a command as an array of bulks.
pub fn encode_command(command: &Command, out: &mut Vec<u8>) {
    head(out, b'*', command.words().len());
    for word in command.words() {
        bulk(out, b'$', word);
    }
}

/// Appends a reply in this version of the protocol.
pub fn encode_reply(reply: &Reply, protocol: Protocol, out: &mut Vec<u8>) {
    use Protocol::{Resp2, Resp3};
    match (reply, protocol) {
        (Reply::Status(text), _) => one_line(out, b'+', text),
        (Reply::Error(text), _) => one_line(out, b'-', text),
        (Reply::Int(number), _) => one_line(out, b':', number.to_string().as_bytes()),
        (Reply::Bulk(text), _) => bulk(out, b'$', text),
        (Reply::Null | Reply::NullArray, Resp3) => out.extend_from_slice(b"_\r\n"),
        (Reply::Null, Resp2) => out.extend_from_slice(b"$-1\r\n"),
        (Reply::NullArray, Resp2) => out.extend_from_slice(b"*-1\r\n"),
        (Reply::Array(items), _) => all(out, b'*', items, protocol),
        (Reply::Map(pairs), _) => {
            match protocol {
                Resp2 => head(out, b'*', pairs.len() * 2),
                Resp3 => head(out, b'%', pairs.len()),
            }
            for (key, value) in pairs {
                encode_reply(key, protocol, out);
                encode_reply(value, protocol, out);
            }
        }
        // Also inside a transaction's array, whose count is of commands: so does Redis.
        (Reply::Several(replies), _) => {
            for reply in replies {
                encode_reply(reply, protocol, out);
            }
        }
        (Reply::Set(items), Resp3) => all(out, b'~', items, protocol),
        (Reply::Push(items), Resp3) => all(out, b'>', items, protocol),
        (Reply::Set(items) | Reply::Push(items), Resp2) => all(out, b'*', items, protocol),
        (Reply::Double(text), Resp3) => one_line(out, b',', text),
        (Reply::BigNumber(text), Resp3) => one_line(out, b'(', text),
        (Reply::Double(text) | Reply::BigNumber(text), Resp2) => bulk(out, b'$', text),
        (Reply::Bool(truth), Resp3) => one_line(out, b'#', if *truth { b"t" } else { b"f" }),
        (Reply::Bool(truth), Resp2) => one_line(out, b':', if *truth { b"1" } else { b"0" }),
        (Reply::Verbatim { text, .. }, Resp2) => bulk(out, b'$', text),
        (Reply::Verbatim { format, text }, Resp3) => {
            head(out, b'=', text.len() + 4);
            out.extend_from_slice(format);
            out.push(b':');
            out.extend_from_slice(text);
            out.extend_from_slice(b"\r\n");
        }
    }
}

fn all(out: &mut Vec<u8>, mark: u8, items: &[Reply], protocol: Protocol) {
    head(out, mark, items.len());
    for item in items {
        encode_reply(item, protocol, out);
    }
}

fn head(out: &mut Vec<u8>, mark: u8, count: usize) {
    one_line(out, mark, count.to_string().as_bytes());
}

fn bulk(out: &mut Vec<u8>, mark: u8, text: &[u8]) {
    head(out, mark, text.len());
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

fn one_line(out: &mut Vec<u8>, mark: u8, text: &[u8]) {
    out.push(mark);
    out.extend(text.iter().map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { *byte }));
    out.extend_from_slice(b"\r\n");
}
