//! `reviewed`.

use super::Form;

pub(super) const FORM: Form = Form {
    usage: "reviewed",
    read: |sentence, draft| {
        (sentence == "reviewed").then(|| {
            draft.is_reviewed = true;
            Ok(())
        })
    },
};
