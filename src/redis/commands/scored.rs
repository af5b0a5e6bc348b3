//! Commands on sorted sets: ZADD, ZREM, ZSCORE, ZRANK, ZRANGE and its relatives, ZINCRBY, ZCARD, ZCOUNT,
//! ZREMRANGEBYSCORE.
//!
//! Absent compared with Redis: ranges by member, ranges of ZRANGE by score, fractional scores.
//! Source: Redis 7.0.15.

use super::super::error::CommandError;
use super::super::exec::Exec;
use super::super::number;
use super::super::scored::{Score, Scored, Span};
use super::container::{change, find};
use super::shape;
use crate::resp::Reply;
use crate::resp::codec::Protocol;
use bytes::Bytes;

/// What ZADD was asked to do besides setting scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Options {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
    /// Answer how many members changed, not only how many are new.
    ch: bool,
    incr: bool,
}

impl Options {
    /// Reads leading options; how many words they take.
    fn read(words: &[Bytes]) -> (Self, usize) {
        let mut read = Self::default();
        let known = words.iter().take_while(|word| {
            let word = word.to_ascii_lowercase();
            let option = match word.as_slice() {
                b"nx" => &mut read.nx,
                b"xx" => &mut read.xx,
                b"gt" => &mut read.gt,
                b"lt" => &mut read.lt,
                b"ch" => &mut read.ch,
                b"incr" => &mut read.incr,
                _ => return false,
            };
            *option = true;
            true
        });
        let count = known.count();
        (read, count)
    }

    /// Whether a member with this score may get that one.
    fn admit(self, old: Option<Score>, new: Score) -> bool {
        match old {
            None => !self.xx,
            Some(old) => !(self.nx || self.gt && new <= old || self.lt && new >= old),
        }
    }
}

/// ZADD: how many members are new, or with CH how many changed, or with INCR the new score.
pub(in crate::redis) fn zadd(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (options, count) = Options::read(&args[1..]);
    let pairs = &args[1 + count..];
    if pairs.is_empty() || !pairs.len().is_multiple_of(2) {
        return Err(CommandError::Syntax);
    }
    if options.nx && options.xx {
        return Err(CommandError::NxWithXx);
    }
    if u8::from(options.gt) + u8::from(options.lt) + u8::from(options.nx) > 1 {
        return Err(CommandError::NxWithGtLt);
    }
    if options.incr && pairs.len() > 2 {
        return Err(CommandError::IncrementOfMany);
    }
    let scores = pairs.chunks_exact(2).map(|pair| Score::read(&pair[0]).map(|score| (score, &pair[1])));
    let scores = scores.collect::<Result<Vec<_>, _>>()?;
    let (mut added, mut changed, mut last) = (0, 0, None);
    change(exec, &args[0], |scored: &mut Scored| {
        for (score, member) in scores {
            let old = scored.of(member);
            let new = match (options.incr, old) {
                (true, Some(old)) => old.plus(score)?,
                (true, None) | (false, _) => score,
            };
            if options.admit(old, new) {
                added += i64::from(old.is_none());
                changed += i64::from(old.is_some_and(|old| old != new));
                scored.insert(member, new);
                last = Some(new);
            }
        }
        Ok(())
    })?;
    Ok(match (options.incr, options.ch) {
        (true, _) => score_of(exec.protocol, last),
        (false, true) => Reply::Int(added + changed),
        (false, false) => Reply::Int(added),
    })
}

/// ZINCRBY: the new score; a missing member counts as 0.
pub(in crate::redis) fn zincrby(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (by, member) = (Score::read(&args[1])?, &args[2]);
    let new = change(exec, &args[0], |scored: &mut Scored| {
        let new = scored.of(member).map_or(Ok(by), |old| old.plus(by))?;
        scored.insert(member, new);
        Ok(new)
    })?;
    Ok(score_of(exec.protocol, Some(new)))
}

/// ZREM: how many of the members were there.
pub(in crate::redis) fn zrem(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let removed = change(exec, &args[0], |scored: &mut Scored| {
        Ok(args[1..].iter().filter(|member| scored.remove(member)).count())
    })?;
    Ok(Reply::Int(removed as i64))
}

/// ZREMRANGEBYSCORE: how many members were removed.
pub(in crate::redis) fn zremrangebyscore(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let span = Span::read(&args[1], &args[2])?;
    let removed = change(exec, &args[0], |scored: &mut Scored| Ok(scored.remove_span(span)))?;
    Ok(Reply::Int(removed as i64))
}

/// ZSCORE: the score, or null.
pub(in crate::redis) fn zscore(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let protocol = exec.protocol;
    Ok(score_of(protocol, find::<Scored>(exec, &args[0])?.and_then(|scored| scored.of(&args[1]))))
}

/// ZRANK: how many members come before it, or null.
pub(in crate::redis) fn zrank(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let rank = find::<Scored>(exec, &args[0])?.and_then(|scored| scored.rank(&args[1]));
    Ok(rank.map_or(Reply::Null, |rank| Reply::Int(rank as i64)))
}

/// ZCARD: how many members there are.
pub(in crate::redis) fn zcard(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    Ok(Reply::Int(find::<Scored>(exec, &args[0])?.map_or(0, Scored::len) as i64))
}

/// ZCOUNT: how many scores lie in the range.
pub(in crate::redis) fn zcount(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let span = Span::read(&args[1], &args[2])?;
    let scored = find::<Scored>(exec, &args[0])?.into_iter().flat_map(Scored::iter);
    Ok(Reply::Int(scored.filter(|(score, _)| span.contains(*score)).count() as i64))
}

/// ZRANGE by index, ascending or with REV descending.
pub(in crate::redis) fn zrange(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (mut order, mut shown) = (Order::Ascending, Shown::Members);
    for word in &args[3..] {
        match word.to_ascii_lowercase().as_slice() {
            b"rev" => order = Order::Descending,
            b"withscores" => shown = Shown::Scores,
            _ => return Err(CommandError::Syntax),
        }
    }
    ranked(exec, &args[..3], order, shown)
}

/// ZREVRANGE: by index, descending.
pub(in crate::redis) fn zrevrange(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let shown = match &args[3..] {
        [] => Shown::Members,
        [word] if word.eq_ignore_ascii_case(b"withscores") => Shown::Scores,
        [_, ..] => return Err(CommandError::Syntax),
    };
    ranked(exec, &args[..3], Order::Descending, shown)
}

/// ZRANGEBYSCORE: ascending, with an optional LIMIT.
pub(in crate::redis) fn zrangebyscore(exec: &mut Exec<'_>, args: &[Bytes]) -> Result<Reply, CommandError> {
    let (mut shown, mut skipped, mut most) = (Shown::Members, 0, usize::MAX);
    let mut words = args[3..].iter();
    while let Some(word) = words.next() {
        match word.to_ascii_lowercase().as_slice() {
            b"withscores" => shown = Shown::Scores,
            b"limit" => {
                let (Some(offset), Some(count)) = (words.next(), words.next()) else {
                    return Err(CommandError::Syntax);
                };
                // A negative offset finds nothing, a negative count everything.
                skipped = usize::try_from(number::integer(offset)?).unwrap_or(usize::MAX);
                most = usize::try_from(number::integer(count)?).unwrap_or(usize::MAX);
            }
            _ => return Err(CommandError::Syntax),
        }
    }
    let span = Span::read(&args[1], &args[2])?;
    let protocol = exec.protocol;
    let scored = find::<Scored>(exec, &args[0])?.into_iter().flat_map(Scored::iter);
    let inside = scored.filter(|(score, _)| span.contains(*score));
    Ok(shown.reply(protocol, inside.skip(skipped).take(most)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Ascending,
    Descending,
}

/// What is answered of each member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Members,
    /// WITHSCORES: each member is followed by its score; in RESP3 they are a pair.
    Scores,
}

impl Shown {
    fn reply<'s>(self, protocol: Protocol, entries: impl Iterator<Item = (Score, &'s Bytes)>) -> Reply {
        let member = |member: &Bytes| Reply::Bulk(member.clone());
        let both = |(score, of): (Score, &Bytes)| [member(of), score_of(protocol, Some(score))];
        Reply::Array(match (self, protocol) {
            (Self::Members, _) => entries.map(|(_, of)| member(of)).collect(),
            (Self::Scores, Protocol::Resp2) => entries.flat_map(both).collect(),
            (Self::Scores, Protocol::Resp3) => entries.map(|of| Reply::Array(both(of).into())).collect(),
        })
    }
}

fn ranked(exec: &mut Exec<'_>, args: &[Bytes], order: Order, shown: Shown) -> Result<Reply, CommandError> {
    let (start, stop) = (number::integer(&args[1])?, number::integer(&args[2])?);
    let protocol = exec.protocol;
    let Some(scored) = find::<Scored>(exec, &args[0])? else { return Ok(Reply::Array(Vec::new())) };
    let range = number::range(start, stop, scored.len());
    let (skipped, count) = (range.start, range.len());
    Ok(match order {
        Order::Ascending => shown.reply(protocol, scored.iter().skip(skipped).take(count)),
        Order::Descending => shown.reply(protocol, scored.iter().rev().skip(skipped).take(count)),
    })
}

fn score_of(protocol: Protocol, score: Option<Score>) -> Reply {
    score.map_or(Reply::Null, |score| shape::double(protocol, score.text()))
}
