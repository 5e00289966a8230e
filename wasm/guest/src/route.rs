//! The step that a status asks for (SPEC section 3.4), as the engine takes it under no policy.

use crate::{
    envelope::{Envelope, member, text},
    words::{Opcode, Role, Status},
};

/// A step that the workflow allows next. Only an [`Envelope`] gives one.
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
    pub(crate) envelope: Envelope<'a>,
}

impl<'a> Step<'a> {
    /// The step's id.
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

    /// The role it plays: as the envelope says, else as its name says by a whole word, else `forward`.
    ///
    /// ```
    /// # use adjudicate_guest::{Role, testing::Sample};
    /// let sample = Sample::new().steps(["ask-review", "undo"]).member("steps", r#"{"undo":{"role":"rollback"}}"#);
    /// sample.read(|envelope| {
    ///     let roles: Vec<_> = envelope.allowed_next_steps().map(|step| step.role()).collect();
    ///     assert_eq!(roles, [Role::Gate, Role::Rollback]);
    /// });
    /// ```
    #[must_use]
    pub fn role(self) -> Role {
        let info = member(member(self.envelope.0, "steps"), self.id);
        let by_opcode = || match Opcode::from_word(text(info, "opcode"))? {
            Opcode::Gate => Some(Role::Gate),
            Opcode::Rollback => Some(Role::Rollback),
            Opcode::Stop => Some(Role::Stop),
            Opcode::RunAgent | Opcode::RunValidation | Opcode::Evaluate => None,
        };
        let said = Role::from_word(text(info, "role")).or_else(by_opcode);
        said.unwrap_or_else(|| if self.id == "STOP" { Role::Stop } else { role_by_name(self.id) })
    }
}

/// Words in a step's name that tell its role. Where a name has several, the first row wins.
const WORDS: [(Role, &[&str]); 4] = [
    (Role::Fix, &["fix", "refine", "adjust", "revise"]),
    (Role::Gate, &["gate", "review", "approve", "approval"]),
    (Role::Rollback, &["rollback", "revert"]),
    (Role::Stop, &["stop", "done", "finish"]),
];

/// Of the roles that the status asks for, the first that any allowed step plays.
pub(crate) fn step_for(envelope: Envelope<'_>, status: Status) -> Option<Step<'_>> {
    let wanted: &[Role] = match status {
        Status::Success => &[Role::Forward, Role::Stop],
        Status::Partial => &[Role::Fix],
        Status::NeedsHuman | Status::Blocked => &[Role::Gate, Role::Stop],
        Status::Unsafe => &[Role::Rollback, Role::Gate, Role::Stop],
    };
    wanted.iter().find_map(|role| envelope.allowed_next_steps().find(|step| step.role() == *role))
}

fn role_by_name(name: &str) -> Role {
    let is_word = |known: &&str| words_of(name, |word| word.eq_ignore_ascii_case(known));
    WORDS.iter().find(|(_, known)| known.iter().any(is_word)).map_or(Role::Forward, |(role, _)| *role)
}

/// Whether any word of a name is one that is sought. Words end at whatever is no letter or digit, and where camel case begins
/// another.
fn words_of(name: &str, is_sought: impl Fn(&str) -> bool) -> bool {
    let mut start = 0;
    let mut before = None;
    let mut characters = name.char_indices().peekable();
    while let Some((at, here)) = characters.next() {
        let after_is_lower = characters.peek().is_some_and(|(_, after)| after.is_ascii_lowercase());
        let begins_word = here.is_ascii_uppercase()
            && before.is_some_and(|before: char| !before.is_ascii_uppercase() || after_is_lower);
        let separates = is_separator(here);
        if (separates || begins_word) && is_sought(name.get(start..at).unwrap_or_default()) {
            return true;
        }
        if separates || begins_word {
            start = if separates { at + here.len_utf8() } else { at };
        }
        before = (!separates).then_some(here);
    }
    is_sought(name.get(start..).unwrap_or_default())
}

/// Whether a character is punctuation or space: of ASCII, of Latin-1, or general.
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
            ("publish", Role::Forward),
            ("fix", Role::Fix),
            ("Fix_Tests", Role::Fix),
            ("fixTests", Role::Fix),
            ("prefix", Role::Forward),
            ("fix2", Role::Forward),
            ("auto.fix", Role::Fix),
            ("review-fix", Role::Fix),
            ("HTTPGate", Role::Gate),
            ("xÜFix", Role::Fix),
            ("revert_all", Role::Rollback),
            ("stopAndReview", Role::Gate),
            ("préfix", Role::Forward),
            ("fix\u{2014}it", Role::Fix),
            ("", Role::Forward),
        ] {
            assert_eq!(role_by_name(name), expected, "{name}");
        }
    }
}
