//! `no test is lost`.

use super::Form;

pub(super) const FORM: Form = Form {
    usage: "no test is lost",
    read: |sentence, draft| {
        (sentence == "no test is lost").then(|| {
            draft.keeps_tests = true;
            Ok(())
        })
    },
};
