//! Routing: classifies each step (OA06 section 6, docs/reference/routing.md).
//!
//! A step is *declared* by `steps` or by the policy's `routes`, *reserved* (`STOP`), *named* by the words of its id, or
//! *unclassified*.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error, Steps,
    paths::{Path, normalize},
};

use super::route_words::{CONNECTIVES, ENDED, FIXES, GATES, PLAIN, ROLLBACKS, STOPS, UNDOES, UNDONE};
use crate::{
    documents::{
        envelope::{Envelope, Opcode, StepInfo},
        evaluation::{ClassifiedBy, Route},
        role::Role,
    },
    policy::Policy,
    words::is_one_of,
};

/// The reserved terminal: a legal step that needs no entry in `steps`.
const STOP: &str = "STOP";

/// Words that determine the role of a step, as the first or the last word of its name.
const WORDS: [(Role, &[&str]); 3] = [(Role::Fix, FIXES), (Role::Gate, GATES), (Role::Rollback, ROLLBACKS)];

impl Route {
    /// The route of a step without any known role.
    pub(super) const UNCLASSIFIED: Self = Self { role: Role::Forward, by: ClassifiedBy::Unclassified };

    const fn declared(role: Role) -> Self {
        Self { role, by: ClassifiedBy::Declared }
    }
}

/// The route of each allowed step, in the order of the list.
pub(super) fn routes(
    envelope: &Envelope<'_>,
    policy: &Policy,
    steps: &mut Steps,
) -> Result<Vec<Route>, Error> {
    let allowed = envelope.allowed_next_steps.iter();
    allowed.map(|step| classify(step, envelope.steps.get(step), policy, steps)).collect()
}

/// The route of a step: declared by `steps`, otherwise reserved, otherwise declared by the policy's routes, otherwise by its
/// name.
fn classify(step: &str, info: Option<&StepInfo>, policy: &Policy, steps: &mut Steps) -> Result<Route, Error> {
    let info = info.copied().unwrap_or_default();
    let declared = info.role.or(match info.opcode {
        Some(Opcode::Gate) => Some(Role::Gate),
        Some(Opcode::Rollback) => Some(Role::Rollback),
        Some(Opcode::Stop) => Some(Role::Stop),
        Some(Opcode::RunAgent | Opcode::RunValidation | Opcode::Evaluate) | None => None,
    });
    if let Some(role) = declared {
        return Ok(Route::declared(role));
    }
    if step == STOP {
        return Ok(Route { role: Role::Stop, by: ClassifiedBy::Reserved });
    }
    if !policy.routes().is_empty() {
        let path = normalize(step);
        let path = Path::split(&path);
        for (role, globs) in policy.routes() {
            for glob in globs {
                if glob.matches(&path, steps)? {
                    return Ok(Route::declared(*role));
                }
            }
        }
    }
    Ok(role_by_name(step).map_or(Route::UNCLASSIFIED, |role| Route { role, by: ClassifiedBy::Named }))
}

/// The role that the first or last word of a name determines, ignoring case. A name whose first and last words disagree has none,
/// and neither has a name with a connective.
fn role_by_name(name: &str) -> Option<Role> {
    let mut words = self::words(name).filter(|word| !word.is_empty());
    let first = words.next()?;
    let (mut last, mut second, mut count) = (first, None, 1_usize);
    let mut joins = is_one_of(first, CONNECTIVES);
    for word in words {
        (last, count) = (word, count + 1);
        second = second.or(Some(word));
        joins |= is_one_of(word, CONNECTIVES);
    }
    if joins {
        return None;
    }
    // The word alone, or with a second one.
    let is_whole = |verbs: &[&str], objects: &[&str]| {
        is_one_of(first, verbs)
            && (count == 1 || count == 2 && second.is_some_and(|word| is_one_of(word, objects)))
    };
    let stop = is_whole(STOPS, ENDED).then_some(Role::Stop);
    let whole = stop.or_else(|| is_whole(UNDOES, UNDONE).then_some(Role::Rollback));
    let named_role = |word| WORDS.iter().find(|(_, known)| is_one_of(word, known)).map(|(role, _)| *role);
    match (whole.or_else(|| named_role(first)), named_role(last)) {
        (Some(first), Some(last)) if first != last => None,
        (first, last) => first.or(last),
    }
}

/// Returns true if a name has only words of this role, and words that say who does the step or what for.
pub(super) fn is_plain(name: &str, role: Role) -> bool {
    let own: &[&[&str]] = match role {
        Role::Stop => &[STOPS, ENDED],
        Role::Rollback => &[UNDOES, UNDONE],
        _ => &[],
    };
    let named = WORDS.iter().filter(|(of, _)| *of == role).map(|(_, words)| *words);
    let known = || named.clone().chain(own.iter().copied()).chain([PLAIN]);
    self::words(name).filter(|word| !word.is_empty()).all(|word| known().any(|known| is_one_of(word, known)))
}

/// The words of a name: split at every character that is no letter or digit, and at the humps of camel case.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(is_separator).flat_map(camel_words)
}

/// Returns true for punctuation or space of ASCII, Latin-1 or the general blocks. Tables for all scripts would be a fifteenth of
/// the engine's size.
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
        use Role::{Fix, Gate, Rollback, Stop};
        for (name, expected) in [
            ("publish", None),
            ("fix", Some(Fix)),
            ("Fix_Tests", Some(Fix)),
            ("fixTests", Some(Fix)),
            ("fix_findings", Some(Fix)),
            ("prefix", None),
            ("fixture", None),
            ("fix2", None),
            ("auto.fix", None),
            ("skip_review", None),
            ("bypassApproval", None),
            ("reset_database", None),
            ("hard_reset", None),
            ("reset", Some(Rollback)),
            ("resetWorkspace", Some(Rollback)),
            ("discard_changes", Some(Rollback)),
            ("restore_state_now", None),
            ("RERUN", Some(Fix)),
            ("HTTPGate", Some(Gate)),
            ("humanApproval", Some(Gate)),
            ("human_gate", Some(Gate)),
            ("-ask-", Some(Gate)),
            ("revert_all", Some(Rollback)),
            ("discard", Some(Rollback)),
            ("done", Some(Stop)),
            ("abort", Some(Stop)),
            ("cancel_run", Some(Stop)),
            ("exit-Session", Some(Stop)),
            ("überFix", Some(Fix)),
            ("préfix", None),
            ("fix\u{a0}it", Some(Fix)),
            ("fix\u{2014}it", Some(Fix)),
            ("", None),
            ("--", None),
            // A word in the middle does not count.
            ("publish_fix_now", None),
            // First and last word tell different roles.
            ("review-fix", None),
            ("fix_and_review", None),
            ("done_review", Some(Gate)),
            ("abort_review", Some(Gate)),
            // A terminal is the whole name, or ends with a word such as `run`.
            ("finish_release", None),
            ("full_stop", None),
            ("stop_the_run", None),
            ("run_stop", None),
            // A connective cancels the role.
            ("approve_and_deploy", None),
            ("stopAndReview", None),
            ("non_stop_deploy", None),
            ("deploy_after_review", None),
            ("no_fix", None),
            ("review_unless_done", None),
        ] {
            assert_eq!(role_by_name(name), expected, "{name}");
        }
    }

    #[test]
    fn plain_names() {
        for (name, role, expected) in [
            ("human_gate", Role::Gate, true),
            ("approval-by-the-code-owner", Role::Gate, true),
            ("review_and_ship", Role::Gate, false),
            ("gate_keeper_v2", Role::Gate, false),
            ("cancel_run", Role::Stop, true),
            ("reset_workspace", Role::Rollback, true),
            ("fix_tests", Role::Fix, false),
        ] {
            assert_eq!(is_plain(name, role), expected, "{name}");
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
