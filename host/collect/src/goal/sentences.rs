//! The sentences of a goal, which `;` or line breaks separate, with a row for each form.

use adjudicate_core::{Error, json::closest, paths::Pattern};
use adjudicate_evidence::codes;

/// The parts of a goal, as its sentences state them.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// The names of validators that must exit with 0.
    pub(super) validators: Vec<String>,
    /// Commands that must exit with 0: their names and lines.
    pub(super) commands: Vec<(String, String)>,
    /// Patterns of the only files that may change.
    pub(super) allowed: Vec<String>,
    /// Patterns of files that must not change.
    pub(super) forbidden: Vec<String>,
    /// Patterns of files that change only with an approval.
    pub(super) protected: Vec<String>,
    /// Patterns of artifacts that must exist.
    pub(super) artifacts: Vec<String>,
    pub(super) keeps_tests: bool,
    pub(super) accepts_known_failures: bool,
    pub(super) is_reviewed: bool,
    pub(super) rounds: Option<u64>,
    pub(super) minutes: Option<u64>,
}

pub(super) fn invalid(message: String) -> Error {
    Error::new(codes::INVALID_VALUE, message)
}

/// A form of sentences.
struct SentenceForm {
    /// The form, for error messages.
    usage: &'static str,
    /// Reads a sentence into the draft. Returns `None` if the sentence has another form.
    read: fn(&str, &mut Draft) -> Option<Result<(), String>>,
}

/// All forms, in the order in which they are tried and listed.
const FORMS: [SentenceForm; 11] = [
    SentenceForm {
        usage: "run COMMAND [as NAME]",
        read: |sentence, draft| {
            let command = sentence.strip_prefix("run ")?.trim();
            let (command, name) = match command.rsplit_once(" as ") {
                Some((command, name)) if !name.contains(char::is_whitespace) => {
                    (command.trim(), name.to_owned())
                }
                _ => (command, name_of(command)),
            };
            draft.commands.push((name, command.to_owned()));
            Some(Ok(()))
        },
    },
    SentenceForm {
        usage: "only change GLOB[, GLOB...]",
        read: |sentence, draft| {
            let list = sentence.strip_prefix("only change ")?;
            Some(patterns(list).map(|list| draft.allowed.extend(list)))
        },
    },
    SentenceForm {
        usage: "never change GLOB[, GLOB...]",
        read: |sentence, draft| {
            let list = sentence.strip_prefix("never change ")?;
            Some(patterns(list).map(|list| draft.forbidden.extend(list)))
        },
    },
    SentenceForm {
        usage: "ask before GLOB[, GLOB...]",
        read: |sentence, draft| {
            let list = sentence.strip_prefix("ask before ")?;
            Some(patterns(list).map(|list| draft.protected.extend(list)))
        },
    },
    SentenceForm {
        usage: "no test is lost",
        read: |sentence, draft| {
            (sentence == "no test is lost").then(|| {
                draft.keeps_tests = true;
                Ok(())
            })
        },
    },
    SentenceForm {
        usage: "known failures are accepted",
        read: |sentence, draft| {
            (sentence == "known failures are accepted").then(|| {
                draft.accepts_known_failures = true;
                Ok(())
            })
        },
    },
    SentenceForm {
        usage: "reviewed",
        read: |sentence, draft| {
            (sentence == "reviewed").then(|| {
                draft.is_reviewed = true;
                Ok(())
            })
        },
    },
    SentenceForm {
        usage: "within N rounds",
        read: |sentence, draft| {
            let rounds = number(sentence, "within ", [" rounds", " round"])?;
            Some(rounds.and_then(|rounds| once(&mut draft.rounds, rounds)))
        },
    },
    SentenceForm {
        usage: "within N minutes",
        read: |sentence, draft| {
            let minutes = number(sentence, "within ", [" minutes", " minute"])?;
            Some(minutes.and_then(|minutes| once(&mut draft.minutes, minutes)))
        },
    },
    SentenceForm {
        usage: "NAME[, NAME...] exits 0",
        read: |sentence, draft| {
            let names = [" exits 0", " exit 0"].iter().find_map(|end| sentence.strip_suffix(end))?;
            Some(items(names).map(|names| draft.validators.extend(names)))
        },
    },
    SentenceForm {
        usage: "NAME exists",
        read: |sentence, draft| {
            let list = [" exists", " exist"].iter().find_map(|end| sentence.strip_suffix(end))?;
            Some(patterns(list).map(|list| draft.artifacts.extend(list)))
        },
    },
];

/// Reads the parts of a goal.
///
/// # Errors
///
/// `invalid_value` with the sentence: it has no form, or a part of it is invalid. Also if nothing of the goal can be checked.
pub(super) fn read(text: &str) -> Result<Draft, Error> {
    let mut draft = Draft::default();
    let sentences = text.split([';', '\n']).map(str::split_whitespace);
    let sentences = sentences.map(|words| words.collect::<Vec<_>>().join(" "));
    for sentence in sentences.filter(|sentence| !sentence.is_empty()) {
        let read = FORMS.iter().find_map(|form| (form.read)(&sentence, &mut draft));
        let read = read.unwrap_or_else(|| Err(formless(&sentence)));
        read.map_err(|reason| invalid(format!("`{sentence}`: {reason}")))?;
    }
    if draft.validators.is_empty() && draft.commands.is_empty() && draft.artifacts.is_empty() {
        let forms = ["NAME exits 0", "run COMMAND", "NAME exists"].join("`, `");
        return Err(invalid(format!(
            "nothing of this goal can be checked, so a human must judge it; a check is one of `{forms}`"
        )));
    }
    Ok(draft)
}

/// Returns the message about a sentence without a form. It lists the forms, the nearest first.
fn formless(sentence: &str) -> String {
    let usages = FORMS.map(|SentenceForm { usage, .. }| usage);
    let nearest = nearest(sentence, &usages);
    let others = usages.iter().filter(|usage| Some(**usage) != nearest).copied();
    let listed: Vec<_> = nearest.into_iter().chain(others).collect();
    format!("no sentence of a goal has this form; the forms are `{}`", listed.join("`, `"))
}

/// Returns the form with a word that is close to a word of the sentence. Words for parts are in capitals, and do not count.
fn nearest<'u>(sentence: &str, usages: &[&'u str]) -> Option<&'u str> {
    let shared = |usage: &str| {
        let words: Vec<_> = usage
            .split_whitespace()
            .filter(|word| word.chars().all(|letter| letter.is_ascii_lowercase()))
            .collect();
        sentence.split_whitespace().filter(|word| closest(word, &words).is_some()).count()
    };
    let best = usages.iter().max_by_key(|usage| (shared(usage), core::cmp::Reverse(usage.len())))?;
    Some(*best).filter(|usage| shared(usage) > 0)
}

/// Returns the name of a command: its first two words, as far as a validator's id may have their letters.
fn name_of(command: &str) -> String {
    let words = command.split_whitespace().take(2).collect::<Vec<_>>().join("-");
    let name: String =
        words.chars().filter(|letter| letter.is_ascii_alphanumeric() || "._-".contains(*letter)).collect();
    match name.trim_start_matches(['.', '_', '-']) {
        "" => "command".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns the items of a list between commas. Commas in braces are part of a pattern.
fn items(list: &str) -> Result<Vec<String>, String> {
    let mut depth = 0_u32;
    let parts = list.split(|letter| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    let items: Vec<String> = parts.map(|item| item.trim().to_owned()).collect();
    match items.iter().any(String::is_empty) {
        true => Err(format!("the list `{list}` has an empty item")),
        false => Ok(items),
    }
}

/// Returns the path patterns of a list.
fn patterns(list: &str) -> Result<Vec<String>, String> {
    let items = items(list)?;
    for item in &items {
        Pattern::new(item).map_err(|error| format!("`{item}`: {error}"))?;
    }
    Ok(items)
}

/// Returns the number between two parts of a sentence.
fn number(sentence: &str, before: &str, units: [&str; 2]) -> Option<Result<u64, String>> {
    let rest = sentence.strip_prefix(before)?;
    let number = units.iter().find_map(|unit| rest.strip_suffix(unit))?.trim();
    let read = number.parse::<u64>().ok().filter(|number| (1..=1_000).contains(number));
    Some(read.ok_or_else(|| format!("expected an integer from 1 to 1,000, found `{number}`")))
}

/// Sets a part of a goal that can be set once.
fn once<T>(place: &mut Option<T>, value: T) -> Result<(), String> {
    match place.replace(value) {
        Some(_) => Err("another sentence of this form stands before it".to_owned()),
        None => Ok(()),
    }
}
