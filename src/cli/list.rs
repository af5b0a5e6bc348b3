//! `list`: what is shipped.
//!
//! Must not run anything.

use super::args::{Format, ListArgs};
use super::failure::Failure;
use super::load::load;
use super::{Answer, Exit};
use crate::report::{Exhibit, Offer, Offered, Shelf, features_json, features_text, shelf_json};
use crate::scenario::{drills, presets, shipped, twins, with_lock};

/// Lists scenarios and protocols.
pub(super) fn list(args: &ListArgs) -> Result<Answer, Failure> {
    if args.features {
        return Ok(Answer::of(features(args.format), Exit::Held));
    }
    let exhibits = shipped().map(|(name, _)| load(name).map(|scenario| Exhibit::of(&scenario)));
    let shelf = Shelf { exhibits: exhibits.collect::<Result<_, _>>()?, offers: Offer::all() };
    let out = match args.format {
        Format::Text => shelf.text(),
        Format::Json => shelf_json(&shelf),
    };
    Ok(Answer::of(out, Exit::Held))
}

/// Presets and switches.
fn features(format: Format) -> String {
    let calm = drills().into_iter().next().expect("drills are shipped");
    let offered: Vec<Offered> = presets()
        .into_iter()
        .filter_map(|preset| {
            // A preset that does not fit is told by `compare --like`.
            let recipe = with_lock(&calm, &preset).ok()?.setup.clients.first()?.lock.clone();
            Some(Offered { preset, recipe })
        })
        .collect();
    match format {
        Format::Text => features_text(&offered, &twins()),
        Format::Json => features_json(&offered, &twins()),
    }
}
