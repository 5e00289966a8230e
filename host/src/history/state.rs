//! The state of a slot: the active composition, the shadow, the canary, and the entries of its history.

use adjudicate_core::{
    Error,
    document::{Describe, Document},
};
use adjudicate_sandbox::Digest;
use serde::Serialize;

use super::settings::SlotSettings;
use crate::codes;

/// A module in a composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[document(name = "Member", expecting = "an object that names a module")]
pub struct ComposedModule {
    /// The digest of the module.
    pub module: Digest,
    /// True if the module needs no signature here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
}

/// A composition (docs/reference/policies.md): a base, an optional override that replaces its answer, and any number of
/// restrictions that make the decision stricter, never more lenient.
///
/// A call of `evaluate` asks all members, and the core composes their answers. The base alone answers every other operation.
///
/// ```
/// use adjudicate_sandbox::Digest;
/// use adjudicate_host::Composition;
/// let [base, strict] = [Digest::sha256(b"base"), Digest::sha256(b"strict")];
/// let composition = Composition::new(base).restricted_by(strict);
/// assert_eq!(composition.members().count(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[document(expecting = "an object of modules")]
pub struct Composition {
    /// The base.
    pub base: ComposedModule,
    /// The override: its answer to `evaluate` replaces the base's.
    #[serde(rename = "override", default, skip_serializing_if = "Option::is_none")]
    pub overrides: Option<ComposedModule>,
    /// The restrictions, at most 16.
    #[document(schema = r#"{"maxItems": 16}"#)]
    #[serde(rename = "restrict", default, skip_serializing_if = "Vec::is_empty")]
    pub restrictions: Vec<ComposedModule>,
}

impl Composition {
    /// The highest number of restrictions.
    pub const MAX_RESTRICTIONS: usize = 16;

    /// Returns a composition of one module.
    #[must_use]
    pub const fn new(module: Digest) -> Self {
        Self { base: ComposedModule { module, unsigned: false }, overrides: None, restrictions: Vec::new() }
    }

    /// Adds a restriction.
    #[must_use]
    pub fn restricted_by(mut self, module: Digest) -> Self {
        self.restrictions.push(ComposedModule { module, unsigned: false });
        self
    }

    /// Sets the override.
    #[must_use]
    pub const fn overridden_by(mut self, module: Digest) -> Self {
        self.overrides = Some(ComposedModule { module, unsigned: false });
        self
    }

    /// Accepts all of its modules without a signature, for local development.
    #[must_use]
    pub fn unsigned(mut self) -> Self {
        self.base.unsigned = true;
        self.overrides.iter_mut().chain(&mut self.restrictions).for_each(|member| member.unsigned = true);
        self
    }

    /// Returns all members: the base, the override, the restrictions.
    pub fn members(&self) -> impl Iterator<Item = &ComposedModule> {
        [&self.base].into_iter().chain(&self.overrides).chain(&self.restrictions)
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.restrictions.len() <= Self::MAX_RESTRICTIONS {
            return Ok(());
        }
        let message = format!(
            "the composition has {} restrictions, the limit is {}",
            self.restrictions.len(),
            Self::MAX_RESTRICTIONS
        );
        Err(Error::new(codes::WRONG_USAGE, message))
    }
}

/// A composition that answers a share of the runs.
#[derive(Clone, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object with a canary")]
pub struct Canary {
    /// The composition that answers them.
    pub composition: Composition,
    /// The number of runs out of 1000, from 0 to 1000.
    #[document(schema = r#"{"exclusiveMaximum": 1001}"#)]
    pub permille: u16,
}

impl Canary {
    /// Returns a canary that answers this many runs out of 1000.
    #[must_use]
    pub const fn new(composition: Composition, permille: u16) -> Self {
        Self { composition, permille }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.permille {
            ..=1000 => Ok(()),
            _ => Err(Error::new(codes::WRONG_USAGE, "`permille` of a canary must be 1000 or less")),
        }
    }
}

/// The state of a slot: the compositions that answer or are tried there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Document, Serialize)]
#[document(name = "State", expecting = "an object with a state of a slot")]
pub struct SlotState {
    /// The composition that answers. A new slot has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<Composition>,
    /// The composition that is called in addition. Its answers change nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<Composition>,
    /// The composition that answers a share of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<Canary>,
}

impl SlotState {
    /// Returns all compositions of the state.
    pub fn compositions(&self) -> impl Iterator<Item = &Composition> {
        let canary = self.canary.iter().map(|canary| &canary.composition);
        self.active.iter().chain(&self.shadow).chain(canary)
    }

    pub(crate) fn modules(&self) -> impl Iterator<Item = Digest> {
        self.compositions().flat_map(Composition::members).map(|member| member.module)
    }
}

/// The kind of a change of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(name = "Action")]
#[serde(rename_all = "snake_case")]
pub enum SlotAction {
    /// The slot was created, or got other settings.
    Configure,
    /// A composition became active.
    Activate,
    /// The shadow was set or removed.
    Shadow,
    /// The canary was set or removed.
    Canary,
    /// An earlier composition became active again.
    Rollback,
    /// The host rolled back by itself, because the active composition failed too often.
    AutomaticRollback,
    /// The host removed the canary, because it failed too often.
    CanaryWithdrawn,
}

/// An entry of a slot's history: the change, and the complete state of the slot since then.
#[derive(Clone, Debug, PartialEq, Describe, Serialize)]
#[document(name = "Entry")]
pub struct SlotEntry {
    /// The number of the entry, higher than the number of every earlier entry in the store.
    pub id: i64,
    /// The slot's name.
    pub slot: String,
    /// The time of the change, in milliseconds since 1970.
    pub at: i64,
    /// The kind of the change.
    pub action: SlotAction,
    /// The reason that the caller gave.
    pub note: String,
    /// The state since then.
    pub state: SlotState,
    /// The settings since then.
    pub settings: SlotSettings,
}

/// The reason of a change, and the entry that the caller expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeReason {
    /// The note for the history.
    pub note: String,
    /// The entry that the caller expects the slot to be in. If the slot is in another one, the change fails.
    pub expected: Option<i64>,
}

impl ChangeReason {
    /// The longest note, in bytes.
    pub const MAX_NOTE: usize = 4096;

    /// Returns a reason that expects no entry.
    #[must_use]
    pub fn note(note: impl Into<String>) -> Self {
        Self { note: note.into(), expected: None }
    }

    /// Rejects a note that is too long, and a slot that is not in the expected entry.
    pub(crate) fn check(&self, current: Option<&SlotEntry>) -> Result<(), Error> {
        if self.note.len() > Self::MAX_NOTE {
            let message = format!("the note has {} bytes, the limit is {}", self.note.len(), Self::MAX_NOTE);
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        let current = current.map(|entry| entry.id);
        match self.expected {
            Some(expected) if current != Some(expected) => {
                let current = current.map_or_else(|| "none".to_owned(), |id| id.to_string());
                let message = format!("expected the slot in entry {expected}, it is in {current}");
                Err(Error::new(codes::SLOT_CHANGED, message))
            }
            _ => Ok(()),
        }
    }
}

/// The history of a slot.
#[derive(Clone, Debug, PartialEq, Describe, Serialize)]
pub struct History {
    /// The entries, the latest first.
    pub history: Vec<SlotEntry>,
}

/// A deleted slot.
#[derive(Clone, Debug, PartialEq, Describe, Serialize)]
pub struct DeletedSlot {
    /// The last entry of the slot.
    pub deleted: SlotEntry,
}

/// Rejects invalid names of slots. A name has 1 to 64 lower-case letters, digits, `.`, `_` and `-`, and begins with a letter or
/// digit.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_good = (1..=64).contains(&name.len())
        && name.bytes().next().is_some_and(plain)
        && name.bytes().all(|byte| plain(byte) || matches!(byte, b'.' | b'_' | b'-'));
    if is_good {
        return Ok(());
    }
    let shown: String = name.chars().take(64).collect();
    let message = format!(
        "`{shown}` cannot be a slot's name: 1 to 64 lower-case letters, digits, `.`, `_` and `-`, the first a letter or digit"
    );
    Err(Error::new(codes::WRONG_USAGE, message))
}

#[cfg(test)]
mod tests {
    use adjudicate_core::{document, json::ReadLimits};

    use super::*;

    #[test]
    fn a_state_survives_a_round_trip() {
        let [one, two] = [Digest::sha256(b"1"), Digest::sha256(b"2")];
        let composition = Composition::new(one).restricted_by(two).overridden_by(one).unsigned();
        let canary = Some(Canary { composition: Composition::new(two), permille: 50 });
        let state = SlotState { active: Some(composition), shadow: None, canary };
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(document::parse(text.as_bytes(), ReadLimits::DOCUMENT), Ok(state));
        assert_eq!(serde_json::to_string(&SlotState::default()).unwrap(), "{}");
        for action in SlotAction::ALL {
            assert_eq!(serde_json::to_string(&action).unwrap(), format!("\"{}\"", action.as_str()));
        }
    }

    #[test]
    fn names_are_plain() {
        for good in ["a", "0", "release", "team-a.release_2", &"x".repeat(64)] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in ["", "A", "-a", ".", "..", "a/b", "a b", "é", "a\0", &"x".repeat(65)] {
            assert_eq!(check_name(bad).map_err(|error| error.code()), Err(codes::WRONG_USAGE), "{bad}");
        }
    }
}
