//! The contract of stop reports: they repeat the ledger and the rest of the answer.

use alloc::format;

use adjudicate_lang::Error;

use super::{
    super::budgets::{Account, Budget, spent_text},
    check_verdict,
};
use crate::{
    contract::breach,
    documents::{
        deliberation::{QuestionVerdict, Readiness, StopReport},
        ledger::Ledger,
    },
};

/// Checks that confidence, counts, recommendation and question of a report are those of the ledger, the question with the verdicts
/// of the answer.
pub(super) fn check(
    report: &StopReport<'_>,
    ledger: &Ledger<'_>,
    account: &Account,
    verdict: Option<QuestionVerdict>,
) -> Result<(), Error> {
    let spent = &report.budget_consumed;
    let spent = [&spent.iterations, &spent.subagent_calls, &spent.wall_time];
    let mut spent = Budget::ALL.into_iter().zip(spent);
    if let Some((budget, _)) =
        spent.clone().find(|(_, spent)| spent.text != spent_text(spent.used, spent.max))
    {
        let path = format!("/stop_report/budget_consumed/{}/text", budget.consumed_as());
        return Err(breach(&path, "the text differs from the other numbers"));
    }
    if let Some(question) = &report.question.0 {
        check_verdict(&question.verdict, "/stop_report/question/verdict")?;
    }
    let confidence = ledger.turns.last().map(|turn| turn.confidence.0).unwrap_or_default();
    let stated = report.recommendation.0.map(|recommendation| (recommendation.text, recommendation.label));
    let recommendation =
        ledger.recommendation.map(|recommendation| (recommendation.text.0, Readiness::from_ledger(ledger)));
    let answered_question = report.question.0.map(|question| (question.text, Some(question.verdict)));
    let question = ledger.question.as_ref().map(|question| (question.text, verdict));
    let (path, message) = if report.confidence.0 != confidence {
        ("/stop_report/confidence", "not the confidence of the last turn")
    } else if spent
        .any(|(budget, spent)| (spent.used, spent.max) != (account.used.get(budget), account.max.get(budget)))
    {
        ("/stop_report/budget_consumed", "not what the ledger says was used of its budgets")
    } else if stated != recommendation {
        (
            "/stop_report/recommendation",
            "not the recommendation of the ledger with the label of its confidence",
        )
    } else if answered_question != question {
        ("/stop_report/question", "not the question of the ledger with the verdicts of the answer")
    } else {
        return Ok(());
    };
    Err(breach(path, message))
}
