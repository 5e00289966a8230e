//! The ledger of a planning session: the document that `deliberate` reads (docs/reference/planning-gates.md).

mod confidence;
mod describe;
mod milliseconds;
mod outputs;
mod turn;

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Decimal, Error,
    document::{self, Document, Id, Reader, Shape},
    json::Node,
};

pub use self::{
    confidence::Confidence,
    milliseconds::Milliseconds,
    outputs::{
        BudgetAllocation, ContinueDecision, Duration, ExplorationItem, ExplorationStep, NewInformation,
        NoveltyCheck, StatedDecision, UncertaintyReduction,
    },
    turn::{Amounts, Query, Turn, TurnNumber},
};
use crate::codes;

/// An override allows at most so many times the iterations of the budget.
const MOST_OF_ITERATIONS: u64 = 2;

/// The work of a planning agent so far, and its limits.
///
/// ```
/// use adjudicate_core::{deliberate::{Gate, Ledger, deliberate}, json};
/// let tape = json::read(br#"{"turns": [{"n": 1, "confidence": 0.3, "uncertainty": 0.9}]}"#, json::ReadLimits::DOCUMENT)?;
/// assert_eq!(deliberate(&Ledger::read(tape.root())?).gate, Gate::Continue);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, Document)]
#[document(expecting = "an object", root, check = "check")]
pub struct Ledger<'a> {
    /// The goal of the planning, for example `move sessions to Redis`. Together with `constraints` and `initial_evidence` it is
    /// the triad, which is due by the end of turn 2. Blank text is no goal.
    pub goal: Option<&'a str>,
    /// The constraints of the solution, for example `no downtime`.
    #[serde(default)]
    pub constraints: Vec<Id<'a>>,
    /// Ids of the evidence that exists before the first turn.
    #[serde(default)]
    pub initial_evidence: Vec<Id<'a>>,
    /// The budgets of the whole session.
    #[serde(default)]
    pub budgets: Budgets,
    /// Replacements of single budgets.
    #[serde(default)]
    pub overrides: Overrides,
    /// The turns, in order.
    #[serde(default)]
    pub turns: Vec<Turn<'a>>,
    /// The switch of strategy, as a list of at most one entry.
    #[serde(default)]
    pub strategy_switches: StrategySwitches<'a>,
    /// The answers to questions, each with the turn in `after_turn`. The latest counts.
    #[serde(default)]
    pub answers: Vec<QuestionAnswer>,
    /// The results of deterministic checks.
    #[serde(default)]
    pub checks: Checks<'a>,
    /// The risk of going on.
    pub risk: Option<Risk>,
    /// The question that the agent would ask a human.
    pub question: Option<Question<'a>>,
    /// The recommendation of the agent.
    pub recommendation: Option<Recommendation<'a>>,
}

impl<'a> Ledger<'a> {
    /// Reads a ledger.
    ///
    /// # Errors
    ///
    /// The first error in document order, with up to nine others; paths begin at the ledger. Too many iterations in `overrides`,
    /// and a switch to the strategy before it, are reported only for a ledger without other errors.
    pub fn read(value: Node<'a>) -> Result<Self, Error> {
        document::read(value)
    }

    /// Returns the switch of strategy.
    pub(crate) const fn switch(&self) -> Option<&StrategySwitch<'a>> {
        self.strategy_switches.0.as_ref()
    }

    /// Returns the last strategy of the turns up to that one.
    pub(crate) fn strategy_at(&self, turn: u64) -> Option<&'a str> {
        let end = self.turns.len() - self.turns_after(Some(turn)).len();
        let strategies = self.turns.get(..end)?.iter().rev().filter_map(|turn| turn.strategy);
        strategies.into_iter().find(|name| !name.trim().is_empty())
    }

    /// Returns the turns after that one, or all turns.
    pub(crate) fn turns_after(&self, turn: Option<u64>) -> &[Turn<'a>] {
        let place = usize::try_from(turn.unwrap_or_default()).unwrap_or(usize::MAX);
        self.turns.get(place..).unwrap_or_default()
    }
}

/// Checks `overrides` against `budgets`, and the switch against the strategy before it.
fn check(ledger: &Ledger<'_>) -> Result<(), Error> {
    let budget = ledger.budgets.max_iterations;
    let most = budget.saturating_mul(MOST_OF_ITERATIONS);
    if let Some(wanted) = ledger.overrides.max_iterations.filter(|wanted| *wanted > most) {
        let message = format!("`{wanted}` iterations are more than twice the budget of {budget}");
        return Err(Error::new(codes::INVALID_VALUE, message).at("/overrides/max_iterations"));
    }
    let Some(switch) = ledger.switch() else { return Ok(()) };
    if ledger.strategy_at(switch.after_turn).is_some_and(|before| is_same(before, switch.to.0)) {
        let message = format!("`{}` is the strategy before the switch", switch.to.0);
        return Err(Error::new(codes::INVALID_VALUE, message).at("/strategy_switches/0/to"));
    }
    Ok(())
}

/// Returns true if two names of strategies are the same, apart from case and the white space around them.
fn is_same(left: &str, right: &str) -> bool {
    let folded = |text: &str| text.trim().chars().flat_map(char::to_lowercase).collect::<String>();
    folded(left) == folded(right)
}

/// The budgets of a planning session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(name = "PlanningBudgets", expecting = "an object")]
pub struct Budgets {
    /// The number of iterations, 5 by default. An answer starts the count again.
    #[document(default = Budgets::DEFAULT.max_iterations)]
    pub max_iterations: u64,
    /// The number of subagent calls, 8 by default.
    #[document(default = Budgets::DEFAULT.max_subagent_calls)]
    pub max_subagent_calls: u64,
    /// The time in milliseconds, 300000 by default.
    #[document(default = Budgets::DEFAULT.max_wall_time_ms)]
    pub max_wall_time_ms: Milliseconds<false>,
}

impl Budgets {
    /// The budgets of a ledger that names none.
    pub const DEFAULT: Self =
        Self { max_iterations: 5, max_subagent_calls: 8, max_wall_time_ms: Milliseconds(300_000) };
}

impl Default for Budgets {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Replacements of single budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document)]
#[document(name = "PlanningOverrides", expecting = "an object")]
pub struct Overrides {
    /// The number of iterations, at most twice that of `budgets`.
    pub max_iterations: Option<u64>,
    /// The number of subagent calls.
    pub max_subagent_calls: Option<u64>,
    /// The time in milliseconds.
    pub max_wall_time_ms: Option<Milliseconds<false>>,
}

/// The switch of strategy. Planning stops when the second strategy fails, so there is at most one.
#[derive(Clone, Copy, Debug, Default)]
pub struct StrategySwitches<'a>(pub Option<StrategySwitch<'a>>);

impl<'t: 'a, 'a> Document<'t> for StrategySwitches<'a> {
    const SHAPE: Shape = Shape::List(&StrategySwitch::SHAPE);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let (mut switch, mut is_first) = (None, true);
        let is_list = reader.items(node, &mut |entry, reader| {
            if is_first {
                switch = StrategySwitch::read(entry, reader);
            } else {
                let message = "a strategy is switched once, and then the planning stops";
                reader.note(Error::new(codes::INVALID_VALUE, message));
            }
            is_first = false;
        });
        is_list.then_some(Self(switch))
    }
}

/// A switch of strategy.
#[derive(Clone, Copy, Debug, Document)]
#[document(expecting = "an object")]
pub struct StrategySwitch<'a> {
    /// The number of the last turn with the old strategy, 0 before the first turn.
    pub after_turn: u64,
    /// The new strategy. It differs from the old one in more than case and white space.
    pub to: Id<'a>,
    /// The hypothesis that the new strategy tests. It is not blank.
    pub hypothesis: Hypothesis<'a>,
}

/// A hypothesis: text that is not blank.
#[derive(Clone, Copy, Debug)]
pub struct Hypothesis<'a>(pub &'a str);

impl<'t: 'a, 'a> Document<'t> for Hypothesis<'a> {
    const SHAPE: Shape = Shape::Id;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let text = <&str>::read(node, reader)?;
        if text.trim().is_empty() {
            let message = "the field `hypothesis` is blank: name what the new strategy tests";
            reader.note(Error::new(codes::MISSING_FIELD, message));
            return None;
        }
        Some(Self(text))
    }
}

/// An answer to a question.
#[derive(Clone, Copy, Debug, Document)]
#[document(expecting = "an object")]
pub struct QuestionAnswer {
    /// The number of the last turn before the answer, 0 before the first turn.
    pub after_turn: u64,
}

/// The results of deterministic checks. Each failed check stops the planning.
#[derive(Clone, Debug, Default, Document)]
#[document(name = "PlanningChecks", expecting = "an object")]
pub struct Checks<'a> {
    /// Required files that do not exist.
    #[serde(default)]
    pub required_files_missing: Vec<Id<'a>>,
    /// False if there are no tests to run.
    pub tests_available: Option<bool>,
    /// Sources that the agent may not read.
    #[serde(default)]
    pub permission_denied: Vec<Id<'a>>,
}

/// The risk of going on. Above the threshold, a human decides.
#[derive(Clone, Copy, Debug, Document)]
#[document(name = "PlanningRisk", expecting = "an object")]
pub struct Risk {
    /// The risk, on any scale.
    pub level: Decimal,
    /// The highest risk that the agent may take, on the same scale.
    pub threshold: Decimal,
}

/// A question to a human.
#[derive(Clone, Debug, Document)]
#[document(name = "PlanningQuestion", expecting = "an object")]
pub struct Question<'a> {
    /// The question, with exactly one question mark.
    pub text: &'a str,
    /// The answers to choose from.
    #[serde(default)]
    pub options: Vec<Id<'a>>,
    /// The type of the answer, for example `boolean`. With `text` any text is an answer, which makes a question less answerable.
    pub answer_type: Option<&'a str>,
    /// The work that waits for the answer.
    pub unblocks: Option<&'a str>,
    /// The facts that a human needs to answer.
    pub context: Option<&'a str>,
    /// Tools that could answer the question. With them, the planning need not wait for a human.
    #[serde(default)]
    pub answerable_by: Vec<Id<'a>>,
}

/// The recommendation of the agent.
#[derive(Clone, Copy, Debug, Document)]
#[document(expecting = "an object")]
pub struct Recommendation<'a> {
    /// The recommendation.
    pub text: Id<'a>,
    /// True if the way to carry it out is known.
    #[serde(default)]
    pub path_clear: bool,
    /// True if its risks are written down.
    #[serde(default)]
    pub risks_documented: bool,
}
