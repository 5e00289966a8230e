//! Compiles the conditions of one document: checks their variables and numbers them.
//!
//! Each path gets one number for the whole document, so an evaluation looks it up once, however many rules read it.

use alloc::{
    collections::{BTreeMap, btree_map::Entry},
    format,
    string::String,
    vec::Vec,
};

use adjudicate_lang::{
    Error, Steps,
    json::Node,
    logic::{self, Expression, Operator, Program, VariablePath},
};

use super::variable::{Root, Variable, unknown_variable};
use crate::codes;

/// The compiler of the conditions of one document, with the variables found so far.
pub(super) struct Conditions<'s> {
    steps: &'s mut Steps,
    variables: BTreeMap<VariablePath, Variable>,
}

impl<'s> Conditions<'s> {
    /// Creates a compiler that compiles patterns under a budget.
    pub(super) const fn new(steps: &'s mut Steps) -> Self {
        Self { steps, variables: BTreeMap::new() }
    }

    /// Compiles a condition, unless `note` gets errors; their paths begin at the condition.
    pub(super) fn compile(&mut self, when: Node<'_>, note: &mut dyn FnMut(Error)) -> Option<Program> {
        let form = r#"`when` is a JSONLogic object such as `{">": [{"var": "facts.diff.count"}, 40]}`"#;
        let program = Program::condition(when, form, self.steps).map_err(&mut *note).ok()?;
        let mut is_valid = true;
        let mut refuse = |variable: &logic::ExpressionVariable<'_>, message: String| {
            is_valid = false;
            note(Error::new(codes::INVALID_EXPRESSION, message).at(variable.expression.pointer()));
        };
        let variables = program.variables();
        let items_are_known = variables.iter().all(has_known_items);
        for mut variable in variables {
            // A computed path is looked up during the evaluation.
            let Some(path) = variable.path.take() else { continue };
            if let Some(iteration) = variable.expression.iteration().and_then(Expression::operator) {
                if items_are_known && path.segments().len() > 1 && Variable::exists(&path) {
                    refuse(&variable, out_of_sight(iteration, &path));
                }
                continue;
            }
            if let Entry::Vacant(place) = self.variables.entry(path) {
                match Variable::find(place.key()) {
                    Some(found) => {
                        place.insert(found);
                    }
                    None => refuse(&variable, unknown_variable(place.key())),
                }
            }
        }
        is_valid.then_some(program)
    }

    /// Returns all variables that the conditions read, in the order of their paths. The number of a variable is its index.
    pub(super) fn finish(self) -> Vec<Variable> {
        self.variables.into_values().collect()
    }
}

/// Returns whether the fields of the items that a variable leads to are known, so that none of them is named `input`, `facts`
/// or `parameters`. Items of the evidence have no such field; those of `x-` fields may have one.
fn has_known_items(variable: &logic::ExpressionVariable<'_>) -> bool {
    let path = variable.path.as_ref();
    path.is_some_and(|path| !path.segments().iter().any(|name| name.starts_with("x-")))
}

/// The message about a variable of the policy in the body of an iteration.
fn out_of_sight(iteration: Operator, path: &VariablePath) -> String {
    let sees = if iteration == Operator::Reduce { "`current` and `accumulator`" } else { "its item" };
    format!("the body of `{}` sees {sees} only: ask for `{path}` outside of it", iteration.name())
}

/// Returns the index of a path in a list of variables that is sorted by path.
pub(super) fn number(variables: &[Variable], path: &VariablePath) -> Option<u32> {
    let place = variables.binary_search_by(|variable| variable.path().cmp(path)).ok()?;
    u32::try_from(place).ok()
}

/// Returns the numbers of a condition's variables, in the order of the text: those that are parts of the envelope, those that
/// make the condition unknown, and all.
pub(super) fn variable_numbers(condition: &Program, variables: &[Variable]) -> [Vec<u32>; 3] {
    let (mut inputs, mut asks, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for variable in condition.variables().into_iter().filter(|variable| !variable.in_iteration) {
        let Some(number) = variable.path.as_ref().and_then(|path| number(variables, path)) else { continue };
        if !all.contains(&number) {
            all.push(number);
        }
        let is_input = variables.get(number as usize).is_some_and(|variable| variable.root() == Root::Input);
        if is_input && !inputs.contains(&number) {
            inputs.push(number);
        }
        // A default replaces an unknown value, and `missing` asks whether a value is unknown.
        let is_plain =
            variable.expression.operator() == Some(Operator::Var) && variable.expression.operands().len() < 2;
        if is_plain && !asks.contains(&number) {
            asks.push(number);
        }
    }
    [inputs, asks, all]
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::json::{self, ReadLimits};

    use super::*;

    #[test]
    fn bodies_ask_for_their_items_only() {
        let fault = |when: &str| {
            let tape = json::read(when.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            let mut steps = Steps::for_patterns();
            let mut faults: Vec<(String, String)> = Vec::new();
            let mut note = |error: Error| faults.push((error.message().into(), error.path().into()));
            let compiled = Conditions::new(&mut steps).compile(tape.root(), &mut note);
            assert_eq!(compiled.is_none(), !faults.is_empty(), "{when}");
            faults.pop()
        };
        for (when, name, path) in [
            (
                r#"{"some":[{"var":"facts.claims"},{"==":[{"var":""},{"var":"facts.intent"}]}]}"#,
                "facts.intent",
                "/some/1/==/1",
            ),
            (
                r#"{"all":[{"var":"input.evidence.artifacts"},{"in":[{"var":""},{"missing":["input.run_id"]}]}]}"#,
                "input.run_id",
                "/all/1/in/1",
            ),
            (
                r#"{"some":[[1],{"some":[[2],{"<":[{"var":""},{"var":["parameters.refinement_cap",3]}]}]}]}"#,
                "parameters.refinement_cap",
                "/some/1/some/1/</1",
            ),
        ] {
            let operator = path.split('/').nth(1).unwrap();
            let expected =
                format!("the body of `{operator}` sees its item only: ask for `{name}` outside of it");
            assert_eq!(fault(when), Some((expected, path.into())), "{when}");
        }
        for when in [
            r#"{"some":[{"var":"input.x-steps"},{"==":[{"var":"input.path"},"a"]}]}"#,
            r#"{"some":[{"var":{"cat":["input.x","-steps"]}},{"==":[{"var":"input.path"},"a"]}]}"#,
            r#"{"some":[{"filter":[{"var":"facts.diff.files"},true]},{"==":[{"var":"path"},{"var":"change"}]}]}"#,
            r#"{"some":[[1],{"var":"facts"}]}"#,
        ] {
            assert_eq!(fault(when), None, "{when}");
        }
    }
}
