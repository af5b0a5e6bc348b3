//! The command line: arguments in, text and an exit code out. One file per verb.
//!
//! Only this module reads files, prints and looks at the terminal; nothing else in the library knows it. Results
//! go to stdout, everything else to stderr. `exit.rs` holds the exit codes, `failure.rs` what can go wrong before
//! there is a result, `args.rs` what can be asked, `watch.rs` what long work needs: progress, Ctrl-C, a time limit;
//! `lock.rs` whose locks are run;
//! `folder.rs` and `keep.rs` keep failures, `pin.rs` the counts of proofs; `assume.rs` is the other half of `prove`, `drill.rs` of `compare`.

mod args;
mod assume;
mod compare;
mod drill;
mod exit;
mod explore;
mod failure;
mod folder;
mod hunt;
mod keep;
mod list;
mod load;
mod lock;
mod pin;
mod prove;
mod replay;
mod run;
mod shrink;
mod watch;

pub use exit::{Exit, guarded};

use crate::lock::{LockCore, Terms};
use crate::scenario::Runner;
use crate::sim::own_cores;
use crate::world::Setup;
use args::{Args, Format, Verb};
use clap::Parser;
use failure::Failure;
use lock::Lock;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::panic::AssertUnwindSafe;

/// What a verb produced: text for stdout, perhaps text for stderr, and how to exit.
struct Answer {
    out: String,
    err: String,
    exit: Exit,
}

impl Answer {
    fn of(out: String, exit: Exit) -> Self {
        Self { out, err: String::new(), exit }
    }
}

/// Runs the command line of a process, with its own name first, on its stdout and stderr.
///
/// A bug of ours, which is a panic, ends in [`Exit::Bug`] with a sentence on stderr.
pub fn main(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    guarded(|| {
        let answer = answer(args, &Lock::shipped());
        deliver(&answer)
    })
}

/// The same command line for a lock of one's own, which is put in the place of those that files name: `run`, `hunt`,
/// `compare` (as a row of its own), `prove`, `replay` and `shrink`. `make` makes the lock of one client from the terms
/// of a scenario, a row or a model.
///
/// Of what is shipped all oracles are judged, for its expectations are about its own lock: the exit code is 1 where one is
/// violated, 2 where one that can arise was not exercised. A file with a path keeps its expectations. What has another
/// number of nodes than the lock asks is refused.
///
/// ```no_run
/// # use fencepost::lock::{Core, Terms};
/// # use std::sync::Arc;
/// # fn my_lock(terms: &Terms) -> Core {
/// #     Core::new(Arc::new(terms.spec()), terms.key.clone())
/// # }
/// fn main() -> fencepost::cli::Exit {
///     fencepost::cli::main_with(std::env::args_os(), my_lock)
/// }
/// ```
pub fn main_with<C: LockCore>(
    args: impl IntoIterator<Item = OsString>,
    make: impl Fn(&Terms) -> C + Sync,
) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    let program = args.first().map_or_else(String::new, |own_path| lock::program(own_path));
    let make = |setup: &Setup| own_cores(setup, &make);
    let note = "This lock or fencepost panicked, as said above. Nothing that was printed is a verdict.";
    exit::guarded_with(
        note,
        AssertUnwindSafe(|| {
            let answer = answer(args, &Lock { make: &make, runner: Runner::Own(program) });
            deliver(&answer)
        }),
    )
}

fn answer<C: LockCore>(args: Vec<OsString>, lock: &Lock<'_, C>) -> Answer {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) if error.use_stderr() => {
            return Answer { out: String::new(), err: styled(&error), exit: Exit::Input };
        }
        Err(help) => return Answer::of(help.render().to_string(), Exit::Held),
    };
    let (format, done) = match &args.verb {
        Verb::Run(run) => (run.format, run::run(run, lock)),
        Verb::Hunt(hunt) => (hunt.format, hunt::hunt(hunt, lock)),
        Verb::Compare(compare) => {
            let done = match &compare.like {
                Some(like) => drill::drill(compare, like),
                None => compare::compare(compare, lock),
            };
            (compare.format, done)
        }
        Verb::Prove(prove) => {
            let done = match (&prove.assumptions, prove.explorer) {
                (Some(_), _) if lock.is_own() => Err(assume::not_of_ones_own()),
                (Some(asked), _) => assume::assume(prove, asked),
                (None, Some(address)) => explore::explore(prove, address, lock),
                (None, None) => prove::prove(prove, lock),
            };
            (prove.format, done)
        }
        Verb::Replay(replay) => (replay.format, replay::replay(replay, lock)),
        Verb::Shrink(shrink) => (shrink.format, shrink::shrink(shrink, lock)),
        Verb::List(list) => (list.format, list::list(list)),
    };
    done.unwrap_or_else(|failure| refuse(&failure, format))
}

/// The answer to input that cannot be run.
fn refuse(failure: &Failure, format: Format) -> Answer {
    let out = match format {
        Format::Text => String::new(),
        Format::Json => failure.json(),
    };
    let colours = if io::stderr().is_terminal() { failure::Colours::On } else { failure::Colours::Off };
    Answer { out, err: failure.text(colours), exit: Exit::Input }
}

fn styled(error: &clap::Error) -> String {
    let text = error.render();
    if io::stderr().is_terminal() { text.ansi().to_string() } else { text.to_string() }
}

/// Writes an answer. A closed pipe is not an error: whoever read it has seen enough.
fn deliver(answer: &Answer) -> Exit {
    let written = write(&mut io::stdout().lock(), &answer.out);
    // Nobody is left to be told if stderr does not take it.
    let _ = write(&mut io::stderr().lock(), &answer.err);
    match written {
        Ok(()) => answer.exit,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => answer.exit,
        Err(error) => {
            let _ = write(&mut io::stderr().lock(), &format!("failed to write the results: {error}\n"));
            Exit::Unwritten
        }
    }
}

fn write(to: &mut impl Write, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}
