//! The output contract of `deliberate`, for answers from outside the engine (docs/reference/planning-gates.md).
//!
//! Checks everything that involves no judgment. Gate, stop reason, reasons, switch and report must fit each other. Used and
//! remaining budgets and open duties must follow from the ledger. Recommendation and question must be the ledger's, and a
//! question needs its verdicts. The module alone decides which gate holds.

mod report;

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{Node, is_pointer},
};

use super::{
    budgets::{Account, phase_left},
    duties,
    gates::is_row,
    numbers::NUMBERS,
};
use crate::{
    contract::{breach, decode, unanswerable},
    documents::{
        deliberation::{Deliberation, Gate, QuestionQuality, QuestionVerdict, ReasonCode, StagnationTrigger},
        ledger::{Amounts, Ledger},
    },
};

/// Checks a foreign answer to `deliberate` against the input of the call.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field at fault in the answer.
///
/// ```
/// use adjudicate_core::{deliberate::check_deliberation, json};
/// let ledger = json::read(b"{}", json::ReadLimits::DOCUMENT)?;
/// let answer = br#"{"gate": "commit", "reasons": [], "triggers": [], "duties": [],
///                   "budgets_left": {"iterations": 5, "subagent_calls": 8, "wall_time_ms": 300000}}"#;
/// let answer = json::read(answer, json::ReadLimits::DOCUMENT)?;
/// assert_eq!(check_deliberation(ledger.root(), answer.root()).unwrap_err().path(), "/stop_report");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_deliberation(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let ledger = Ledger::read(input).map_err(unanswerable)?;
    let stated: Deliberation<'_> = decode(answer)?;
    let codes: Vec<_> = stated.reasons.iter().map(|reason| reason.code).collect();
    check_order(&stated, &codes)?;
    if let Some(verdict) = &stated.question_verdict {
        check_verdict(verdict, "/question_verdict")?;
    }
    check_gate(&stated, &ledger)?;
    check_reasons(&stated, &codes)?;
    let account = Account::new(&ledger);
    if duties::open(&ledger) != stated.duties {
        return Err(breach("/duties", "expected the duties that are open after the turns of the ledger"));
    }
    let left = &stated.budgets_left;
    if Amounts::new(left.iterations, left.subagent_calls, left.wall_time_ms) != account.left() {
        return Err(breach(
            "/budgets_left",
            "expected the rest of the budgets after the turns of the ledger",
        ));
    }
    if left.phase != phase_left(&ledger) {
        return Err(breach(
            "/budgets_left/phase",
            "expected the rest of the phase after the turns of the ledger",
        ));
    }
    check_switch(&stated, &ledger)?;
    match (ledger.question.is_some(), stated.question_verdict) {
        (true, None) => {
            Err(breach("/question_verdict", "expected a verdict, because the ledger has a question"))
        }
        (false, Some(_)) => {
            Err(breach("/question_verdict", "expected no verdict, because the ledger has no question"))
        }
        (_, verdict) => stated
            .stop_report
            .as_ref()
            .map_or(Ok(()), |report| report::check(report, &ledger, &account, verdict)),
    }
}

/// Checks that triggers, duties and reason codes are unique and in order, and that reasons have valid pointers.
fn check_order(stated: &Deliberation<'_>, codes: &[ReasonCode]) -> Result<(), Error> {
    let reasons = misplaced(codes).map(|place| format!("/reasons/{place}/code"));
    let triggers = || misplaced(&stated.triggers).map(|place| format!("/triggers/{place}"));
    let duties = || misplaced(&stated.duties).map(|place| format!("/duties/{place}"));
    if let Some(path) = reasons.or_else(triggers).or_else(duties) {
        return Err(breach(&path, "expected each value once, in order"));
    }
    match stated.reasons.iter().position(|reason| !is_pointer(&reason.path)) {
        Some(place) => Err(breach(&format!("/reasons/{place}/path"), "expected a JSON Pointer")),
        None => Ok(()),
    }
}

/// Returns the index of the first item that does not come after the item before it.
fn misplaced<T: Ord>(list: &[T]) -> Option<usize> {
    list.windows(2).position(|pair| !pair.is_sorted_by(|one, two| one < two)).map(|place| place + 1)
}

/// Checks that each verdict has a reason of its own quality that agrees with it; `path` points at the verdicts.
fn check_verdict(verdict: &QuestionVerdict, path: &str) -> Result<(), Error> {
    for (quality, verdict) in QuestionQuality::WORDS.iter().zip(verdict.all()) {
        if verdict.reason.quality().as_str() != *quality || verdict.reason.is_met() != verdict.met {
            return Err(breach(&format!("{path}/{quality}/reason"), "the reason does not fit the verdict"));
        }
    }
    Ok(())
}

/// Checks that a stop report is present if the gate ends the planning, with a reason of that gate, and that the gate is possible.
fn check_gate(stated: &Deliberation<'_>, ledger: &Ledger<'_>) -> Result<(), Error> {
    let gate = stated.gate.as_str();
    if !is_row(stated.gate, stated.stop_reason()) {
        let path = if stated.stop_report.is_some() { "/stop_report/stop_reason" } else { "/stop_report" };
        return Err(breach(path, format!("the value does not fit the gate `{gate}`")));
    }
    match stated.gate {
        Gate::Switch if ledger.switch().is_some() => {
            Err(breach("/gate", "expected another gate, because the strategy was already switched once"))
        }
        Gate::Commit if ledger.recommendation.is_none() => {
            Err(breach("/gate", "expected another gate, because the ledger has no recommendation"))
        }
        _ => Ok(()),
    }
}

/// Checks that the gate `switch` has a switch, with its trigger, the ledger's strategy and the fixed budget.
fn check_switch(stated: &Deliberation<'_>, ledger: &Ledger<'_>) -> Result<(), Error> {
    let Some(switch) = &stated.switch else {
        return match stated.gate {
            Gate::Switch => Err(breach("/switch", "expected a switch, because the gate is `switch`")),
            _ => Ok(()),
        };
    };
    let trigger = stated.triggers.first().map_or(ReasonCode::LowNovelty.as_str(), |first| first.as_str());
    if stated.gate != Gate::Switch {
        Err(breach("/switch", "expected no switch, because the gate is not `switch`"))
    } else if switch.trigger != trigger {
        Err(breach("/switch/trigger", "expected the first trigger, or low novelty if there are no triggers"))
    } else if switch.current_strategy.0 != ledger.strategy_at(ledger.last_number()) {
        Err(breach("/switch/current_strategy", "expected the last strategy of the ledger"))
    } else if switch.new_budget != NUMBERS.phase {
        Err(breach("/switch/new_budget", "expected the budget of a switch"))
    } else {
        Ok(())
    }
}

/// Checks that the reasons belong to the gate, and that stagnation has its triggers.
fn check_reasons(stated: &Deliberation<'_>, codes: &[ReasonCode]) -> Result<(), Error> {
    for (index, code) in codes.iter().enumerate() {
        // A reason of stagnation has the code of its trigger.
        let is_trigger = StagnationTrigger::WORDS.contains(&code.as_str());
        let has_trigger = stated.triggers.iter().any(|trigger| trigger.as_str() == code.as_str());
        if !code.is_of(stated.gate, stated.stop_reason()) || (is_trigger && !has_trigger) {
            let message = format!("`{code}` is no reason for this answer");
            return Err(breach(&format!("/reasons/{index}/code"), message));
        }
    }
    let is_reason = |code: &ReasonCode| !code.is_warning(stated.gate, codes);
    if stated.gate == Gate::Continue || codes.iter().any(is_reason) {
        return Ok(());
    }
    Err(breach("/reasons", format!("expected a reason for the gate `{}`", stated.gate)))
}
