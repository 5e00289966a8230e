//! The output contract of `deliberate`: what its answer must be, whoever made it (SPEC section 10).
//!
//! Owns the shape, and what is no judgement: that gate, reason for the stop, reasons, switch and report belong together, that
//! what was used, what is left and which duties are open are what the ledger adds up to, that recommendation and question are
//! those of the ledger, and that a question has a verdict. Which gate holds is the judgement of the module that answers.

mod report;

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        Kind, Node, is_pointer,
        object::{Field, Form, count, optional, read_items, read_object, read_word, refuse, required},
    },
};

use self::report::{Report, read_verdicts};
use super::{
    budgets::{Account, Amounts, PhaseBudget, phase_left},
    duties::{self, Duty},
    gates::{Gate, NUMBERS, StopReason, is_row},
    ledger::Ledger,
    question::Verdict,
    reason::ReasonCode,
    stagnation::Trigger,
};
use crate::contract::{breach, breach_of, unanswerable};

const ANSWER: &[Field] = &[
    required("gate", Form::Word(Gate::WORDS)),
    required("reasons", Form::List),
    required("triggers", Form::List),
    required("duties", Form::List),
    required("budgets_left", Form::Object),
    optional("switch", Form::Object),
    optional("stop_report", Form::Object),
    optional("question_verdict", Form::Object),
];

const REASON: &[Field] = &[
    required("code", Form::Word(ReasonCode::WORDS)),
    required("message", Form::Id),
    required("path", Form::Text),
];

/// The first three in the order of [`Budget`](super::Budget).
const LEFT: &[Field] = &[
    required("iterations", Form::Count),
    required("subagent_calls", Form::Count),
    required("wall_time_ms", Form::Count),
    optional("phase", Form::Object),
];

const PHASE: &[Field] = &[required("iterations", Form::Count), required("subagent_calls", Form::Count)];

const SWITCH: &[Field] = &[
    required("trigger", Form::Text),
    required("current_strategy", Form::Any),
    required("new_budget", Form::Object),
];

const NEW_BUDGET: &[Field] =
    &[required("max_iterations", Form::Count), required("max_subagent_calls", Form::Count)];

/// Checks an answer to `deliberate` that did not come from this engine, against the input of the call.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the member at fault in the answer.
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
    if stated.phase_left != phase_left(&ledger) {
        return Err(breach("/budgets_left/phase", "not what the turns of the ledger leave of the phase"));
    }
    stated.check_switch(&ledger)?;
    match (ledger.question.is_some(), stated.verdicts.is_some()) {
        (true, false) => Err(breach("/question_verdict", "the ledger has a question, which has a verdict")),
        (false, true) => Err(breach("/question_verdict", "the ledger has no question to have a verdict on")),
        _ => stated.report.as_ref().map_or(Ok(()), |report| report.check(&ledger, &account, stated.verdicts)),
    }
}

/// A switch of strategy as it was read.
struct Switch<'a> {
    trigger: &'a str,
    current_strategy: Option<&'a str>,
    new_budget: PhaseBudget,
}

impl<'a> Switch<'a> {
    fn read(value: Node<'a>) -> Result<Self, Error> {
        let mut switch = Self { trigger: "", current_strategy: None, new_budget: NUMBERS.phase };
        read_object(value, SWITCH, &mut |at, member| {
            match at {
                0 => switch.trigger = member.as_str().unwrap_or_default(),
                1 if member.as_str().is_none() && member.kind() != Kind::Null => {
                    return Err(refuse(member, "a string or null"));
                }
                1 => switch.current_strategy = member.as_str(),
                _ => switch.new_budget = read_phase(member, NEW_BUDGET)?,
            }
            Ok(())
        })?;
        Ok(switch)
    }
}

/// An answer as it was read.
struct Stated<'a> {
    gate: Gate,
    reasons: Vec<ReasonCode>,
    /// By their places.
    triggers: Vec<usize>,
    duties: Vec<usize>,
    left: Amounts,
    phase_left: Option<PhaseBudget>,
    switch: Option<Switch<'a>>,
    report: Option<Report<'a>>,
    verdicts: Option<[Verdict; 4]>,
}

impl<'a> Stated<'a> {
    fn read(answer: Node<'a>) -> Result<Self, Error> {
        // What is required replaces this.
        let mut stated = Self {
            gate: Gate::Stop,
            reasons: Vec::new(),
            triggers: Vec::new(),
            duties: Vec::new(),
            left: Amounts::default(),
            phase_left: None,
            switch: None,
            report: None,
            verdicts: None,
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
                4 => read_object(member, LEFT, &mut |budget, left| {
                    match count(left) {
                        Some(number) => stated.left.set(budget, number),
                        None => stated.phase_left = Some(read_phase(left, PHASE)?),
                    }
                    Ok(())
                })?,
                5 => stated.switch = Some(Switch::read(member)?),
                6 => stated.report = Some(Report::read(member)?),
                _ => stated.verdicts = Some(read_verdicts(member)?),
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
            Gate::Switch if ledger.switch.is_some() => {
                Err(breach("/gate", "the strategy was switched before, and there is one switch"))
            }
            Gate::Commit if ledger.recommendation.is_none() => {
                Err(breach("/gate", "the ledger has no recommendation to commit to"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that there is a switch where the gate calls for one, with its trigger, the strategy of the ledger and PAO's budget.
    fn check_switch(&self, ledger: &Ledger<'_>) -> Result<(), Error> {
        let Some(switch) = &self.switch else {
            return match self.gate {
                Gate::Switch => Err(breach("/switch", "the gate calls for a switch")),
                _ => Ok(()),
            };
        };
        let first = self.triggers.first().and_then(|place| Trigger::WORDS.get(*place).copied());
        if self.gate != Gate::Switch {
            Err(breach("/switch", "the gate calls for no switch"))
        } else if switch.trigger != first.unwrap_or(ReasonCode::LowNovelty.as_str()) {
            Err(breach("/switch/trigger", "neither the first trigger nor, without triggers, low novelty"))
        } else if switch.current_strategy != ledger.strategy_at(ledger.last_number()) {
            Err(breach("/switch/current_strategy", "not the last strategy of the ledger"))
        } else if switch.new_budget != NUMBERS.phase {
            Err(breach("/switch/new_budget", "not the budget of a switch"))
        } else {
            Ok(())
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
        let is_reason = |code: &ReasonCode| !code.is_warning(self.gate, &self.reasons);
        if self.gate == Gate::Continue || self.reasons.iter().any(is_reason) {
            return Ok(());
        }
        Err(breach("/reasons", format!("there is a reason for the gate `{}`", self.gate.as_str())))
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

/// Reads the iterations and the subagent calls of a phase, under the names of a table.
fn read_phase(value: Node<'_>, fields: &'static [Field]) -> Result<PhaseBudget, Error> {
    let mut phase = PhaseBudget { iterations: 0, subagent_calls: 0 };
    read_object(value, fields, &mut |at, number| {
        let slot = if at == 0 { &mut phase.iterations } else { &mut phase.subagent_calls };
        *slot = count(number).unwrap_or_default();
        Ok(())
    })?;
    Ok(phase)
}
