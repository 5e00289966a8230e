//! Suggestions: sentences that name capabilities of the registry and places in the plan.
//!
//! Each line is one thing to do, and names the first few alternatives in the order of their ids. Actions of the planner come
//! first, then those of the task or the registry, then unproven claims.

use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::fmt::Write as _;

use adjudicate_lang::{is_hidden, order};

use super::{coverage::Coverage, facts::PlanFacts, lists::Lists};

/// The number of alternatives that a line names.
pub(super) const FEW: usize = 5;
/// The number of candidates that a bounded search looks at.
const FAR: usize = 64;

/// An id as a sentence shows it. One plain word of letters, digits, `-`, `_` and `.` stays as it is. Any other id is in
/// backticks, with line breaks, direction marks and invisible characters escaped.
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
        // A backtick or backslash could pass for the end or for an escape.
        match is_hidden(c) || matches!(c, '`' | '\\') {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown.push('`');
    shown.into()
}

pub(super) use shown_id as name;

/// Joins ids with commas, and `word` before the last one.
pub(super) fn listed(ids: &[&str], word: &str) -> String {
    let mut all = String::new();
    for (at, id) in ids.iter().enumerate() {
        let between = match at {
            0 => "",
            _ if at + 1 == ids.len() => word,
            _ => ", ",
        };
        // Writing to a string cannot fail.
        let _ = write!(all, "{between}{}", name(id));
    }
    all
}

/// Joins alternatives into one line; `about` names the subject.
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

impl<'a> PlanFacts<'a> {
    /// The id of a node, or an empty string.
    fn node_id(&self, node: u32) -> &'a str {
        self.step(node).map_or("", |step| step.node.node_id.0)
    }

    /// The id of a capability, or an empty string.
    fn capability_id(&self, capability: u32) -> &'a str {
        self.capabilities.get(capability as usize).map_or("", |capability| capability.capability_id.0)
    }

    /// The ids of the first few capabilities.
    pub(super) fn few(&self, capabilities: &mut dyn Iterator<Item = u32>) -> Vec<&'a str> {
        capabilities.map(|capability| self.capability_id(capability)).take(FEW).collect()
    }

    /// Capabilities that give a field; those that also take it only if there are no others.
    fn able_to_give(&self, key: u32) -> Vec<u32> {
        let able = || self.able.at(key).iter().copied().take(FAR);
        let begins = |capability: &u32| self.capability_takes.at(*capability).binary_search(&key).is_err();
        let beginning: Vec<u32> = able().filter(begins).take(FEW).collect();
        if beginning.is_empty() { able().take(FEW).collect() } else { beginning }
    }

    /// Ways to begin an empty plan: a capability that gives a required field, or else any usable one.
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

    /// The last resort if no capability gives a field: for the task, the registry, or a node that gives the field without
    /// declaring it.
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

    /// The first node that would give a field if its misspelled capability id were corrected. The id must be corrected anyway, so
    /// a second node would be superfluous.
    fn way_to_correct(&self, key: u32, is_fit: &dyn Fn(u32) -> bool) -> Option<String> {
        let gives = |capability: u32| self.capability_gives.at(capability).binary_search(&key).is_ok();
        let mut near = self.meant.iter().take(FAR);
        let (node, capability) = near.find(|(node, meant)| gives(*meant) && is_fit(*node))?;
        Some(format!("use {} in {}", name(self.capability_id(*capability)), name(self.node_id(*node))))
    }

    /// Ways to add a field to the result: a node of a capability that gives it. The node goes before the last one, or after it if
    /// only the last one gives what the new node takes.
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

    /// Ways to supply a field that a node requires.
    pub(super) fn ways_to_supply(&self, key: u32, node: u32, coverage: &Coverage) -> Vec<String> {
        let is_before = |other: u32| self.graph.leads(other, node) == Some(true);
        if let Some(way) = self.way_to_correct(key, &is_before) {
            return Vec::from([way]);
        }
        let mut ways = Vec::new();
        let id = name(self.node_id(node));
        // If two nodes wait for each other, neither can be first.
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

    /// Ways to connect an isolated node: from nodes that give what it takes, otherwise to nodes that take what it gives. Both at
    /// once could close a cycle.
    pub(super) fn ways_to_connect(&self, node: u32, givers: &Lists, takers: &Lists) -> Vec<String> {
        let id = name(self.node_id(node));
        let mut ways = Vec::new();
        for (keys, others, is_before) in [(&self.takes, givers, true), (&self.gives, takers, false)] {
            let others = keys.at(node).iter().take(FAR).flat_map(|key| others.at(*key).iter().take(FEW));
            // If two isolated nodes could feed each other, the first in order goes first.
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

    /// Ways to enforce a constraint: with a capability that checks or promises it, otherwise with a declaration of a node.
    pub(super) fn ways_to_enforce(&self, demand: u32, coverage: &Coverage) -> Vec<String> {
        let first = |root: &u32| coverage.producers.at(*root).first().copied();
        let mut after: Vec<u32> = coverage.roots.at(demand).iter().filter_map(first).collect();
        if after.is_empty() {
            // A constraint without fields goes after the last node, where all inputs are available.
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
