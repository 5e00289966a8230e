//! The sentences of a goal, which `;` or line breaks separate.

use adjudicate_core::{Error, json::closest};

use super::{
    draft::{Draft, invalid},
    forms::{FORMS, SentenceForm},
};

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
