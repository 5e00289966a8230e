//! The stop report for the human or agent who takes over (PAO, stop output format).

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    json::{self, object::ObjectWriter},
    order,
};

use super::{
    budgets::{Account, Budget},
    facts::LedgerFacts,
    question::{verdicts, write_verdicts},
    reason::PlanningReason,
};
use crate::documents::{
    deliberation::{Readiness, Remedy, StopReason},
    ledger::{Ledger, Question, Recommendation},
};

/// The instruction if the ledger has no usable question.
const ANY_QUESTION: &str = "ask one blocking question about the remaining uncertainty";

/// `{stop_reason, confidence, evidence_summary, uncertainties_remaining, next_actions, budget_consumed, recommendation,
/// question}`
pub(super) fn write(
    stop_reason: StopReason,
    facts: &LedgerFacts<'_, '_>,
    reasons: &[PlanningReason],
) -> String {
    let ledger = facts.ledger;
    let confidence = ledger.turns.last().map(|turn| turn.confidence.0).unwrap_or_default();
    let mut out = String::new();
    let mut members = ObjectWriter::open(&mut out);
    members.text("stop_reason", Some(stop_reason.as_str()));
    members.json("confidence", Some(&json::write(&confidence.to_f64())));
    members.texts("evidence_summary", &evidence(ledger));
    members.texts("uncertainties_remaining", &uncertainties(ledger));
    members.texts("next_actions", &actions(ledger, stop_reason, reasons));
    members.json("budget_consumed", Some(&consumed(&facts.account)));
    let recommended =
        ledger.recommendation.map(|stated| recommendation(stated, Readiness::from_ledger(ledger)));
    members.json("recommendation", Some(recommended.as_deref().unwrap_or("null")));
    members.json("question", Some(ledger.question.as_ref().map(question).as_deref().unwrap_or("null")));
    members.close();
    out
}

/// The evidence ids and the queried sources, each once, in order.
fn evidence<'a>(ledger: &Ledger<'a>) -> Vec<&'a str> {
    let gathered = ledger.turns.iter().flat_map(|turn| &turn.evidence_ids).map(|id| id.0);
    let sources = ledger.turns.iter().flat_map(|turn| &turn.queries).map(|query| query.source.0);
    order::without_repeats(gathered.chain(sources).collect(), Ord::cmp)
}

/// The open conflicts and blocker of the last turn, and the open question.
fn uncertainties<'a>(ledger: &Ledger<'a>) -> Vec<&'a str> {
    let last = ledger.turns.last();
    let conflicts = last.into_iter().flat_map(|turn| &turn.conflicts_open).map(|id| id.0);
    let blocker = last.and_then(|turn| turn.blocker).map(|blocker| blocker.0);
    let question =
        ledger.open_question().map(|question| question.text).filter(|text| !text.trim().is_empty());
    order::without_repeats(conflicts.chain(blocker).chain(question).collect(), Ord::cmp)
}

/// The remedies of the reasons, in order. After a failed switch, the question comes last, if there is one.
fn actions<'a>(ledger: &Ledger<'a>, stop_reason: StopReason, reasons: &[PlanningReason]) -> Vec<&'a str> {
    let question = ledger.blocking_question().map(|question| question.text);
    let remedies = reasons.iter().filter_map(|reason| match reason.code().remedy() {
        Remedy::Nothing => None,
        Remedy::Recommendation => ledger.recommendation.map(|recommendation| recommendation.text.0),
        Remedy::Question => Some(question.unwrap_or(ANY_QUESTION)),
        Remedy::Do(action) => Some(action),
    });
    let last = question.filter(|_| stop_reason == StopReason::Stagnation);
    order::without_repeats(remedies.chain(last).collect(), Ord::cmp)
}

/// `{used, max, text}` of each budget.
fn consumed(account: &Account) -> String {
    let mut out = String::new();
    let mut members = ObjectWriter::open(&mut out);
    for budget in Budget::ALL {
        let (used, max) = (account.used.get(budget), account.max.get(budget));
        let spent = format!(r#"{{"used":{used},"max":{max},"text":"{}"}}"#, spent_text(used, max));
        members.json(budget.consumed_as(), Some(&spent));
    }
    members.close();
    out
}

/// The used part of a budget in PAO's form, for example `3/5`.
pub(super) fn spent_text(used: u64, max: u64) -> String {
    format!("{used}/{max}")
}

/// `{text, label}`
fn recommendation(recommendation: Recommendation<'_>, readiness: Readiness) -> String {
    let mut out = String::new();
    let mut members = ObjectWriter::open(&mut out);
    members.text("text", Some(recommendation.text.0));
    members.text("label", Some(readiness.as_str()));
    members.close();
    out
}

/// `{text, verdict}`
fn question(question: &Question<'_>) -> String {
    let mut out = String::new();
    let mut members = ObjectWriter::open(&mut out);
    members.text("text", Some(question.text));
    members.json("verdict", Some(&write_verdicts(verdicts(question))));
    members.close();
    out
}
