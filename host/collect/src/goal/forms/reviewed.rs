//! `reviewed`.

use super::SentenceForm;

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "reviewed",
    read: |sentence, draft| {
        (sentence == "reviewed").then(|| {
            draft.is_reviewed = true;
            Ok(())
        })
    },
};
