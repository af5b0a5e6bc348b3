//! `list`: what is shipped.
//!
//! Must not run anything.

use super::args::{Format, ListArgs};
use super::failure::Failure;
use super::load::load;
use super::{Answer, Exit};
use crate::report::{Exhibit, Offer, Shelf, shelf_json};
use crate::scenario::shipped;

/// Lists scenarios and protocols.
pub(super) fn list(args: &ListArgs) -> Result<Answer, Failure> {
    let exhibits = shipped().map(|(name, _)| load(name).map(|scenario| Exhibit::of(&scenario)));
    let shelf = Shelf { exhibits: exhibits.collect::<Result<_, _>>()?, offers: Offer::all() };
    let out = match args.format {
        Format::Text => shelf.text(),
        Format::Json => shelf_json(&shelf),
    };
    Ok(Answer::of(out, Exit::Held))
}
