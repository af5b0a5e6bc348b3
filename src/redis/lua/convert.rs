//! Replies to Lua values and Lua values to replies.
//!
//! Must not call anything that a script could have defined: all reads of tables are raw. Source: Redis 7.0.15.

use super::super::error::one_line;
use super::format;
use super::limits::{REPLY_DEPTH, REPLY_PARTS, Stop};
use super::turn::Turn;
use crate::resp::Reply;
use crate::resp::codec::Protocol;
use bytes::Bytes;
use mlua::{Lua, Table, Value};

/// The reply that a script's result stands for.
pub(super) fn reply(value: &Value, turn: &mut Turn) -> Reply {
    Replier { turn, parts: 0 }.reply(value, 0)
}

/// A command's reply as a Lua value; errors are not for here.
pub(super) fn value(lua: &Lua, reply: &Reply, view: Protocol) -> mlua::Result<Value> {
    let items = |items: &[Reply]| -> mlua::Result<Value> {
        let table = lua.create_table_with_capacity(items.len(), 0)?;
        for (place, item) in items.iter().enumerate() {
            table.raw_set(place + 1, value(lua, item, view)?)?;
        }
        Ok(Value::Table(table))
    };
    match reply {
        Reply::Int(number) => Ok(Value::Number(*number as f64)),
        Reply::Bulk(text) => Ok(Value::String(lua.create_string(text)?)),
        Reply::Status(text) => Ok(Value::Table(field(lua, "ok", text)?)),
        Reply::Error(text) => Ok(Value::Table(field(lua, "err", text)?)),
        Reply::Null | Reply::NullArray => Ok(match view {
            Protocol::Resp2 => Value::Boolean(false),
            Protocol::Resp3 => Value::Nil,
        }),
        Reply::Array(parts) | Reply::Push(parts) | Reply::Several(parts) => items(parts),
        Reply::Map(pairs) => {
            let table = lua.create_table_with_capacity(0, pairs.len())?;
            for (key, of) in pairs {
                table.raw_set(value(lua, key, view)?, value(lua, of, view)?)?;
            }
            tagged(lua, "map", Value::Table(table))
        }
        Reply::Set(members) => {
            let table = lua.create_table_with_capacity(0, members.len())?;
            for member in members {
                table.raw_set(value(lua, member, view)?, true)?;
            }
            tagged(lua, "set", Value::Table(table))
        }
        Reply::Double(text) => {
            let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            tagged(lua, "double", Value::Number(number.unwrap_or(f64::NAN)))
        }
        Reply::Bool(truth) => Ok(Value::Boolean(*truth)),
        Reply::BigNumber(digits) => Ok(Value::Table(field(lua, "big_number", digits)?)),
        Reply::Verbatim { format, text } => {
            let table = field(lua, "string", text)?;
            table.raw_set("format", lua.create_string(format)?)?;
            tagged(lua, "verbatim_string", Value::Table(table))
        }
    }
}

/// A table with one field, which says what kind of reply of RESP3 it is.
fn tagged(lua: &Lua, kind: &str, inside: Value) -> mlua::Result<Value> {
    let table = lua.create_table_with_capacity(0, 1)?;
    table.raw_set(kind, inside)?;
    Ok(Value::Table(table))
}

/// A table with one field.
pub(super) fn field(lua: &Lua, name: &str, text: &[u8]) -> mlua::Result<Table> {
    let table = lua.create_table_with_capacity(0, 1)?;
    table.raw_set(name, lua.create_string(text)?)?;
    Ok(table)
}

struct Replier<'a> {
    turn: &'a mut Turn,
    parts: usize,
}

impl Replier<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other kinds of a foreign enum answer null")]
    fn reply(&mut self, value: &Value, depth: usize) -> Reply {
        self.parts += 1;
        if self.parts > REPLY_PARTS {
            self.turn.stop.get_or_insert(Stop::TooBig);
            return Reply::Null;
        }
        match value {
            Value::Integer(number) => Reply::Int(*number),
            Value::Number(number) => Reply::Int(truncated(*number)),
            Value::String(text) => Reply::Bulk(Bytes::copy_from_slice(&text.as_bytes())),
            Value::Boolean(truth) => match (self.turn.view, truth) {
                (Protocol::Resp3, truth) => Reply::Bool(*truth),
                (Protocol::Resp2, true) => Reply::Int(1),
                (Protocol::Resp2, false) => Reply::Null,
            },
            Value::Table(_) if depth >= REPLY_DEPTH => Reply::error("ERR reached lua stack limit"),
            Value::Table(table) => self.tagged(table, depth).unwrap_or_else(|| self.array(table, depth)),
            _ => Reply::Null,
        }
    }

    /// The special one-field tables, in the order in which Redis looks for them.
    fn tagged(&mut self, table: &Table, depth: usize) -> Option<Reply> {
        let raw = |name: &str| table.raw_get::<Value>(name).unwrap_or(Value::Nil);
        if let Value::String(text) = raw("err") {
            return Some(Reply::Error(one_line(text.as_bytes().to_vec())));
        }
        if let Value::String(text) = raw("ok") {
            return Some(Reply::Status(one_line(text.as_bytes().to_vec())));
        }
        // The binding hands a whole number over as an integer.
        let double = raw("double");
        if let Some(number) = double.as_f64().or(double.as_i64().map(|whole| whole as f64)) {
            return Some(self.double(number));
        }
        if let Value::Table(map) = raw("map") {
            return Some(Reply::Map(self.pairs(&map, depth)));
        }
        if let Value::Table(set) = raw("set") {
            let members = self.pairs(&set, depth).into_iter().map(|(member, _)| member);
            return Some(Reply::Set(members.collect()));
        }
        if let Value::String(digits) = raw("big_number") {
            return Some(Reply::BigNumber(one_line(digits.as_bytes().to_vec())));
        }
        if let Value::Table(verbatim) = raw("verbatim_string") {
            return self.verbatim(&verbatim);
        }
        None
    }

    /// Indices from 1 up to the first nil.
    fn array(&mut self, table: &Table, depth: usize) -> Reply {
        let mut items = Vec::new();
        for place in 1.. {
            let value = table.raw_get::<Value>(place).unwrap_or(Value::Nil);
            if value.is_nil() || self.turn.stop.is_some() {
                break;
            }
            items.push(self.reply(&value, depth + 1));
        }
        Reply::Array(items)
    }

    /// In the order of the interpreter, which no address decides: such keys stop the script.
    fn pairs(&mut self, table: &Table, depth: usize) -> Vec<(Reply, Reply)> {
        let mut pairs = Vec::new();
        for pair in table.pairs::<Value, Value>() {
            let Ok((key, value)) = pair else { break };
            if !matches!(key, Value::Integer(_) | Value::Number(_) | Value::String(_) | Value::Boolean(_)) {
                self.turn.stop.get_or_insert(Stop::Unordered);
            }
            if self.turn.stop.is_some() {
                break;
            }
            let key = self.reply(&key, depth + 1);
            pairs.push((key, self.reply(&value, depth + 1)));
        }
        pairs
    }

    fn verbatim(&self, table: &Table) -> Option<Reply> {
        let format: Value = table.raw_get("format").unwrap_or(Value::Nil);
        let text: Value = table.raw_get("string").unwrap_or(Value::Nil);
        let (Value::String(format), Value::String(text)) = (format, text) else { return None };
        let format = format.as_bytes().get(..3)?.try_into().ok()?;
        Some(Reply::Verbatim { format, text: Bytes::copy_from_slice(&text.as_bytes()) })
    }

    fn double(&self, number: f64) -> Reply {
        Reply::Double(format::double(number, self.turn.compat).into())
    }
}

/// Towards zero; what does not fit is the smallest integer, as x86 converts.
pub(super) fn truncated(number: f64) -> i64 {
    let whole = number.trunc();
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole);
    if fits { whole as i64 } else { i64::MIN }
}
