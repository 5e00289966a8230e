//! `never change GLOB[, GLOB...]`.

use super::{Form, patterns};

pub(super) const FORM: Form = Form {
    usage: "never change GLOB[, GLOB...]",
    read: |sentence, draft| {
        let list = sentence.strip_prefix("never change ")?;
        Some(patterns(list).map(|list| draft.forbidden.extend(list)))
    },
};
