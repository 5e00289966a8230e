//! `known failures are accepted`.

use super::SentenceForm;

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "known failures are accepted",
    read: |sentence, draft| {
        (sentence == "known failures are accepted").then(|| {
            draft.accepts_known_failures = true;
            Ok(())
        })
    },
};
