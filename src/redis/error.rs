//! Every error a command can answer, with the exact text.
//!
//! Must not carry free text of our own: the first word is an interface that lock libraries match on.
//! Source: Redis 7.0.15.

use crate::resp::Reply;
use bytes::Bytes;

/// Why a command was refused. The text is what follows the minus sign on the wire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CommandError {
    #[error("EXECABORT Transaction discarded because of previous errors.")]
    Aborted,
    #[error("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.")]
    Busy,
    #[error(
        "ERR AUTH <password> called without any password configured for the default user. Are you sure your \
         configuration is correct?"
    )]
    NoPassword,
    #[error("WRONGPASS invalid username-password pair or user is disabled.")]
    WrongPassword,
    #[error("ERR DB index is out of range")]
    DbIndex,
    #[error("ERR value is out of range, value must between -2147483648 and 2147483647")]
    DbIndexTooLarge,
    #[error("ERR Client names cannot contain spaces, newlines or special characters.")]
    ClientName,
    #[error("NOPROTO unsupported protocol version")]
    NoProtocol,
    #[error("ERR Protocol version is not an integer or out of range")]
    ProtocolNotAnInteger,
    #[error("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client")]
    ShardInTransaction,
    #[error("ERR decrement would overflow")]
    DecrementOverflow,
    #[error("ERR DISCARD without MULTI")]
    DiscardWithoutMulti,
    #[error("ERR EXEC without MULTI")]
    ExecWithoutMulti,
    #[error("ERR GT and LT options at the same time are not compatible")]
    GtWithLt,
    #[error("ERR hash value is not an integer")]
    HashValueNotAnInteger,
    #[error("ERR invalid expire time in '{0}' command")]
    InvalidExpire(&'static str),
    #[error("ERR Number of keys can't be negative")]
    NegativeKeys,
    #[error("ERR MULTI calls can not be nested")]
    NestedMulti,
    #[error("NOSCRIPT No matching script. Please use EVAL.")]
    NoScript,
    #[error("ERR value is not an integer or out of range")]
    NotAnInteger,
    #[error("ERR value is not a valid float")]
    NotAFloat,
    #[error("ERR min or max is not a float")]
    NotAFloatRange,
    #[error("ERR value is out of range, must be positive")]
    NotPositive,
    #[error("NOREPLICAS Not enough good replicas to write.")]
    NoReplicas,
    #[error("NOTBUSY No scripts in execution right now.")]
    NotBusy,
    #[error("ERR Key should be of string type if conditions are specified")]
    ConditionOnOtherType,
    #[error("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE")]
    UnknownCondition,
    /// Not a text of Redis, which takes any double.
    #[error("ERR fencepost: a score is a whole number of at most 2^53")]
    ScoreNotWhole,
    #[error("ERR XX and NX options at the same time are not compatible")]
    NxWithXx,
    #[error("ERR GT, LT, and/or NX options at the same time are not compatible")]
    NxWithGtLt,
    #[error("ERR INCR option supports a single increment-element pair")]
    IncrementOfMany,
    #[error("ERR NX and XX, GT or LT options at the same time are not compatible")]
    NxWithOther,
    #[error("ERR increment or decrement would overflow")]
    Overflow,
    #[error("ERR Invalid script shebang")]
    InvalidShebang,
    #[error("READONLY You can't write against a read only replica.")]
    ReadOnly,
    /// A script that declares that it writes.
    #[error("READONLY Can not run script with write flag on readonly replica")]
    ReadOnlyScript,
    #[error("ERR SCRIPT FLUSH only support SYNC|ASYNC option")]
    ScriptFlushOption,
    #[error("ERR syntax error")]
    Syntax,
    #[error("ERR timeout is negative")]
    TimeoutNegative,
    #[error("ERR timeout is not a float or out of range")]
    TimeoutNotAFloat,
    #[error("ERR timeout is not an integer or out of range")]
    TimeoutNotAnInteger,
    #[error("ERR timeout is out of range")]
    TimeoutOutOfRange,
    #[error("ERR Number of keys can't be greater than number of args")]
    TooManyKeys,
    #[error(
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You can either \
         wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command."
    )]
    Unkillable,
    #[error(
        "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is \
         configured to be writable (which is not the default) writes to replicas are just local and are not \
         propagated."
    )]
    WaitOnReplica,
    #[error("ERR WATCH inside MULTI is not allowed")]
    WatchInMulti,
    /// A connection that hears channels may do little else.
    #[error(
        "ERR Can't execute '{0}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this \
         context"
    )]
    Subscribed(&'static str),
    #[error("ERR wrong number of arguments for '{0}' command")]
    WrongArity(&'static str),
    #[error("WRONGTYPE Operation against a key holding the wrong kind of value")]
    WrongType,
    /// The text names what was sent, byte for byte.
    #[error("{}", String::from_utf8_lossy(.0))]
    Named(Bytes),
}

impl CommandError {
    /// Lookup failed: names the command and the beginning of its arguments.
    pub(super) fn unknown_command(words: &[Bytes]) -> Self {
        let mut text = b"ERR unknown command '".to_vec();
        text.extend_from_slice(printed(&words[0], SHOWN));
        text.extend_from_slice(b"', with args beginning with: ");
        let mut shown = 0;
        for word in &words[1..] {
            if shown >= SHOWN {
                break;
            }
            let word = printed(word, SHOWN - shown);
            text.push(b'\'');
            text.extend_from_slice(word);
            text.extend_from_slice(b"' ");
            shown += word.len() + 3;
        }
        Self::Named(one_line(text))
    }

    /// The container command exists, its subcommand does not.
    pub(super) fn unknown_subcommand(container: &str, word: &[u8]) -> Self {
        let mut text = b"ERR unknown subcommand '".to_vec();
        text.extend_from_slice(printed(word, SHOWN));
        text.extend_from_slice(format!("'. Try {} HELP.", container.to_uppercase()).as_bytes());
        Self::Named(one_line(text))
    }

    /// An option that the EXPIRE family does not know.
    pub(super) fn unsupported_option(word: &[u8]) -> Self {
        let mut text = b"ERR Unsupported option ".to_vec();
        text.extend_from_slice(printed(word, usize::MAX));
        Self::Named(one_line(text))
    }

    /// An option that HELLO does not know, or whose words are missing.
    pub(super) fn hello_option(word: &[u8]) -> Self {
        Self::Named(one_line(
            [b"ERR Syntax error in HELLO option '", printed(word, usize::MAX), b"'"].concat(),
        ))
    }

    /// An attribute that CLIENT SETINFO does not know.
    pub(super) fn unrecognized_option(word: &[u8]) -> Self {
        Self::Named(one_line([b"ERR Unrecognized option '", printed(word, usize::MAX), b"'"].concat()))
    }

    /// A value of CLIENT SETINFO that Redis does not print.
    pub(super) fn client_info(option: &[u8]) -> Self {
        const WHY: &[u8] = b" cannot contain spaces, newlines or special characters.";
        Self::Named(one_line([b"ERR ", printed(option, usize::MAX), WHY].concat()))
    }

    /// A word of a script's first line that is not understood; `what` says which kind.
    pub(super) fn shebang(what: &'static str, word: &[u8]) -> Self {
        Self::Named(one_line([b"ERR ", what.as_bytes(), b": ", word].concat()))
    }

    /// A script that Lua refuses to compile, with Lua's own message.
    pub(super) fn does_not_compile(message: &[u8]) -> Self {
        let mut text = b"ERR Error compiling script (new function): ".to_vec();
        text.extend_from_slice(message);
        Self::Named(one_line(text))
    }

    /// EXEC was refused for this reason before it began.
    pub(super) fn aborted(&self) -> Self {
        let mut text = b"EXECABORT Transaction discarded because of: ".to_vec();
        // A code of its own stays, the general one does not.
        let why = self.text();
        text.extend_from_slice(why.strip_prefix(b"ERR ").unwrap_or(&why));
        Self::Named(text.into())
    }

    /// What follows the minus sign.
    pub(super) fn text(&self) -> Bytes {
        if let Self::Named(text) = self { text.clone() } else { self.to_string().into() }
    }

    /// The reply that carries this error.
    pub(super) fn reply(&self) -> Reply {
        Reply::Error(self.text())
    }
}

/// At most `limit` bytes of a word, and none from its first NUL on: Redis prints words as C strings.
fn printed(word: &[u8], limit: usize) -> &[u8] {
    let end = word.iter().position(|byte| *byte == 0).unwrap_or(word.len());
    &word[..end.min(limit)]
}

/// An error is one line on the wire.
pub(super) fn one_line(mut text: Vec<u8>) -> Bytes {
    for byte in &mut text {
        if matches!(byte, b'\r' | b'\n') {
            *byte = b' ';
        }
    }
    text.into()
}

/// How many bytes of what was sent an error repeats.
const SHOWN: usize = 128;
