//! `known failures are accepted`.

use super::Form;

pub(super) const FORM: Form = Form {
    usage: "known failures are accepted",
    read: |sentence, draft| {
        (sentence == "known failures are accepted").then(|| {
            draft.accepts_known_failures = true;
            Ok(())
        })
    },
};
