//! The stop report: what whoever takes over must know (PAO, stop output format).

use alloc::{format, string::String, vec::Vec};

use super::{
    budgets::{Account, Amounts},
    facts::Facts,
    gates::StopReason,
    ledger::Ledger,
    question::Question,
    reason::{Reason, Remedy},
};
use crate::{
    json::{
        self, float,
        object::{Members, texts},
    },
    order,
};

/// What is to be asked where the ledger has no question that can be.
const ANY_QUESTION: &str = "ask one blocking question that says what remains uncertain";

/// `{stop_reason, confidence, evidence_summary, uncertainties_remaining, next_actions, budget_consumed}`
pub(super) fn write(stop_reason: StopReason, facts: &Facts<'_, '_>, reasons: &[Reason]) -> String {
    let ledger = facts.ledger;
    let stated = ledger.turns.last().and_then(|turn| turn.stated_confidence?.as_number());
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.text("stop_reason", Some(stop_reason.as_str()));
    // Where no turn says how sure it is, nobody is. The only one with a sign is zero.
    members.json("confidence", Some(&json::write(&stated.map_or(0.0, float::parse).abs())));
    members.texts("evidence_summary", &evidence(ledger));
    members.texts("uncertainties_remaining", &uncertainties(ledger));
    members.texts("next_actions", &actions(ledger, reasons));
    members.json("budget_consumed", Some(&consumed(&facts.account)));
    members.close();
    out
}

/// What was gathered, and the sources that were asked, each once, in the order in which they came.
fn evidence<'a>(ledger: &Ledger<'a>) -> Vec<&'a str> {
    let gathered = ledger.turns.iter().filter_map(|turn| turn.evidence).flat_map(texts);
    let sources = ledger.turns.iter().flat_map(|turn| &turn.queries).map(|query| query.source);
    order::without_repeats(gathered.chain(sources).collect(), Ord::cmp)
}

/// What the last turn leaves open, and what nobody answered.
fn uncertainties<'a>(ledger: &Ledger<'a>) -> Vec<&'a str> {
    let last = ledger.turns.last();
    let conflicts = last.and_then(|turn| turn.conflicts).map(texts).unwrap_or_default();
    let blocker = last.and_then(|turn| turn.blocker);
    let question =
        ledger.open_question().map(|question| question.text).filter(|text| !text.trim().is_empty());
    order::without_repeats(conflicts.into_iter().chain(blocker).chain(question).collect(), Ord::cmp)
}

/// What to do about each reason, in their order.
fn actions<'a>(ledger: &Ledger<'a>, reasons: &[Reason]) -> Vec<&'a str> {
    let question = ledger.open_question().filter(|question| Question::is_singular_and_blocking(question));
    let remedies = reasons.iter().filter_map(|reason| match reason.code().remedy() {
        Remedy::Nothing => None,
        Remedy::Recommendation => ledger.recommendation.map(|recommendation| recommendation.text),
        Remedy::Question => Some(question.map_or(ANY_QUESTION, |question| question.text)),
        Remedy::Do(action) => Some(action),
    });
    order::without_repeats(remedies.collect(), Ord::cmp)
}

/// `{used, max}` of each budget.
fn consumed(account: &Account) -> String {
    Amounts::to_json(|budget| {
        format!(r#"{{"used":{},"max":{}}}"#, account.used.of(budget), account.max.of(budget))
    })
}
