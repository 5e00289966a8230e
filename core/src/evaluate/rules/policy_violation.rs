//! A violation event, a run killed by policy, a changed file under a forbidden path, or one outside of the workspace where
//! the policy refuses such paths.

use alloc::collections::BTreeSet;

use adjudicate_lang::json::Pointer;

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{
        diff::ChangedFile,
        envelope::Outcome,
        events::{EventClass, classify},
        finding::ResolutionKind,
    },
};

pub(super) const RULE: Rule = Rule { code: RuleCode::PolicyViolation, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    // In the order of the envelope: the summary text stands before validation and events, the typed diff after.
    for (file, pattern) in facts.forbidden_files().filter(|(file, _)| file.index.is_none()) {
        forbidden_file(facts, file, pattern, report);
    }
    if facts.evidence().validation.mechanical_outcome == Outcome::KilledPolicy {
        report
            .at("/evidence/validation/mechanical_outcome", "the step was killed for breaking a policy")
            .actual(Outcome::KilledPolicy.as_str())
            .resolve(ResolutionKind::Terminal, "undo the step; what it did is not to be trusted");
    }
    let mut seen = BTreeSet::new();
    for (index, event) in facts.evidence().policy_events.iter().enumerate() {
        if classify(event) == EventClass::Violation && seen.insert(*event) {
            let pointer = Pointer::new("/evidence/policy_events").index(index).into_string();
            report
                .at(pointer, format_args!("the kernel reports the violation `{event}`"))
                .item(*event)
                .actual(*event)
                .resolve(ResolutionKind::Terminal, "undo the step; a violation cannot be mended by going on");
        }
    }
    for (file, pattern) in facts.forbidden_files().filter(|(file, _)| file.index.is_some()) {
        forbidden_file(facts, file, pattern, report);
    }
}

/// Reports a changed file with the pattern that forbids it; without one, it lies outside of the workspace.
fn forbidden_file<'a>(
    facts: &'a Facts<'a>,
    file: &'a ChangedFile<'a>,
    pattern: Option<&'a str>,
    report: &mut Reporter<'_, 'a>,
) {
    let path = file.shown();
    let (why, expected, hint) = match pattern {
        Some(pattern) => ("is under a forbidden path", pattern, "undo the change to the forbidden file"),
        None => (
            "lies outside of the workspace",
            "a path of the workspace",
            "undo the change to the file outside",
        ),
    };
    report
        .at(facts.file_pointer(file), format_args!("`{path}` changed and {why}"))
        .item(path)
        .expected(expected)
        .actual(path)
        .resolve(ResolutionKind::Terminal, hint);
}
