//! The ledger of a planning session, as it is on the wire, read once.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Decimal, Error,
    json::{
        Node,
        object::{Field, Form, count, optional, read_document, read_items, read_object, required},
    },
};

use super::{
    budgets::Limits,
    question::Question,
    turn::{Turn, is_true},
};
use crate::codes;

/// What a planning agent did, what it may use, and what was said to it (SPEC section 10).
///
/// Lists and objects may be absent. Counters are integers: `wall_time_ms` is in milliseconds, a turn's `iterations` is 1 where
/// nothing is said and other counters are 0. `confidence` is from 0 to 1, `uncertainty` 0 or more on any one scale. `n` is the
/// place of a turn, from 1; an `after_turn` is the `n` of the turn before, 0 before the first.
///
/// ```
/// use adjudicate_core::{deliberate::{Gate, Ledger, deliberate}, json};
/// let tape = json::read(br#"{"turns": [{"n": 1, "confidence": 0.3, "uncertainty": 0.9}]}"#, json::Limits::DOCUMENT)?;
/// assert_eq!(deliberate(&Ledger::read(tape.root())?).gate(), Gate::Continue);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ledger<'a> {
    /// Whether there are a goal, constraints and initial evidence.
    pub(super) triad: [bool; 3],
    pub(super) initial_evidence: Option<Node<'a>>,
    pub(super) limits: Limits,
    pub(super) turns: Vec<Turn<'a>>,
    pub(super) switch: Option<Switch<'a>>,
    /// After which turn the last answer came.
    pub(super) answered: Option<u64>,
    pub(super) checks: Checks,
    pub(super) risk: Option<Risk>,
    pub(super) question: Option<Question<'a>>,
    pub(super) recommendation: Option<Recommendation<'a>>,
}

/// The change of strategy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Switch<'a> {
    pub after_turn: u64,
    pub to: &'a str,
}

/// Which deterministic checks failed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Checks {
    pub lacks_files: bool,
    pub lacks_tests: bool,
    pub lacks_permission: bool,
}

/// How risky it is, and how risky it may be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Risk {
    pub level: Decimal,
    pub threshold: Decimal,
}

/// What the agent would do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recommendation<'a> {
    pub text: &'a str,
    pub is_path_clear: bool,
    pub are_risks_documented: bool,
}

const LEDGER: &[Field] = &[
    optional("goal", Form::Text),
    optional("constraints", Form::Ids),
    optional("initial_evidence", Form::Ids),
    optional("budgets", Form::Object),
    optional("overrides", Form::Object),
    optional("turns", Form::List),
    optional("strategy_switches", Form::List),
    optional("answers", Form::List),
    optional("checks", Form::Object),
    optional("risk", Form::Object),
    optional("question", Form::Object),
    optional("recommendation", Form::Object),
];

const SWITCH: &[Field] =
    &[required("after_turn", Form::Count), required("to", Form::Id), required("hypothesis", Form::Text)];

const ANSWER: &[Field] = &[required("after_turn", Form::Count)];

const CHECKS: &[Field] = &[
    optional("required_files_missing", Form::Ids),
    optional("tests_available", Form::Flag),
    optional("permission_denied", Form::Ids),
];

const RISK: &[Field] = &[required("level", Form::Number), required("threshold", Form::Number)];

const RECOMMENDATION: &[Field] = &[
    required("text", Form::Id),
    optional("path_clear", Form::Flag),
    optional("risks_documented", Form::Flag),
];

impl<'a> Ledger<'a> {
    /// Reads a ledger.
    ///
    /// # Errors
    ///
    /// The first in document order, with a pointer that begins at the ledger. An override that asks for too much, and a switch
    /// to the strategy before it, show at the ledger's end.
    pub fn read(value: Node<'a>) -> Result<Self, Error> {
        let mut ledger = Self {
            triad: [false; 3],
            initial_evidence: None,
            limits: Limits::new(),
            turns: Vec::new(),
            switch: None,
            answered: None,
            checks: Checks::default(),
            risk: None,
            question: None,
            recommendation: None,
        };
        read_document(value, LEDGER, &mut |at, member| ledger.take(at, member))?;
        ledger.limits.check()?;
        ledger.check_switch()?;
        Ok(ledger)
    }

    /// Takes the member of that place in the table.
    fn take(&mut self, at: usize, member: Node<'a>) -> Result<(), Error> {
        match at {
            0..=2 => {
                let is_there = member.as_str().map_or(!member.is_empty(), |goal| !goal.trim().is_empty());
                if let Some(part) = self.triad.get_mut(at) {
                    *part = is_there;
                }
                if at == 2 {
                    self.initial_evidence = Some(member);
                }
            }
            3 => self.limits.read_budgets(member)?,
            4 => self.limits.read_overrides(member)?,
            5 => read_items(member, &mut |turn| {
                let place = self.turns.len() as u64 + 1;
                self.turns.push(Turn::read(turn, place)?);
                Ok(())
            })?,
            6 => read_items(member, &mut |switch| self.take_switch(switch))?,
            7 => read_items(member, &mut |answer| {
                read_object(answer, ANSWER, &mut |_, turn| {
                    self.answered = self.answered.max(count(turn));
                    Ok(())
                })
            })?,
            8 => self.checks = Checks::read(member)?,
            9 => self.risk = Some(Risk::read(member)?),
            10 => self.question = Some(Question::read(member)?),
            _ => self.recommendation = Some(Recommendation::read(member)?),
        }
        Ok(())
    }

    fn take_switch(&mut self, entry: Node<'a>) -> Result<(), Error> {
        if self.switch.is_some() {
            return Err(Error::new(
                codes::INVALID_VALUE,
                "a strategy is switched once, and then the planning stops",
            ));
        }
        let mut switch = Switch::default();
        read_object(entry, SWITCH, &mut |at, member| {
            let text = member.as_str().unwrap_or_default();
            match at {
                0 => switch.after_turn = count(member).unwrap_or_default(),
                1 => switch.to = text,
                _ if text.trim().is_empty() => {
                    let message = "the field `hypothesis` is blank: name what the new strategy tests";
                    return Err(Error::new(codes::MISSING_FIELD, message));
                }
                _ => {}
            }
            Ok(())
        })?;
        self.switch = Some(switch);
        Ok(())
    }

    /// Checks that a switch leads to another strategy than the one before it.
    fn check_switch(&self) -> Result<(), Error> {
        let Some(switch) = self.switch else { return Ok(()) };
        match self.strategy_at(switch.after_turn) {
            Some(before) if is_same(before, switch.to) => {
                let message = format!("`{}` is the strategy before the switch", switch.to);
                Err(Error::new(codes::INVALID_VALUE, message).at("/strategy_switches/0/to"))
            }
            _ => Ok(()),
        }
    }

    /// The strategy that the turns up to that one followed last, if any of them names one.
    pub(super) fn strategy_at(&self, turn: u64) -> Option<&'a str> {
        let end = self.turns.len() - self.turns_after(Some(turn)).len();
        self.turns.get(..end)?.iter().rev().find_map(|turn| turn.strategy)
    }

    /// The place of the last turn for which `find` finds something, with what it finds.
    pub(super) fn last_turn_with<T>(&self, find: impl Fn(&Turn<'a>) -> Option<T>) -> Option<(usize, T)> {
        self.turns.iter().enumerate().rev().find_map(|(place, turn)| Some((place, find(turn)?)))
    }

    /// Returns whether there is evidence, initial or of a turn.
    pub(super) fn has_evidence(&self) -> bool {
        let evidence = self.turns.iter().map(|turn| turn.evidence).chain([self.initial_evidence]);
        evidence.flatten().any(|ids| !ids.is_empty())
    }

    /// Pointer to the first part of the triad that is missing.
    pub(super) fn triad_path(&self) -> &'static str {
        let names = ["/goal", "/constraints", "/initial_evidence"];
        let missing = names.into_iter().zip(self.triad).find(|(_, is_there)| !is_there);
        missing.map_or("", |(name, _)| name)
    }

    /// The turns after that one, or all of them.
    pub(super) fn turns_after(&self, turn: Option<u64>) -> &[Turn<'a>] {
        let place = usize::try_from(turn.unwrap_or_default()).unwrap_or(usize::MAX);
        self.turns.get(place..).unwrap_or_default()
    }

    /// The number of the last turn; 0 if there is none.
    pub(super) fn last_number(&self) -> u64 {
        self.turns.len() as u64
    }

    /// Pointer to a member of the turn in that place, counted from 0.
    pub(super) fn path(turn: usize, member: &str) -> String {
        format!("/turns/{turn}/{member}")
    }

    /// Pointer to a member of the last turn, or to where there would be one.
    pub(super) fn last_path(&self, member: &str) -> String {
        match self.turns.len().checked_sub(1) {
            Some(last) => Self::path(last, member),
            None => "/turns".into(),
        }
    }

    /// Pointer to the last turn, or to where it would be.
    pub(super) fn last_turn_path(&self) -> String {
        match self.turns.len().checked_sub(1) {
            Some(last) => format!("/turns/{last}"),
            None => "/turns".into(),
        }
    }

    /// The open question, if it can be asked: it is singular and blocking.
    pub(super) fn blocking_question(&self) -> Option<&Question<'a>> {
        self.open_question().filter(|question| question.is_singular_and_blocking())
    }

    /// The question, if it waits for an answer: what was answered at the last turn or later is answered.
    pub(super) fn open_question(&self) -> Option<&Question<'a>> {
        let is_answered = self.answered.is_some_and(|turn| turn >= self.last_number());
        self.question.as_ref().filter(|_| !is_answered)
    }
}

/// Returns whether two names of strategies are the same, apart from case and the white space around them.
fn is_same(left: &str, right: &str) -> bool {
    let folded = |text: &str| text.trim().chars().flat_map(char::to_lowercase).collect::<String>();
    folded(left) == folded(right)
}

impl Checks {
    fn read(value: Node<'_>) -> Result<Self, Error> {
        let mut checks = Self::default();
        read_object(value, CHECKS, &mut |at, member| {
            match at {
                0 => checks.lacks_files = !member.is_empty(),
                1 => checks.lacks_tests = !is_true(member),
                _ => checks.lacks_permission = !member.is_empty(),
            }
            Ok(())
        })?;
        Ok(checks)
    }
}

impl Risk {
    fn read(value: Node<'_>) -> Result<Self, Error> {
        let mut risk = Self::default();
        read_object(value, RISK, &mut |at, number| {
            *(if at == 0 { &mut risk.level } else { &mut risk.threshold }) =
                number.as_decimal().unwrap_or_default();
            Ok(())
        })?;
        Ok(risk)
    }
}

impl<'a> Recommendation<'a> {
    fn read(value: Node<'a>) -> Result<Self, Error> {
        let mut recommendation = Self::default();
        read_object(value, RECOMMENDATION, &mut |at, member| {
            match at {
                0 => recommendation.text = member.as_str().unwrap_or_default(),
                1 => recommendation.is_path_clear = is_true(member),
                _ => recommendation.are_risks_documented = is_true(member),
            }
            Ok(())
        })?;
        Ok(recommendation)
    }
}
