//! Routing: the role of each step, and the one that a status asks for (OA06 section 6, SPEC section 3.4).

use alloc::vec::Vec;

use super::{
    envelope::{Envelope, Opcode, StepInfo},
    facts::Facts,
};
use crate::{
    codes::Status,
    error::Error,
    paths::{Path, normalize},
    policy::{Policy, Role},
    steps::Steps,
};

/// The reserved terminal: a legal step that needs no entry in `steps`.
const STOP: &str = "STOP";

/// Words in a step's name that tell its role.
const WORDS: [(Role, &[&str]); 4] = [
    (Role::Fix, &["fix", "refine", "adjust", "revise"]),
    (Role::Gate, &["gate", "review", "approve", "approval"]),
    (Role::Rollback, &["rollback", "revert"]),
    (Role::Stop, &["stop", "done", "finish"]),
];

/// The roles that a status asks for, most wanted first.
const fn wanted(status: Status) -> &'static [Role] {
    match status {
        Status::Success => &[Role::Forward, Role::Stop],
        Status::Partial => &[Role::Fix],
        Status::NeedsHuman | Status::Blocked => &[Role::Gate, Role::Stop],
        Status::Unsafe => &[Role::Rollback, Role::Gate, Role::Stop],
    }
}

/// The next step: of the roles that the status asks for, the first that any allowed step plays.
pub(super) fn next_step<'a>(facts: &'a Facts<'a>, status: Status) -> Option<(&'a str, Role)> {
    wanted(status).iter().find_map(|role| Some((first_step(facts, *role)?, *role)))
}

/// The first allowed step that plays `role`.
pub(super) fn first_step<'a>(facts: &'a Facts<'a>, role: Role) -> Option<&'a str> {
    let roles = facts.roles().iter().zip(&facts.envelope().allowed_next_steps);
    roles.filter(|(played, _)| **played == role).map(|(_, step)| *step).next()
}

/// The role of each allowed step, in the order of the list.
pub(super) fn roles(envelope: &Envelope<'_>, policy: &Policy, steps: &mut Steps) -> Result<Vec<Role>, Error> {
    let allowed = envelope.allowed_next_steps.iter();
    allowed.map(|step| role(step, envelope.steps.get(step), policy, steps)).collect()
}

/// The role of a step: as `steps` says, else as the policy's routes say, else as its name says.
fn role(step: &str, info: Option<&StepInfo>, policy: &Policy, steps: &mut Steps) -> Result<Role, Error> {
    let info = info.copied().unwrap_or_default();
    let said = info.role.or(match info.opcode {
        Some(Opcode::Gate) => Some(Role::Gate),
        Some(Opcode::Rollback) => Some(Role::Rollback),
        Some(Opcode::Stop) => Some(Role::Stop),
        Some(Opcode::RunAgent | Opcode::RunValidation | Opcode::Evaluate) | None => None,
    });
    if let Some(role) = said.or((step == STOP).then_some(Role::Stop)) {
        return Ok(role);
    }
    if policy.routes().is_empty() {
        return Ok(role_by_name(step));
    }
    let path = normalize(step);
    let path = Path::split(&path);
    for (role, globs) in policy.routes() {
        for glob in globs {
            if glob.matches(&path, steps)? {
                return Ok(*role);
            }
        }
    }
    Ok(role_by_name(step))
}

/// The role that a name tells by a whole word, ignoring case; `forward` if none does.
fn role_by_name(name: &str) -> Role {
    let place = |word: &str| {
        WORDS.iter().position(|(_, known)| known.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    let first = self::words(name).filter_map(place).min();
    first.and_then(|place| WORDS.get(place)).map_or(Role::Forward, |(role, _)| *role)
}

/// The words of a name: split at whatever is no letter or digit, and where camel case begins a word.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(is_separator).flat_map(camel_words)
}

/// Whether a character is punctuation or space: of ASCII, of Latin-1, or general. The tables of all scripts would be a
/// fifteenth of the whole engine, to tell whether a step is called `fix`.
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

/// `fixTests` is `fix`, `Tests`; `HTTPGate` is `HTTP`, `Gate`.
fn camel_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    core::iter::from_fn(move || {
        let mut characters = rest.char_indices();
        let (_, mut before) = characters.next()?;
        let end = characters.find_map(|(at, here)| {
            let after = || rest.get(at + here.len_utf8()..).and_then(|after| after.chars().next());
            let begins_word = here.is_ascii_uppercase()
                && (!before.is_ascii_uppercase() || after().is_some_and(|c| c.is_ascii_lowercase()));
            before = here;
            begins_word.then_some(at)
        });
        let (word, others) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = others;
        Some(word)
    })
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
            ("fixture", Role::Forward),
            ("fix2", Role::Forward),
            ("auto.fix", Role::Fix),
            ("review-fix", Role::Fix),
            ("HTTPGate", Role::Gate),
            ("humanApproval", Role::Gate),
            ("revert_all", Role::Rollback),
            ("done", Role::Stop),
            ("stopAndReview", Role::Gate),
            ("überFix", Role::Fix),
            ("préfix", Role::Forward),
            ("fix\u{a0}it", Role::Fix),
            ("fix\u{2014}it", Role::Fix),
            ("", Role::Forward),
        ] {
            assert_eq!(role_by_name(name), expected, "{name}");
        }
    }

    #[test]
    fn camel_case() {
        for (name, expected) in [
            ("fixTests", &["fix", "Tests"][..]),
            ("HTTPFix", &["HTTP", "Fix"]),
            ("aB", &["a", "B"]),
            ("FIX", &["FIX"]),
            ("v2Fix", &["v2", "Fix"]),
            ("xÜFix", &["xÜ", "Fix"]),
        ] {
            assert_eq!(camel_words(name).collect::<Vec<_>>(), expected);
        }
    }
}
