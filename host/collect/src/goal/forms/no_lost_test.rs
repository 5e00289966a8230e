//! `no test is lost`.

use super::SentenceForm;

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "no test is lost",
    read: |sentence, draft| {
        (sentence == "no test is lost").then(|| {
            draft.keeps_tests = true;
            Ok(())
        })
    },
};
