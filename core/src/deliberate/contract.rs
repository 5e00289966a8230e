//! The output contract of `deliberate`: what its answer must be, whoever made it (SPEC section 10).
//!
//! Owns the shape, and what is no judgement: that gate, reason for the stop, reasons and report belong together, that what was
//! used, what is left and which duties are open are what the ledger adds up to, and that a question has a verdict. Which gate
//! holds is the judgement of whoever answers.

use alloc::{format, vec::Vec};

use super::{
    budgets::{Account, Amounts, Budget},
    duties::{self, Duty},
    exact::Exact,
    gates::{Gate, StopReason, is_row},
    ledger::Ledger,
    question::{Quality, Verdict},
    reason::ReasonCode,
    stagnation::Trigger,
    turn::is_true,
};
use crate::{
    contract::{breach, breach_of, unanswerable},
    error::Error,
    json::{
        Node, is_pointer,
        object::{Field, Form, count, optional, read_items, read_object, read_word, required},
    },
};

const ANSWER: &[Field] = &[
    required("gate", Form::Word(Gate::WORDS)),
    required("reasons", Form::List),
    required("triggers", Form::List),
    required("duties", Form::List),
    required("budgets_left", Form::Object),
    optional("stop_report", Form::Object),
    optional("question_verdict", Form::Object),
];

const REASON: &[Field] = &[
    required("code", Form::Word(ReasonCode::WORDS)),
    required("message", Form::Id),
    required("path", Form::Text),
];

/// In the order of [`Budget`].
const LEFT: &[Field] = &[
    required(Budget::Iterations.as_str(), Form::Count),
    required(Budget::SubagentCalls.as_str(), Form::Count),
    required(Budget::WallTime.as_str(), Form::Count),
];

const CONSUMED: &[Field] = &[
    required(Budget::Iterations.as_str(), Form::Object),
    required(Budget::SubagentCalls.as_str(), Form::Object),
    required(Budget::WallTime.as_str(), Form::Object),
];

const SPENT: &[Field] = &[required("used", Form::Count), required("max", Form::Count)];

const REPORT: &[Field] = &[
    required("stop_reason", Form::Word(StopReason::WORDS)),
    required("confidence", Form::Magnitude),
    required("evidence_summary", Form::Ids),
    required("uncertainties_remaining", Form::Ids),
    required("next_actions", Form::Ids),
    required("budget_consumed", Form::Object),
];

/// In the order of [`Quality`].
const VERDICTS: &[Field] = &[
    required(Quality::Singular.as_str(), Form::Object),
    required(Quality::Answerable.as_str(), Form::Object),
    required(Quality::Blocking.as_str(), Form::Object),
    required(Quality::Contextual.as_str(), Form::Object),
];

const VERDICT: &[Field] = &[required("met", Form::Flag), required("reason", Form::Word(Verdict::WORDS))];

/// Checks an answer to `deliberate` that did not come from this engine, against the input of the call.
///
/// # Errors
///
/// [`ModuleInvalidDecision`](crate::ErrorCode::ModuleInvalidDecision) with the path of the member at fault in the answer.
///
/// ```
/// use adjudicate_core::{deliberate::check_deliberation, json};
/// let ledger = json::read(b"{}", json::Limits::DOCUMENT)?;
/// let answer = br#"{"gate": "commit", "reasons": [], "triggers": [], "duties": [],
///                   "budgets_left": {"iterations": 5, "subagent_calls": 8, "wall_time_ms": 300000}}"#;
/// let answer = json::read(answer, json::Limits::DOCUMENT)?;
/// assert_eq!(check_deliberation(ledger.root(), answer.root()).unwrap_err().path(), "/stop_report");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_deliberation(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let ledger = Ledger::read(input).map_err(unanswerable)?;
    let stated = Stated::read(answer).map_err(breach_of)?;
    stated.check_gate(&ledger)?;
    stated.check_reasons()?;
    let account = Account::of(&ledger);
    if !duties::open(&ledger).into_iter().map(|duty| duty as usize).eq(stated.duties.iter().copied()) {
        return Err(breach("/duties", "not what is open after the turns of the ledger"));
    }
    if stated.left != account.left() {
        return Err(breach("/budgets_left", "not what the turns of the ledger leave of its budgets"));
    }
    if let Some(report) = &stated.report {
        report.check(&ledger, &account)?;
    }
    match (ledger.question.is_some(), stated.has_verdict) {
        (true, false) => Err(breach("/question_verdict", "the ledger has a question, which has a verdict")),
        (false, true) => Err(breach("/question_verdict", "the ledger has no question to have a verdict on")),
        _ => Ok(()),
    }
}

/// An answer as it was read.
struct Stated {
    gate: Gate,
    reasons: Vec<ReasonCode>,
    /// By their places.
    triggers: Vec<usize>,
    duties: Vec<usize>,
    left: Amounts,
    report: Option<Report>,
    has_verdict: bool,
}

impl Stated {
    fn read(answer: Node<'_>) -> Result<Self, Error> {
        // What is required replaces this.
        let mut stated = Self {
            gate: Gate::Stop,
            reasons: Vec::new(),
            triggers: Vec::new(),
            duties: Vec::new(),
            left: Amounts::default(),
            report: None,
            has_verdict: false,
        };
        read_object(answer, ANSWER, &mut |at, member| {
            match at {
                0 => stated.gate = member.as_str().and_then(Gate::from_text).unwrap_or(stated.gate),
                1 => read_items(member, &mut |reason| {
                    stated.reasons.extend(read_reason(reason)?);
                    Ok(())
                })?,
                2 => stated.triggers = read_words(member, Trigger::WORDS)?,
                3 => stated.duties = read_words(member, Duty::WORDS)?,
                4 => read_object(member, LEFT, &mut |budget, number| {
                    stated.left.set(budget, count(number).unwrap_or_default());
                    Ok(())
                })?,
                5 => stated.report = Some(Report::read(member)?),
                _ => {
                    stated.has_verdict = true;
                    check_verdicts(member)?;
                }
            }
            Ok(())
        })?;
        Ok(stated)
    }

    fn stop_reason(&self) -> Option<StopReason> {
        self.report.as_ref().map(|report| report.stop_reason)
    }

    /// Checks that there is a report where the planning ends, for a reason of that gate, and that what the gate asks for is
    /// possible.
    fn check_gate(&self, ledger: &Ledger<'_>) -> Result<(), Error> {
        let gate = self.gate.as_str();
        if !is_row(self.gate, self.stop_reason()) {
            let path = if self.report.is_some() { "/stop_report/stop_reason" } else { "/stop_report" };
            return Err(breach(path, format!("not what comes with the gate `{gate}`")));
        }
        match self.gate {
            Gate::Switch if ledger.switched.is_some() => {
                Err(breach("/gate", "the strategy was switched before, and there is one switch"))
            }
            Gate::Commit if ledger.recommendation.is_none() => {
                Err(breach("/gate", "the ledger has no recommendation to commit to"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the reasons are some of that gate, and that stagnation has its triggers.
    fn check_reasons(&self) -> Result<(), Error> {
        for (index, pair) in (1..).zip(self.reasons.windows(2)) {
            if !pair.is_sorted_by(|earlier, later| earlier < later) {
                return Err(breach(&format!("/reasons/{index}/code"), "each comes once, and in their order"));
            }
        }
        for (index, code) in self.reasons.iter().enumerate() {
            // Reasons of stagnation are called what their triggers are.
            let trigger = Trigger::from_text(code.as_str());
            let has_trigger = trigger.is_none_or(|trigger| self.triggers.contains(&(trigger as usize)));
            if !code.is_of(self.gate, self.stop_reason()) || !has_trigger {
                let message = format!("`{}` is no reason for this answer", code.as_str());
                return Err(breach(&format!("/reasons/{index}/code"), message));
            }
        }
        if self.gate == Gate::Continue || self.reasons.iter().any(|code| !code.is_warning()) {
            return Ok(());
        }
        Err(breach("/reasons", format!("there is a reason for the gate `{}`", self.gate.as_str())))
    }
}

/// What a stop report says that can be held against something.
struct Report {
    stop_reason: StopReason,
    confidence: Exact,
    used: Amounts,
    max: Amounts,
}

impl Report {
    fn read(value: Node<'_>) -> Result<Self, Error> {
        let mut report = Self {
            stop_reason: StopReason::HumanRequired,
            confidence: Exact::default(),
            used: Amounts::default(),
            max: Amounts::default(),
        };
        read_object(value, REPORT, &mut |at, member| {
            match at {
                0 => {
                    let stop_reason = member.as_str().and_then(StopReason::from_text);
                    report.stop_reason = stop_reason.unwrap_or(report.stop_reason);
                }
                1 => report.confidence = Exact::read(member),
                5 => read_object(member, CONSUMED, &mut |budget, spent| {
                    read_object(spent, SPENT, &mut |at, number| {
                        let amounts = if at == 0 { &mut report.used } else { &mut report.max };
                        amounts.set(budget, count(number).unwrap_or_default());
                        Ok(())
                    })
                })?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(report)
    }

    /// Checks that it is as sure as the ledger's last turn, and that it counts as the ledger does.
    fn check(&self, ledger: &Ledger<'_>, account: &Account) -> Result<(), Error> {
        let confidence = ledger.turns.last().map(|turn| turn.confidence).unwrap_or_default();
        if self.confidence.compare(confidence).is_ne() {
            return Err(breach("/stop_report/confidence", "not the confidence of the last turn"));
        }
        if (self.used, self.max) != (account.used, account.max) {
            return Err(breach(
                "/stop_report/budget_consumed",
                "not what the ledger says was used of its budgets",
            ));
        }
        Ok(())
    }
}

fn read_reason(value: Node<'_>) -> Result<Option<ReasonCode>, Error> {
    let mut code = None;
    read_object(value, REASON, &mut |at, member| {
        let text = member.as_str().unwrap_or_default();
        match at {
            0 => code = ReasonCode::from_text(text),
            2 if !is_pointer(text) => return Err(breach("", "expected a JSON Pointer")),
            _ => {}
        }
        Ok(())
    })?;
    Ok(code)
}

/// Reads a list of words, each once, in their order: their places in `known`.
fn read_words(list: Node<'_>, known: &[&str]) -> Result<Vec<usize>, Error> {
    let mut places: Vec<usize> = Vec::new();
    read_items(list, &mut |item| {
        let place = read_word(item, known)?;
        if places.last().is_some_and(|last| *last >= place) {
            return Err(breach("", "each comes once, and in their order"));
        }
        places.push(place);
        Ok(())
    })?;
    Ok(places)
}

/// Checks that each verdict has a reason of its own, and agrees with it.
fn check_verdicts(value: Node<'_>) -> Result<(), Error> {
    read_object(value, VERDICTS, &mut |quality, verdict| {
        let (mut is_met, mut reason) = (false, None);
        read_object(verdict, VERDICT, &mut |at, member| {
            match at {
                0 => is_met = is_true(member),
                _ => reason = member.as_str().and_then(Verdict::from_text),
            }
            Ok(())
        })?;
        match reason {
            Some(reason) if reason.quality() as usize == quality && reason.is_met() == is_met => Ok(()),
            _ => Err(breach("/reason", "no reason for this verdict")),
        }
    })
}
