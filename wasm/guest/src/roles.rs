//! The roles that a status asks for, and the role of a step by its name (docs/reference/routing.md). `cargo xtask generate` copies
//! this file into the crate for guests.

use alloc::vec::Vec;

use super::{Role, Status, is_one_of};

/// Words that name a fix, as the first or the last word.
const FIXES: &[&str] =
    &["fix", "refine", "adjust", "revise", "repair", "mend", "correct", "amend", "retry", "rerun"];

/// Words that name a gate, as the first or the last word.
const GATES: &[&str] =
    &["gate", "review", "approve", "approval", "human", "ask", "escalate", "confirm", "manual", "hold"];

/// Words that name a rollback, as the first or the last word.
const ROLLBACKS: &[&str] = &["rollback", "revert", "undo", "abandon"];

/// Words that name a rollback: alone, or followed by one of [`UNDONE`].
const UNDOES: &[&str] = &["reset", "restore", "discard"];

/// The second word of such a name: `reset_workspace`.
const UNDONE: &[&str] = &["workspace", "worktree", "tree", "branch", "changes", "state", "run", "step"];

/// Words that name a terminal: alone, or followed by one of [`ENDED`].
const STOPS: &[&str] = &["stop", "done", "finish", "end", "abort", "cancel", "halt", "quit", "exit"];

/// The second word of a terminal's name: `cancel_run`.
const ENDED: &[&str] = &["run", "workflow", "session", "agent"];

/// Words that join, negate or evade others. A name with one of them determines no role.
const CONNECTIVES: &[&str] = &[
    "and",
    "then",
    "or",
    "after",
    "before",
    "when",
    "if",
    "unless",
    "non",
    "not",
    "no",
    "without",
    "skip",
    "bypass",
    "auto",
    "automatic",
    "force",
    "override",
    "ignore",
    "disable",
    "remove",
    "self",
    "free",
    "fake",
];

/// Words that say who does a step or what for, and nothing else.
const PLAIN: &[&str] = &[
    "human", "person", "owner", "team", "manager", "lead", "security", "code", "final", "required",
    "request", "step", "for", "to", "the", "by",
];

/// Words that determine the role of a step, as the first or the last word of its name.
const WORDS: [(Role, &[&str]); 3] = [(Role::Fix, FIXES), (Role::Gate, GATES), (Role::Rollback, ROLLBACKS)];

/// The roles that a status asks for, most wanted first.
pub(super) const fn wanted(status: Status) -> &'static [Role] {
    match status {
        Status::Success => &[Role::Forward, Role::Stop],
        Status::Partial => &[Role::Fix],
        Status::NeedsHuman => &[Role::Gate, Role::Stop],
        Status::Blocked => &[Role::Gate, Role::Stop, Role::Rollback],
        Status::Unsafe => &[Role::Rollback, Role::Gate, Role::Stop],
    }
}

/// The role that the first or last word of a name determines, ignoring case. A name whose first and last words disagree has none,
/// and neither has a name with a connective.
pub(super) fn role_by_name(name: &str) -> Option<Role> {
    let words = words(name);
    let (first, last) = (words.first()?, words.last()?);
    if words.iter().any(|word| is_one_of(word, CONNECTIVES)) {
        return None;
    }
    // The word alone, or with a second one.
    let is_whole = |verbs: &[&str], objects: &[&str]| match *words {
        [verb] => is_one_of(verb, verbs),
        [verb, object] => is_one_of(verb, verbs) && is_one_of(object, objects),
        _ => false,
    };
    let stop = is_whole(STOPS, ENDED).then_some(Role::Stop);
    let whole = stop.or_else(|| is_whole(UNDOES, UNDONE).then_some(Role::Rollback));
    match (whole.or_else(|| named_role(first)), named_role(last)) {
        (Some(first), Some(last)) if first != last => None,
        (first, last) => first.or(last),
    }
}

/// Returns true if a name has only words of this role, and words that say who does the step or what for.
pub(super) fn is_plain(name: &str, role: Role) -> bool {
    let own: [&[&str]; 2] = match role {
        Role::Stop => [STOPS, ENDED],
        Role::Rollback => [UNDOES, UNDONE],
        _ => [&[], &[]],
    };
    words(name).iter().all(|word| {
        named_role(word) == Some(role)
            || is_one_of(word, PLAIN)
            || own.iter().any(|known| is_one_of(word, known))
    })
}

/// Returns the role that a word names.
fn named_role(word: &str) -> Option<Role> {
    WORDS.iter().find(|(_, known)| is_one_of(word, known)).map(|(role, _)| *role)
}

/// The words of a name: split at every character that is no letter or digit, and at the humps of camel case. `fixTests` is `fix`,
/// `Tests`; `HTTPGate` is `HTTP`, `Gate`.
fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for part in name.split(is_separator) {
        let mut start = 0;
        let mut before = None;
        let mut characters = part.char_indices().peekable();
        while let Some((at, here)) = characters.next() {
            let is_followed = characters.peek().is_some_and(|(_, after)| after.is_ascii_lowercase());
            let begins = here.is_ascii_uppercase()
                && before.is_some_and(|before: char| !before.is_ascii_uppercase() || is_followed);
            if begins {
                words.extend(part.get(start..at));
                start = at;
            }
            before = Some(here);
        }
        words.extend(part.get(start..).filter(|word| !word.is_empty()));
    }
    words
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
