//! The text of a panic.
//!
//! Must not print: what is said of a panic on the terminal is the business of the panic hook that is set.

use std::any::Any;

/// The message of a caught panic, or a fixed text for a payload that is not text.
pub(crate) fn text(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "panic with a payload that is not text".to_owned()
    }
}
