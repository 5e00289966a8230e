//! What would help, in sentences that name capabilities of the registry and places in the plan.
//!
//! Where several would do, the first few are named, in the order of their ids.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{coverage::Coverage, facts::Facts, lists::Lists};
use crate::{json, order};

/// How many are named where several would do.
pub(super) const FEW: usize = 5;
/// How far a short look goes.
const FAR: usize = 64;

/// An id as a sentence has it: one that would break the line is quoted.
pub(super) fn name(id: &str) -> Cow<'_, str> {
    match id.chars().any(char::is_control) {
        true => json::write(&id).into(),
        false => Cow::Borrowed(id),
    }
}

impl Facts<'_> {
    /// The ids of the first few of some capabilities.
    pub(super) fn few(&self, capabilities: &mut dyn Iterator<Item = u32>) -> Vec<&str> {
        let known = capabilities.filter_map(|at| self.capabilities.get(at as usize));
        known.map(|capability| capability.id).take(FEW).collect()
    }

    /// Capabilities that give a member.
    fn able_to_give(&self, key: u32) -> Vec<&str> {
        self.few(&mut self.able.at(key).iter().copied())
    }

    /// How a plan without nodes begins: with whoever gives a member that the result requires, else with anybody.
    pub(super) fn ways_to_begin(&self) -> Vec<String> {
        let all = || 0..u32::try_from(self.capabilities.len()).unwrap_or(u32::MAX);
        let is_required = |key: &u32| self.required.binary_search(key).is_ok();
        let gives = |capability: &u32| self.capability_gives.at(*capability).iter().any(is_required);
        let mut able = self.few(&mut all().filter(gives));
        if able.is_empty() {
            able = self.few(&mut all().filter(|capability| self.is_usable(*capability)));
        }
        if able.is_empty() {
            return Vec::from(["Add a capability that can be used, and a node of it.".into()]);
        }
        able.into_iter().map(|capability| format!("Add a node of {}.", name(capability))).collect()
    }

    /// How the result comes to have a member: by a node of a capability that gives it, before the last one, or after it where
    /// the last one alone gives what the new one takes.
    pub(super) fn ways_to_give(&self, key: u32, givers: &Lists) -> Vec<String> {
        let Some((last, step)) = self.last.and_then(|last| Some((last, self.step(last)?))) else {
            let able = self.able_to_give(key).into_iter();
            return able.map(|capability| format!("Add a node of {}.", name(capability))).collect();
        };
        let way = |capability: &u32| {
            let taken = self.capability_takes.at(*capability).iter().take(FAR);
            let waits = taken.into_iter().any(|key| givers.at(*key) == [last]);
            let id = self.capabilities.get(*capability as usize).map_or("", |capability| capability.id);
            let place = if waits { "after" } else { "before" };
            format!("Insert {} {place} {}.", name(id), name(step.node.id))
        };
        self.able.at(key).iter().take(FEW).map(way).collect()
    }

    /// How a node comes to have what it needs.
    pub(super) fn ways_to_supply(&self, key: u32, node: u32, givers: &[u32]) -> Vec<String> {
        let id = self.step(node).map_or("", |step| step.node.id);
        let can_join = |giver: &&u32| self.graph.can_join(**giver, node);
        let earlier = givers.iter().take(4 * FEW).filter(can_join).take(FEW);
        let earlier = earlier.filter_map(|giver| self.step(*giver));
        let mut ways: Vec<String> =
            earlier.map(|step| format!("Add an edge from {} to {}.", name(step.node.id), name(id))).collect();
        let able = self.able_to_give(key).into_iter();
        ways.extend(able.map(|capability| format!("Insert {} before {}.", name(capability), name(id))));
        if ways.is_empty() {
            let key = name(self.key(key));
            ways.push(format!(
                "Give {key} as an input of the task, or have a node before {} give it.",
                name(id)
            ));
        }
        ways
    }

    /// How a node without edges comes to have some: from nodes that give what it takes, to nodes that take what it gives.
    pub(super) fn ways_to_connect(&self, node: u32, givers: &Lists, takers: &Lists) -> Vec<String> {
        let id = self.step(node).map_or("", |step| step.node.id);
        let mut ways = Vec::new();
        for (keys, others, is_before) in [(&self.takes, givers, true), (&self.gives, takers, false)] {
            let others = keys.at(node).iter().take(FAR).flat_map(|key| others.at(*key).iter().take(FEW));
            for other in others.filter(|other| **other != node).filter_map(|other| self.step(*other)) {
                let (from, to) = if is_before { (other.node.id, id) } else { (id, other.node.id) };
                ways.push(format!("Add an edge from {} to {}.", name(from), name(to)));
            }
        }
        order::sort_by(&mut ways, Ord::cmp);
        ways.dedup();
        ways.truncate(FEW);
        if ways.is_empty() {
            ways.push(format!("Remove {}, or add an edge that leads to it or away from it.", name(id)));
        }
        ways
    }

    /// How somebody comes to see to it that a constraint holds.
    pub(super) fn ways_to_enforce(&self, demand: u32, coverage: &Coverage) -> Vec<String> {
        let first = |root: &u32| coverage.producers.at(*root).first().copied();
        let mut after: Vec<u32> = coverage.roots.at(demand).iter().filter_map(first).collect();
        order::sort_by(&mut after, Ord::cmp);
        after.dedup();
        let after: Vec<&str> =
            after.into_iter().filter_map(|node| self.step(node)).map(|step| step.node.id).collect();
        let place = match after.split_last() {
            None => String::from("in the plan"),
            Some((last, [])) => format!("after {}", name(last)),
            Some((last, others)) => {
                let others: Vec<Cow<'_, str>> = others.iter().map(|id| name(id)).collect();
                format!("after {} and {}", others.join(", "), name(last))
            }
        };
        let able = self.few(&mut coverage.able.at(demand).iter().copied());
        if able.is_empty() {
            let id = self.demands.get(demand as usize).map_or("", |demand| &demand.id);
            let at = if after.is_empty() { "of the plan".into() } else { format!("at or {place}") };
            return Vec::from([format!("Declare {} in enforces of a node {at}.", name(id))]);
        }
        able.into_iter().map(|capability| format!("Insert {} {place}.", name(capability))).collect()
    }
}
