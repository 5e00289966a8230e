//! Candidate values, looked up once for a search because they are the same for every envelope in it.

use alloc::{collections::BTreeMap, vec::Vec};

use adjudicate_lang::{
    json::OwnedValue,
    logic::{Expression, Operator, Types, VariablePath},
    order::{self, SortedMap, SortedSet},
};

use super::{act::Act, constants::Constants, instance::instances_of_all};
use crate::{
    evaluate::Judged,
    explain::condition::{is_connective, variables_of},
    policy::{Rule, Variable, is_extension},
};

/// The name of a new validator about which nothing else is known.
pub(super) const SOME_VALIDATOR: &str = "tests";
/// The most values of one variable.
const MOST: usize = 48;
/// The most parts of one condition whose values are candidates for others.
const MOST_COMPARED: usize = 16;
/// A measured value of a run.
const MEASURED: &str = "input.evidence.harness_report.summary.duration_ms";

/// The variables and constants of a rule's condition.
#[derive(Debug)]
pub(super) struct About<'p> {
    pub variables: Vec<Variable>,
    pub constants: Constants<'p>,
    /// Computed parts that are compared with other computed parts; the value of one is a candidate for the other.
    pub compared: Vec<(Operator, Expression<'p>)>,
}

impl<'p> About<'p> {
    fn new(rule: &'p Rule) -> Self {
        let condition = rule.condition().root();
        let variables = variables_of(condition).iter().filter_map(Variable::find).collect();
        Self { variables, constants: Constants::new(condition), compared: compared(condition) }
    }
}

fn compared(condition: Expression<'_>) -> Vec<(Operator, Expression<'_>)> {
    let mut found = Vec::new();
    let mut pending = Vec::from([condition]);
    while let Some(part) = pending.pop()
        && found.len() < MOST_COMPARED
    {
        let Some(operator) = part.operator() else { continue };
        let compares = operator.signature().gives == Types::BOOL && part.operands().len() > 1;
        if compares && !is_connective(Some(operator)) && !operator.iterates() {
            if part.operands().all(|operand| operand.constant().is_none()) {
                found.extend(part.operands().map(|operand| (operator, operand)));
            }
        } else if is_connective(Some(operator)) {
            pending.extend(part.operands().rev());
        }
    }
    found
}

/// The candidate values for one search.
#[derive(Debug)]
pub(super) struct Ranges<'p> {
    /// By rule index.
    rules: Vec<About<'p>>,
    /// The policy's names with the same beginning as the placeholder for validators.
    names: SortedSet<&'p str>,
    /// The constants with which the policy compares extension fields, in all conditions, because a value for one rule must satisfy
    /// the others too.
    values: BTreeMap<VariablePath, Vec<OwnedValue>>,
    /// For each required pattern, the artifacts that would match it.
    artifacts: SortedMap<&'p str, Vec<Act>>,
}

impl<'p> Ranges<'p> {
    pub(super) fn new(facts: &Judged<'p>) -> Self {
        let wanted: Vec<&str> = facts.missing_artifacts().iter().map(|missing| missing.wanted).collect();
        let artifacts = instances_of_all(&wanted).into_iter();
        let artifacts = artifacts
            .map(|(wanted, paths)| (wanted, paths.into_iter().map(Act::Artifact).collect()))
            .collect();
        let policy = facts.policy();
        let rules: Vec<About<'p>> = policy.rules().iter().map(About::new).collect();
        let texts = rules.iter().flat_map(|rule| rule.constants.texts());
        let members =
            policy.variables().iter().filter_map(|variable| variable.rest().last()).map(|name| &**name);
        let required = policy.required_validators().iter().map(|id| &**id);
        let known = texts.chain(members).chain(required).filter(|name| name.starts_with(SOME_VALIDATOR));
        let artifacts = SortedMap::from_entries(artifacts);
        Self { names: order::names(known), values: values(&rules), rules, artifacts }
    }

    /// The variables and constants of the rule with this index.
    pub(super) fn about(&self, place: u32) -> Option<&About<'p>> {
        self.rules.get(place as usize)
    }

    /// Returns true if the policy uses this name, which begins like the placeholder for validators.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The candidate values of a variable.
    pub(super) fn values(&self, path: &VariablePath) -> &[OwnedValue] {
        self.values.get(path).map_or(&[], Vec::as_slice)
    }

    /// Artifacts that match a pattern.
    pub(super) fn artifacts(&self, wanted: &str) -> &[Act] {
        self.artifacts.get(wanted).map_or(&[], Vec::as_slice)
    }
}

/// Returns true if a variable may have any value: an extension field, or a measured value.
pub(super) fn is_free(variable: &Variable) -> bool {
    let names = variable.path().segments();
    let is_measured = || names.iter().map(|name| &**name).eq(MEASURED.split('.'));
    is_extension(names) || is_measured()
}

fn values(rules: &[About<'_>]) -> BTreeMap<VariablePath, Vec<OwnedValue>> {
    let mut ranges: BTreeMap<VariablePath, Vec<OwnedValue>> = BTreeMap::new();
    for rule in rules {
        let free: Vec<&Variable> = rule.variables.iter().filter(|variable| is_free(variable)).collect();
        if free.is_empty() {
            continue;
        }
        let values = rule.constants.values();
        for variable in free {
            let range = ranges.entry(variable.path().clone()).or_default();
            for value in &values {
                if range.len() < MOST && !range.contains(value) {
                    range.push(value.clone());
                }
            }
        }
    }
    ranges
}
