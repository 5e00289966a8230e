//! `only change GLOB[, GLOB...]`.

use super::{SentenceForm, patterns};

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "only change GLOB[, GLOB...]",
    read: |sentence, draft| {
        let list = sentence.strip_prefix("only change ")?;
        Some(patterns(list).map(|list| draft.allowed.extend(list)))
    },
};
