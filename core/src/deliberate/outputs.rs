//! The documents that a turn hands in: exploration plan, budget allocation and novelty check (PAO, first 2-3 turn policies).

use alloc::format;
use core::cmp::Ordering;

use adjudicate_lang::{
    Decimal, Error,
    json::{
        Kind, Node,
        object::{Field, Form, count, optional, read_items, read_object, refuse, required},
    },
};

use super::{
    budgets::{Amounts, Budget},
    gates::Gate,
};
use crate::codes;

/// A step of an exploration plan: the tool or the agent, what it does, and what is expected of it.
const STEP: &[Field] = &[
    optional("tool", Form::Id),
    optional("agent", Form::Id),
    required("action", Form::Id),
    optional("expects", Form::Text),
];

/// The first three in the order of [`Budget`].
const ALLOCATION: &[Field] = &[
    optional("max_iterations", Form::Count),
    optional("max_subagent_calls", Form::Count),
    optional("max_wall_time_ms", Form::Count),
    optional("estimated_wall_time", Form::Any),
];

const NOVELTY: &[Field] = &[
    optional("new_information", Form::Any),
    optional("uncertainty_reduction", Form::Any),
    optional("confidence_level", Form::Magnitude),
    optional("continue_decision", Form::Word(DECISIONS)),
];

/// The gates that a turn can decide for.
pub(super) const DECISIONS: &[&str] =
    &[Gate::Continue.as_str(), Gate::Switch.as_str(), Gate::Escalate.as_str(), Gate::Commit.as_str()];

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

/// Reads an exploration plan; returns the place of its first step that is plain text.
pub(super) fn read_plan(plan: Node<'_>) -> Result<Option<usize>, Error> {
    let (mut place, mut untyped) = (0, None);
    read_items(plan, &mut |step| {
        match step.as_str() {
            Some("") => return Err(refuse(step, EXPECTED_STEP)),
            Some(_) => untyped = untyped.or(Some(place)),
            None => read_step(step)?,
        }
        place += 1;
        Ok(())
    })?;
    Ok(untyped)
}

const EXPECTED_STEP: &str = "an object with `action` and `tool` or `agent`, or a string that is not empty";

fn read_step(step: Node<'_>) -> Result<(), Error> {
    if step.kind() != Kind::Object {
        return Err(refuse(step, EXPECTED_STEP));
    }
    read_object(step, STEP, &mut |_, _| Ok(()))?;
    match (step.member("tool"), step.member("agent")) {
        (None, None) => {
            Err(Error::new(codes::MISSING_FIELD, "missing field `tool` or `agent`").under("tool"))
        }
        (Some(_), Some(_)) => {
            let message = "expected `tool` or `agent`, found both";
            Err(Error::new(codes::INVALID_VALUE, message).under("agent"))
        }
        _ => Ok(()),
    }
}

/// How much of each budget a turn sets aside.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Allocation {
    counts: [Option<u64>; 3],
    /// So many times so many milliseconds.
    estimate: Option<(i128, Decimal)>,
}

impl Allocation {
    pub(super) fn read(value: Node<'_>) -> Result<Self, Error> {
        let mut allocation = Self::default();
        read_object(value, ALLOCATION, &mut |at, member| {
            match allocation.counts.get_mut(at) {
                Some(slot) => *slot = count(member),
                None => allocation.estimate = Some(read_duration(member)?),
            }
            Ok(())
        })?;
        Ok(allocation)
    }

    /// The first member that exceeds its budget.
    pub(super) fn excess(&self, budgets: Amounts) -> Option<&'static str> {
        let counts = self.counts.iter().zip(Budget::ALL);
        let mut counts = counts.map(|(count, budget)| count.is_some_and(|count| count > budgets.of(*budget)));
        let place = counts.position(|exceeds| exceeds).or_else(|| {
            let (unit, number) = self.estimate?;
            let time = Decimal::new(budgets.of(Budget::WallTime), 0);
            (Decimal::sign_of_sum(&[(unit, number), (-1, time)]) == Ordering::Greater)
                .then_some(self.counts.len())
        })?;
        ALLOCATION.get(place).map(Field::name)
    }
}

/// Reads a number of minutes, or text like `3 minutes`, `2.5 min` or `90 seconds`.
fn read_duration(value: Node<'_>) -> Result<(i128, Decimal), Error> {
    let duration = match value.as_str() {
        Some(text) => duration(text),
        None => value.as_decimal().map(|number| (MINUTE, number)),
    };
    duration
        .filter(|(_, number)| *number >= Decimal::ZERO)
        .ok_or_else(|| refuse(value, "minutes, as a number or as text like `3 minutes` or `90 seconds`"))
}

fn duration(text: &str) -> Option<(i128, Decimal)> {
    let (number, unit) = text.split_at_checked(text.find(|c: char| c != '.' && !c.is_ascii_digit())?)?;
    let (_, milliseconds) = UNITS.iter().find(|(name, _)| *name == unit.trim_start_matches(' '))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let places = i32::try_from(fraction.len()).ok()?;
    let is_number = is_digits(whole) && is_digits(fraction);
    let digits = format!("{whole}{fraction}").parse().ok().filter(|_| is_number)?;
    Some((*milliseconds, Decimal::new(digits, -places)))
}

/// Reads a novelty check; returns the decision in it.
pub(super) fn read_novelty(value: Node<'_>) -> Result<Option<Gate>, Error> {
    let mut decision = None;
    read_object(value, NOVELTY, &mut |at, member| {
        match at {
            0 => read_answer(member)?,
            1 => read_reduction(member)?,
            2 => read_confidence(member).map(|_| ())?,
            _ => decision = read_decision(member),
        }
        Ok(())
    })?;
    Ok(decision)
}

/// The gate of that word.
pub(super) fn read_decision(word: Node<'_>) -> Option<Gate> {
    word.as_str().and_then(Gate::from_text)
}

fn read_answer(value: Node<'_>) -> Result<(), Error> {
    match (value.kind(), value.as_str()) {
        (Kind::Bool(_), _) | (_, Some("yes" | "no")) => Ok(()),
        _ => Err(refuse(value, "true, false, `yes` or `no`")),
    }
}

fn read_reduction(value: Node<'_>) -> Result<(), Error> {
    if value.as_number().is_some() || value.as_str().is_some_and(is_percentage) {
        return Ok(());
    }
    Err(refuse(value, "a number or a percentage like `40%`"))
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

/// Reads a number from 0 to 1.
pub(super) fn read_confidence(number: Node<'_>) -> Result<Decimal, Error> {
    let confidence = number.as_decimal().unwrap_or_default();
    if confidence > Decimal::ONE {
        return Err(Error::new(codes::INVALID_VALUE, "expected a confidence from 0 to 1"));
    }
    Ok(confidence)
}
