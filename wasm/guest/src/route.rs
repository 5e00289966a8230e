//! The next step for a status (docs/reference/routing.md), as the engine chooses it without a policy.

use crate::{
    route_words::{CONNECTIVES, ENDED, FIXES, GATES, PLAIN, ROLLBACKS, STOPS, UNDOES, UNDONE},
    value::Value,
    view::{field, list},
    views::{Envelope, StepInfo},
    words::{ClassifiedBy, Opcode, Role, Status},
};

/// A step that the workflow allows next. Only an [`Envelope`](crate::Envelope) gives one.
///
/// ```
/// # use adjudicate_guest::{Role, testing::Sample};
/// let sample = Sample::new().steps(["publish"]);
/// sample.read(|envelope| {
///     let step = envelope.step("publish").unwrap();
///     assert_eq!((step.id(), step.role()), ("publish", Role::Forward));
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    pub(crate) id: &'a str,
    envelope: &'a Value<'a>,
}

impl<'a> Step<'a> {
    /// Returns the step's id.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().steps(["publish"]);
    /// sample.read(|envelope| {
    ///     let step = envelope.allowed_next_steps().next().unwrap();
    ///     assert_eq!(step.id(), "publish");
    /// });
    /// ```
    #[must_use]
    pub fn id(self) -> &'a str {
        self.id
    }

    /// Returns the role: the one that the envelope declares, else the role of the first or last word of the name, else `forward`.
    ///
    /// ```
    /// # use adjudicate_guest::{Role, testing::Sample};
    /// let sample = Sample::new().steps(["ask-review", "ship"]).member("steps", r#"{"ship":{"role":"rollback"}}"#);
    /// sample.read(|envelope| {
    ///     let roles: Vec<_> = envelope.allowed_next_steps().map(|step| step.role()).collect();
    ///     assert_eq!(roles, [Role::Gate, Role::Rollback]);
    /// });
    /// ```
    #[must_use]
    pub fn role(self) -> Role {
        self.route().0
    }

    /// Returns the source of the role. The role of an unclassified step is a guess.
    ///
    /// ```
    /// # use adjudicate_guest::{ClassifiedBy, testing::Sample};
    /// let sample = Sample::new().steps(["undo", "STOP", "ship"]);
    /// sample.read(|envelope| {
    ///     let by: Vec<_> = envelope.allowed_next_steps().map(|step| step.classified_by()).collect();
    ///     assert_eq!(by, [ClassifiedBy::Named, ClassifiedBy::Reserved, ClassifiedBy::Unclassified]);
    /// });
    /// ```
    #[must_use]
    pub fn classified_by(self) -> ClassifiedBy {
        self.route().1
    }

    fn route(self) -> (Role, ClassifiedBy) {
        let info = field::<StepInfo<'_>>(field(self.envelope, "steps"), self.id);
        let by_opcode = || match info.opcode()? {
            Opcode::Gate => Some(Role::Gate),
            Opcode::Rollback => Some(Role::Rollback),
            Opcode::Stop => Some(Role::Stop),
            Opcode::RunAgent | Opcode::RunValidation | Opcode::Evaluate => None,
        };
        if let Some(role) = info.role().or_else(by_opcode) {
            return (role, ClassifiedBy::Declared);
        }
        if self.id == "STOP" {
            return (Role::Stop, ClassifiedBy::Reserved);
        }
        match role_by_name(self.id) {
            Some(role) => (role, ClassifiedBy::Named),
            None => (Role::Forward, ClassifiedBy::Unclassified),
        }
    }
}

/// Words that determine the role of a step, as the first or the last word of its name.
const WORDS: [(Role, &[&str]); 3] = [(Role::Fix, FIXES), (Role::Gate, GATES), (Role::Rollback, ROLLBACKS)];

/// Returns the steps that an envelope allows next, in its order.
pub(crate) fn steps<'a>(envelope: &'a Value<'a>, name: &'static str) -> impl Iterator<Item = Step<'a>> {
    list(envelope, name).map(move |id| Step { id, envelope })
}

/// Returns the allowed step for a status. For `success` this is an unclassified step only if there is one such step and no step
/// is declared `forward`.
pub(crate) fn step_for<'a>(envelope: &'a Value<'a>, status: Status) -> Option<Step<'a>> {
    let wanted: &[Role] = match status {
        Status::Success => return forward_step(envelope).or_else(|| known_step(envelope, Role::Stop)),
        Status::Partial => &[Role::Fix],
        Status::NeedsHuman => &[Role::Gate, Role::Stop],
        Status::Blocked => &[Role::Gate, Role::Stop, Role::Rollback],
        Status::Unsafe => &[Role::Rollback, Role::Gate, Role::Stop],
    };
    wanted.iter().find_map(|role| known_step(envelope, *role))
}

/// Returns the first step whose role is known and is this one: of the declared and reserved ones, then of those with plain names,
/// then of the others.
fn known_step<'a>(envelope: &'a Value<'a>, role: Role) -> Option<Step<'a>> {
    let is_known = |step: &Step<'_>| step.classified_by() != ClassifiedBy::Unclassified;
    let known = Envelope(envelope).allowed_next_steps().filter(|step| is_known(step) && step.role() == role);
    known.min_by_key(|step| match step.classified_by() {
        ClassifiedBy::Named if is_plain(step.id, role) => 1,
        ClassifiedBy::Named => 2,
        _ => 0,
    })
}

/// Returns true if a name has only words of this role, and words that say who does the step or what for.
fn is_plain(name: &str, role: Role) -> bool {
    let mut plain = true;
    each_word(name, &mut |word| {
        let is_own = match role {
            Role::Stop => is_one_of(word, STOPS) || is_one_of(word, ENDED),
            Role::Rollback => is_one_of(word, UNDOES) || is_one_of(word, UNDONE) || told(word) == Some(role),
            _ => told(word) == Some(role),
        };
        plain &= is_own || is_one_of(word, PLAIN);
    });
    plain
}

fn forward_step<'a>(envelope: &'a Value<'a>) -> Option<Step<'a>> {
    let declared = known_step(envelope, Role::Forward);
    declared.or_else(|| {
        let is_guess = |step: &Step<'_>| step.classified_by() == ClassifiedBy::Unclassified;
        let mut guesses = Envelope(envelope).allowed_next_steps().filter(is_guess);
        let first = guesses.next()?;
        guesses.all(|step| step.id == first.id).then_some(first)
    })
}

/// Returns the role of the first or last word of a name, ignoring case. A name has no role if these words have different roles,
/// or if it has a connective.
fn role_by_name(name: &str) -> Option<Role> {
    let (mut first, mut second, mut last) = (None, None, "");
    let (mut count, mut joins) = (0, false);
    each_word(name, &mut |word| {
        if count == 0 {
            first = Some(word);
        } else if count == 1 {
            second = Some(word);
        }
        (last, count) = (word, count + 1);
        joins |= is_one_of(word, CONNECTIVES);
    });
    let first = first.filter(|_| !joins)?;
    // The word alone, or with a second one.
    let is_whole = |verbs: &[&str], objects: &[&str]| {
        is_one_of(first, verbs)
            && (count == 1 || count == 2 && second.is_some_and(|word| is_one_of(word, objects)))
    };
    let stop = is_whole(STOPS, ENDED).then_some(Role::Stop);
    let whole = stop.or_else(|| is_whole(UNDOES, UNDONE).then_some(Role::Rollback));
    match (whole.or_else(|| told(first)), told(last)) {
        (Some(first), Some(last)) if first != last => None,
        (first, last) => first.or(last),
    }
}

fn told(word: &str) -> Option<Role> {
    WORDS.iter().find(|(_, known)| is_one_of(word, known)).map(|(role, _)| *role)
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Calls `take` with each non-empty word of a name. Separators and camel case divide words.
fn each_word<'n>(name: &'n str, take: &mut dyn FnMut(&'n str)) {
    let mut take = |start: usize, end: usize| match name.get(start..end) {
        Some(word) if !word.is_empty() => take(word),
        _ => {}
    };
    let mut start = 0;
    let mut before = None;
    let mut characters = name.char_indices().peekable();
    while let Some((at, here)) = characters.next() {
        let after_is_lower = characters.peek().is_some_and(|(_, after)| after.is_ascii_lowercase());
        let begins_word = here.is_ascii_uppercase()
            && before.is_some_and(|before: char| !before.is_ascii_uppercase() || after_is_lower);
        let separates = is_separator(here);
        if separates || begins_word {
            take(start, at);
            start = if separates { at + here.len_utf8() } else { at };
        }
        before = (!separates).then_some(here);
    }
    take(start, name.len());
}

/// Returns whether a character is punctuation or white space: of ASCII, of Latin-1, or of the general blocks.
fn is_separator(character: char) -> bool {
    match character {
        'ª' | 'µ' | 'º' => false,
        '\0'..='\u{7f}' => !character.is_ascii_alphanumeric(),
        '\u{80}'..='\u{bf}' | '×' | '÷' => true,
        '\u{2000}'..='\u{206f}' | '\u{2190}'..='\u{2bff}' | '\u{2e00}'..='\u{2e7f}' => true,
        '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3020}' | '\u{ff00}'..='\u{ff0f}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_by_name() {
        for (name, expected) in [
            ("publish", None),
            ("fix", Some(Role::Fix)),
            ("Fix_Tests", Some(Role::Fix)),
            ("fixTests", Some(Role::Fix)),
            ("prefix", None),
            ("fix2", None),
            ("auto.fix", None),
            ("reset_workspace", Some(Role::Rollback)),
            ("reset_database", None),
            ("review-fix", None),
            ("HTTPGate", Some(Role::Gate)),
            ("xÜFix", Some(Role::Fix)),
            ("revert_all", Some(Role::Rollback)),
            ("stopAndReview", None),
            ("finish_release", None),
            ("cancel_run", Some(Role::Stop)),
            ("préfix", None),
            ("fix\u{2014}it", Some(Role::Fix)),
            ("--", None),
            ("", None),
        ] {
            assert_eq!(role_by_name(name), expected, "{name}");
        }
    }
}
