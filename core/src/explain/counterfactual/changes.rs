//! Turns acts into changes to the envelope's JSON, in the order of its fields.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::{OwnedValue, Pointer, compare_pointers, unescape_segment},
    order,
};

use super::{
    act::{Act, Acts, values_of},
    change_collector::ChangeCollector,
    changed_envelope::{ChangedEnvelope, merge},
    diff,
    instance::fresh_names,
    trees::{judged_tree, renew},
};
use crate::{
    documents::{
        counterfactual::{ChangeOp, EvidenceChange},
        evidence::{Case, CaseStatus, Claim, HarnessReport, HarnessSummary},
    },
    evaluate::{Judged, ResultSource},
};

/// The name of a new report, and the name of a new case.
const SUITE: &str = "suite";
const CASE: &str = "case";
/// The path of an artifact with a new review.
const REVIEW: &str = "review";

/// The changes that acts make to the envelope of these facts. `original` is used for lookups, and matching patterns with the changed
/// files takes `steps`.
pub(super) fn changes_of<'a>(
    facts: &'a Judged<'a>,
    original: &mut ChangedEnvelope<'a>,
    acts: &Acts,
    steps: &mut Steps,
) -> Vec<EvidenceChange> {
    let mut changes = ChangeCollector { facts, original, steps, changes: Vec::new() };
    let acts = &with_trees(facts, acts);
    changes.validation(acts);
    changes.harness(acts);
    changes.artifacts(acts);
    changes.intent_and_claims(acts);
    diff::changes(facts, acts, &mut changes);
    changes.review(acts);
    changes.uncollected(acts);
    changes.members(acts);
    changes.changes
}

/// The acts, and for each validator that passes the tree that is judged, if its result would be stale otherwise.
fn with_trees(facts: &Judged<'_>, acts: &Acts) -> Acts {
    let mut all = acts.clone();
    for act in acts {
        if let Act::Pass(id) = act
            && facts.results().would_be_stale(id)
        {
            all.insert(renew(facts, ResultSource::Validator(id)));
        }
    }
    all
}

impl ChangeCollector<'_, '_> {
    fn validation(&mut self, acts: &Acts) {
        let validation = &self.facts.evidence().validation;
        for act in acts {
            match act {
                Act::Complete => {
                    self.put("/evidence/validation/mechanical_outcome", OwnedValue::text("completed"));
                }
                Act::Pass(id) => {
                    let path = Pointer::new("/evidence/validation/exit_codes").key(id).into_string();
                    self.put(path, OwnedValue::count(0));
                }
                _ => {}
            }
        }
        let in_time = |id: &&str| acts.contains(&Act::InTime((*id).into()));
        let timeouts = validation.timeouts.iter().enumerate().filter(|(_, id)| in_time(id));
        self.remove("/evidence/validation/timeouts", timeouts.map(|(index, _)| index));
    }

    fn harness(&mut self, acts: &Acts) {
        let added = acts.iter().filter(|act| matches!(act, Act::AddCase(_))).count();
        let restored = self.restored_cases(acts);
        let Some(report) = self.facts.evidence().harness_report.as_ref() else {
            if acts.contains(&Act::Report) {
                let mut report = new_report(1 + added, restored);
                self.add_tree(&mut report);
                self.put("/evidence/harness_report", report);
            }
            return;
        };
        for act in acts {
            if let Act::PassCase(index) = act
                && let Some(case) = report.cases.get(*index)
            {
                let path = Pointer::new("/evidence/harness_report/cases").index(*index);
                self.changes.push(EvidenceChange {
                    op: ChangeOp::Replace,
                    path: path.key("status").into_string(),
                    value: Some(OwnedValue::text("passed")),
                    was: Some(OwnedValue::text(case.status.as_str())),
                });
            }
        }
        let added = added + restored.len();
        if added > 0 {
            let ids = order::names(report.cases.iter().map(|case| case.id));
            let mut cases = passed_cases(added - restored.len(), &|id| ids.contains(id));
            cases.extend(restored);
            let list = "/evidence/harness_report/cases";
            if self.original.node(list).is_none() {
                self.put(list, OwnedValue::List(cases));
            } else {
                for (place, case) in cases.into_iter().enumerate() {
                    self.insert(list, report.cases.len() + place, case);
                }
            }
        }
        if acts
            .iter()
            .any(|act| matches!(act, Act::PassCase(_) | Act::AddCase(_) | Act::RestoreCase(..) | Act::Count))
            && let Some(summary) = report.summary
        {
            self.counts(report, summary, added as u64, acts);
        }
        let dropped = values_of!(acts, Act::DropRemark(index) => *index);
        self.remove("/evidence/harness_report/ux_flags", dropped);
    }

    /// The cases of the baseline that run again.
    fn restored_cases(&self, acts: &Acts) -> Vec<OwnedValue> {
        let baseline = self.facts.evidence().baseline.as_ref().map_or(&[][..], |baseline| &baseline.cases);
        let restored = values_of!(acts, Act::RestoreCase(index, id) => (baseline.get(*index)?, id));
        let passed = |(case, id): (&Case<'_>, &String)| {
            let members = [("id", OwnedValue::text(id)), ("status", OwnedValue::text("passed"))];
            let mut restored = OwnedValue::object(members);
            if let Some(validator) = case.validator {
                restored.set(&["validator"], OwnedValue::text(validator));
            }
            restored
        };
        restored.map(passed).collect()
    }

    /// The counts of a report after all its cases but known failures pass; any other failure would prevent `success`.
    fn counts(&mut self, report: &HarnessReport<'_>, summary: HarnessSummary, added: u64, acts: &Acts) {
        let known = match self.facts.comparison() {
            Some(comparison) if self.facts.policy().accepts_known_failures() => &*comparison.known,
            _ => &[],
        };
        let (mut passed, mut failed, mut flaky) = (added, 0, 0);
        for (index, case) in report.cases.iter().enumerate() {
            match case.status {
                _ if acts.contains(&Act::PassCase(index)) => passed += 1,
                // A known failure needs no mending.
                CaseStatus::Failed if known.binary_search(&index).is_ok() => failed += 1,
                CaseStatus::Passed | CaseStatus::Failed => passed += 1,
                CaseStatus::Flaky => flaky += 1,
                CaseStatus::Skipped => {}
            }
        }
        let place = "/evidence/harness_report/summary";
        let is_listed = !report.cases.is_empty() || added > 0;
        if is_listed {
            self.put(format!("{place}/passed"), OwnedValue::count(passed));
        }
        self.put(format!("{place}/failed"), OwnedValue::count(failed));
        if summary.flaky.is_some() && is_listed {
            self.put(format!("{place}/flaky"), OwnedValue::count(flaky));
        }
    }

    fn artifacts(&mut self, acts: &Acts) {
        let present = self.facts.evidence().artifacts.len();
        let added = values_of!(acts, Act::Artifact(path) => path);
        let review = acts.contains(&Act::Review).then(|| self.review_artifact());
        for (place, path) in added.chain(review.as_ref()).enumerate() {
            self.insert("/evidence/artifacts", present + place, OwnedValue::text(path));
        }
    }

    fn intent_and_claims(&mut self, acts: &Acts) {
        let (mut says_claims, mut claims) = (false, self.facts.claims().unwrap_or_default().to_vec());
        for act in acts {
            match act {
                Act::Intent(intent) => self.put("/evidence/step_intent", OwnedValue::text(intent.as_str())),
                Act::SayClaims => says_claims = true,
                Act::Claim(claim) => {
                    says_claims = true;
                    claims.push(*claim);
                }
                Act::Withdraw(claim) => {
                    says_claims = true;
                    claims.retain(|made| made != claim);
                }
                _ => {}
            }
        }
        if says_claims {
            let claims = claims.iter().map(|claim: &Claim| OwnedValue::text(claim.as_str()));
            self.put("/evidence/claims", OwnedValue::List(claims.collect()));
        }
    }

    /// Gives a new result the tree that is judged, if the policy asks for it.
    fn add_tree(&self, result: &mut OwnedValue) {
        if self.facts.policy().requires_tree() {
            result.set(&["tree"], OwnedValue::text(judged_tree(self.facts)));
        }
    }

    /// A path for a review that no artifact has.
    fn review_artifact(&self) -> String {
        let artifacts = order::names(self.facts.evidence().artifacts.iter().copied());
        fresh_names(REVIEW, 1, &|name| artifacts.contains(name)).pop().unwrap_or_default()
    }

    fn review(&mut self, acts: &Acts) {
        if acts.contains(&Act::Review) {
            let path = OwnedValue::Text(self.review_artifact());
            let review = [("artifact_ref", path), ("issues", OwnedValue::List(Vec::new()))];
            let mut review = OwnedValue::object(review);
            self.add_tree(&mut review);
            self.put("/evidence/review", review);
        }
        let resolved = values_of!(acts, Act::Resolve(index) => *index);
        self.remove("/evidence/review/issues", resolved);
    }

    /// Marks uncollected evidence as collected, whatever it shows.
    fn uncollected(&mut self, acts: &Acts) {
        let is_collected = |what: &str| acts.contains(&Act::Collect(what.into()));
        let items = self.facts.evidence().uncollected.iter().enumerate();
        let collected = items.filter(|(_, item)| is_collected(item.what)).map(|(index, _)| index);
        self.remove("/evidence/uncollected", collected);
    }

    /// Stores values at paths, and creates missing objects on the way.
    fn members(&mut self, acts: &Acts) {
        let mut members: Vec<_> = values_of!(acts, Act::Set(pointer, value) => (&**pointer, value)).collect();
        // In the order of pointers, the fields of one new object are adjacent.
        order::sort_by(&mut members, |left, right| compare_pointers(left.0, right.0));
        let is_new = |change: &EvidenceChange| matches!(change.value, Some(OwnedValue::Object(_)));
        let new: Vec<usize> =
            (0..self.changes.len()).filter(|place| self.changes.get(*place).is_some_and(is_new)).collect();
        for (pointer, value) in members {
            self.set(pointer, value, &new);
        }
    }

    /// Stores a value at a path, and creates missing objects on the way. A value inside a new object, at one of the indices `new`
    /// or the latest change, is added to that object.
    fn set(&mut self, pointer: &str, value: &OwnedValue, new: &[usize]) {
        let mut value = value.clone();
        let mut path = pointer;
        while let Some((parent, name)) = path.rsplit_once('/') {
            if self.original.node(parent).is_some() {
                break;
            }
            value = OwnedValue::Object(Vec::from([(unescape_segment(name), value)]));
            path = parent;
        }
        let latest = self.changes.len().checked_sub(1);
        for place in new.iter().copied().chain(latest) {
            if let Some(change) = self.changes.get_mut(place)
                && change.path == path
                && let Some(known) = &mut change.value
            {
                return merge(known, value);
            }
        }
        self.put(path, value);
    }
}

/// A minimal report with this many passed cases, and others that passed.
fn new_report(new: usize, others: Vec<OwnedValue>) -> OwnedValue {
    let mut cases = passed_cases(new, &|_| false);
    cases.extend(others);
    let counts = [("passed", OwnedValue::count(cases.len() as u64)), ("failed", OwnedValue::count(0))];
    OwnedValue::object([
        ("suite_id", OwnedValue::text(SUITE)),
        ("cases", OwnedValue::List(cases)),
        ("summary", OwnedValue::object(counts)),
    ])
}

fn passed_cases(count: usize, is_taken: &dyn Fn(&str) -> bool) -> Vec<OwnedValue> {
    let passed = |id: String| {
        OwnedValue::object([("id", OwnedValue::Text(id)), ("status", OwnedValue::text("passed"))])
    };
    fresh_names(CASE, count, is_taken).into_iter().map(passed).collect()
}
