//! A violation event, a run killed by policy, a changed file under a forbidden path, or a path outside of the workspace that the
//! policy refuses.

use alloc::collections::BTreeSet;

use adjudicate_lang::json::Pointer;

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::outcome::Outcome,
    evaluate::{
        diff::ChangedFile,
        events::{EventClass, classify},
        facts::PathFault,
    },
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::PolicyViolation, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    // In the order of the envelope: the summary text comes before validation and events, the typed diff after.
    let files = facts.violating_files();
    for (file, fault) in files.iter().filter(|(file, _)| file.index.is_none()) {
        violating_file(facts, file, *fault, report);
    }
    if facts.evidence().validation.mechanical_outcome == Outcome::KilledPolicy {
        report
            .at("/evidence/validation/mechanical_outcome", "the step was killed for breaking a policy")
            .actual(Outcome::KilledPolicy.as_str())
            .resolve(ResolutionKind::Terminal, "undo the step; do not trust its results");
    }
    let mut seen = BTreeSet::new();
    for (index, event) in facts.evidence().policy_events.iter().enumerate() {
        if classify(event) == EventClass::Violation && seen.insert(*event) {
            let pointer = Pointer::new("/evidence/policy_events").index(index).into_string();
            report
                .at(pointer, format_args!("the policy event `{event}` is a violation"))
                .item(*event)
                .actual(*event)
                .resolve(ResolutionKind::Terminal, "undo the step; no later step can fix a violation");
        }
    }
    for (file, fault) in files.iter().filter(|(file, _)| file.index.is_some()) {
        violating_file(facts, file, *fault, report);
    }
}

/// Reports a changed file that the policy does not allow.
fn violating_file<'a>(
    facts: &'a Facts<'a>,
    file: &'a ChangedFile<'a>,
    fault: PathFault<'a>,
    report: &mut RuleReporter<'_, 'a>,
) {
    let path = file.shown();
    let (why, expected, hint) = match fault {
        PathFault::Forbidden(pattern) => {
            ("is under a forbidden path", pattern, "undo the change to the forbidden file")
        }
        PathFault::Outside => (
            "lies outside of the workspace",
            "a path of the workspace",
            "undo the change to the file outside",
        ),
        PathFault::NotAllowed => {
            ("is under no allowed path", "an allowed path", "undo the change to the file")
        }
    };
    report
        .at(facts.file_pointer(file), format_args!("`{path}` changed and {why}"))
        .item(path)
        .expected(expected)
        .actual(path)
        .resolve(ResolutionKind::Terminal, hint);
}
