//! The forms of sentences, one file and one row each.

mod ask_before;
mod exists;
mod exits;
mod known_failures;
mod never_change;
mod no_lost_test;
mod only_change;
mod reviewed;
mod run;
mod within_minutes;
mod within_rounds;

use super::draft::Draft;

/// A form of sentences.
pub(super) struct SentenceForm {
    /// The form, for error messages.
    pub(super) usage: &'static str,
    /// Reads a sentence into the draft. Returns `None` if the sentence has another form.
    pub(super) read: fn(&str, &mut Draft) -> Option<Result<(), String>>,
}

/// All forms, in the order in which they are tried and listed.
pub(super) const FORMS: [SentenceForm; 11] = [
    run::FORM,
    only_change::FORM,
    never_change::FORM,
    ask_before::FORM,
    no_lost_test::FORM,
    known_failures::FORM,
    reviewed::FORM,
    within_rounds::FORM,
    within_minutes::FORM,
    exits::FORM,
    exists::FORM,
];

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
        adjudicate_core::paths::Pattern::new(item).map_err(|error| format!("`{item}`: {}", error))?;
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
