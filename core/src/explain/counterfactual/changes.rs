//! Acts as changes to the envelope's JSON, in the order in which the envelope declares its members.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    json::{Node, OwnedValue, Pointer, compare_pointers, unescape_segment},
    order,
};

use super::{
    act::{Act, Acts, Scalar},
    diff,
    draft::{ChangeOp, Draft, EvidenceChange, merge},
    instance::fresh_names,
};
use crate::evaluate::{CaseStatus, Claim, Facts, HarnessReport, HarnessSummary};

/// What a report is called that is not there yet, and what a case is that comes.
const SUITE: &str = "suite";
const CASE: &str = "case";
/// The path of an artifact that holds a new review.
const REVIEW: &str = "review";

/// The changes that some acts are.
pub(super) struct Changes<'a, 'd> {
    facts: &'a Facts<'a>,
    /// The envelope, nothing of it changed.
    original: &'d mut Draft<'a>,
    changes: Vec<EvidenceChange>,
}

/// The changes that acts make to the envelope of these facts, which is looked up in its draft.
pub(super) fn changes_of<'a>(
    facts: &'a Facts<'a>,
    original: &mut Draft<'a>,
    acts: &Acts,
) -> Vec<EvidenceChange> {
    let mut changes = Changes { facts, original, changes: Vec::new() };
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

impl Changes<'_, '_> {
    /// Puts a value at a path whose parent is there.
    pub(super) fn put(&mut self, path: impl Into<String>, value: OwnedValue) {
        let path = path.into();
        let was = self.original.node(&path).map(OwnedValue::from);
        if was.as_ref() == Some(&value) {
            return;
        }
        let op = if was.is_some() { ChangeOp::Replace } else { ChangeOp::Add };
        self.changes.push(EvidenceChange { op, path, value: Some(value), was });
    }

    /// Adds an item to a list.
    pub(super) fn insert(&mut self, list: &str, index: usize, value: OwnedValue) {
        let path = Pointer::new(list).index(index).into_string();
        self.changes.push(EvidenceChange { op: ChangeOp::Add, path, value: Some(value), was: None });
    }

    /// Takes items out of a list, the last one first, so that the places of the others stay.
    pub(super) fn remove(&mut self, list: &str, indices: impl DoubleEndedIterator<Item = usize>) {
        let items: Vec<Node<'_>> = self.original.node(list).into_iter().flat_map(Node::items).collect();
        for index in indices.rev() {
            let path = Pointer::new(list).index(index).into_string();
            let was = items.get(index).copied().map(OwnedValue::from);
            self.changes.push(EvidenceChange { op: ChangeOp::Remove, path, value: None, was });
        }
    }

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
        let Some(report) = self.facts.harness() else {
            if acts.contains(&Act::Report) {
                self.put("/evidence/harness_report", new_report(1 + added));
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
        if added > 0 {
            let ids = order::names(report.cases.iter().map(|case| case.id));
            let cases = passed_cases(added, &|id| ids.contains(id));
            let list = "/evidence/harness_report/cases";
            if self.original.node(list).is_none() {
                self.put(list, OwnedValue::List(cases));
            } else {
                for (place, case) in cases.into_iter().enumerate() {
                    self.insert(list, report.cases.len() + place, case);
                }
            }
        }
        if acts.iter().any(|act| matches!(act, Act::PassCase(_) | Act::AddCase(_) | Act::Count))
            && let Some(summary) = report.summary
        {
            self.counts(report, summary, added as u64, acts);
        }
        let dropped = acts.iter().filter_map(|act| match act {
            Act::DropRemark(index) => Some(*index),
            _ => None,
        });
        self.remove("/evidence/harness_report/ux_flags", dropped);
    }

    /// The counts of a report of which no case fails any more: whatever else is changed, a case that fails stands in the
    /// way of `success`.
    fn counts(&mut self, report: &HarnessReport<'_>, summary: HarnessSummary, added: u64, acts: &Acts) {
        let (mut passed, mut flaky) = (added, 0);
        for (index, case) in report.cases.iter().enumerate() {
            match case.status {
                _ if acts.contains(&Act::PassCase(index)) => passed += 1,
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
        self.put(format!("{place}/failed"), OwnedValue::count(0));
        if summary.flaky.is_some() && is_listed {
            self.put(format!("{place}/flaky"), OwnedValue::count(flaky));
        }
    }

    fn artifacts(&mut self, acts: &Acts) {
        let present = self.facts.evidence().artifacts.len();
        let added = acts.iter().filter_map(|act| match act {
            Act::Artifact(path) => Some(path),
            _ => None,
        });
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

    /// A path for a review that no artifact has.
    fn review_artifact(&self) -> String {
        let artifacts = order::names(self.facts.evidence().artifacts.iter().copied());
        fresh_names(REVIEW, 1, &|name| artifacts.contains(name)).pop().unwrap_or_default()
    }

    fn review(&mut self, acts: &Acts) {
        if acts.contains(&Act::Review) {
            let path = OwnedValue::Text(self.review_artifact());
            let review = [("artifact_ref", path), ("issues", OwnedValue::List(Vec::new()))];
            self.put("/evidence/review", OwnedValue::object(review));
        }
        let resolved = acts.iter().filter_map(|act| match act {
            Act::Resolve(index) => Some(*index),
            _ => None,
        });
        self.remove("/evidence/review/issues", resolved);
    }

    /// Evidence that could not be collected is, whatever it shows.
    fn uncollected(&mut self, acts: &Acts) {
        let is_collected = |what: &str| acts.contains(&Act::Collect(what.into()));
        let items = self.facts.evidence().uncollected.iter().enumerate();
        let collected = items.filter(|(_, item)| is_collected(item.what)).map(|(index, _)| index);
        self.remove("/evidence/uncollected", collected);
    }

    /// Puts values at paths, and what is missing on the way there.
    fn members(&mut self, acts: &Acts) {
        let mut members: Vec<(&str, &Scalar)> = Vec::new();
        for act in acts {
            if let Act::Set(pointer, value) = act {
                members.push((pointer, value));
            }
        }
        // In the order of pointers, what belongs into one new object stands together.
        order::sort_by(&mut members, |left, right| compare_pointers(left.0, right.0));
        let is_new = |change: &EvidenceChange| matches!(change.value, Some(OwnedValue::Object(_)));
        let new: Vec<usize> =
            (0..self.changes.len()).filter(|place| self.changes.get(*place).is_some_and(is_new)).collect();
        for (pointer, value) in members {
            self.set(pointer, value, &new);
        }
    }

    /// Puts a value at a path, and what is missing on the way there; what comes into one of the objects that are new already,
    /// those at some places and the latest, is put into that.
    fn set(&mut self, pointer: &str, value: &Scalar, new: &[usize]) {
        let mut value = match value {
            Scalar::Bool(value) => OwnedValue::Bool(*value),
            Scalar::Number(text) => OwnedValue::Number(text.clone()),
            Scalar::Text(text) => OwnedValue::text(text),
            Scalar::EmptyList => OwnedValue::List(Vec::new()),
        };
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

/// The least report of which so many cases pass.
fn new_report(cases: usize) -> OwnedValue {
    let counts = [("passed", OwnedValue::count(cases as u64)), ("failed", OwnedValue::count(0))];
    OwnedValue::object([
        ("suite_id", OwnedValue::text(SUITE)),
        ("cases", OwnedValue::List(passed_cases(cases, &|_| false))),
        ("summary", OwnedValue::object(counts)),
    ])
}

fn passed_cases(count: usize, is_taken: &dyn Fn(&str) -> bool) -> Vec<OwnedValue> {
    let passed = |id: String| {
        OwnedValue::object([("id", OwnedValue::Text(id)), ("status", OwnedValue::text("passed"))])
    };
    fresh_names(CASE, count, is_taken).into_iter().map(passed).collect()
}
