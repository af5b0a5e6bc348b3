//! EVAL, EVALSHA and SCRIPT.
//!
//! Must not run Lua itself: see `lua/`. Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::lua::{self, Declared, Ending, Job};
use super::super::node::{Activity, Node, Request, Wrote};
use super::super::number;
use super::super::scripts::{ScriptCache, Sha};
use super::super::table::{Access, Spec};
use crate::resp::Reply;
use bytes::Bytes;

/// EVAL: caches the script under its digest and runs it.
pub(in crate::redis) fn eval(
    node: &mut Node,
    request: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    let (keys, argv) = split_keys(args)?;
    let text = &args[0];
    let sha = lua::load(text)?;
    node.scripts.insert(sha, text);
    run(node, request, text, keys, argv)
}

/// EVALSHA: runs a cached script.
pub(in crate::redis) fn evalsha(
    node: &mut Node,
    request: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    if args[0].len() != 40 {
        return Err(CommandError::NoScript);
    }
    let (keys, argv) = split_keys(args)?;
    let text = Sha::from_hex(&args[0]).and_then(|sha| node.scripts.text(sha)).cloned();
    let text = text.ok_or(CommandError::NoScript)?;
    run(node, request, &text, keys, argv)
}

/// SCRIPT LOAD: compiles and caches; the digest as a bulk.
pub(in crate::redis) fn load(
    node: &mut Node,
    _: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    let sha = lua::load(&args[0])?;
    node.scripts.insert(sha, &args[0]);
    Ok(Reply::Bulk(sha.hex().into()))
}

/// SCRIPT EXISTS: 1 or 0 per digest, of any case.
pub(in crate::redis) fn exists(
    node: &mut Node,
    _: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    let known = |text: &Bytes| Sha::from_hex(text).and_then(|sha| node.scripts.text(sha)).is_some();
    Ok(Reply::Array(args.iter().map(|text| Reply::Int(i64::from(known(text)))).collect()))
}

/// SCRIPT FLUSH: empties the cache; the scripts' random sequence goes on.
pub(in crate::redis) fn flush(
    node: &mut Node,
    _: &mut Request<'_>,
    args: &[Bytes],
) -> Result<Reply, CommandError> {
    match args {
        [] => {}
        [mode] if mode.eq_ignore_ascii_case(b"sync") || mode.eq_ignore_ascii_case(b"async") => {}
        [_, ..] => return Err(CommandError::ScriptFlushOption),
    }
    node.scripts = ScriptCache::new();
    Ok(Reply::OK)
}

/// SCRIPT KILL: ends a busy script unless it has written.
pub(in crate::redis) fn kill(
    node: &mut Node,
    _: &mut Request<'_>,
    _: &[Bytes],
) -> Result<Reply, CommandError> {
    match node.activity {
        Activity::Serving => Err(CommandError::NotBusy),
        Activity::Busy(Wrote::Something) => Err(CommandError::Unkillable),
        Activity::Busy(Wrote::Nothing) => {
            node.activity = Activity::Serving;
            Ok(Reply::OK)
        }
    }
}

/// Whether the command counts as a write before it runs: by its flag, or because it names a cached script that
/// declares that it writes.
pub(in crate::redis) fn is_write(node: &Node, spec: &Spec, args: &[Bytes]) -> bool {
    let sha = match spec.name {
        "eval" => Some(Sha::of(&args[0])),
        "evalsha" => Sha::from_hex(&args[0]),
        _ => return spec.access == Access::Write,
    };
    let text = sha.and_then(|sha| node.scripts.text(sha));
    text.is_some_and(|text| lua::declared(text) == Declared::Writes)
}

/// The keys and the other arguments of EVAL and EVALSHA.
fn split_keys(args: &[Bytes]) -> Result<(&[Bytes], &[Bytes]), CommandError> {
    let count = number::integer(&args[1])?;
    let rest = &args[2..];
    if count > rest.len() as i64 {
        return Err(CommandError::TooManyKeys);
    }
    let count = usize::try_from(count).map_err(|_| CommandError::NegativeKeys)?;
    Ok(rest.split_at(count))
}

fn run(
    node: &mut Node,
    request: &mut Request<'_>,
    text: &Bytes,
    keys: &[Bytes],
    argv: &[Bytes],
) -> Result<Reply, CommandError> {
    if let Some(refusal) = node.standing.refusal()
        && lua::declared(text) == Declared::Writes
    {
        return Err(refusal.of_script());
    }
    let Request { wall, writer, audience, .. } = *request;
    let (standing, compat) = (node.standing, node.compat);
    let job = Job { text, keys, argv, wall, writer, standing, compat, audience };
    Ok(match lua::run(job, &mut node.keys, &mut node.random, request.log) {
        Ending::Reply(reply) => reply,
        Ending::Endless(wrote) => {
            node.activity = Activity::Busy(wrote);
            CommandError::Busy.reply()
        }
    })
}
