//! A turn of the ledger, as it is on the wire.

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Decimal, Error,
    json::{
        Kind, Node,
        object::{Field, Form, count, optional, read_items, read_object, required},
    },
};

use super::{
    budgets::{Amounts, Budget},
    gates::Gate,
    outputs::{self, Allocation, DECISIONS},
};
use crate::codes;

/// What happened in one turn.
#[derive(Clone, Debug)]
pub(super) struct Turn<'a> {
    pub consumed: Amounts,
    pub evidence: Option<Node<'a>>,
    pub files: Option<Node<'a>>,
    pub failure: Option<&'a str>,
    pub queries: Vec<Query<'a>>,
    pub confidence: Decimal,
    /// As it was written.
    pub stated_confidence: Option<Node<'a>>,
    pub uncertainty: Decimal,
    pub conflicts: Option<Node<'a>>,
    pub blocker: Option<&'a str>,
    /// The strategy that it follows; blank text names none.
    pub strategy: Option<&'a str>,
    /// `true` if it falsified a hypothesis.
    pub falsifies: bool,
    /// `true` if it declares a synthesis of the evidence; those of its queries count beside it.
    pub is_synthesis: bool,
    /// Which duties it does, without the triad, in their order: it has the member of that name, with something in it.
    pub duties_done: [bool; 3],
    /// The first step of its exploration plan that is plain text.
    pub untyped_step: Option<usize>,
    pub allocation: Allocation,
    pub decision: Option<Decision>,
}

/// The agent's own decision at the end of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub gate: Gate,
    /// Pointer to it, from the turn on.
    pub member: &'static str,
}

/// What was asked, and of whom.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Query<'a> {
    pub key: &'a str,
    pub source: &'a str,
    /// Whether what was found up to here was put together.
    pub is_synthesis: bool,
}

const TURN: &[Field] = &[
    required("n", Form::Count),
    optional("consumed", Form::Object),
    optional("evidence_ids", Form::Ids),
    optional("files", Form::Ids),
    optional("failure_signature", Form::Id),
    optional("queries", Form::List),
    required("confidence", Form::Magnitude),
    required("uncertainty", Form::Magnitude),
    optional("conflicts_open", Form::Ids),
    optional("blocker", Form::Id),
    optional("strategy", Form::Text),
    optional("falsified", Form::Ids),
    optional("synthesis", Form::Flag),
    optional("continue_decision", Form::Word(DECISIONS)),
    optional("exploration_plan", Form::List),
    optional("budget_allocation", Form::Object),
    optional("novelty_check", Form::Object),
];
/// The place of the first of those that do a duty, which are the last.
const DUTIES: usize = TURN.len() - 3;

/// Where a turn may state its decision.
const DECISION: &str = "continue_decision";
const DECISION_INSIDE: &str = "novelty_check/continue_decision";

/// In the order of [`Budget`].
const CONSUMED: &[Field] = &[
    optional("iterations", Form::Count),
    optional("subagent_calls", Form::Count),
    optional("wall_time_ms", Form::Count),
];

const QUERY: &[Field] =
    &[required("key", Form::Id), required("source", Form::Id), optional("synthesis", Form::Flag)];

impl<'a> Turn<'a> {
    /// Reads the turn that stands in this place, counted from 1.
    pub(super) fn read(value: Node<'a>, place: u64) -> Result<Self, Error> {
        let mut turn = Self {
            // What is not said to be more is one round of planning.
            consumed: Amounts::new(1, 0, 0),
            evidence: None,
            files: None,
            failure: None,
            queries: Vec::new(),
            confidence: Decimal::ZERO,
            stated_confidence: None,
            uncertainty: Decimal::ZERO,
            conflicts: None,
            blocker: None,
            strategy: None,
            falsifies: false,
            is_synthesis: false,
            duties_done: [false; 3],
            untyped_step: None,
            allocation: Allocation::default(),
            decision: None,
        };
        read_object(value, TURN, &mut |at, member| {
            match at {
                0 => check_place(member, place)?,
                1 => read_object(member, CONSUMED, &mut |budget, number| {
                    turn.consumed.set(budget, count(number).unwrap_or_default());
                    Ok(())
                })?,
                2 => turn.evidence = Some(member),
                3 => turn.files = Some(member),
                4 => turn.failure = member.as_str(),
                5 => read_items(member, &mut |query| {
                    turn.queries.push(Query::read(query)?);
                    Ok(())
                })?,
                6 => {
                    turn.confidence = outputs::read_confidence(member)?;
                    turn.stated_confidence = Some(member);
                }
                7 => turn.uncertainty = member.as_decimal().unwrap_or_default(),
                8 => turn.conflicts = Some(member),
                9 => turn.blocker = member.as_str(),
                10 => turn.strategy = member.as_str().filter(|name| !name.trim().is_empty()),
                11 => turn.falsifies = !member.is_empty(),
                12 => turn.is_synthesis = is_true(member),
                13 => turn.decide(outputs::read_decision(member), DECISION)?,
                _ => turn.take_output(at - DUTIES, member)?,
            }
            Ok(())
        })?;
        Ok(turn)
    }

    /// Takes the document that does the duty of that place.
    fn take_output(&mut self, duty: usize, document: Node<'a>) -> Result<(), Error> {
        match duty {
            0 => self.untyped_step = outputs::read_plan(document)?,
            1 => self.allocation = Allocation::read(document)?,
            _ => {
                let decision = outputs::read_novelty(document)?;
                self.decide(decision, DECISION_INSIDE).map_err(|error| error.under(DECISION))?;
            }
        }
        if let Some(done) = self.duties_done.get_mut(duty) {
            *done = has_content(document);
        }
        Ok(())
    }

    /// Takes a decision that the turn states, which may stand in two places and is one.
    fn decide(&mut self, stated: Option<Gate>, member: &'static str) -> Result<(), Error> {
        match (stated, self.decision) {
            (Some(stated), Some(decision)) if stated != decision.gate => {
                let (stated, decided) = (stated.as_str(), decision.gate.as_str());
                let message = format!("`{stated}` contradicts `{decided}` of the same turn");
                Err(Error::new(codes::INVALID_VALUE, message))
            }
            (Some(gate), None) => {
                self.decision = Some(Decision { gate, member });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns whether it gathers evidence: it calls a subagent or asks something.
    pub(super) fn gathers(&self) -> bool {
        self.consumed.of(Budget::SubagentCalls) > 0 || !self.queries.is_empty()
    }

    /// Returns whether it puts evidence together.
    pub(super) fn synthesizes(&self) -> bool {
        self.is_synthesis || self.queries.iter().any(|query| query.is_synthesis)
    }
}

impl<'a> Query<'a> {
    fn read(value: Node<'a>) -> Result<Self, Error> {
        let mut query = Self::default();
        read_object(value, QUERY, &mut |at, member| {
            match at {
                0 => query.key = member.as_str().unwrap_or_default(),
                1 => query.source = member.as_str().unwrap_or_default(),
                _ => query.is_synthesis = is_true(member),
            }
            Ok(())
        })?;
        Ok(query)
    }
}

/// Whether a flag is set.
pub(super) fn is_true(flag: Node<'_>) -> bool {
    flag.kind() == Kind::Bool(true)
}

/// Whether there is anything in a list or an object; what begins with `x-` is not for anyone here.
fn has_content(done: Node<'_>) -> bool {
    match done.kind() {
        Kind::Object => done.members().any(|(name, _)| !name.starts_with("x-")),
        _ => !done.is_empty(),
    }
}

fn check_place(n: Node<'_>, place: u64) -> Result<(), Error> {
    if count(n) == Some(place) {
        return Ok(());
    }
    let found = n.as_number().unwrap_or_default();
    Err(Error::new(codes::INVALID_VALUE, format!("turn {place} of the list calls itself `{found}`")))
}
