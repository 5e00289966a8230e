//! `within N minutes`.

use super::{SentenceForm, number, once};

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "within N minutes",
    read: |sentence, draft| {
        let minutes = number(sentence, "within ", [" minutes", " minute"])?;
        Some(minutes.and_then(|minutes| once(&mut draft.minutes, minutes)))
    },
};
