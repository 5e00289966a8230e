//! `within N minutes`.

use super::{Form, number, once};

pub(super) const FORM: Form = Form {
    usage: "within N minutes",
    read: |sentence, draft| {
        let minutes = number(sentence, "within ", [" minutes", " minute"])?;
        Some(minutes.and_then(|minutes| once(&mut draft.minutes, minutes)))
    },
};
