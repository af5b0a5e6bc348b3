//! Exit codes, and the last line of defence.

use std::panic::{self, UnwindSafe};
use std::process::{ExitCode, Termination};

/// How a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exit {
    /// 0: held, or everything as the file expects.
    Held,
    /// 1: violated, or an oracle ended opposite to what the file expects.
    Violated,
    /// 2: inconclusive.
    Inconclusive,
    /// 3: one seed gave two runs.
    Nondeterministic,
    /// 64: usage or a bad input file.
    Input,
    /// 70: a bug of ours.
    Bug,
    /// 74: the results could not be written.
    Unwritten,
}

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Held => 0,
            Self::Violated => 1,
            Self::Inconclusive => 2,
            Self::Nondeterministic => 3,
            Self::Input => 64,
            Self::Bug => 70,
            Self::Unwritten => 74,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

/// Does `work`; a panic in it is a bug of ours, said in a sentence after the panic's own message.
pub fn guarded(work: impl FnOnce() -> Exit + UnwindSafe) -> Exit {
    const NOTE: &str =
        "fencepost met a bug of its own. Nothing that it printed is a verdict; please report the command.";
    guarded_with(NOTE, work)
}

/// The same with another sentence.
pub(super) fn guarded_with(note: &'static str, work: impl FnOnce() -> Exit + UnwindSafe) -> Exit {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        usual(info);
        let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), format!("{note}\n").as_bytes());
    }));
    let exit = panic::catch_unwind(work).unwrap_or(Exit::Bug);
    let _ = panic::take_hook();
    exit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_bug_of_ours() {
        assert_eq!(guarded(|| panic!("on purpose")), Exit::Bug);
        assert_eq!(guarded(|| Exit::Violated), Exit::Violated);
    }
}
