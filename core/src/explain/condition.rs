//! Conditions of a policy's rules, split into parts with their values.
//!
//! The parts are the operands of nested `and`, `or`, `!`, `!!` and `if`. Each is evaluated by itself, even if an earlier part
//! already decided the whole.

use alloc::vec::Vec;

use adjudicate_lang::{
    Steps,
    json::Pointer,
    logic::{Expression, Operator, Value, VariablePath},
};

use super::shown::VariableLookup;
use crate::{
    codes::RuleCode,
    documents::{
        explanation::{ConditionPart, Input, Operand, ShownState},
        finding::Finding,
    },
    evaluate::{Judged, undecided},
    policy::{Rule, Variable, is_of_inputs},
};

/// The most parts shown of one condition, and of all conditions.
const MOST_PARTS: usize = 64;
const MOST_OF_ALL: usize = 4_096;
/// The budget for evaluating the parts of all conditions.
const BUDGET: u64 = Steps::DEFAULT / 10;

/// Splits the conditions of one policy.
pub(super) struct ConditionSplitter<'a> {
    facts: &'a Judged<'a>,
    inputs: VariableLookup<'a>,
    steps: Steps,
    /// The number of parts that may still be shown.
    left: usize,
}

impl<'a> ConditionSplitter<'a> {
    pub(super) fn new(facts: &'a Judged<'a>) -> Self {
        Self { facts, inputs: VariableLookup::new(facts), steps: Steps::new(BUDGET), left: MOST_OF_ALL }
    }

    /// The parts of the conditions that led to a finding.
    pub(super) fn parts_of_finding(&mut self, finding: &Finding<'a>) -> Vec<ConditionPart<'a>> {
        let rules = self.facts.policy().rules();
        if let Some(place) = finding.place() {
            return rules.get(place as usize).map_or_else(Vec::new, |rule| self.parts(place, rule));
        }
        if finding.code() != Some(RuleCode::UnknownEvidence) || is_of_inputs(&finding.item) {
            return Vec::new();
        }
        // Rules of the other mode are in another finding.
        let mut parts = Vec::new();
        for (verdict, rule) in
            undecided(self.facts.policy(), self.facts.verdicts(), finding.mode.unwrap_or_default())
        {
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
            // The value of a variable is shown with the variable.
            Some(Operator::Var) => 0,
            _ => usize::MAX,
        };
        let operands = part.operands().take(shown).map(|operand| self.operand(operand)).collect();
        ConditionPart {
            path: when + &part.pointer(),
            operator: operator.map(Operator::name),
            holds: part.holds(&self.inputs.variables, &mut self.steps).ok().flatten(),
            operands,
            variables: self.variables(part),
        }
    }

    fn operand(&mut self, operand: Expression<'a>) -> Operand<'a> {
        let (state, value) = match operand.evaluate(&self.inputs.variables, &mut self.steps) {
            Ok(value) => self.inputs.show(value),
            Err(_) => (ShownState::Unknown, Value::Null),
        };
        Operand { state, value }
    }

    fn variables(&mut self, part: Expression<'a>) -> Vec<Input<'a>> {
        let paths = variables_of(part);
        let found = paths.iter().filter_map(Variable::find);
        found.map(|variable| self.inputs.input(&variable, &mut self.steps)).collect()
    }
}

/// Returns true if the operands of an operator are conditions themselves.
pub(super) fn is_connective(operator: Option<Operator>) -> bool {
    matches!(
        operator,
        Some(
            Operator::And | Operator::Or | Operator::Not | Operator::Truth | Operator::If | Operator::Ternary
        )
    )
}

/// The paths of the variables in a part, each once, in order, except computed ones and those of iterations.
pub(super) fn variables_of(part: Expression<'_>) -> Vec<VariablePath> {
    let mut found: Vec<VariablePath> = Vec::new();
    for variable in part.variables().into_iter().filter(|variable| !variable.in_iteration) {
        found.extend(variable.path.filter(|path| found.len() < MOST_PARTS && !found.contains(path)));
    }
    found
}
