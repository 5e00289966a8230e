//! What would help, in sentences that name capabilities of the registry and places in the plan.
//!
//! Each line is one thing to do. Where several would do, the line names the first few of them, in the order of their ids: what a
//! planner can do itself first, then what is for the task or the registry, and what it would only claim last.

use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::fmt::Write as _;

use adjudicate_lang::{is_hidden, order};

use super::{coverage::Coverage, facts::Facts, lists::Lists};

/// How many are named where several would do.
pub(super) const FEW: usize = 5;
/// How far a short look goes.
const FAR: usize = 64;

/// An id as a sentence has it: as it is where it is one plain word of letters, digits, `-`, `_` and `.`, else in backticks, and with
/// whatever could break a line, turn the direction of writing or not be seen escaped.
///
/// ```
/// use adjudicate_core::plan::shown_id;
/// assert_eq!(shown_id("CopywriterAgent.draft-2"), "CopywriterAgent.draft-2");
/// assert_eq!(shown_id("copy, or not"), "`copy, or not`");
/// assert_eq!(shown_id("a\nb\u{202e}c"), r"`a\nb\u{202e}c`");
/// ```
#[must_use]
pub fn shown_id(id: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if !id.is_empty() && id.bytes().all(is_plain) {
        return Cow::Borrowed(id);
    }
    let mut shown = String::from("`");
    for c in id.chars() {
        // The second is for what could be taken for an end or for an escape.
        match is_hidden(c) || matches!(c, '`' | '\\') {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown.push('`');
    shown.into()
}

pub(super) use shown_id as name;

/// Ids one after the other, with a word before the last one.
pub(super) fn listed(ids: &[&str], word: &str) -> String {
    let mut all = String::new();
    for (at, id) in ids.iter().enumerate() {
        let between = match at {
            0 => "",
            _ if at + 1 == ids.len() => word,
            _ => ", ",
        };
        // A string takes whatever is written to it.
        let _ = write!(all, "{between}{}", name(id));
    }
    all
}

/// The line that says which ways there are; with `about`, what for.
pub(super) fn line(about: Option<&str>, ways: &[String]) -> Option<String> {
    let (first, rest) = ways.split_first()?;
    let mut line = match about {
        Some(about) => format!("For {}: {first}", name(about)),
        None => {
            let (initial, others) = first.split_at_checked(1)?;
            format!("{}{others}", initial.to_ascii_uppercase())
        }
    };
    for way in rest {
        line.push_str(", or ");
        line.push_str(way);
    }
    line.push('.');
    Some(line)
}

impl<'a> Facts<'a> {
    /// The id of a node, or nothing.
    fn node_id(&self, node: u32) -> &'a str {
        self.step(node).map_or("", |step| step.node.id)
    }

    /// The id of a capability, or nothing.
    fn capability_id(&self, capability: u32) -> &'a str {
        self.capabilities.get(capability as usize).map_or("", |capability| capability.id)
    }

    /// The ids of the first few of some capabilities.
    pub(super) fn few(&self, capabilities: &mut dyn Iterator<Item = u32>) -> Vec<&'a str> {
        capabilities.map(|capability| self.capability_id(capability)).take(FEW).collect()
    }

    /// Capabilities that give a member; those that take it themselves only if there are no others.
    fn able_to_give(&self, key: u32) -> Vec<u32> {
        let able = || self.able.at(key).iter().copied().take(FAR);
        let begins = |capability: &u32| self.capability_takes.at(*capability).binary_search(&key).is_err();
        let beginning: Vec<u32> = able().filter(begins).take(FEW).collect();
        if beginning.is_empty() { able().take(FEW).collect() } else { beginning }
    }

    /// How a plan without nodes begins: with whoever gives a member that the result requires, else with anybody.
    pub(super) fn ways_to_begin(&self) -> String {
        let all = || 0..u32::try_from(self.capabilities.len()).unwrap_or(u32::MAX);
        let is_required = |key: &u32| self.required.binary_search(key).is_ok();
        let gives = |capability: &u32| self.capability_gives.at(*capability).iter().any(is_required);
        let mut able = self.few(&mut all().filter(gives));
        if able.is_empty() {
            able = self.few(&mut all().filter(|capability| self.is_usable(*capability)));
        }
        if able.is_empty() {
            return "Have the registry offer a capability that can be used.".into();
        }
        format!("Add a node of {}.", listed(&able, " or "))
    }

    /// What is left where no capability gives a member: not for the planner to do, but for a node that gives it unsaid.
    fn ways_without_givers(&self, key: u32, before: Option<u32>) -> Vec<String> {
        let key = name(self.key(key));
        let mut ways = Vec::from([format!("have the registry offer a capability that gives {key}")]);
        let mut whose = String::from("a node");
        if let Some(node) = before {
            ways.insert(0, format!("have the task give {key} as an input"));
            whose = format!("a node before {}", name(self.node_id(node)));
        }
        ways.push(format!("name {key} in provides of {whose} that really gives it"));
        ways
    }

    /// The first node that would give a member if it named the capability that was probably meant. That node is to be corrected
    /// in any case; another one beside it would be one too many.
    fn way_to_correct(&self, key: u32, is_fit: &dyn Fn(u32) -> bool) -> Option<String> {
        let gives = |capability: u32| self.capability_gives.at(capability).binary_search(&key).is_ok();
        let mut near = self.meant.iter().take(FAR);
        let (node, capability) = near.find(|(node, meant)| gives(*meant) && is_fit(*node))?;
        Some(format!("use {} in {}", name(self.capability_id(*capability)), name(self.node_id(*node))))
    }

    /// How the result comes to have a member: by a node of a capability that gives it, before the last one, or after it where
    /// the last one alone gives what the new one takes.
    pub(super) fn ways_to_give(&self, key: u32, givers: &Lists) -> Vec<String> {
        if let Some(way) = self.way_to_correct(key, &|_| true) {
            return Vec::from([way]);
        }
        let mut ways = Vec::new();
        let able = self.able_to_give(key);
        let Some(last) = self.last else {
            if !able.is_empty() {
                ways.push(format!("add a node of {}", listed(&self.few(&mut able.into_iter()), " or ")));
            }
            return if ways.is_empty() { self.ways_without_givers(key, None) } else { ways };
        };
        let waits = |capability: &u32| {
            self.capability_takes.at(*capability).iter().take(FAR).any(|key| givers.at(*key) == [last])
        };
        for (place, is_after) in [("before", false), ("after", true)] {
            let there = self.few(&mut able.iter().copied().filter(|one| waits(one) == is_after));
            if !there.is_empty() {
                let last = name(self.node_id(last));
                ways.push(format!("insert {} {place} {last}", listed(&there, " or ")));
            }
        }
        if ways.is_empty() { self.ways_without_givers(key, None) } else { ways }
    }

    /// How a node comes to have what it needs.
    pub(super) fn ways_to_supply(&self, key: u32, node: u32, coverage: &Coverage) -> Vec<String> {
        let is_before = |other: u32| self.graph.leads(other, node) == Some(true);
        if let Some(way) = self.way_to_correct(key, &is_before) {
            return Vec::from([way]);
        }
        let mut ways = Vec::new();
        let id = name(self.node_id(node));
        // Two that wait for each other cannot both be first.
        let waits = |giver: u32| {
            let given = self.gives.at(node).iter().take(FAR);
            given.into_iter().any(|key| coverage.lacking.at(*key).binary_search(&giver).is_ok())
        };
        let fits = |giver: &&u32| self.graph.can_join(**giver, node) && !waits(**giver);
        let earlier = coverage.givers.at(key).iter().take(4 * FEW).filter(fits).take(FEW);
        ways.extend(earlier.map(|giver| format!("add an edge from {} to {id}", name(self.node_id(*giver)))));
        let able = self.few(&mut self.able_to_give(key).into_iter());
        if !able.is_empty() {
            ways.push(format!("insert {} before {id}", listed(&able, " or ")));
        }
        if ways.is_empty() { self.ways_without_givers(key, Some(node)) } else { ways }
    }

    /// How a node without edges comes to have some: from nodes that give what it takes, else to nodes that take what it gives. Both
    /// at once could make a cycle.
    pub(super) fn ways_to_connect(&self, node: u32, givers: &Lists, takers: &Lists) -> Vec<String> {
        let id = name(self.node_id(node));
        let mut ways = Vec::new();
        for (keys, others, is_before) in [(&self.takes, givers, true), (&self.gives, takers, false)] {
            let others = keys.at(node).iter().take(FAR).flat_map(|key| others.at(*key).iter().take(FEW));
            // Of two without edges that take what the other one gives, the first in order is to be before.
            let is_behind = |other: u32| {
                let given = self.gives.at(node).iter().take(FAR);
                let is_apart =
                    self.graph.before.at(other).is_empty() && self.graph.after.at(other).is_empty();
                is_apart
                    && node < other
                    && given.into_iter().any(|key| self.takes.at(other).binary_search(key).is_ok())
            };
            let others = others.filter(|other| **other != node && !(is_before && is_behind(**other)));
            ways.extend(others.map(|other| {
                let other = name(self.node_id(*other));
                let (from, to) = if is_before { (&other, &id) } else { (&id, &other) };
                format!("add an edge from {from} to {to}")
            }));
            if !ways.is_empty() {
                break;
            }
        }
        order::sort_by(&mut ways, Ord::cmp);
        ways.dedup();
        ways.truncate(FEW);
        if ways.is_empty() {
            ways.push(format!("remove {id}"));
            ways.push("add an edge that leads to it or away from it".into());
        }
        ways
    }

    /// How somebody comes to see to it that a constraint holds: by a capability that checks it or promises it; where there is none,
    /// by what a node says of itself.
    pub(super) fn ways_to_enforce(&self, demand: u32, coverage: &Coverage) -> Vec<String> {
        let first = |root: &u32| coverage.producers.at(*root).first().copied();
        let mut after: Vec<u32> = coverage.roots.at(demand).iter().filter_map(first).collect();
        if after.is_empty() {
            // It is about nothing: wherever all inputs are at hand.
            after.extend(self.last);
        }
        order::sort_by(&mut after, Ord::cmp);
        after.dedup();
        let after: Vec<&str> = after.into_iter().map(|node| self.node_id(node)).collect();
        let able = self.few(&mut coverage.able.at(demand).iter().copied());
        if !able.is_empty() {
            let able = listed(&able, " or ");
            return Vec::from([match after.is_empty() {
                true => format!("add a node of {able}"),
                false => format!("insert {able} after {}", listed(&after, " and ")),
            }]);
        }
        let id = self.demands.get(demand as usize).map_or("", |demand| &demand.id);
        let at = match coverage.roots.at(demand).is_empty() {
            true => String::new(),
            false => format!(" at or after {}", listed(&after, " and ")),
        };
        let id = name(id);
        Vec::from([
            format!("have the registry offer a validation capability that checks {id}"),
            format!("give a node{at} a contract that implies {id}"),
            format!("declare {id} in enforces of a node{at} that really checks it"),
        ])
    }
}
