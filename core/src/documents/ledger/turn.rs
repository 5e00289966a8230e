//! The turns of a ledger.

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{Document, Id, Magnitude, Reader, Shape},
    json::Node,
};

use super::{
    confidence::Confidence,
    milliseconds::Milliseconds,
    outputs::{BudgetAllocation, ExplorationItem, NoveltyCheck, StatedDecision},
};
use crate::codes;

/// One turn of a planning session.
#[derive(Clone, Debug, Document)]
#[document(name = "PlanningTurn", expecting = "an object", check = "Turn::check")]
pub struct Turn<'a> {
    /// The number of the turn: its place in the list, from 1.
    pub n: TurnNumber,
    /// The budgets that the turn used.
    #[document(default = Amounts::new(1, 0, 0))]
    pub consumed: Amounts,
    /// Ids of the evidence that the turn gathered.
    #[serde(default)]
    pub evidence_ids: Vec<Id<'a>>,
    /// The files that the turn looked at.
    #[serde(default)]
    pub files: Vec<Id<'a>>,
    /// A text that is the same for the same failure, for example `E0308 src/auth.rs`.
    pub failure_signature: Option<Id<'a>>,
    /// The queries of the turn, in order.
    #[serde(default)]
    pub queries: Vec<Query<'a>>,
    /// The confidence in the recommendation, from 0 to 1.
    pub confidence: Confidence,
    /// The uncertainty that remains, at least 0, on one scale for the whole session.
    pub uncertainty: Magnitude,
    /// Conflicts in the evidence that are open.
    #[serde(default)]
    pub conflicts_open: Vec<Id<'a>>,
    /// The obstacle to the work, if there is one.
    pub blocker: Option<Id<'a>>,
    /// The strategy of the turn. Blank text is no strategy.
    pub strategy: Option<&'a str>,
    /// Hypotheses that the turn falsified.
    #[serde(default)]
    pub falsified: Vec<Id<'a>>,
    /// True if the turn puts the evidence together.
    #[serde(default)]
    pub synthesis: bool,
    /// The decision of the agent at the end of the turn. It may stand in `novelty_check` instead.
    pub continue_decision: Option<StatedDecision>,
    /// The steps of the exploration, due by the end of turn 2.
    #[serde(default)]
    pub exploration_plan: Vec<ExplorationItem<'a>>,
    /// The shares of the budgets, due by the end of turn 2.
    #[serde(default)]
    pub budget_allocation: BudgetAllocation,
    /// The answer to "did the turns so far bring anything new?", due by the end of turn 3.
    #[serde(default)]
    pub novelty_check: NoveltyCheck,
}

/// The number of a turn, which is checked against its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnNumber(pub u64);

impl Document<'_> for TurnNumber {
    const SHAPE: Shape = Shape::Count;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let (number, place) = (u64::read(node, reader)?, reader.index() as u64 + 1);
        if number != place {
            let message = format!("turn {place} of the list calls itself `{number}`");
            reader.note(Error::new(codes::INVALID_VALUE, message));
            return None;
        }
        Some(Self(number))
    }
}

/// A number for each budget: the iterations, the subagent calls and the milliseconds that a turn used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(name = "Consumption", expecting = "an object")]
pub struct Amounts {
    /// The number of iterations, 1 by default.
    #[document(default = 1)]
    pub iterations: u64,
    /// The number of subagent calls, 0 by default.
    #[serde(default)]
    pub subagent_calls: u64,
    /// The time in milliseconds, 0 by default. Part of a millisecond counts as a whole one.
    #[serde(default)]
    pub wall_time_ms: Milliseconds<true>,
}

impl Amounts {
    /// Amounts of iterations, subagent calls and milliseconds.
    #[must_use]
    pub const fn new(iterations: u64, subagent_calls: u64, wall_time_ms: u64) -> Self {
        Self { iterations, subagent_calls, wall_time_ms: Milliseconds(wall_time_ms) }
    }
}

/// A query, which is redundant if another source was asked before and there was no synthesis in between.
#[derive(Clone, Copy, Debug, Document)]
#[document(name = "PlanningQuery", expecting = "an object")]
pub struct Query<'a> {
    /// The subject of the query, for example `session lifetime`.
    pub key: Id<'a>,
    /// The source, for example `grep`.
    pub source: Id<'a>,
    /// True if the query puts together the evidence so far.
    #[serde(default)]
    pub synthesis: bool,
}

impl Turn<'_> {
    /// Checks that two decisions of the turn are the same.
    fn check(&self) -> Result<(), Error> {
        match self.decisions() {
            [Some((_, first)), Some((path, second))] if first.decision != second.decision => {
                let (stated, decided) = (second.decision.as_str(), first.decision.as_str());
                let message = format!("`{stated}` contradicts `{decided}` of the same turn");
                Err(Error::new(codes::INVALID_VALUE, message).at(path))
            }
            _ => Ok(()),
        }
    }

    /// Returns the decisions of the turn with their pointers, in document order.
    pub(crate) fn decisions(&self) -> [Option<(&'static str, StatedDecision)>; 2] {
        let own = self.continue_decision.map(|stated| ("/continue_decision", stated));
        let inside = self.novelty_check.continue_decision;
        let inside = inside.map(|stated| ("/novelty_check/continue_decision", stated));
        match (own, inside) {
            (Some(own), Some(inside)) if inside.1.position() < own.1.position() => [Some(inside), Some(own)],
            (Some(_), _) => [own, inside],
            (None, _) => [inside, None],
        }
    }
}
