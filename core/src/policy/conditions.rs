//! Compiling the conditions of one document: what they may ask for, and numbers for what they ask for.
//!
//! Each path that conditions ask for gets one number for the whole document, so that an evaluation looks it up once,
//! however many rules there are.

use alloc::{
    collections::{BTreeMap, btree_map::Entry},
    format,
    vec::Vec,
};

use super::{
    rule::Rule,
    variable::{Root, Variable},
};
use crate::{
    codes::ErrorCode,
    error::Error,
    json::Node,
    logic::{Form, Mode, Operator, Path, Program, Types},
    steps::Steps,
};

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
        let program = Program::compile(when, Mode::Strict, self.steps)?;
        let gives = gives(&program);
        if !gives.meets(Types::BOOL) {
            let message = format!("a condition is a boolean, found {gives}");
            return Err(Error::new(ErrorCode::InvalidExpression, message));
        }
        for variable in program.variables().into_iter().filter(|variable| !variable.in_iteration) {
            // What is computed is looked up when it is known.
            let Some(path) = variable.path else { continue };
            if let Entry::Vacant(place) = self.variables.entry(path) {
                let found = Variable::find(place.key()).map_err(|fault| {
                    Error::new(ErrorCode::InvalidExpression, fault).at(variable.expression.pointer())
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

/// The number of a path among variables that are in the order of their paths.
pub(super) fn number(variables: &[Variable], path: &Path) -> Option<u32> {
    let place = variables.binary_search_by(|variable| variable.path().cmp(path)).ok()?;
    u32::try_from(place).ok()
}

/// What a condition asks for: the envelope's parts among it, what leaves it unknown, and all, by number, as written.
pub(super) fn asked(condition: &Program, variables: &[Variable]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
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
    (inputs, asks, all)
}

/// What a condition may give.
fn gives(program: &Program) -> Types {
    let root = program.root();
    match (root.form(), root.operator()) {
        (Form::Constant(value), _) => value.types(),
        (Form::List, _) => Types::LIST,
        (_, Some(operator)) => operator.signature().gives,
        (_, None) => Types::ANY,
    }
}
