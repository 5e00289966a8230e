//! What the built-in rules look at, as a trace lists it: each thing once, and for each rule the places.
//!
//! Rules and what they look at are tables, so the places are known when the engine is compiled.

use super::inputs::{facts_of, parameters_of};
use crate::{
    codes::RuleCode,
    policy::{Fact, Parameter, Root, Variable},
};

/// How many things the built-in rules look at, counted once for each rule.
#[expect(clippy::indexing_slicing, reason = "at compile time, where what is out of bounds does not compile")]
const NAMED: usize = {
    let (mut at, mut count) = (0, 0);
    while at < RuleCode::ALL.len() {
        count += facts_of(RuleCode::ALL[at]).len() + parameters_of(RuleCode::ALL[at]).len();
        at += 1;
    }
    count
};
/// All that could be looked at: facts in the order of their table, then thresholds.
const ALL: usize = Fact::ALL.len() + Parameter::ALL.len();

/// What the built-in rules look at.
pub(super) struct BuiltIn {
    inputs: [Root; NAMED],
    /// How many of them there are.
    count: usize,
    /// Where each of all is among them.
    known: [Option<usize>; ALL],
    /// What each rule looks at, one rule after the other.
    places: [usize; NAMED],
    /// Where in `places` each rule begins, and where the last one ends.
    bounds: [usize; RuleCode::ALL.len() + 1],
}

#[expect(clippy::indexing_slicing, reason = "at compile time, where what is out of bounds does not compile")]
pub(super) static BUILT_IN: BuiltIn = {
    let mut table = BuiltIn {
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

impl BuiltIn {
    /// Records a fact or a threshold, if it is not yet; returns its place. At compile time only.
    #[expect(
        clippy::indexing_slicing,
        reason = "at compile time, where what is out of bounds does not compile"
    )]
    const fn record(&mut self, root: Root) -> usize {
        let of_all = of_all(root);
        if let Some(place) = self.known[of_all] {
            return place;
        }
        let place = self.count;
        self.inputs[place] = root;
        self.known[of_all] = Some(place);
        self.count += 1;
        place
    }

    /// All that the built-in rules look at, each once, in the order of their table.
    pub(super) fn inputs(&self) -> &[Root] {
        self.inputs.get(..self.count).unwrap_or_default()
    }

    /// The places of what a rule looks at.
    pub(super) fn places(&'static self, code: RuleCode) -> &'static [usize] {
        let bound = |at: usize| self.bounds.get(at).copied().unwrap_or_default();
        self.places.get(bound(code as usize)..bound(code as usize + 1)).unwrap_or_default()
    }

    /// The place of a variable of a policy, if a built-in rule looks at the same.
    pub(super) fn place(&self, variable: &Variable) -> Option<usize> {
        let is_whole = variable.rest().is_empty() && variable.root() != Root::Input;
        self.known.get(of_all(variable.root())).copied().flatten().filter(|_| is_whole)
    }
}

/// The number of a fact or a threshold among all.
const fn of_all(root: Root) -> usize {
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
