//! Commands that touch no key: PING, ECHO, TIME, SELECT, INFO, COMMAND COUNT, COMMAND DOCS, CONFIG GET.
//!
//! Must not read a real clock. There is one database, as with `databases 1`. Absent compared with Redis: the other
//! subcommands of COMMAND and CONFIG, what they would describe, and every part of INFO that is not listed here.
//! Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::Exec;
use super::super::number;
use super::super::standing::Role;
use super::super::table;
use super::shape;
use crate::resp::Reply;
use bytes::Bytes;

/// PING, with an optional message to echo.
pub(in crate::redis) fn ping(_: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    match args {
        [] => Ok(Reply::Status(Bytes::from_static(b"PONG"))),
        [message] => Ok(Reply::Bulk(message.clone())),
        [_, _, ..] => Err(CommandError::WrongArity("ping")),
    }
}

/// ECHO: the message.
pub(in crate::redis) fn echo(_: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(Reply::Bulk(args[0].clone()))
}

/// TIME: seconds and the microseconds within the second, both as text without padding.
pub(in crate::redis) fn time(exec: &mut Exec<'_>, _: &[Bytes]) -> Result<Reply, CommandError> {
    let micros = exec.wall.0;
    let part = |number: i64| Reply::Bulk(number.to_string().into());
    Ok(Reply::Array(vec![part(micros.div_euclid(1_000_000)), part(micros.rem_euclid(1_000_000))]))
}

/// SELECT: database 0, the only one.
pub(in crate::redis) fn select(_: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    match i32::try_from(number::integer(&args[0])?) {
        Ok(0) => Ok(Reply::OK),
        Ok(_) => Err(CommandError::DbIndex),
        Err(_) => Err(CommandError::DbIndexTooLarge),
    }
}

/// INFO: which server this is and what it is to others. A section it does not know is empty.
pub(in crate::redis) fn info(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let asked = |section: &str| {
        let names = ["default", "all", "everything", section];
        args.is_empty() || args.iter().any(|word| names.iter().any(|name| is(word, name)))
    };
    let mut sections = Vec::new();
    if asked("server") {
        let mut server = vec!["# Server".to_owned()];
        server.push(format!("redis_version:{}", exec.compat.redis_version()));
        if let ("valkey", version) = exec.compat.product() {
            server.push("server_name:valkey".to_owned());
            server.push(format!("valkey_version:{version}"));
        }
        server.push("redis_mode:standalone".to_owned());
        sections.push(server);
    }
    if asked("replication") {
        let mut replication = vec!["# Replication".to_owned()];
        match exec.standing.role {
            Role::Primary => replication.push("role:master".to_owned()),
            Role::Replica => replication.extend(["role:slave".to_owned(), "slave_read_only:1".to_owned()]),
        }
        replication.push(format!("connected_slaves:{}", exec.standing.replicas));
        sections.push(replication);
    }
    let text: Vec<String> = sections.iter().map(|lines| lines.join("\r\n") + "\r\n").collect();
    Ok(shape::verbatim(exec.protocol, text.join("\r\n").into()))
}

/// COMMAND COUNT: how many commands this server knows.
pub(in crate::redis) fn command_count(exec: &mut Exec<'_>, _: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(Reply::Int(table::count(exec.compat) as i64))
}

/// COMMAND DOCS and CONFIG GET: nothing is described, and no parameter is known.
pub(in crate::redis) fn nothing(exec: &mut Exec<'_>, _: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(shape::map(exec.protocol, std::iter::empty()))
}

fn is(word: &[u8], name: &str) -> bool {
    word.eq_ignore_ascii_case(name.as_bytes())
}
