//! The command line: arguments in, text and an exit code out. One file per verb.
//!
//! Only this module reads files, prints and looks at the terminal; nothing else in the library knows it. Results
//! go to stdout, everything else to stderr. `exit.rs` holds the exit codes, `failure.rs` what can go wrong before
//! there is a result, `args.rs` what can be asked, `watch.rs` what long work needs: progress, Ctrl-C, a time limit;
//! `folder.rs` and `keep.rs` keep failures, `pin.rs` the counts of proofs; `assume.rs` is the other half of `prove`.

mod args;
mod assume;
mod compare;
mod exit;
mod explore;
mod failure;
mod folder;
mod hunt;
mod keep;
mod list;
mod load;
mod pin;
mod prove;
mod replay;
mod run;
mod shrink;
mod watch;

pub use exit::{Exit, guarded};

use args::{Args, Format, Verb};
use clap::Parser;
use failure::Failure;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

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
        let answer = answer(args);
        deliver(&answer)
    })
}

fn answer(args: Vec<OsString>) -> Answer {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) if error.use_stderr() => {
            return Answer { out: String::new(), err: styled(&error), exit: Exit::Input };
        }
        Err(help) => return Answer::of(help.render().to_string(), Exit::Held),
    };
    let (format, done) = match &args.verb {
        Verb::Run(run) => (run.format, run::run(run)),
        Verb::Hunt(hunt) => (hunt.format, hunt::hunt(hunt)),
        Verb::Compare(compare) => (compare.format, compare::compare(compare)),
        Verb::Prove(prove) => {
            let done = match (&prove.assumptions, prove.explorer) {
                (Some(asked), _) => assume::assume(prove, asked),
                (None, Some(address)) => explore::explore(prove, address),
                (None, None) => prove::prove(prove),
            };
            (prove.format, done)
        }
        Verb::Replay(replay) => (replay.format, replay::replay(replay)),
        Verb::Shrink(shrink) => (shrink.format, shrink::shrink(shrink)),
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
