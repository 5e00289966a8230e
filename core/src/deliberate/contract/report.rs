//! The contract of stop reports: they repeat what the ledger and the rest of the answer say.

use adjudicate_lang::{
    Decimal, Error,
    json::{
        Kind, Node,
        object::{Field, Form, count, read_object, required},
    },
};

use super::super::{
    budgets::{Account, Amounts},
    gates::StopReason,
    ledger::Ledger,
    question::Verdict,
    readiness::Readiness,
    report::spent_text,
    turn::is_true,
};
use crate::contract::breach;

const REPORT: &[Field] = &[
    required("stop_reason", Form::Word(StopReason::WORDS)),
    required("confidence", Form::Magnitude),
    required("evidence_summary", Form::Ids),
    required("uncertainties_remaining", Form::Ids),
    required("next_actions", Form::Ids),
    required("budget_consumed", Form::Object),
    required("recommendation", Form::Any),
    required("question", Form::Any),
];

/// In the order of [`Budget`](super::super::Budget).
const CONSUMED: &[Field] = &[
    required("iterations", Form::Object),
    required("subagent_calls", Form::Object),
    required("wall_time", Form::Object),
];

const SPENT: &[Field] =
    &[required("used", Form::Count), required("max", Form::Count), required("text", Form::Text)];

const RECOMMENDATION: &[Field] =
    &[required("text", Form::Text), required("label", Form::Word(Readiness::WORDS))];

const QUESTION: &[Field] = &[required("text", Form::Text), required("verdict", Form::Object)];

/// In the order of [`Quality`](super::super::Quality).
const VERDICTS: &[Field] = &[
    required("singular", Form::Object),
    required("answerable", Form::Object),
    required("blocking", Form::Object),
    required("contextual", Form::Object),
];

const VERDICT: &[Field] = &[required("met", Form::Flag), required("reason", Form::Word(Verdict::WORDS))];

/// What a stop report says that can be held against something.
pub(super) struct Report<'a> {
    pub stop_reason: StopReason,
    confidence: Decimal,
    used: Amounts,
    max: Amounts,
    recommendation: Option<(&'a str, Option<Readiness>)>,
    question: Option<(&'a str, Option<[Verdict; 4]>)>,
}

impl<'a> Report<'a> {
    pub(super) fn read(value: Node<'a>) -> Result<Self, Error> {
        let mut report = Self {
            stop_reason: StopReason::HumanRequired,
            confidence: Decimal::ZERO,
            used: Amounts::default(),
            max: Amounts::default(),
            recommendation: None,
            question: None,
        };
        read_object(value, REPORT, &mut |at, member| {
            match at {
                0 => {
                    let stop_reason = member.as_str().and_then(StopReason::from_text);
                    report.stop_reason = stop_reason.unwrap_or(report.stop_reason);
                }
                1 => report.confidence = member.as_decimal().unwrap_or_default(),
                5 => read_object(member, CONSUMED, &mut |budget, spent| report.take_spent(budget, spent))?,
                6 if member.kind() != Kind::Null => report.take_recommendation(member)?,
                7 if member.kind() != Kind::Null => report.take_question(member)?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(report)
    }

    /// Takes the numbers of the budget in that place, whose text must repeat them.
    fn take_spent(&mut self, budget: usize, spent: Node<'_>) -> Result<(), Error> {
        let (mut used, mut max, mut text) = (0, 0, "");
        read_object(spent, SPENT, &mut |at, member| {
            match at {
                0 => used = count(member).unwrap_or_default(),
                1 => max = count(member).unwrap_or_default(),
                _ => text = member.as_str().unwrap_or_default(),
            }
            Ok(())
        })?;
        if text != spent_text(used, max) {
            return Err(breach("/text", "not the numbers beside it"));
        }
        self.used.set(budget, used);
        self.max.set(budget, max);
        Ok(())
    }

    fn take_recommendation(&mut self, value: Node<'a>) -> Result<(), Error> {
        let (mut text, mut label) = ("", None);
        read_object(value, RECOMMENDATION, &mut |at, member| {
            let said = member.as_str().unwrap_or_default();
            match at {
                0 => text = said,
                _ => label = Readiness::from_text(said),
            }
            Ok(())
        })?;
        self.recommendation = Some((text, label));
        Ok(())
    }

    fn take_question(&mut self, value: Node<'a>) -> Result<(), Error> {
        let (mut text, mut verdicts) = ("", None);
        read_object(value, QUESTION, &mut |at, member| {
            match at {
                0 => text = member.as_str().unwrap_or_default(),
                _ => verdicts = Some(read_verdicts(member)?),
            }
            Ok(())
        })?;
        self.question = Some((text, verdicts));
        Ok(())
    }

    /// Checks that it is as sure as the ledger's last turn, counts as the ledger does, and has the ledger's recommendation and
    /// question, the question with the verdicts of the answer.
    pub(super) fn check(
        &self,
        ledger: &Ledger<'_>,
        account: &Account,
        verdicts: Option<[Verdict; 4]>,
    ) -> Result<(), Error> {
        let confidence = ledger.turns.last().map(|turn| turn.confidence).unwrap_or_default();
        let recommendation = ledger.recommendation.map(|told| (told.text, Some(Readiness::of(ledger))));
        let question = ledger.question.as_ref().map(|question| (question.text, verdicts));
        let (path, message) = if self.confidence != confidence {
            ("/stop_report/confidence", "not the confidence of the last turn")
        } else if (self.used, self.max) != (account.used, account.max) {
            ("/stop_report/budget_consumed", "not what the ledger says was used of its budgets")
        } else if self.recommendation != recommendation {
            (
                "/stop_report/recommendation",
                "not the recommendation of the ledger with the label of its confidence",
            )
        } else if self.question != question {
            ("/stop_report/question", "not the question of the ledger with the verdicts of the answer")
        } else {
            return Ok(());
        };
        Err(breach(path, message))
    }
}

/// Reads verdicts, each with a reason of its own that agrees with it.
pub(super) fn read_verdicts(value: Node<'_>) -> Result<[Verdict; 4], Error> {
    // What is required replaces these.
    let mut verdicts = [Verdict::ContextMissing; 4];
    read_object(value, VERDICTS, &mut |quality, verdict| {
        let (mut is_met, mut reason) = (false, None);
        read_object(verdict, VERDICT, &mut |at, member| {
            match at {
                0 => is_met = is_true(member),
                _ => reason = member.as_str().and_then(Verdict::from_text),
            }
            Ok(())
        })?;
        let agrees = |reason: &Verdict| reason.quality() as usize == quality && reason.is_met() == is_met;
        match (reason.filter(agrees), verdicts.get_mut(quality)) {
            (Some(reason), Some(slot)) => {
                *slot = reason;
                Ok(())
            }
            _ => Err(breach("/reason", "no reason for this verdict")),
        }
    })?;
    Ok(verdicts)
}
