//! What could make a condition of the policy come out otherwise: for each variable the evidence that it comes from.
//!
//! | variables | what is changed |
//! | --- | --- |
//! | `facts.outcome` | the step completes |
//! | `facts.intent` | it is said, where it is not |
//! | `facts.claims` | claims are made or not made; said, where they are unknown |
//! | `facts.diff.*` | files are changed or not changed; the diff names its files |
//! | `facts.validators.*`, `facts.failures` | validators exit 0 in time, those that the condition names too |
//! | `facts.harness.*` | cases pass, counts agree, there is a report, remarks do not come; never goldens |
//! | `facts.artifacts.missing` | artifacts are there |
//! | `facts.review.high`, `medium`, `low` | a review that is there does not find issues |
//! | `facts.contradictions` | claims, the diff, checks and artifacts |
//! | `facts.approvals.*`, `facts.review.present`, goldens | nothing: a person's |
//! | `facts.events.*`, `facts.history.*`, `facts.refinement.*`, `parameters` | nothing: recorded, or the policy's |
//! | `input.evidence...` | as the facts that come from it |
//! | `input` with an `x-` member on the way | that member takes values by which the condition compares |
//! | other parts of `input` | nothing: what a step is called and may do is not evidence |

use alloc::{string::String, vec::Vec};

use super::{
    act::{Act, Acts, DiffAct},
    constants::Constants,
    diff::SOME_FILE,
    instance::instances,
    needs::original,
    ranges::Ranges,
};
use crate::{
    codes::Severity,
    evaluate::{CaseStatus, Claim, Facts, Intent},
    explain::condition::variables_of,
    policy::{Fact, Root, Rule, Variable, is_extension},
};

/// How many acts are tried for one condition.
const MOST_ACTS: usize = 64;
/// Up to how many changed files are undone one by one.
const FEW_FILES: usize = 8;

/// What could change what a condition comes to.
#[derive(Debug, Default)]
pub(super) struct Levers {
    /// Each once, the most natural first.
    pub acts: Vec<Act>,
    /// Whether something of it is a person's.
    pub asks_for_person: bool,
    /// Whether something of it is evidence that could be otherwise, though nothing may be known that could be tried.
    pub may_change: bool,
}

/// What could change what the condition of a rule comes to.
pub(super) fn levers(rule: &Rule, facts: &Facts<'_>, ranges: &Ranges, done: &Acts) -> Levers {
    let condition = rule.condition().root();
    let mut found =
        Finder { facts, ranges, done, constants: Constants::of(condition), levers: Levers::default() };
    for variable in variables_of(condition).iter().filter_map(|path| Variable::find(path).ok()) {
        match variable.root() {
            Root::Fact(fact) => found.fact(fact),
            Root::Input => found.input(&variable),
            Root::Parameter(_) => {}
        }
    }
    found.levers
}

struct Finder<'f, 'a> {
    facts: &'f Facts<'a>,
    ranges: &'f Ranges,
    done: &'f Acts,
    constants: Constants<'f>,
    levers: Levers,
}

impl Finder<'_, '_> {
    fn fact(&mut self, fact: Fact) {
        match fact {
            Fact::Intent => self.intent(),
            Fact::Claims => self.claims(),
            Fact::Outcome => self.outcome(),
            Fact::DiffEmpty
            | Fact::DiffOpaque
            | Fact::DiffPaths
            | Fact::DiffFiles
            | Fact::DiffCount
            | Fact::DiffForbidden
            | Fact::DiffProtected
            | Fact::DiffInsertions
            | Fact::DiffDeletions => self.diff(),
            Fact::DiffImproved => {
                self.validators();
                self.cases();
                self.diff();
            }
            Fact::Failures => {
                self.validators();
                self.cases();
            }
            Fact::ValidatorsPassing
            | Fact::ValidatorsFailing
            | Fact::ValidatorsTimedOut
            | Fact::ValidatorsMissing
            | Fact::ValidatorsCount => self.validators(),
            Fact::HarnessPresent
            | Fact::HarnessPasses
            | Fact::HarnessPassed
            | Fact::HarnessFailed
            | Fact::HarnessSkipped
            | Fact::HarnessFlaky
            | Fact::HarnessFailing => self.cases(),
            Fact::UxHigh => self.remarks(|severity| severity == Severity::High),
            Fact::UxMedium => self.remarks(|severity| severity == Severity::Medium),
            Fact::UxLow => self.remarks(|severity| severity == Severity::Low),
            Fact::ArtifactsMissing => self.missing_artifacts(),
            Fact::ReviewHigh => self.issues(|severity| severity == Severity::High),
            Fact::ReviewMedium => self.issues(|severity| severity == Severity::Medium),
            Fact::ReviewLow => self.issues(|severity| severity == Severity::Low),
            Fact::Contradictions => {
                self.validators();
                self.cases();
                self.missing_artifacts();
                self.claims();
                self.diff();
            }
            Fact::HarnessGoldens | Fact::ApprovalsMissing | Fact::ApprovalsGranted | Fact::ReviewPresent => {
                self.levers.asks_for_person = true;
            }
            Fact::EventsClasses
            | Fact::EventsViolations
            | Fact::EventsWarnings
            | Fact::HistoryCount
            | Fact::HistoryLast
            | Fact::HistoryPartials
            | Fact::HistoryFlags
            | Fact::RefinementCap
            | Fact::RefinementSpent => return,
        }
        self.levers.may_change = true;
    }

    fn input(&mut self, variable: &Variable) {
        let names: Vec<&str> = variable.rest().iter().map(|name| &**name).collect();
        match names.as_slice() {
            ["evidence", "validation", "exit_codes", id, ..] => self.pass(id),
            ["evidence", "validation", "mechanical_outcome", ..] => self.outcome(),
            ["evidence", "validation", "exit_codes" | "timeouts", ..] => self.validators(),
            ["evidence", "harness_report", "proposed_goldens", ..] | ["evidence", "approvals", ..] => {
                self.levers.asks_for_person = true;
            }
            // What was before, and what a step is called and may do.
            ["provenance_window" | "evaluate_history" | "refinement" | "steps", ..] => return,
            _ if is_extension(variable.path().segments()) => self.set(variable),
            ["evidence", "harness_report", "ux_flags", ..] => self.remarks(|_| true),
            ["evidence", "harness_report", ..] => self.cases(),
            ["evidence", "artifacts", ..] => self.artifacts(),
            ["evidence", "claims", ..] => self.claims(),
            ["evidence", "step_intent", ..] => self.intent(),
            ["evidence", "diff" | "workspace_diff_summary", ..] => self.diff(),
            ["evidence", "review", ..] if self.facts.evidence().review.is_some() => self.issues(|_| true),
            ["evidence", "review", ..] => self.levers.asks_for_person = true,
            ["evidence", ..] => {}
            _ => return,
        }
        self.levers.may_change = true;
    }

    fn is_full(&self) -> bool {
        self.levers.acts.len() >= MOST_ACTS
    }

    /// Takes an act, unless it is done already, there are too many, or it contradicts what is done.
    fn add(&mut self, act: Act) {
        if self.is_full() {
            return;
        }
        let is_new = !self.done.contains(&act) && !self.levers.acts.contains(&act);
        if is_new && !act.contradicts(self.done) {
            self.levers.acts.push(act);
        }
    }

    fn outcome(&mut self) {
        self.add(Act::Complete);
    }

    fn intent(&mut self) {
        if self.facts.intent().is_none() {
            const ALL: [Intent; 6] = [
                Intent::Implement,
                Intent::Fix,
                Intent::Review,
                Intent::Investigate,
                Intent::Document,
                Intent::Other,
            ];
            ALL.into_iter().for_each(|intent| self.add(Act::Intent(intent)));
        }
    }

    fn claims(&mut self) {
        const ALL: [Claim; 5] = [
            Claim::Implemented,
            Claim::Fixed,
            Claim::TestsPassed,
            Claim::ErrorReported,
            Claim::NoChangeNeeded,
        ];
        let made = self.facts.claims();
        if made.is_none() {
            self.add(Act::SayClaims);
        }
        for claim in ALL {
            if made.is_some_and(|made| made.contains(&claim)) {
                self.add(Act::Withdraw(claim));
            } else if self.constants.has_text(claim.as_str()) {
                self.add(Act::Claim(claim));
            }
        }
    }

    fn diff(&mut self) {
        let facts = self.facts;
        if facts.changed().is_opaque() || facts.evidence().diff.as_ref().is_none_or(lacks_counts) {
            self.add(Act::Diff(DiffAct::Name));
        }
        if !facts.changed().is_opaque() {
            let files = facts.changed().files();
            if files.len() <= FEW_FILES {
                files.iter().for_each(|file| self.add(Act::Diff(DiffAct::Undo((*file.path).into()))));
            }
            for pattern in self.constants.patterns() {
                self.add(Act::Diff(DiffAct::UndoUnder(pattern)));
            }
            for count in self.constants.counts().into_iter().filter(|count| *count < files.len()) {
                self.add(Act::Diff(DiffAct::Keep(count)));
            }
            if !files.is_empty() {
                self.add(Act::Diff(DiffAct::UndoAll));
            }
            for path in self.paths() {
                self.add(Act::Diff(DiffAct::Add(path)));
            }
            self.add(Act::Diff(DiffAct::Add(SOME_FILE.into())));
        }
    }

    fn pass(&mut self, id: &str) {
        if self.facts.evidence().validation.exit_codes.get(id) != Some(&0) {
            self.add(Act::Pass(id.into()));
        }
        if self.facts.timeouts().contains(id) {
            self.add(Act::InTime(id.into()));
        }
    }

    fn validators(&mut self) {
        let failing = self.facts.failing_validators().iter().map(|validator| validator.id);
        let missing = self.facts.missing_validators().into_iter().map(|(_, id)| id);
        failing.chain(missing).for_each(|id| self.pass(id));
        let named: Vec<String> = self.constants.texts().map(String::from).collect();
        named.iter().for_each(|id| self.pass(id));
    }

    fn cases(&mut self) {
        let Some(report) = self.facts.harness() else { return self.add(Act::Report) };
        for (index, case) in report.cases.iter().enumerate() {
            if case.status != CaseStatus::Passed {
                self.add(Act::PassCase(index));
            }
        }
        self.add(Act::Count);
    }

    fn remarks(&mut self, counts: impl Fn(Severity) -> bool) {
        let Some(report) = self.facts.harness() else { return self.add(Act::Report) };
        for (index, remark) in report.ux_flags.iter().enumerate() {
            if counts(remark.severity) {
                let dropped = |act: &Act| match act {
                    Act::DropRemark(index) => Some(*index),
                    _ => None,
                };
                self.add(Act::DropRemark(original(index, self.done, dropped)));
            }
        }
    }

    fn issues(&mut self, counts: impl Fn(Severity) -> bool) {
        let Some(review) = &self.facts.evidence().review else {
            self.levers.asks_for_person = true;
            return;
        };
        for (index, issue) in review.issues.iter().enumerate() {
            if counts(issue.severity) {
                let resolved = |act: &Act| match act {
                    Act::Resolve(index) => Some(*index),
                    _ => None,
                };
                self.add(Act::Resolve(original(index, self.done, resolved)));
            }
        }
    }

    fn missing_artifacts(&mut self) {
        for missing in self.facts.missing_artifacts() {
            self.ranges.artifacts(missing.wanted).into_iter().for_each(|act| self.add(act));
        }
    }

    fn artifacts(&mut self) {
        for path in self.paths() {
            self.add(Act::Artifact(path));
        }
    }

    /// Paths that the condition may be about.
    fn paths(&self) -> Vec<String> {
        let instances = self.constants.patterns().into_iter().flat_map(|pattern| instances(&pattern));
        self.constants.texts().map(String::from).chain(instances).collect()
    }

    fn set(&mut self, variable: &Variable) {
        let pointer = String::from(variable.pointer().unwrap_or_default());
        for value in self.ranges.values(variable.path()) {
            if self.is_full() {
                return;
            }
            self.add(Act::Set(pointer.clone(), value.clone()));
        }
    }
}

/// Whether a typed diff leaves out how many lines came or went.
fn lacks_counts(diff: &crate::evaluate::Diff<'_>) -> bool {
    diff.files.iter().any(|file| file.insertions.is_none() || file.deletions.is_none())
}
