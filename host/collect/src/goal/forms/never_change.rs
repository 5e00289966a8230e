//! `never change GLOB[, GLOB...]`.

use super::{SentenceForm, patterns};

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "never change GLOB[, GLOB...]",
    read: |sentence, draft| {
        let list = sentence.strip_prefix("never change ")?;
        Some(patterns(list).map(|list| draft.forbidden.extend(list)))
    },
};
