//! `NAME exists`: an artifact.

use super::{SentenceForm, patterns};

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "NAME exists",
    read: |sentence, draft| {
        let list = [" exists", " exist"].iter().find_map(|end| sentence.strip_suffix(end))?;
        Some(patterns(list).map(|list| draft.artifacts.extend(list)))
    },
};
