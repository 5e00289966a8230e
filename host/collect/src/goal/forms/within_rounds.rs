//! `within N rounds`.

use super::{SentenceForm, number, once};

pub(super) const FORM: SentenceForm = SentenceForm {
    usage: "within N rounds",
    read: |sentence, draft| {
        let rounds = number(sentence, "within ", [" rounds", " round"])?;
        Some(rounds.and_then(|rounds| once(&mut draft.rounds, rounds)))
    },
};
