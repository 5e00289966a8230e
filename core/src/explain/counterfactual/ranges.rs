//! What is chosen from: looked up once for a search, for it is the same in every envelope on the way.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    logic::{Expression, Operator, Path, Types},
    order::{self, SortedSet},
};

use super::{
    act::{Act, Scalar},
    constants::Constants,
    instance::instances_of_all,
    levers::SOME_VALIDATOR,
};
use crate::{
    evaluate::Facts,
    explain::condition::{is_connective, variables_of},
    policy::{Rule, Variable, is_extension},
};

/// How many values of one variable are looked at.
const MOST: usize = 48;
/// How many parts of one condition are looked at whose values others could have.
const MOST_COMPARED: usize = 16;
/// What is measured of a run.
const MEASURED: &str = "input.evidence.harness_report.summary.duration_ms";

/// What the condition of a rule is about.
#[derive(Debug)]
pub(super) struct About<'p> {
    pub variables: Vec<Variable>,
    pub constants: Constants<'p>,
    /// What is compared with something that is no constant either: its value is one that the other could have.
    pub compared: Vec<(Operator, Expression<'p>)>,
}

impl<'p> About<'p> {
    fn of(rule: &'p Rule) -> Self {
        let condition = rule.condition().root();
        let variables = variables_of(condition).iter().filter_map(|path| Variable::find(path).ok()).collect();
        Self { variables, constants: Constants::of(condition), compared: compared(condition) }
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

/// What is chosen from.
#[derive(Debug)]
pub(super) struct Ranges<'p> {
    /// By the places of the rules.
    rules: Vec<About<'p>>,
    /// What the policy knows by a name that begins as the one for a validator of which nothing is known.
    names: SortedSet<&'p str>,
    /// What the members of the caller's own are compared with, by all conditions of the policy: a value that satisfies one
    /// rule must satisfy the others too.
    values: BTreeMap<Path, Vec<Scalar>>,
    /// The artifacts that would match each pattern that is asked for.
    artifacts: BTreeMap<String, Vec<Act>>,
}

impl<'p> Ranges<'p> {
    pub(super) fn of(facts: &Facts<'p>) -> Self {
        let wanted: Vec<&str> = facts.missing_artifacts().iter().map(|missing| missing.wanted).collect();
        let artifacts = instances_of_all(&wanted).into_iter();
        let artifacts = artifacts
            .map(|(wanted, paths)| (wanted.to_string(), paths.into_iter().map(Act::Artifact).collect()));
        let policy = facts.policy();
        let rules: Vec<About<'p>> = policy.rules().iter().map(About::of).collect();
        let texts = rules.iter().flat_map(|rule| rule.constants.texts());
        let members =
            policy.variables().iter().filter_map(|variable| variable.rest().last()).map(|name| &**name);
        let required = policy.required_validators().iter().map(|id| &**id);
        let known = texts.chain(members).chain(required).filter(|name| name.starts_with(SOME_VALIDATOR));
        Self { names: order::names(known), values: values(&rules), rules, artifacts: order::map(artifacts) }
    }

    /// What the condition of the rule at that place is about.
    pub(super) fn about(&self, place: u32) -> Option<&About<'p>> {
        self.rules.get(place as usize)
    }

    /// Whether the policy knows something by that name, which begins as the one for a validator of which nothing is known.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// What a variable could be.
    pub(super) fn values(&self, path: &Path) -> &[Scalar] {
        self.values.get(path).map_or(&[], Vec::as_slice)
    }

    /// Artifacts that match a pattern.
    pub(super) fn artifacts(&self, wanted: &str) -> &[Act] {
        self.artifacts.get(wanted).map_or(&[], Vec::as_slice)
    }
}

/// Whether a variable is a member that may have any value: one of the caller's own, or what is measured.
pub(super) fn is_free(variable: &Variable) -> bool {
    let names = variable.path().segments();
    let is_measured = || names.iter().map(|name| &**name).eq(MEASURED.split('.'));
    is_extension(names) || is_measured()
}

fn values(rules: &[About<'_>]) -> BTreeMap<Path, Vec<Scalar>> {
    let mut ranges: BTreeMap<Path, Vec<Scalar>> = BTreeMap::new();
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
