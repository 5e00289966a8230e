//! What is chosen from: looked up once for a search, for it is the same in every envelope on the way.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    act::{Act, Scalar},
    constants::Constants,
    instance::instances_of_all,
};
use crate::{
    evaluate::Facts,
    explain::condition::variables_of,
    logic::Path,
    policy::{Policy, is_extension},
};

/// How many values of one variable are looked at.
const MOST: usize = 48;

/// What is chosen from.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    /// What the members of the caller's own are compared with, by all conditions of the policy: a value that satisfies one
    /// rule must satisfy the others too.
    values: BTreeMap<Path, Vec<Scalar>>,
    /// The artifacts that would match each pattern that is asked for.
    artifacts: BTreeMap<String, Vec<Act>>,
}

impl Ranges {
    pub(super) fn of(facts: &Facts<'_>) -> Self {
        let wanted: Vec<&str> = facts.missing_artifacts().iter().map(|missing| missing.wanted).collect();
        let artifacts = instances_of_all(&wanted).into_iter();
        let artifacts = artifacts
            .map(|(wanted, paths)| (wanted.to_string(), paths.into_iter().map(Act::Artifact).collect()));
        Self { values: values(facts.policy()), artifacts: artifacts.collect() }
    }

    /// What a variable could be.
    pub(super) fn values(&self, path: &Path) -> &[Scalar] {
        self.values.get(path).map_or(&[], Vec::as_slice)
    }

    /// Artifacts that match a pattern.
    pub(super) fn artifacts(&self, wanted: &str) -> Vec<Act> {
        self.artifacts.get(wanted).cloned().unwrap_or_default()
    }
}

fn values(policy: &Policy) -> BTreeMap<Path, Vec<Scalar>> {
    let mut ranges: BTreeMap<Path, Vec<Scalar>> = BTreeMap::new();
    for condition in policy.rules().iter().map(|rule| rule.condition().root()) {
        let mut paths = variables_of(condition);
        paths.retain(|path| is_extension(path.segments()));
        if paths.is_empty() {
            continue;
        }
        let values = Constants::of(condition).values();
        for path in paths {
            let range = ranges.entry(path).or_default();
            for value in &values {
                if range.len() < MOST && !range.contains(value) {
                    range.push(value.clone());
                }
            }
        }
    }
    ranges
}
