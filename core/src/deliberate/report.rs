//! The stop report for the human or agent who takes over (docs/reference/planning-gates.md).

use alloc::vec::Vec;

use adjudicate_lang::{
    document::{Id, Magnitude},
    json::Nullable,
    order,
};

use super::{facts::LedgerFacts, question};
use crate::documents::{
    deliberation::{
        PlanningReason, Readiness, Remedy, ReportedQuestion, ReportedRecommendation, StopReason, StopReport,
    },
    ledger::Ledger,
};

/// The instruction if the ledger has no usable question.
const ANY_QUESTION: &str = "ask one blocking question about the remaining uncertainty";

/// Writes the report of a stop.
pub(super) fn new<'a>(
    stop_reason: StopReason,
    facts: &LedgerFacts<'_, 'a>,
    reasons: &[PlanningReason<'_>],
) -> StopReport<'a> {
    let ledger = facts.ledger;
    let recommendation = ledger
        .recommendation
        .map(|stated| ReportedRecommendation { text: stated.text.0, label: Readiness::from_ledger(ledger) });
    let question = ledger
        .question
        .as_ref()
        .map(|question| ReportedQuestion { text: question.text, verdict: question::judge(question) });
    StopReport {
        stop_reason,
        confidence: ledger.turns.last().map(|turn| turn.confidence.0).map(Magnitude).unwrap_or_default(),
        evidence_summary: evidence(ledger),
        uncertainties_remaining: uncertainties(ledger),
        next_actions: actions(ledger, stop_reason, reasons),
        budget_consumed: facts.account.consumed(),
        recommendation: Nullable(recommendation),
        question: Nullable(question),
    }
}

/// The evidence ids and the queried sources, each once, in order.
fn evidence<'a>(ledger: &Ledger<'a>) -> Vec<Id<'a>> {
    let gathered = ledger.turns.iter().flat_map(|turn| turn.evidence_ids.iter().copied());
    let sources = ledger.turns.iter().flat_map(|turn| &turn.queries).map(|query| query.source);
    order::without_repeats(gathered.chain(sources).collect(), Ord::cmp)
}

/// The open conflicts and blocker of the last turn, and the open question.
fn uncertainties<'a>(ledger: &Ledger<'a>) -> Vec<Id<'a>> {
    let last = ledger.turns.last();
    let conflicts = last.into_iter().flat_map(|turn| turn.conflicts_open.iter().copied());
    let blocker = last.and_then(|turn| turn.blocker);
    let question =
        ledger.open_question().map(|question| question.text).filter(|text| !text.trim().is_empty());
    order::without_repeats(conflicts.chain(blocker).chain(question.map(Id)).collect(), Ord::cmp)
}

/// The remedies of the reasons, in order. After a failed switch, the question comes last, if there is one.
fn actions<'a>(ledger: &Ledger<'a>, stop_reason: StopReason, reasons: &[PlanningReason<'_>]) -> Vec<Id<'a>> {
    let question = ledger.blocking_question().map(|question| question.text);
    let remedies = reasons.iter().filter_map(|reason| match reason.code.remedy() {
        Remedy::Nothing => None,
        Remedy::Recommendation => ledger.recommendation.map(|recommendation| recommendation.text.0),
        Remedy::Question => Some(question.unwrap_or(ANY_QUESTION)),
        Remedy::Do(action) => Some(action),
    });
    let last = question.filter(|_| stop_reason == StopReason::Stagnation);
    order::without_repeats(remedies.chain(last).map(Id).collect(), Ord::cmp)
}
