//! The stop report: what whoever takes over must know (PAO, stop output format).

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    json::{
        self,
        object::{Members, texts},
    },
    order,
};

use super::{
    budgets::{Account, Budget},
    facts::Facts,
    gates::StopReason,
    ledger::{Ledger, Recommendation},
    question::{Question, write_verdicts},
    readiness::Readiness,
    reason::{Reason, Remedy},
};

/// What is to be asked where the ledger has no question that can be.
const ANY_QUESTION: &str = "ask one blocking question that says what remains uncertain";

/// `{stop_reason, confidence, evidence_summary, uncertainties_remaining, next_actions, budget_consumed, recommendation,
/// question}`
pub(super) fn write(stop_reason: StopReason, facts: &Facts<'_, '_>, reasons: &[Reason]) -> String {
    let ledger = facts.ledger;
    let stated = ledger.turns.last().and_then(|turn| turn.stated_confidence?.as_f64());
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.text("stop_reason", Some(stop_reason.as_str()));
    // Where no turn says how sure it is, nobody is. The only one with a sign is zero.
    members.json("confidence", Some(&json::write(&stated.unwrap_or_default().abs())));
    members.texts("evidence_summary", &evidence(ledger));
    members.texts("uncertainties_remaining", &uncertainties(ledger));
    members.texts("next_actions", &actions(ledger, stop_reason, reasons));
    members.json("budget_consumed", Some(&consumed(&facts.account)));
    let recommended = ledger.recommendation.map(|told| recommendation(told, Readiness::of(ledger)));
    members.json("recommendation", Some(recommended.as_deref().unwrap_or("null")));
    members.json("question", Some(ledger.question.as_ref().map(question).as_deref().unwrap_or("null")));
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

/// What to do about each reason, in their order. After a failed switch the question stands last, if there is one.
fn actions<'a>(ledger: &Ledger<'a>, stop_reason: StopReason, reasons: &[Reason]) -> Vec<&'a str> {
    let question = ledger.blocking_question().map(|question| question.text);
    let remedies = reasons.iter().filter_map(|reason| match reason.code().remedy() {
        Remedy::Nothing => None,
        Remedy::Recommendation => ledger.recommendation.map(|recommendation| recommendation.text),
        Remedy::Question => Some(question.unwrap_or(ANY_QUESTION)),
        Remedy::Do(action) => Some(action),
    });
    let last = question.filter(|_| stop_reason == StopReason::Stagnation);
    order::without_repeats(remedies.chain(last).collect(), Ord::cmp)
}

/// `{used, max, text}` of each budget.
fn consumed(account: &Account) -> String {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    for budget in Budget::ALL.iter().copied() {
        let (used, max) = (account.used.of(budget), account.max.of(budget));
        let spent = format!(r#"{{"used":{used},"max":{max},"text":"{}"}}"#, spent_text(used, max));
        members.json(budget.consumed_as(), Some(&spent));
    }
    members.close();
    out
}

/// What was used of how much, as PAO writes it.
pub(super) fn spent_text(used: u64, max: u64) -> String {
    format!("{used}/{max}")
}

/// `{text, label}`
fn recommendation(recommendation: Recommendation<'_>, readiness: Readiness) -> String {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.text("text", Some(recommendation.text));
    members.text("label", Some(readiness.as_str()));
    members.close();
    out
}

/// `{text, verdict}`
fn question(question: &Question<'_>) -> String {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.text("text", Some(question.text));
    members.json("verdict", Some(&write_verdicts(question.verdicts)));
    members.close();
    out
}
