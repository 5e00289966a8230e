//! `only change GLOB[, GLOB...]`.

use super::{Form, patterns};

pub(super) const FORM: Form = Form {
    usage: "only change GLOB[, GLOB...]",
    read: |sentence, draft| {
        let list = sentence.strip_prefix("only change ")?;
        Some(patterns(list).map(|list| draft.allowed.extend(list)))
    },
};
