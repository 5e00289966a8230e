//! What could make a condition of the policy come out otherwise: for each variable the evidence that it comes from.
//!
//! | variables | what is changed |
//! | --- | --- |
//! | `facts.outcome` | the step completes |
//! | `facts.intent` | it is said, where it is not |
//! | `facts.claims` | claims are made or not made, any if the condition names none; said, where they are unknown |
//! | `facts.diff.*` | files are changed or not changed, or with fewer lines; the diff names its files |
//! | `facts.validators.*`, `facts.failures` | validators exit 0 in time, those that the condition names too |
//! | `facts.validators.passing`, `count` | so do others: by a pattern of the condition, else [`SOME_VALIDATOR`] |
//! | `facts.harness.*` | cases pass, counts agree, there is a report, remarks do not come; never goldens |
//! | `facts.harness.present`, `passes`, `passed` | other cases pass |
//! | `facts.artifacts.missing` | artifacts are there |
//! | `facts.review.high`, `medium`, `low` | a review that is there does not find issues |
//! | `facts.contradictions` | claims, the diff, checks and artifacts |
//! | `facts.approvals.*`, `facts.review.present`, goldens | nothing: a person's |
//! | `facts.events.*`, `facts.history.*`, `facts.refinement.*`, `parameters` | nothing: recorded, or the policy's |
//! | `input.evidence...` | as the facts that come from it; any artifact |
//! | `input` with an `x-` member on the way, `duration_ms` | it takes values by which the condition compares, or has them as items |
//! | other parts of `input` | nothing: what a step is called and may do is not evidence |
//!
//! Where a number decides, as many things are tried together as reach it.

mod checks;
mod dispatch;
mod work;

use alloc::{borrow::Cow, vec, vec::Vec};

use adjudicate_lang::{
    Steps,
    logic::{Operator, Value},
};

use super::{
    act::{Act, Acts, DiffAct, FILES, Scalar},
    constants::Constants,
    diff::SOME_FILE,
    draft::Draft,
    ranges::{About, Ranges},
};
use crate::{
    codes::Severity,
    evaluate::{CaseStatus, Facts, Variables},
};

/// What a validator is called of which nothing is known but that it passes.
pub(super) const SOME_VALIDATOR: &str = "tests";
/// What an artifact is called of which nothing is known but that it is there.
const SOME_ARTIFACT: &str = "artifact";
/// How many choices are tried for one condition.
pub(super) const MOST_CHOICES: usize = 64;
/// Up to how many things of a sort are tried one by one; of more, the first ones.
const FEW: usize = 8;
/// How many things come at once at most.
const MOST_NEW: u64 = 256;
/// How many acts the choices of many things may have together, for all conditions.
const ROOM: usize = 1 << 16;

/// What evaluating the parts of conditions may take.
const BUDGET: u64 = 1 << 20;

/// What is done together.
pub(super) type Choice = Vec<Act>;

/// What could change what a condition comes to.
#[derive(Debug, Default)]
pub(super) struct Levers {
    /// Each once, the most natural first.
    pub choices: Vec<Choice>,
    /// Whether something of it is a person's.
    pub asks_for_person: bool,
    /// Whether something of it is evidence that could be otherwise, though nothing may be known that could be tried.
    pub may_change: bool,
}

/// Finds the levers of conditions in one envelope.
pub(super) struct Finder<'f, 'a, 'p: 'f> {
    facts: &'f Facts<'a>,
    ranges: &'f Ranges<'p>,
    done: &'f Acts,
    /// Required validators without a result.
    missing: Vec<&'f str>,
    /// Cases that did not pass.
    open_cases: Vec<Act>,
    /// Remarks and issues of each severity, by the places that they had before others were taken away.
    remarks: BySeverity,
    issues: BySeverity,
    room: usize,
    /// By sort, whether some have come or gone.
    come: [bool; SORTS],
    envelope: Draft<'f>,
    variables: Variables<'f>,
    steps: Steps,
}

/// What comes or goes by numbers.
#[derive(Clone, Copy)]
enum Sort {
    File,
    Line,
    Validator,
    Case,
    Remark,
    Artifact,
    Issue,
}

/// How many sorts there are.
const SORTS: usize = Sort::Issue as usize + 1;

/// The acts by which what has a severity does not come.
type BySeverity = Vec<(Severity, Act)>;

/// The levers of one condition that are found so far.
struct Search<'s, 'f, 'a, 'p: 'f> {
    finder: &'s mut Finder<'f, 'a, 'p>,
    constants: &'s Constants<'s>,
    /// Those that are written: what is computed moves with what comes, and would never be reached.
    written: &'s Constants<'p>,
    /// What members could be beside what the policy's conditions say.
    values: &'s [Scalar],
    levers: Levers,
}

impl<'f, 'a, 'p: 'f> Finder<'f, 'a, 'p> {
    pub(super) fn new(facts: &'f Facts<'a>, ranges: &'f Ranges<'p>, done: &'f Acts) -> Self {
        let evidence = facts.evidence();
        let issues = evidence.review.as_ref().map_or(&[][..], |review| &review.issues);
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
            room: ROOM,
            come: come(done),
            envelope: Draft::Kept(facts.input()),
            variables: Variables::new(facts, facts.input()),
            steps: Steps::new(BUDGET),
        }
    }

    /// What could change what the condition of the rule at that place comes to.
    pub(super) fn levers(&mut self, place: u32) -> Levers {
        let Some(about) = self.ranges.about(place) else { return Levers::default() };
        let compared = self.compared(about);
        let (mut values, mut constants) = (Vec::new(), Cow::Borrowed(&about.constants));
        if !compared.is_empty() {
            let constants = constants.to_mut();
            compared.iter().for_each(|(operator, value)| constants.add(value, Some(*operator)));
            values = constants.values();
        }
        let mut search = Search {
            finder: self,
            constants: &constants,
            written: &about.constants,
            values: &values,
            levers: Levers::default(),
        };
        about.variables.iter().for_each(|variable| search.variable(variable));
        search.levers
    }

    /// The values of what is compared with each other, and of the items of lists.
    fn compared(&mut self, about: &About<'p>) -> Vec<(Operator, Value<'f>)> {
        let mut values = Vec::new();
        for (operator, part) in &about.compared {
            // What cannot be evaluated is no value that anything could have.
            let Ok(value) = part.evaluate(&self.variables, &mut self.steps) else { continue };
            let items = value.items().into_iter().flatten().take(FEW);
            values.extend(items.chain([value.clone()]).map(|value| (*operator, value)));
        }
        values
    }

    fn have_come(&self, sort: Sort) -> bool {
        self.come.get(sort as usize).is_some_and(|come| *come)
    }

    /// The act by which the issue at that place is not found.
    pub(super) fn resolve(&self, place: usize) -> Option<Act> {
        self.issues.get(place).map(|(_, act)| act.clone())
    }
}

fn come(done: &Acts) -> [bool; SORTS] {
    let mut come = [false; SORTS];
    for act in done {
        let sort = match act {
            Act::Diff(DiffAct::Add(path)) if path.starts_with(SOME_FILE) => Sort::File,
            Act::Pass(id) if id.starts_with(SOME_VALIDATOR) => Sort::Validator,
            Act::AddCase(_) | Act::PassCase(_) => Sort::Case,
            Act::DropRemark(_) => Sort::Remark,
            Act::Resolve(_) => Sort::Issue,
            Act::Set(pointer, _) if pointer.starts_with(FILES) => Sort::Line,
            Act::Set(pointer, _) if pointer.starts_with(checks::SUMMARY) => Sort::Case,
            Act::Artifact(path) if path.starts_with(SOME_ARTIFACT) => Sort::Artifact,
            _ => continue,
        };
        come.iter_mut().skip(sort as usize).take(1).for_each(|come| *come = true);
    }
    come
}

/// What is left of a list: for each item of it the act by which it does not come, at the place that it had at first.
fn left(severities: impl Iterator<Item = Severity>, act: fn(usize) -> Act, done: &Acts) -> BySeverity {
    severities.zip((0..).map(act).filter(|act| !done.contains(act))).collect()
}

impl<'s> Search<'s, '_, '_, '_> {
    /// The numbers by which things of a sort come or go.
    fn numbers(&self, sort: Sort) -> &'s Constants<'s> {
        if self.finder.have_come(sort) { self.written } else { self.constants }
    }

    fn is_full(&self) -> bool {
        self.levers.choices.len() >= MOST_CHOICES
    }

    fn add(&mut self, act: Act) {
        self.choose(vec![act]);
    }

    /// Takes a choice, unless it is done already, there are too many, or it contradicts what is done.
    fn choose(&mut self, choice: Choice) {
        let done = self.finder.done;
        if self.is_full()
            || choice.iter().all(|act| done.contains(act))
            || choice.iter().any(|act| act.contradicts(done))
            || self.levers.choices.contains(&choice)
        {
            return;
        }
        let room = if choice.len() > 1 { choice.len() } else { 0 };
        if let Some(left) = self.finder.room.checked_sub(room) {
            self.finder.room = left;
            self.levers.choices.push(choice);
        }
    }

    /// Each of a few acts, or of many the first ones, so many that a number of the condition is left or all are done.
    fn some_of(&mut self, sort: Sort, acts: &[Act]) {
        if acts.len() <= FEW {
            acts.iter().for_each(|act| self.add(act.clone()));
        }
        for count in self.numbers(sort).fewer_than(acts.len() as u64) {
            let count = usize::try_from(count).unwrap_or(acts.len());
            if count <= self.finder.room {
                self.choose(acts.iter().take(count).cloned().collect());
            }
        }
    }

    /// So many new things of a sort, for each number of them that may decide.
    fn come(&mut self, sort: Sort, present: usize, new: &dyn Fn(usize) -> Choice) {
        if matches!(sort, Sort::Validator | Sort::Artifact) && !self.constants.wants_any() {
            return;
        }
        for count in self.numbers(sort).more_than(present as u64, self.finder.have_come(sort)) {
            if let Ok(count) = usize::try_from(count.min(MOST_NEW + 1))
                && count as u64 <= MOST_NEW
            {
                self.choose(new(count));
            }
        }
    }
}
