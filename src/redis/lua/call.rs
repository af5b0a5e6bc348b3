//! What only the host can give a script: commands, errors with their place, the random sequence.
//!
//! Functions here are built once per interpreter and find the running script's state in the thread. Must not
//! be reachable while no script runs. Source: Redis 7.0.15.

use super::super::node::Compat;
use super::super::scripts::Sha;
use super::convert;
use super::format;
use super::limits::{MEMORY, Stop};
use super::random::Random;
use super::turn::{Failure, Place, Turn};
use crate::resp::codec::Protocol;
use bytes::Bytes;
use mlua::{Lua, MultiValue, Table, Value};

/// The error of a command, on its way through Lua.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", String::from_utf8_lossy(.0))]
struct CommandFailed(Bytes);

/// The table that `sandbox.lua` receives.
pub(super) fn host(lua: &Lua) -> mlua::Result<Table> {
    let host = lua.create_table()?;
    let limits = lua.create_table()?;
    limits.raw_set("coroutines", COROUTINES)?;
    limits.raw_set("pattern", PATTERN)?;
    limits.raw_set("text", TEXT)?;
    host.raw_set("limits", limits)?;
    host.raw_set("on_error", lua.create_function(on_error)?)?;
    host.raw_set("caught", lua.create_function(caught)?)?;
    host.raw_set("stopped", lua.create_function(|_, ()| Ok(stop().is_some()))?)?;
    host.raw_set("unordered", lua.create_function(|_, ()| stop_with::<()>(Stop::Unordered))?)?;
    host.raw_set(
        "charge",
        lua.create_function(|_, ()| match Turn::with(Turn::charge).flatten() {
            Some(stop) => Err(mlua::Error::runtime(stop.text())),
            None => Ok(()),
        })?,
    )?;
    host.raw_set(
        "draw",
        lua.create_function(|_, ()| Ok(Turn::with(|turn| turn.random.draw()).unwrap_or(0)))?,
    )?;
    host.raw_set(
        "seed",
        lua.create_function(|_, seed: f64| {
            // C converts by way of a 64-bit integer; the generator takes the low half.
            Turn::with(|turn| turn.random = Random::seeded(seed as i64 as i32));
            Ok(())
        })?,
    )?;
    host.raw_set("version", lua.create_function(version)?)?;
    // Memory is limited only while Lua code runs: what the binding does under a limit costs several times more.
    host.raw_set("arm", lua.create_function(|lua, ()| lua.set_memory_limit(MEMORY).map(drop))?)?;
    host.raw_set("redis", library(lua)?)?;
    Ok(host)
}

/// The part of `redis` that is not plain Lua.
fn library(lua: &Lua) -> mlua::Result<Table> {
    let redis = lua.create_table()?;
    redis.raw_set(
        "call",
        lua.create_function(|lua, args: MultiValue| match unlimited(lua, |lua| command(lua, &args))? {
            Ok(value) => Ok(value),
            Err(text) => Err(mlua::Error::external(CommandFailed(text))),
        })?,
    )?;
    redis.raw_set(
        "pcall",
        lua.create_function(|lua, args: MultiValue| match unlimited(lua, |lua| command(lua, &args))? {
            Ok(value) => Ok(value),
            Err(text) => Ok(Value::Table(convert::field(lua, "err", &text)?)),
        })?,
    )?;
    redis.raw_set("sha1hex", lua.create_function(sha1hex)?)?;
    redis.raw_set("log", lua.create_function(log)?)?;
    redis.raw_set("setresp", lua.create_function(setresp)?)?;
    Ok(redis)
}

/// Lifts the memory limit for work of the host's own; what it took counts when Lua goes on.
fn unlimited<R>(lua: &Lua, work: impl FnOnce(&Lua) -> mlua::Result<R>) -> mlua::Result<R> {
    lua.set_memory_limit(0)?;
    let result = work(lua);
    lua.set_memory_limit(MEMORY)?;
    result
}

/// Runs one command; the inner error is Redis' own text.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other kinds of a foreign enum are refused")]
fn command(lua: &Lua, args: &MultiValue) -> mlua::Result<Result<Value, Bytes>> {
    if args.is_empty() {
        return Ok(Err(Bytes::from_static(
            b"ERR Please specify at least one argument for this redis lib call",
        )));
    }
    let compat = Turn::with(|turn| turn.compat).unwrap_or(Compat::V72);
    let mut words = Vec::with_capacity(args.len());
    for arg in args {
        words.push(match arg {
            Value::String(text) => Bytes::copy_from_slice(&text.as_bytes()),
            Value::Integer(number) => format::argument(*number as f64, compat).into(),
            Value::Number(number) => format::argument(*number, compat).into(),
            _ => {
                const WRONG: &[u8] = b"ERR Lua redis lib command arguments must be strings or integers";
                return Ok(Err(Bytes::from_static(WRONG)));
            }
        });
    }
    let Some((done, view)) = Turn::with(|turn| (turn.call(&words), turn.view)) else {
        return Ok(Ok(Value::Nil));
    };
    match done {
        Ok(reply) => convert::value(lua, &reply, view).map(Ok),
        Err(text) => Ok(Err(text)),
    }
}

fn sha1hex(lua: &Lua, args: MultiValue) -> mlua::Result<Value> {
    let [value] = args.as_slices().0 else { return Err(wrong("ERR wrong number of arguments")) };
    let text = lua.coerce_string(value.clone())?;
    let digest = Sha::of(&text.map_or_else(Vec::new, |text| text.as_bytes().to_vec()));
    Ok(Value::String(lua.create_string(digest.hex())?))
}

/// Writes nothing: a server without a log file. The arguments are checked as Redis does.
fn log(lua: &Lua, args: MultiValue) -> mlua::Result<()> {
    if args.len() < 2 {
        return Err(wrong("ERR redis.log() requires two arguments or more."));
    }
    let level = lua.coerce_number(args[0].clone())?;
    let level = level.ok_or_else(|| wrong("ERR First argument must be a number (log level)."))?;
    if !(0.0..4.0).contains(&level) {
        return Err(wrong("ERR Invalid debug level."));
    }
    Ok(())
}

fn setresp(lua: &Lua, args: MultiValue) -> mlua::Result<()> {
    let [version] = args.as_slices().0 else {
        return Err(wrong("ERR redis.setresp() requires one argument."));
    };
    let view = match lua.coerce_integer(version.clone())? {
        Some(2) => Protocol::Resp2,
        Some(3) => Protocol::Resp3,
        Some(_) | None => return Err(wrong("ERR RESP version must be 2 or 3.")),
    };
    Turn::with(|turn| turn.view = view);
    Ok(())
}

/// What a script reads as the server's version. Source: Redis 7.0.15; the number is 0x00MMmmpp.
fn version(lua: &Lua, name: mlua::LuaString) -> mlua::Result<Value> {
    let compat = Turn::with(|turn| turn.compat).unwrap_or(Compat::V72);
    let text = compat.redis_version();
    let parts = text.split('.').map(|part| part.parse().unwrap_or(0));
    let number = parts.fold(0, |number, part: i64| number << 8 | part);
    Ok(match name.as_bytes() == b"REDIS_VERSION" {
        true => Value::String(lua.create_string(text)?),
        false => Value::Integer(number),
    })
}

fn wrong(text: &'static str) -> mlua::Error {
    mlua::Error::external(CommandFailed(Bytes::from_static(text.as_bytes())))
}

fn stop() -> Option<Stop> {
    Turn::with(|turn| turn.stop).flatten()
}

fn stop_with<R>(stop: Stop) -> mlua::Result<R> {
    Turn::with(|turn| *turn.stop.get_or_insert(stop));
    Err(mlua::Error::runtime(stop.text()))
}

/// Turns what a catcher caught into what a script may see, or passes on what stops the script.
fn caught(lua: &Lua, value: Value) -> mlua::Result<Value> {
    if let Some(stop) = stop() {
        return Err(mlua::Error::runtime(stop.text()));
    }
    if is_out_of_memory(&value) {
        return stop_with(Stop::TooBig);
    }
    if let Value::String(text) = &value {
        let text = text.as_bytes();
        let shown = without_chunk(&text, SANDBOX_CHUNK).or_else(|| without_chunk(&text, CALLER_CHUNK));
        return match shown {
            Some(shown) => Ok(Value::String(lua.create_string(shown)?)),
            None => Ok(value.clone()),
        };
    }
    let Value::Error(error) = &value else { return Ok(value) };
    match failed_command(error) {
        Some(text) => Ok(Value::Table(convert::field(lua, "err", text)?)),
        None => Ok(Value::String(lua.create_string(innermost(error))?)),
    }
}

/// The handler of every error that no script caught, called where the error arose.
fn on_error(lua: &Lua, value: Value) -> mlua::Result<()> {
    if is_out_of_memory(&value) {
        Turn::with(|turn| *turn.stop.get_or_insert(Stop::TooBig));
    }
    let place = place(lua);
    let text = text_of(lua, &value, place.as_ref());
    Turn::with(|turn| turn.failure = Some(Failure { text, place }));
    Ok(())
}

/// The innermost function written in Lua that is not the sandbox. A function that left by a tail call has none.
fn place(lua: &Lua) -> Option<Place> {
    let frame = |level| {
        lua.inspect_stack(level, |frame| {
            let source = frame.source();
            let chunk = source.source?.into_owned();
            if chunk == SANDBOX_CHUNK || chunk == CALLER_CHUNK {
                return None;
            }
            // A function written in C has no current line.
            let line = frame.current_line()?;
            Some(Place { chunk, short: source.short_src?.into_owned(), line })
        })
    };
    (1..).map_while(frame).flatten().next()
}

/// An error for which Lua could not call the handler: out of memory, or an error within the handler.
pub(super) fn record_unhandled(lua: &Lua, value: &Value, turn: &mut Turn) {
    if is_out_of_memory(value) {
        turn.stop.get_or_insert(Stop::TooBig);
    }
    if turn.failure.is_none() {
        turn.failure = Some(Failure { text: text_of(lua, value, None), place: None });
    }
}

/// An error outside the script's own protection: only memory can run out there.
pub(super) fn record_outside(error: &mlua::Error, turn: &mut Turn) {
    turn.stop.get_or_insert(Stop::TooBig);
    turn.failure = Some(Failure { text: innermost(error), place: None });
}

/// What the client sees of an error value, with a leading code.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other kinds of a foreign enum show their type")]
fn text_of(lua: &Lua, value: &Value, place: Option<&Place>) -> Vec<u8> {
    let plain = |text: &[u8]| [b"ERR ", text].concat();
    match value {
        Value::Error(error) => match failed_command(error) {
            Some(text) => text.to_vec(),
            None => plain(&innermost(error)),
        },
        Value::Table(table) => match table.raw_get::<Value>("err") {
            Ok(err @ (Value::String(_) | Value::Integer(_) | Value::Number(_))) => as_text(lua, err),
            // Redis 7 dies here.
            _ => plain(b"the script raised a table without err"),
        },
        Value::String(_) | Value::Integer(_) | Value::Number(_) => {
            let text = as_text(lua, value.clone());
            match (without_chunk(&text, SANDBOX_CHUNK), place) {
                // A library function that the sandbox called: in Redis the script called it.
                (Some(message), Some(place)) => {
                    let place = format!("{}:{}: ", place.short, place.line);
                    plain(&[place.as_bytes(), message].concat())
                }
                (Some(message), None) => plain(message),
                (None, _) => plain(without_chunk(&text, CALLER_CHUNK).unwrap_or(&text)),
            }
        }
        Value::Nil => plain(b"nil"),
        Value::Boolean(truth) => plain(truth.to_string().as_bytes()),
        other => plain(format!("{}: 0x000000000000", other.type_name()).as_bytes()),
    }
}

/// A message that names a line of one of our chunks, without that.
fn without_chunk<'t>(text: &'t [u8], chunk: &str) -> Option<&'t [u8]> {
    let rest = text.strip_prefix(&chunk.as_bytes()[1..])?.strip_prefix(b":")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    rest[digits..].strip_prefix(b": ")
}

fn as_text(lua: &Lua, value: Value) -> Vec<u8> {
    let text = lua.coerce_string(value).ok().flatten();
    text.map_or_else(Vec::new, |text| text.as_bytes().to_vec())
}

fn failed_command(error: &mlua::Error) -> Option<&Bytes> {
    error.downcast_ref::<CommandFailed>().map(|failed| &failed.0)
}

/// The message of the error at the root, without the traces that the binding adds.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other kinds of a foreign enum print themselves")]
fn innermost(error: &mlua::Error) -> Vec<u8> {
    match error {
        mlua::Error::CallbackError { cause, .. } => innermost(cause),
        mlua::Error::RuntimeError(text) => text.clone().into_bytes(),
        other => other.to_string().into_bytes(),
    }
}

/// Lua reports it as a plain text, the binding as an error of its own.
fn is_out_of_memory(value: &Value) -> bool {
    if let Value::Error(error) = value {
        let mut error: &mlua::Error = error;
        while let mlua::Error::CallbackError { cause, .. } = error {
            error = cause;
        }
        return matches!(error, mlua::Error::MemoryError(_));
    }
    value.as_string().is_some_and(|text| text.as_bytes() == b"not enough memory")
}

/// The source of every function of `sandbox.lua`, as Lua names it: nothing a script's message would start with.
pub(super) const SANDBOX_CHUNK: &str = "=\u{1}";
/// The same of `caller.lua`.
pub(super) const CALLER_CHUNK: &str = "=\u{2}";
/// How many coroutines may be inside each other.
const COROUTINES: u32 = 100;
/// Bytes of a pattern with magic characters.
const PATTERN: u32 = 4_096;
/// Bytes that `string.rep` may make.
const TEXT: u32 = 16 << 20;
