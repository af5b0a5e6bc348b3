//! One interpreter per thread, built once, with the compiled scripts.
//!
//! Must not keep anything of a script but its compiled text. Read `sandbox.lua` for what is built.

use super::super::change::Log;
use super::super::error::CommandError;
use super::super::keyspace::Keyspace;
use super::super::scripts::Sha;
use super::limits::{COMPILED, COUNT_STEP, INSTRUCTIONS, MEMORY_DOUBTFUL, MEMORY_IDLE, Stop};
use super::shebang::{self, Declared, Shebang};
use super::straight::{self, Straight};
use super::turn::{Turn, Writes};
use super::{Job, bytecode, call, convert, walk};
use crate::resp::Reply;
use bytes::Bytes;
use mlua::chunk::ChunkMode;
use mlua::{BString, Function, HookTriggers, Lua, LuaOptions, StdLib, Table, Value, Variadic, VmState};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An interpreter in the state "between scripts".
#[derive(Debug)]
pub(super) struct Vm {
    lua: Lua,
    environment: Table,
    run_without_keys: Function,
    run_with_key: Function,
    run_with_tables: Function,
    compiled: BTreeMap<Bytes, Rc<Compiled>>,
    /// The texts used last, newest first: found by where they lie, because comparing texts takes longer.
    recent: Vec<(Bytes, Rc<Compiled>)>,
}

/// A script ready to run.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) sha: Sha,
    pub(super) declared: Declared,
    chunk: Function,
    /// The script without the interpreter, if it is one of those that need none.
    straight: Option<Straight>,
}

/// What a run leaves behind.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) turn: Turn,
    /// The reply, if neither `turn.stop` nor `turn.failure` is set.
    pub(super) result: Reply,
    held: usize,
}

impl Finished {
    /// Whether the interpreter's past may have decided the result, see `limits.rs`.
    pub(super) fn is_doubtful(&self) -> bool {
        self.held > MEMORY_DOUBTFUL || self.turn.is_doubtful()
    }
}

thread_local! {
    static VM: RefCell<Option<Box<Vm>>> = const { RefCell::new(None) };
}

impl Vm {
    /// Works with this thread's interpreter, building it if there is none.
    pub(super) fn on_thread<R>(work: impl FnOnce(&mut Self) -> R) -> R {
        // Taken out while in use: if the work panics, the interpreter is not used again.
        let mut vm = VM.take().unwrap_or_else(|| Box::new(Self::build()));
        let result = work(&mut vm);
        VM.set(Some(vm));
        result
    }

    /// Throws this thread's interpreter away.
    pub(super) fn discard() {
        VM.set(None);
    }

    fn build() -> Self {
        Self::try_build().expect("the sandbox builds from a text of ours within its memory")
    }

    fn try_build() -> mlua::Result<Self> {
        let lua = Lua::new_with(StdLib::TABLE | StdLib::STRING | StdLib::MATH, LuaOptions::new())?;
        let host = call::host(&lua)?;
        let caller = lua.load(CALLER).set_name(call::CALLER_CHUNK).set_mode(ChunkMode::Text);
        let (pack, packed, main, set_main) = caller.call::<(Function, Function, Function, Function)>(())?;
        let sandbox = lua.load(SANDBOX).set_name(call::SANDBOX_CHUNK).set_mode(ChunkMode::Text);
        let (environment, run_without_keys, run_with_key, run_with_tables) =
            sandbox.call::<(Table, Function, Function, Function)>((host, pack, packed, main, set_main))?;
        lua.set_global_hook(HookTriggers::new().every_nth_instruction(COUNT_STEP), |_, _| match Turn::with(
            Turn::charge,
        )
        .flatten()
        {
            Some(stop) => Err(mlua::Error::runtime(stop.text())),
            None => Ok(VmState::Continue),
        })?;
        lua.gc_collect()?;
        lua.gc_stop();
        let (compiled, recent) = (BTreeMap::new(), Vec::new());
        Ok(Self { lua, environment, run_without_keys, run_with_key, run_with_tables, compiled, recent })
    }

    /// The compiled form of a text.
    ///
    /// # Errors
    /// Lua's message.
    pub(super) fn compiled(&mut self, text: &Bytes) -> Result<Rc<Compiled>, CommandError> {
        // The texts listed are kept alive by the list, so that no other text can lie where they do.
        let same = |known: &Bytes| (known.as_ptr(), known.len()) == (text.as_ptr(), text.len());
        if let Some((_, compiled)) = self.recent.iter().find(|(known, _)| same(known)) {
            return Ok(Rc::clone(compiled));
        }
        let compiled = match self.compiled.get(text) {
            Some(compiled) => Rc::clone(compiled),
            None => {
                let compiled = Rc::new(self.compile(text)?);
                if self.compiled.len() >= COMPILED {
                    self.compiled.clear();
                }
                self.compiled.insert(text.clone(), Rc::clone(&compiled));
                compiled
            }
        };
        self.recent.truncate(RECENT - 1);
        self.recent.insert(0, (text.clone(), Rc::clone(&compiled)));
        Ok(compiled)
    }

    /// Runs a script without the interpreter, if it is one of those that need none.
    pub(super) fn walk(&mut self, job: Job<'_>, keys: &mut Keyspace, log: &mut Log) -> Option<Reply> {
        let compiled = self.compiled(job.text).ok()?;
        walk::walk(compiled.straight.as_ref()?, Writes::of(compiled.declared, job.standing), job, keys, log)
    }

    fn compile(&self, text: &Bytes) -> Result<Compiled, CommandError> {
        let Shebang { declared, body } = shebang::read(text)?;
        // A binary chunk starts with an escape; behind a space it is a syntax error like any other.
        let guarded = if body.first() == Some(&27) { [b" ", body].concat() } else { body.to_vec() };
        let chunk = self.lua.load(guarded).set_name("@user_script").set_mode(ChunkMode::Text);
        let chunk = chunk.set_environment(self.environment.clone()).into_function();
        let chunk = chunk.map_err(|error| {
            // Besides syntax only memory can be at fault.
            let text = if let mlua::Error::SyntaxError { message, .. } = error {
                message
            } else {
                error.to_string()
            };
            CommandError::does_not_compile(text.as_bytes())
        })?;
        let straight = bytecode::read(&chunk.dump(true)).and_then(|listing| straight::straighten(&listing));
        Ok(Compiled { sha: Sha::of(text), declared, chunk, straight })
    }

    /// Runs a script from this state of the server.
    pub(super) fn run(&mut self, job: Job<'_>, mut start: Turn) -> Finished {
        let chunk = match self.compiled(job.text) {
            Ok(compiled) => {
                start.writes = Writes::of(compiled.declared, job.standing);
                compiled.chunk.clone()
            }
            Err(error) => return Finished { turn: start, result: error.reply(), held: 0 },
        };
        start.enter();
        let ended = self.enter(&chunk, job);
        let disarmed = self.lua.set_memory_limit(0);
        disarmed.expect("the interpreter's memory is its own");
        let mut turn = Turn::leave();
        let result = match ended {
            Ok((true, value)) => convert::reply(&value, &mut turn),
            // The error handler has recorded the failure, unless Lua could not call it.
            Ok((false, value)) => {
                call::record_unhandled(&self.lua, &value, &mut turn);
                Reply::Null
            }
            Err(error) => {
                call::record_outside(&error, &mut turn);
                Reply::Null
            }
        };
        drop(chunk);
        let held = self.lua.used_memory();
        if held > MEMORY_IDLE && self.rest().is_err() {
            turn.stop.get_or_insert(Stop::TooBig);
        }
        Finished { turn, result, held }
    }

    fn enter(&self, chunk: &Function, job: Job<'_>) -> mlua::Result<(bool, Value)> {
        let string = |word: &Bytes| BString::from(word.as_ref());
        let strings = |words: &[Bytes]| words.iter().map(string).collect::<Variadic<BString>>();
        match job.keys {
            _ if job.argv.len() > AS_ARGUMENTS => self.enter_with_tables(chunk, job),
            [] => self.run_without_keys.call((chunk, strings(job.argv))),
            [key] => self.run_with_key.call((chunk, string(key), strings(job.argv))),
            [_, _, ..] => self.enter_with_tables(chunk, job),
        }
    }

    fn enter_with_tables(&self, chunk: &Function, job: Job<'_>) -> mlua::Result<(bool, Value)> {
        let table = |words: &[Bytes]| -> mlua::Result<Table> {
            let table = self.lua.create_table_with_capacity(words.len(), 0)?;
            for (place, word) in words.iter().enumerate() {
                table.raw_set(place + 1, self.lua.create_string(word)?)?;
            }
            Ok(table)
        };
        self.run_with_tables.call((chunk, table(job.keys)?, table(job.argv)?))
    }

    /// Collects garbage, which also starts the collector again, and stops it.
    fn rest(&self) -> mlua::Result<()> {
        self.lua.gc_collect()?;
        self.lua.gc_stop();
        Ok(())
    }
}

/// What scripts see.
const SANDBOX: &str = include_str!("sandbox.lua");
/// What calls them.
const CALLER: &str = include_str!("caller.lua");
/// How many texts are found by where they lie.
const RECENT: usize = 8;
/// Up to so many arguments travel on Lua's stack, which is faster.
const AS_ARGUMENTS: usize = 50;
const _: () = assert!(INSTRUCTIONS > 10 * COUNT_STEP as u64, "the count is looked at often enough");
