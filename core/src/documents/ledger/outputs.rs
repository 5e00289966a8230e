//! The documents that a turn hands in: exploration plan, budget allocation and novelty check (docs/reference/planning-gates.md).

use alloc::format;

use adjudicate_lang::{
    Decimal, Error,
    document::{Document, Id, Reader, Shape},
    json::{Kind, Node},
};

use super::{confidence::Confidence, milliseconds::Milliseconds};
use crate::codes;

/// A step of an exploration plan.
#[derive(Clone, Copy, Debug)]
pub enum ExplorationItem<'a> {
    /// Plain text, which is a warning.
    Text(&'a str),
    /// A step with its tool or agent.
    Step(ExplorationStep<'a>),
}

const EXPECTED_STEP: &str = "an object with `action` and `tool` or `agent`, or a string that is not empty";

impl<'t: 'a, 'a> Document<'t> for ExplorationItem<'a> {
    const SHAPE: Shape = Shape::Any;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        match node.as_str() {
            None => ExplorationStep::read(node, reader).map(Self::Step),
            Some("") => {
                reader.refuse(node, EXPECTED_STEP);
                None
            }
            Some(text) => Some(Self::Text(text)),
        }
    }
}

/// A step of an exploration plan: a tool or an agent, and its action.
#[derive(Clone, Copy, Debug, Document)]
#[document(
    expecting = "an object with `action` and `tool` or `agent`, or a string that is not empty",
    check = "ExplorationStep::check",
    schema = r#"{"oneOf": [{"required": ["tool"]}, {"required": ["agent"]}]}"#
)]
pub struct ExplorationStep<'a> {
    /// The tool, for example `grep`.
    pub tool: Option<Id<'a>>,
    /// The agent, instead of a tool.
    pub agent: Option<Id<'a>>,
    /// The action of the tool or the agent, for example `find all callers of login`.
    pub action: Id<'a>,
    /// The result that the step should have.
    pub expects: Option<&'a str>,
}

impl ExplorationStep<'_> {
    /// Checks that there is either a tool or an agent.
    fn check(&self) -> Result<(), Error> {
        match (self.tool, self.agent) {
            (None, None) => {
                Err(Error::new(codes::MISSING_FIELD, "missing field `tool` or `agent`").at("/tool"))
            }
            (Some(_), Some(_)) => {
                let message = "expected `tool` or `agent`, found both";
                Err(Error::new(codes::INVALID_VALUE, message).at("/agent"))
            }
            _ => Ok(()),
        }
    }
}

/// The shares of the budgets that a turn sets aside. A share above its budget does not do the duty.
#[derive(Clone, Copy, Debug, Default, Document)]
#[document(expecting = "an object")]
pub struct BudgetAllocation {
    /// The number of iterations.
    pub max_iterations: Option<u64>,
    /// The number of subagent calls.
    pub max_subagent_calls: Option<u64>,
    /// The time in milliseconds.
    pub max_wall_time_ms: Option<Milliseconds<false>>,
    /// The time in minutes, or with a unit, for example `2.5 min` or `90 seconds`.
    pub estimated_wall_time: Option<Duration>,
}

/// A duration: a number of minutes, or text like `3 minutes`, `2.5 min` or `90 seconds`.
#[derive(Clone, Copy, Debug)]
pub struct Duration {
    /// The number of units.
    pub number: Decimal,
    /// The unit in milliseconds.
    pub unit: i128,
}

impl Document<'_> for Duration {
    const SHAPE: Shape = Shape::Any;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        let read = match node.as_str() {
            Some(text) => duration(text),
            None => node.as_decimal().map(|number| Self { number, unit: MINUTE }),
        };
        let read = read.filter(|duration| duration.number >= Decimal::ZERO);
        if read.is_none() {
            reader.refuse(node, "minutes, as a number or as text like `3 minutes` or `90 seconds`");
        }
        read
    }
}

/// The result of a novelty check.
#[derive(Clone, Copy, Debug, Default, Document)]
#[document(expecting = "an object")]
pub struct NoveltyCheck {
    /// True or `yes` if the turns so far brought new information, else false or `no`.
    pub new_information: Option<NewInformation>,
    /// The reduction of the uncertainty, as a number or a percentage like `40%`.
    pub uncertainty_reduction: Option<UncertaintyReduction>,
    /// The confidence, from 0 to 1.
    pub confidence_level: Option<Confidence>,
    /// The decision of the agent at the end of the turn. It may stand in the turn instead.
    pub continue_decision: Option<StatedDecision>,
}

/// True, false, `yes` or `no`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewInformation(pub bool);

impl Document<'_> for NewInformation {
    const SHAPE: Shape = Shape::Any;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        match (node.kind(), node.as_str()) {
            (Kind::Bool(value), _) => Some(Self(value)),
            (_, Some(word @ ("yes" | "no"))) => Some(Self(word == "yes")),
            _ => {
                reader.refuse(node, "true, false, `yes` or `no`");
                None
            }
        }
    }
}

/// A number, or a percentage like `40%`. Only its form is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UncertaintyReduction;

impl Document<'_> for UncertaintyReduction {
    const SHAPE: Shape = Shape::Any;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        if node.as_number().is_some() || node.as_str().is_some_and(is_percentage) {
            return Some(Self);
        }
        reader.refuse(node, "a number or a percentage like `40%`");
        None
    }
}

/// The decision of an agent at the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[serde(rename_all = "snake_case")]
pub enum ContinueDecision {
    /// Plan one more turn.
    Continue,
    /// Take another strategy.
    Switch,
    /// Ask a human.
    Escalate,
    /// Hand over the recommendation.
    Commit,
}

/// A decision, and its position in the document: of two equal ones, answers point at the first.
#[derive(Clone, Copy, Debug)]
pub struct StatedDecision {
    /// The decision.
    pub decision: ContinueDecision,
    position: usize,
}

impl StatedDecision {
    /// Returns the position in the document.
    pub(crate) const fn position(self) -> usize {
        self.position
    }
}

impl Document<'_> for StatedDecision {
    const SHAPE: Shape = ContinueDecision::SHAPE;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        ContinueDecision::read(node, reader).map(|decision| Self { decision, position: node.position() })
    }
}

/// Units of time, each with its milliseconds.
const UNITS: &[(&str, i128)] = &[
    ("minutes", MINUTE),
    ("minute", MINUTE),
    ("min", MINUTE),
    ("seconds", 1_000),
    ("second", 1_000),
    ("s", 1_000),
    ("ms", 1),
];

const MINUTE: i128 = 60_000;

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at_checked(text.find(|c: char| c != '.' && !c.is_ascii_digit())?)?;
    let (_, milliseconds) = UNITS.iter().find(|(name, _)| *name == unit.trim_start_matches(' '))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let places = i32::try_from(fraction.len()).ok()?;
    let is_number = is_digits(whole) && is_digits(fraction);
    let digits = format!("{whole}{fraction}").parse().ok().filter(|_| is_number)?;
    Some(Duration { number: Decimal::new(digits, -places), unit: *milliseconds })
}

/// Returns whether text is a decimal number and a percent sign.
fn is_percentage(text: &str) -> bool {
    let Some(number) = text.strip_suffix('%') else { return false };
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    is_digits(whole) && is_digits(fraction)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
