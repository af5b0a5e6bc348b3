//! What a client says about itself: HELLO, AUTH, QUIT, RESET, CLIENT GETNAME, ID, SETNAME, SETINFO, NO-EVICT, NO-TOUCH.
//!
//! No password is set and there is one user, `default`. What a client tells of its library is checked and forgotten.
//! Absent compared with Redis: every other subcommand of CLIENT, which an unknown subcommand answers.
//! Source: Redis 7.0.15 and 7.2.6.

use super::super::error::CommandError;
use super::super::node::{Node, Request};
use super::super::number;
use super::super::standing::Role;
use super::shape;
use crate::resp::Reply;
use crate::resp::codec::Protocol;
use bytes::Bytes;

/// HELLO: the protocol from here on, and what server this is.
pub(in crate::redis) fn hello(
    node: &mut Node,
    request: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    let session = &mut *request.session;
    let (protocol, mut options) = match args.split_first() {
        Some((version, options)) => (version_of(version)?, options),
        None => (session.protocol(), args),
    };
    let (mut name, mut known) = (None, true);
    while let Some((option, rest)) = options.split_first() {
        options = match rest {
            [user, _, rest @ ..] if option.eq_ignore_ascii_case(b"auth") => {
                known &= user.as_ref() == USER;
                rest
            }
            [wanted, rest @ ..] if option.eq_ignore_ascii_case(b"setname") => {
                name = Some(checked(wanted, CommandError::ClientName)?);
                rest
            }
            _ => return Err(CommandError::hello_option(option)),
        };
        if node.compat.is_70() {
            // Each option acts where it stands; from 7.2 on they act together.
            authenticated(known)?;
            session.rename(name.take());
        }
    }
    authenticated(known)?;
    session.rename(name);
    session.speak(protocol);
    let (server, version) = node.compat.product();
    let role = match node.standing.role {
        Role::Primary => "master",
        Role::Replica => "replica",
    };
    let facts = [
        ("server", bulk(server)),
        ("version", bulk(version)),
        ("proto", Reply::Int(if protocol == Protocol::Resp3 { 3 } else { 2 })),
        ("id", Reply::Int(session.id().into())),
        ("mode", bulk("standalone")),
        ("role", bulk(role)),
        ("modules", Reply::Array(Vec::new())),
    ];
    Ok(shape::map(protocol, facts.into_iter().map(|(what, value)| (bulk(what), value))))
}

fn version_of(word: &[u8]) -> Result<Protocol, CommandError> {
    match number::strict(word).ok_or(CommandError::ProtocolNotAnInteger)? {
        2 => Ok(Protocol::Resp2),
        3 => Ok(Protocol::Resp3),
        _ => Err(CommandError::NoProtocol),
    }
}

fn authenticated(known: bool) -> Result<(), CommandError> {
    if known { Ok(()) } else { Err(CommandError::WrongPassword) }
}

/// AUTH: the one user needs no password, so that any will do, but only with its name.
pub(in crate::redis) fn auth(
    _: &mut Node,
    _: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    match args {
        [_] => Err(CommandError::NoPassword),
        [user, _] => authenticated(user.as_ref() == USER).map(|()| Reply::OK),
        _ => Err(CommandError::Syntax),
    }
}

/// QUIT: whoever owns the connection closes it behind the answer.
pub(in crate::redis) fn quit(
    _: &mut Node,
    request: &mut Request<'_>,
    _: &[Bytes],
) -> Result<Reply, CommandError> {
    request.session.quit();
    Ok(Reply::OK)
}

/// RESET: as if the connection had just opened.
pub(in crate::redis) fn reset(
    _: &mut Node,
    request: &mut Request<'_>,
    _: &[Bytes],
) -> Result<Reply, CommandError> {
    request.session.reset();
    Ok(Reply::Status(Bytes::from_static(b"RESET")))
}

/// CLIENT GETNAME: null without a name.
pub(in crate::redis) fn name(
    _: &mut Node,
    request: &mut Request<'_>,
    _: &[Bytes],
) -> Result<Reply, CommandError> {
    let name = request.session.name();
    Ok(if name.is_empty() { Reply::Null } else { Reply::Bulk(name.clone()) })
}

/// CLIENT SETNAME: an empty name is none.
pub(in crate::redis) fn set_name(
    _: &mut Node,
    request: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    request.session.rename(Some(checked(&args[0], CommandError::ClientName)?));
    Ok(Reply::OK)
}

/// CLIENT ID: the number that the connection was given from outside.
pub(in crate::redis) fn id(
    _: &mut Node,
    request: &mut Request<'_>,
    _: &[Bytes],
) -> Result<Reply, CommandError> {
    Ok(Reply::Int(request.session.id().into()))
}

/// CLIENT SETINFO: which library this is, and its version.
pub(in crate::redis) fn set_info(
    _: &mut Node,
    _: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    let option = &args[0];
    if !option.eq_ignore_ascii_case(b"lib-name") && !option.eq_ignore_ascii_case(b"lib-ver") {
        return Err(CommandError::unrecognized_option(option));
    }
    checked(&args[1], CommandError::client_info(option)).map(|_| Reply::OK)
}

/// CLIENT NO-EVICT and NO-TOUCH: ON or OFF, which nothing here depends on.
pub(in crate::redis) fn switch(
    _: &mut Node,
    _: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    let known = args[0].eq_ignore_ascii_case(b"on") || args[0].eq_ignore_ascii_case(b"off");
    if known { Ok(Reply::OK) } else { Err(CommandError::Syntax) }
}

/// A text that has only visible letters of ASCII, or this error.
fn checked(text: &Bytes, otherwise: CommandError) -> Result<Bytes, CommandError> {
    if text.iter().all(u8::is_ascii_graphic) { Ok(text.clone()) } else { Err(otherwise) }
}

fn bulk(text: &'static str) -> Reply {
    Reply::Bulk(Bytes::from_static(text.as_bytes()))
}

/// The one user.
const USER: &[u8] = b"default";
