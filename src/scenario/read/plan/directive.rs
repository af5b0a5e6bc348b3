//! Entries that are no faults: what happens to one message, what comes first, which timer is late.

use super::super::super::error::{InputErrorKind, Wrong, closest};
use super::super::super::shape::{DeferKeys, MessageKeys, OrderKeys};
use super::super::Scope;
use super::super::number::{Scaled, ranged};
use crate::name::{Name, Process};
use crate::plan::{Deferral, MessageDirective, MessageFate, OrderDirective, OrderTerm, Plan};
use crate::time::WorldTime;
use toml::Spanned;

/// The most firings of one client's timers that can be told apart.
const FIRING_MAX: i64 = u32::MAX as i64;

impl Scope {
    pub(super) fn message_directive(self, keys: &Spanned<MessageKeys>, plan: &mut Plan) -> Result<(), Wrong> {
        let (entry, keys) = (keys.span(), keys.get_ref());
        let name = self.message(&keys.name)?;
        let delay =
            Scaled { ms: keys.delay_ms.as_ref(), us: keys.delay_us.as_ref(), keys: ["delay_ms", "delay_us"] };
        let fate = match (delay.span(0)?, &keys.lose) {
            (Some((delay, _)), None) => MessageFate::Delay(delay),
            (None, Some(lose)) if *lose.get_ref() => MessageFate::Lose,
            (None, Some(lose)) => {
                let message = "`lose = false` is what happens anyway; remove this entry";
                return Err(Wrong::contradiction(lose.span(), message));
            }
            (Some(_), Some(lose)) => {
                let message =
                    format!("a lost message has no delay; keep one of `lose` and `{}`", delay.key());
                return Err(Wrong::contradiction(lose.span(), message));
            }
            (None, None) => {
                let message = "this entry does not say what happens: it needs `delay_ms` or `lose = true`";
                return Err(Wrong::new(InputErrorKind::MissingKey, entry, message).meant("lose = true"));
            }
        };
        if plan.messages.iter().any(|before| before.name == name) {
            let message = format!("{name} already has an entry; only one can happen");
            return Err(Wrong::contradiction(keys.name.span(), message));
        }
        plan.messages.push(MessageDirective { name, fate });
        Ok(())
    }

    pub(super) fn order_directive(self, keys: &Spanned<OrderKeys>, plan: &mut Plan) -> Result<(), Wrong> {
        let (entry, keys) = (keys.span(), keys.get_ref());
        let of = self.process(keys.of.get_ref(), &keys.of.span())?;
        let at = self.at(keys.at_ms.as_ref(), keys.at_us.as_ref(), entry)?;
        let (first, then) = (self.order_term(&keys.first, of)?, self.order_term(&keys.then, of)?);
        if first == then {
            let message = "`first` and `then` are the same; nothing can come before itself";
            return Err(Wrong::contradiction(keys.then.span(), message));
        }
        plan.orders.push(OrderDirective { at, of, first, then });
        Ok(())
    }

    fn order_term(self, text: &Spanned<String>, of: Process) -> Result<OrderTerm, Wrong> {
        match text.get_ref().as_str() {
            "messages" => Ok(OrderTerm::Messages),
            "timers" => Ok(OrderTerm::Timers),
            written => {
                let name = self.message(text).map_err(|wrong| match written.parse::<Name>() {
                    Ok(_) => wrong,
                    Err(_) => Wrong {
                        message: format!("`{written}` is neither `messages`, `timers` nor a message"),
                        suggestion: wrong.suggestion.or_else(|| closest(written, ["messages", "timers"])),
                        ..wrong
                    },
                })?;
                // Names say the voter: whichever of its nodes is addressed handles the message.
                let handles = match (of, name.target()) {
                    (Process::Node(of), Process::Node(first)) => of.voter == first.voter,
                    (of, target) => of == target,
                };
                if !handles {
                    let message = format!("{name} is handled by {}, not by {of}", name.target());
                    return Err(Wrong::contradiction(text.span(), message));
                }
                Ok(OrderTerm::Message(name))
            }
        }
    }

    /// A deferral of one firing of a client's timers.
    pub(super) fn defer(self, keys: &Spanned<DeferKeys>, plan: &mut Plan) -> Result<(), Wrong> {
        let (entry, keys) = (keys.span(), keys.get_ref());
        let client = match self.process(keys.of.get_ref(), &keys.of.span())? {
            Process::Client(client) => client,
            process @ (Process::Node(_) | Process::Store) => {
                let message = format!("{process} has no timers of its own; clients have");
                return Err(Wrong::new(InputErrorKind::Name, keys.of.span(), message).meant("client-1"));
            }
        };
        let firing = u32::try_from(ranged(&keys.firing, "firing", 1..=FIRING_MAX)?).expect("the range fits");
        let until =
            Scaled { ms: keys.until_ms.as_ref(), us: keys.until_us.as_ref(), keys: ["until_ms", "until_us"] };
        let (until, _) = until.needed(0, &entry)?;
        if plan.deferrals.iter().any(|before| (before.client, before.firing) == (client, firing)) {
            let message = format!("firing {firing} of {client} is already deferred");
            return Err(Wrong::contradiction(keys.firing.span(), message));
        }
        plan.deferrals.push(Deferral { client, firing, until: WorldTime::ZERO + until });
        Ok(())
    }
}
