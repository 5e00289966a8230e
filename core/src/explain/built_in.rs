//! The inputs of the built-in rules, as a trace lists them: each input once, and for each rule the indices of its inputs.
//!
//! Rules and their inputs are tables, so the indices are computed at compile time.

use super::inputs::{facts_of, parameters_of};
use crate::{
    codes::RuleCode,
    policy::{Fact, Parameter, Root, Variable},
};

/// The number of inputs, counted for each rule.
#[expect(clippy::indexing_slicing, reason = "at compile time, where an index out of bounds fails")]
const NAMED: usize = {
    let (mut at, mut count) = (0, 0);
    while at < RuleCode::ALL.len() {
        count += facts_of(RuleCode::ALL[at]).len() + parameters_of(RuleCode::ALL[at]).len();
        at += 1;
    }
    count
};
/// The number of possible inputs: all facts, then all parameters.
const ALL: usize = Fact::ALL.len() + Parameter::ALL.len();

/// The inputs of the built-in rules.
pub(super) struct BuiltInInputs {
    inputs: [Root; NAMED],
    /// The number of distinct inputs.
    count: usize,
    /// For each possible input, its index in `inputs`.
    known: [Option<usize>; ALL],
    /// The input indices of all rules, one rule after the other.
    places: [usize; NAMED],
    /// The start of each rule in `places`, and the end of the last one.
    bounds: [usize; RuleCode::ALL.len() + 1],
}

#[expect(clippy::indexing_slicing, reason = "at compile time, where an index out of bounds fails")]
pub(super) static BUILT_IN: BuiltInInputs = {
    let mut table = BuiltInInputs {
        inputs: [Root::Input; NAMED],
        count: 0,
        known: [None; ALL],
        places: [0; NAMED],
        bounds: [0; RuleCode::ALL.len() + 1],
    };
    let (mut rule, mut end) = (0, 0);
    while rule < RuleCode::ALL.len() {
        let (facts, parameters) = (facts_of(RuleCode::ALL[rule]), parameters_of(RuleCode::ALL[rule]));
        let mut at = 0;
        while at < facts.len() + parameters.len() {
            let root = if at < facts.len() {
                Root::Fact(facts[at])
            } else {
                Root::Parameter(parameters[at - facts.len()])
            };
            table.places[end] = table.record(root);
            (at, end) = (at + 1, end + 1);
        }
        rule += 1;
        table.bounds[rule] = end;
    }
    table
};

impl BuiltInInputs {
    /// Adds a fact or parameter, if it is new; returns its index. At compile time only.
    #[expect(clippy::indexing_slicing, reason = "at compile time, where an index out of bounds fails")]
    const fn record(&mut self, root: Root) -> usize {
        let input_number = input_number(root);
        if let Some(place) = self.known[input_number] {
            return place;
        }
        let place = self.count;
        self.inputs[place] = root;
        self.known[input_number] = Some(place);
        self.count += 1;
        place
    }

    /// All inputs of the built-in rules, each once, in the order of the table.
    pub(super) fn inputs(&self) -> &[Root] {
        self.inputs.get(..self.count).unwrap_or_default()
    }

    /// The input indices of a rule.
    pub(super) fn places(&'static self, code: RuleCode) -> &'static [usize] {
        let bound = |at: usize| self.bounds.get(at).copied().unwrap_or_default();
        self.places.get(bound(code as usize)..bound(code as usize + 1)).unwrap_or_default()
    }

    /// The index of a policy's variable, if it is an input of a built-in rule too.
    pub(super) fn place(&self, variable: &Variable) -> Option<usize> {
        let is_whole = variable.rest().is_empty() && variable.root() != Root::Input;
        self.known.get(input_number(variable.root())).copied().flatten().filter(|_| is_whole)
    }
}

/// The number of a fact or parameter among all possible inputs.
const fn input_number(root: Root) -> usize {
    match root {
        Root::Input => ALL,
        Root::Fact(fact) => fact as usize,
        Root::Parameter(parameter) => Fact::ALL.len() + parameter as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn places_are_those_of_what_the_rules_look_at() {
        for code in RuleCode::ALL {
            let facts = facts_of(*code).iter().map(|fact| Root::Fact(*fact));
            let expected: Vec<Root> = facts
                .chain(parameters_of(*code).iter().map(|parameter| Root::Parameter(*parameter)))
                .collect();
            let found: Vec<Root> =
                BUILT_IN.places(*code).iter().map(|place| BUILT_IN.inputs()[*place]).collect();
            assert_eq!(found, expected, "{}", code.row().name);
        }
        let mut distinct = Vec::new();
        for root in BUILT_IN.inputs() {
            assert!(!distinct.contains(root), "{root:?}");
            distinct.push(*root);
        }
    }
}
