//! `ask before GLOB[, GLOB...]`.

use super::{SentenceForm, patterns};

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "ask before GLOB[, GLOB...]",
    read: |sentence, draft| {
        let list = sentence.strip_prefix("ask before ")?;
        Some(patterns(list).map(|list| draft.protected.extend(list)))
    },
};
