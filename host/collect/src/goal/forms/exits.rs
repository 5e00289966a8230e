//! `NAME[, NAME...] exits 0`.

use super::{SentenceForm, items};

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "NAME[, NAME...] exits 0",
    read: |sentence, draft| {
        let names = [" exits 0", " exit 0"].iter().find_map(|end| sentence.strip_suffix(end))?;
        Some(items(names).map(|names| draft.validators.extend(names)))
    },
};
