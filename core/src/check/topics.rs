//! The topics of conditions, which select the rules to compare with each other.

use alloc::vec::Vec;

use adjudicate_lang::{
    logic::{Expression, Form, Operator},
    order,
};

use crate::policy::{Fact, Policy, Root, Rule};

/// The most rules with which a rule is compared.
pub(super) const MOST_COMPARED: usize = 16;
/// The most candidates that are considered for that.
const MOST_LOOKED_AT: usize = 256;

/// A part of the envelope, or a group of facts, by number.
type Topic = u32;

/// The first number of variables of the input. Groups of facts have lower numbers.
const FACTS: u32 = 1 << 16;

/// Rules of a policy, indexed by topic.
pub(super) struct TopicIndex<'p> {
    entries: Vec<TopicEntry<'p>>,
    /// The indices of the entries, sorted by first topic and leading text.
    sorted: Vec<usize>,
}

struct TopicEntry<'p> {
    /// The index of the rule in the policy.
    place: usize,
    rule: &'p Rule,
    /// The topics in the order of the condition.
    topics: Vec<Topic>,
    /// The topics, sorted.
    set: Vec<Topic>,
    guard: Option<&'p str>,
}

impl<'p> TopicEntry<'p> {
    fn key(&self) -> (Option<Topic>, Option<&'p str>) {
        (self.topics.first().copied(), self.guard)
    }
}

impl<'p> TopicIndex<'p> {
    pub(super) fn new(policy: &'p Policy, places: &[usize]) -> Self {
        let entry = |place: &usize| {
            let rule = policy.rules().get(*place)?;
            let (topics, set) = topics(policy, rule.condition().root());
            Some(TopicEntry { place: *place, rule, topics, set, guard: guard(rule.condition().root()) })
        };
        let entries: Vec<TopicEntry<'p>> = places.iter().filter_map(entry).collect();
        let key = |at: usize| entries.get(at).map(TopicEntry::key);
        let sorted = order::sorted_indices(entries.len(), &mut |left, right| key(left).cmp(&key(right)));
        Self { entries, sorted }
    }

    /// Returns true if the rule of an entry is about one of these groups of facts.
    pub(super) fn is_about(&self, at: usize, groups: &[&str]) -> bool {
        let group = |topic: &Topic| {
            Fact::ALL.get(*topic as usize).is_some_and(|fact| groups.contains(&self::group(*fact)))
        };
        self.entries.get(at).is_some_and(|entry| entry.set.iter().any(group))
    }

    /// The rules that are more severe than an entry's, and use no other topics; those with the same beginning come first.
    pub(super) fn more_severe(&self, at: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let Some(subject) = self.entries.get(at) else { return found };
        let guards = [subject.guard, None];
        // Without a leading text, both keys are equal.
        for guard in guards.into_iter().take(1 + usize::from(subject.guard.is_some())) {
            for topic in &subject.topics {
                let first = self.sorted.partition_point(|at| {
                    self.entries.get(*at).is_some_and(|entry| entry.key() < (Some(*topic), guard))
                });
                let others = self.sorted.iter().skip(first).filter_map(|at| self.entries.get(*at));
                let others = others.take_while(|entry| entry.key() == (Some(*topic), guard));
                let severe = others.take(MOST_LOOKED_AT).filter(|other| is_comparable(other, subject));
                found.extend(severe.map(|other| other.place).take(MOST_COMPARED.saturating_sub(found.len())));
            }
        }
        found
    }
}

fn is_comparable(other: &TopicEntry<'_>, subject: &TopicEntry<'_>) -> bool {
    other.place != subject.place
        && other.rule.status() > subject.rule.status()
        && other.set.iter().all(|topic| subject.set.binary_search(topic).is_ok())
}

/// The topics of a condition, in order and sorted: parts of the envelope, and groups of facts.
fn topics(policy: &Policy, root: Expression<'_>) -> (Vec<Topic>, Vec<Topic>) {
    let mut topics = Vec::new();
    let mut pending = Vec::from([root]);
    while let Some(part) = pending.pop() {
        if let Form::Variable(path) = part.form()
            && let Some(number) = policy.variable_number(path)
            && let Some(variable) = policy.variables().get(number as usize)
        {
            topics.extend(match variable.root() {
                Root::Fact(fact) => Fact::ALL.iter().position(|other| group(*other) == group(fact)),
                Root::Input => Some((FACTS + number) as usize),
                Root::Parameter(_) => None,
            });
        }
        pending.extend(part.operands().rev());
    }
    let topics = topics.into_iter().filter_map(|topic| Topic::try_from(topic).ok()).collect();
    let topics = order::without_repeats(topics, Ord::cmp);
    let mut set = topics.clone();
    order::sort_by(&mut set, Ord::cmp);
    (topics, set)
}

fn group(fact: Fact) -> &'static str {
    match fact {
        Fact::Failures => "validators",
        fact => fact.row().name.split('.').next().unwrap_or_default(),
    }
}

/// The text that the first comparison of a condition uses.
fn guard<'p>(condition: Expression<'p>) -> Option<&'p str> {
    let mut first = condition;
    while first.operator() == Some(Operator::And) {
        first = first.operands().next()?;
    }
    if !matches!(first.operator(), Some(Operator::Equal | Operator::SameAs)) {
        return None;
    }
    first.operands().find_map(|operand| operand.constant()?.as_text())
}
