//! Conditions of a policy's rules, taken apart: what each part came to, on which values.
//!
//! The parts are the operands of `and`, `or`, `!`, `!!` and `if`, as deep as these nest; each is evaluated by itself, also
//! where the whole was decided before it.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::Pointer,
    logic::{Expression, Form, Operator, Path, Value},
};
use serde::Serialize;

use super::shown::{Input, Inputs, ShownState};
use crate::{
    codes::RuleCode,
    evaluate::{Facts, Finding, undecided},
    policy::{Rule, Variable},
};

/// How many parts of one condition are shown, and of all.
const MOST_PARTS: usize = 64;
const MOST_OF_ALL: usize = 4_096;
/// What evaluating the parts of all conditions may take.
const BUDGET: u64 = Steps::DEFAULT / 10;

/// A part of a condition that has no conditions inside.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct ConditionPart<'a> {
    /// JSON Pointer into the policy: `/rules/3/when/and/0`.
    pub path: String,
    /// The operator; null for a constant.
    pub operator: Option<&'static str>,
    /// Whether it holds; null if that is unknown, or no value came of it.
    pub holds: Option<bool>,
    /// What it was evaluated on, in the order of its operands; the body of an iteration is left out.
    pub operands: Vec<Operand<'a>>,
    /// The variables in it, in the order in which they are written, each once.
    pub variables: Vec<Input<'a>>,
}

/// The value of an operand.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Operand<'a> {
    /// Whether the value is there.
    pub state: ShownState,
    /// The value; null unless it is `known`.
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub value: Value<'a>,
}

/// Takes the conditions of one policy apart.
pub(super) struct Conditions<'a> {
    facts: &'a Facts<'a>,
    inputs: Inputs<'a>,
    steps: Steps,
    /// How many more parts are shown.
    left: usize,
}

impl<'a> Conditions<'a> {
    pub(super) fn new(facts: &'a Facts<'a>) -> Self {
        Self { facts, inputs: Inputs::new(facts), steps: Steps::new(BUDGET), left: MOST_OF_ALL }
    }

    /// The parts of the conditions that led to a finding.
    pub(super) fn of(&mut self, finding: &Finding<'a>) -> Vec<ConditionPart<'a>> {
        let rules = self.facts.policy().rules();
        if let Some(place) = finding.place() {
            return rules.get(place as usize).map_or_else(Vec::new, |rule| self.parts(place, rule));
        }
        if finding.code() != Some(RuleCode::UnknownEvidence) {
            return Vec::new();
        }
        // Those of the other mode are in another finding.
        let mut parts = Vec::new();
        for (verdict, rule) in undecided(self.facts, finding.mode.unwrap_or_default()) {
            parts.extend(self.parts(verdict.rule, rule));
        }
        parts
    }

    fn parts(&mut self, place: u32, rule: &'a Rule) -> Vec<ConditionPart<'a>> {
        let mut parts = Vec::new();
        let mut pending = Vec::from([rule.condition().root()]);
        while let Some(expression) = pending.pop()
            && parts.len() < MOST_PARTS
            && self.left > 0
        {
            if is_connective(expression.operator()) {
                pending.extend(expression.operands().rev());
            } else {
                self.left -= 1;
                parts.push(self.part(place, expression));
            }
        }
        parts
    }

    fn part(&mut self, place: u32, part: Expression<'a>) -> ConditionPart<'a> {
        let when = Pointer::new("/rules").index(place as usize).key("when").into_string();
        let operator = part.operator();
        let shown = match operator {
            Some(operator) if operator.iterates() => 1,
            // What a variable comes to is shown with the variable.
            Some(Operator::Var) => 0,
            _ => usize::MAX,
        };
        let operands = part.operands().take(shown).map(|operand| self.operand(operand)).collect();
        ConditionPart {
            path: when + &part.pointer(),
            operator: operator.map(Operator::name),
            holds: part.holds(self.inputs.scope(), &mut self.steps).ok().flatten(),
            operands,
            variables: self.variables(part),
        }
    }

    fn operand(&mut self, operand: Expression<'a>) -> Operand<'a> {
        let (state, value) = match operand.evaluate(self.inputs.scope(), &mut self.steps) {
            Ok(value) => self.inputs.room.show(value),
            Err(_) => (ShownState::Unknown, Value::Null),
        };
        Operand { state, value }
    }

    fn variables(&mut self, part: Expression<'a>) -> Vec<Input<'a>> {
        let paths = variables_of(part);
        let found = paths.iter().filter_map(|path| Variable::find(path).ok());
        found.map(|variable| self.inputs.input(&variable, &mut self.steps)).collect()
    }
}

/// Whether the operands of an operation are conditions themselves.
pub(super) fn is_connective(operator: Option<Operator>) -> bool {
    matches!(
        operator,
        Some(
            Operator::And | Operator::Or | Operator::Not | Operator::Truth | Operator::If | Operator::Ternary
        )
    )
}

/// The paths of the variables in a part, each once, in the order in which they are written; those that are computed and
/// those of iterations left out.
pub(super) fn variables_of(part: Expression<'_>) -> Vec<Path> {
    let mut found: Vec<Path> = Vec::new();
    let mut add = |path: &Path| {
        if found.len() < MOST_PARTS && !found.contains(path) {
            found.push(path.clone());
        }
    };
    let mut pending = Vec::from([part]);
    while let Some(expression) = pending.pop() {
        let operator = expression.operator();
        match (expression.form(), operator) {
            (Form::Variable(path), _) => add(path),
            (_, Some(Operator::Missing | Operator::MissingSome)) => {
                for key in expression.operands().filter_map(Expression::constant) {
                    let keys = key.items().into_iter().flatten().chain([key.clone()]);
                    keys.filter_map(|key| key.as_text().map(Path::new)).for_each(|path| add(&path));
                }
            }
            _ => {}
        }
        let seen = if operator.is_some_and(Operator::iterates) { 1 } else { usize::MAX };
        let operands: Vec<Expression<'_>> = expression.operands().take(seen).collect();
        pending.extend(operands.into_iter().rev());
    }
    found
}
