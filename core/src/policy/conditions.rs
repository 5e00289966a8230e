//! Compiling the conditions of one document: what they may ask for, and numbers for what they ask for.
//!
//! Each path that conditions ask for gets one number for the whole document, so that an evaluation looks it up once,
//! however many rules there are.

use alloc::{
    collections::{BTreeMap, btree_map::Entry},
    format,
    string::String,
    vec::Vec,
};

use adjudicate_lang::{
    Error, Steps,
    json::Node,
    logic::{self, Operator, Path, Program},
};

use super::{
    rule::Rule,
    variable::{Root, Variable},
};
use crate::codes;

/// The conditions of one document.
pub(super) struct Conditions<'s> {
    steps: &'s mut Steps,
    variables: BTreeMap<Path, Variable>,
}

impl<'s> Conditions<'s> {
    /// Conditions whose patterns are compiled under a budget.
    pub(super) const fn new(steps: &'s mut Steps) -> Self {
        Self { steps, variables: BTreeMap::new() }
    }

    /// Compiles a condition; paths of errors begin at it.
    pub(super) fn compile(&mut self, when: Node<'_>) -> Result<Program, Error> {
        let program = Program::condition(when, self.steps)?;
        let variables = program.variables();
        let items_are_known = variables.iter().all(has_known_items);
        for variable in variables {
            // What is computed is looked up when it is known.
            let Some(path) = variable.path else { continue };
            if let Some(iteration) = variable.expression.iteration() {
                if items_are_known && path.segments().len() > 1 && Variable::find(&path).is_ok() {
                    return Err(Error::new(codes::INVALID_EXPRESSION, out_of_sight(iteration, &path))
                        .at(variable.expression.pointer()));
                }
                continue;
            }
            if let Entry::Vacant(place) = self.variables.entry(path) {
                let found = Variable::find(place.key()).map_err(|fault| {
                    Error::new(codes::INVALID_EXPRESSION, fault).at(variable.expression.pointer())
                })?;
                place.insert(found);
            }
        }
        Ok(program)
    }

    /// All variables that the conditions ask for, in the order of their paths; their places are their numbers, which
    /// the rules are told.
    pub(super) fn finish(self, rules: &mut [Rule]) -> Vec<Variable> {
        let variables: Vec<Variable> = self.variables.into_values().collect();
        for rule in rules {
            rule.number_variables(&variables);
        }
        variables
    }
}

/// Whether it leaves no doubt that items have no members called as the roots of variables are: none of the evidence has,
/// but a caller's own may.
fn has_known_items(variable: &logic::Variable<'_>) -> bool {
    let path = variable.path.as_ref();
    path.is_some_and(|path| !path.segments().iter().any(|name| name.starts_with("x-")))
}

/// What is wrong with a variable of the policy in the body of an iteration.
fn out_of_sight(iteration: Operator, path: &Path) -> String {
    let sees = if iteration == Operator::Reduce { "`current` and `accumulator`" } else { "its item" };
    format!("the body of `{}` sees {sees} only: ask for `{path}` outside of it", iteration.name())
}

/// The number of a path among variables that are in the order of their paths.
pub(super) fn number(variables: &[Variable], path: &Path) -> Option<u32> {
    let place = variables.binary_search_by(|variable| variable.path().cmp(path)).ok()?;
    u32::try_from(place).ok()
}

/// What a condition asks for: the envelope's parts among it, what leaves it unknown, and all, by number, as written.
pub(super) fn asked(condition: &Program, variables: &[Variable]) -> [Vec<u32>; 3] {
    let (mut inputs, mut asks, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for asked in condition.variables().into_iter().filter(|variable| !variable.in_iteration) {
        let Some(number) = asked.path.as_ref().and_then(|path| number(variables, path)) else { continue };
        if !all.contains(&number) {
            all.push(number);
        }
        let is_input = variables.get(number as usize).is_some_and(|variable| variable.root() == Root::Input);
        if is_input && !inputs.contains(&number) {
            inputs.push(number);
        }
        // A default stands in for what is unknown, and `missing` is about just that.
        let is_plain =
            asked.expression.operator() == Some(Operator::Var) && asked.expression.operands().len() < 2;
        if is_plain && !asks.contains(&number) {
            asks.push(number);
        }
    }
    [inputs, asks, all]
}

#[cfg(test)]
mod tests {
    use adjudicate_lang::json::{self, Limits};

    use super::*;

    #[test]
    fn bodies_ask_for_their_items_only() {
        let fault = |when: &str| {
            let tape = json::read(when.as_bytes(), Limits::DOCUMENT).unwrap();
            let mut steps = Steps::for_patterns();
            let compiled = Conditions::new(&mut steps).compile(tape.root());
            compiled.err().map(|error| (String::from(error.message()), String::from(error.path())))
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
