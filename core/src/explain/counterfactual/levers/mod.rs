//! Levers: for each variable of a policy's condition, the evidence that could change its result.
//!
//! `dispatch` has the table. Cases and validators pass, artifacts exist, claims are made or not; goldens, approvals and reviews
//! are left to a human, and recorded events and history stay.
//!
//! If a number decides, as many items are tried together as reach it.

mod checks;
mod dispatch;
mod work;

use alloc::{borrow::Cow, vec, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::OwnedValue,
    logic::{Operator, Value},
    order::SortedSet,
};

use super::{
    act::{Act, Acts, DiffAct, FILES, SUMMARY},
    changed_envelope::ChangedEnvelope,
    constants::Constants,
    diff::SOME_FILE,
    ranges::{About, Ranges, SOME_VALIDATOR},
};
use crate::{
    codes::Severity,
    documents::evidence::CaseStatus,
    evaluate::{Judged, Variables},
};

/// The name of a new artifact about which nothing else is known.
const SOME_ARTIFACT: &str = "artifact";
/// The most choices for one condition.
pub(super) const MOST_CHOICES: usize = 64;
/// The number of items up to which each is tried alone; beyond it, only the first ones.
const FEW: usize = 8;
/// The most items that are added at once.
const MOST_NEW: u64 = 256;
/// The most acts in choices of several items, for all conditions.
const MOST_ACTS: usize = 1 << 16;

/// The budget for evaluating parts of conditions.
const BUDGET: u64 = 1 << 20;

/// Acts that are done together.
pub(super) type Choice = Vec<Act>;

/// The choices that could change the result of a condition.
#[derive(Debug, Default)]
pub(super) struct Levers {
    /// Each once, the most natural first.
    pub choices: Vec<Choice>,
    /// True if part of the condition depends on a human.
    pub asks_for_person: bool,
    /// True if part of the evidence could differ, even if no choice is known.
    pub may_change: bool,
}

/// Finds the levers of conditions in one envelope.
pub(super) struct Finder<'f, 'a, 'p: 'f> {
    facts: &'f Judged<'a>,
    ranges: &'f Ranges<'p>,
    done: &'f Acts,
    /// Required validators without a result.
    missing: Vec<&'f str>,
    /// Cases that did not pass.
    open_cases: Vec<Act>,
    /// Remarks and issues by severity, with their original indices.
    remarks: BySeverity,
    issues: BySeverity,
    /// The number of acts that further choices of several items may have.
    acts_left: usize,
    /// The kinds of which items were added or removed.
    changed: SortedSet<Sort>,
    envelope: ChangedEnvelope<'f>,
    variables: Variables<'f>,
    steps: Steps,
}

/// The kinds of items that are added or removed by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    File,
    Line,
    Validator,
    Case,
    Remark,
    Artifact,
    Issue,
}

/// The acts that remove items, by severity.
type BySeverity = Vec<(Severity, Act)>;

/// The levers of one condition found so far.
struct LeverSearch<'s, 'f, 'a, 'p: 'f> {
    finder: &'s mut Finder<'f, 'a, 'p>,
    constants: &'s Constants<'s>,
    /// The written constants. Computed values change with each addition, and would never be reached.
    written: &'s Constants<'p>,
    /// Further candidate values of fields, beyond the policy's constants.
    values: &'s [OwnedValue],
    levers: Levers,
}

impl<'f, 'a, 'p: 'f> Finder<'f, 'a, 'p> {
    pub(super) fn new(facts: &'f Judged<'a>, ranges: &'f Ranges<'p>, done: &'f Acts) -> Self {
        let issues = facts.results().review().map_or(&[][..], |review| &review.issues);
        let issues = issues.iter().map(|issue| issue.severity);
        let (cases, remarks) =
            facts.harness().map_or((&[][..], &[][..]), |report| (&report.cases, &report.ux_flags));
        let open = cases.iter().enumerate().filter(|(_, case)| case.status != CaseStatus::Passed);
        Self {
            facts,
            ranges,
            done,
            missing: facts.missing_validators().into_iter().map(|(_, id)| id).collect(),
            open_cases: open.map(|(place, _)| Act::PassCase(place)).collect(),
            remarks: left(remarks.iter().map(|remark| remark.severity), Act::DropRemark, done),
            issues: left(issues, Act::Resolve, done),
            acts_left: MOST_ACTS,
            changed: SortedSet::from_values(done.iter().filter_map(changed)),
            envelope: ChangedEnvelope::Kept(facts.input()),
            variables: Variables::new(facts, facts.input()),
            steps: Steps::new(BUDGET),
        }
    }

    /// The levers of the rule with this index.
    pub(super) fn levers(&mut self, place: u32) -> Levers {
        let Some(about) = self.ranges.about(place) else { return Levers::default() };
        let compared = self.compared(about);
        let (mut values, mut constants) = (Vec::new(), Cow::Borrowed(&about.constants));
        if !compared.is_empty() {
            let constants = constants.to_mut();
            compared.iter().for_each(|(operator, value)| constants.add(value, Some(*operator)));
            values = constants.values();
        }
        let mut search = LeverSearch {
            finder: self,
            constants: &constants,
            written: &about.constants,
            values: &values,
            levers: Levers::default(),
        };
        about.variables.iter().for_each(|variable| search.variable(variable));
        search.levers
    }

    /// The values of computed parts, and of the items of lists.
    fn compared(&mut self, about: &About<'p>) -> Vec<(Operator, Value<'f>)> {
        let mut values = Vec::new();
        for (operator, part) in &about.compared {
            // A part that cannot be evaluated gives no candidate.
            let Ok(value) = part.evaluate(&self.variables, &mut self.steps) else { continue };
            let items = value.items().into_iter().flatten().take(FEW);
            values.extend(items.chain([value.clone()]).map(|value| (*operator, value)));
        }
        values
    }

    fn has_changed(&self, sort: Sort) -> bool {
        self.changed.contains(&sort)
    }

    /// The act that removes the issue with this index.
    pub(super) fn resolve(&self, place: usize) -> Option<Act> {
        self.issues.get(place).map(|(_, act)| act.clone())
    }
}

/// The kind of which an act adds or removes items.
fn changed(act: &Act) -> Option<Sort> {
    Some(match act {
        Act::Diff(DiffAct::Add(path)) if path.starts_with(SOME_FILE) => Sort::File,
        Act::Pass(id) if id.starts_with(SOME_VALIDATOR) => Sort::Validator,
        Act::AddCase(_) | Act::PassCase(_) | Act::RestoreCase(..) => Sort::Case,
        Act::DropRemark(_) => Sort::Remark,
        Act::Resolve(_) => Sort::Issue,
        Act::Set(pointer, _) if pointer.starts_with(FILES) => Sort::Line,
        Act::Set(pointer, _) if pointer.starts_with(SUMMARY) => Sort::Case,
        Act::Artifact(path) if path.starts_with(SOME_ARTIFACT) => Sort::Artifact,
        _ => return None,
    })
}

/// For each remaining item of a list, the act that removes it, at its original index.
fn left(severities: impl Iterator<Item = Severity>, act: fn(usize) -> Act, done: &Acts) -> BySeverity {
    severities.zip((0..).map(act).filter(|act| !done.contains(act))).collect()
}

impl<'s> LeverSearch<'s, '_, '_, '_> {
    /// The constants that determine numbers of items of a kind.
    fn numbers(&self, sort: Sort) -> &'s Constants<'s> {
        if self.finder.has_changed(sort) { self.written } else { self.constants }
    }

    fn is_full(&self) -> bool {
        self.levers.choices.len() >= MOST_CHOICES
    }

    fn add(&mut self, act: Act) {
        self.choose(vec![act]);
    }

    /// Adds a choice, unless it is already done, exceeds a limit, or contradicts what is done.
    fn choose(&mut self, choice: Choice) {
        let done = self.finder.done;
        if self.is_full()
            || choice.iter().all(|act| done.contains(act))
            || choice.iter().any(|act| act.contradicts(done))
            || self.levers.choices.contains(&choice)
        {
            return;
        }
        let acts = if choice.len() > 1 { choice.len() } else { 0 };
        if let Some(left) = self.finder.acts_left.checked_sub(acts) {
            self.finder.acts_left = left;
            self.levers.choices.push(choice);
        }
    }

    /// Adds a choice for each act, if there are at most [`FEW`]. Then adds choices of the first acts: for each constant of the condition, as
    /// many as leave so many items, and all.
    fn some_of(&mut self, sort: Sort, acts: &[Act]) {
        if acts.len() <= FEW {
            acts.iter().for_each(|act| self.add(act.clone()));
        }
        for count in self.numbers(sort).fewer_than(acts.len() as u64) {
            let count = usize::try_from(count).unwrap_or(acts.len());
            if count <= self.finder.acts_left {
                self.choose(acts.iter().take(count).cloned().collect());
            }
        }
    }

    /// Adds choices of new items of a kind: for each number of items that may decide, as many as reach it from the `present` ones. `new` returns
    /// the choice that adds so many.
    fn add_new(&mut self, sort: Sort, present: usize, new: &dyn Fn(usize) -> Choice) {
        if matches!(sort, Sort::Validator | Sort::Artifact) && !self.constants.wants_any() {
            return;
        }
        for count in self.numbers(sort).more_than(present as u64, self.finder.has_changed(sort)) {
            if let Ok(count) = usize::try_from(count.min(MOST_NEW + 1))
                && count as u64 <= MOST_NEW
            {
                self.choose(new(count));
            }
        }
    }
}
