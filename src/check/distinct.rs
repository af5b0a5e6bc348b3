//! Whether two different ones of a kind were seen. Must not count further than two.

use crate::name::GrantId;

/// How many different ones were seen, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Distinct<T> {
    /// None.
    None,
    /// One, this.
    One(T),
    /// One that will not be seen again, so that its name no longer matters.
    OneGone,
    /// Two or more.
    Two,
}

impl<T: Copy + Eq> Distinct<T> {
    pub(super) fn see(&mut self, seen: T) {
        *self = match *self {
            Self::None => Self::One(seen),
            Self::One(known) if known == seen => Self::One(known),
            Self::One(_) | Self::OneGone | Self::Two => Self::Two,
        };
    }

    pub(super) fn two(&self) -> bool {
        matches!(self, Self::Two)
    }

    /// The one whose name is kept.
    pub(super) fn name_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::One(known) => Some(known),
            Self::None | Self::OneGone | Self::Two => None,
        }
    }

    pub(super) fn name(mut self) -> Option<T> {
        self.name_mut().copied()
    }
}

impl Distinct<GrantId> {
    pub(super) fn retire(&mut self, live: &[GrantId]) {
        if self.name().is_some_and(|known| !live.contains(&known)) {
            *self = Self::OneGone;
        }
    }
}
