//! The evidence from which a variable of a condition is made.

use alloc::string::String;

use crate::{
    documents::need::EvidenceKind,
    policy::{Fact, Root, Variable, is_extension},
};

/// The evidence of a variable.
pub(super) struct EvidenceItem {
    pub(super) kind: EvidenceKind,
    /// The name, if the variable is about one item.
    pub(super) name: Option<String>,
}

/// Returns the evidence of a variable. There is none for parameters, and for facts that follow from all evidence.
pub(super) fn subject(variable: &Variable) -> Option<EvidenceItem> {
    let (kind, name) = match variable.root() {
        Root::Parameter(_) => return None,
        Root::Fact(fact) => (of_fact(fact)?, None),
        Root::Input => of_part(variable),
    };
    Some(EvidenceItem { kind, name })
}

impl EvidenceKind {
    /// Returns true if the items of this kind have names that conditions compare.
    pub(super) const fn has_names(self) -> bool {
        matches!(self, Self::Validator | Self::Artifact | Self::Approval | Self::Event)
    }
}

/// Returns the evidence of a part of the envelope.
fn of_part(variable: &Variable) -> (EvidenceKind, Option<String>) {
    let pointer = || variable.pointer().map(String::from);
    if is_extension(variable.path().segments()) {
        return (EvidenceKind::Extension, pointer());
    }
    let mut names = variable.rest().iter().map(|name| &**name);
    let kind = match (names.next(), names.next()) {
        (Some("evidence"), Some("validation")) => {
            let id = names.next().filter(|list| matches!(*list, "exit_codes" | "trees")).and(names.next());
            return (EvidenceKind::Validator, id.map(String::from));
        }
        (Some("evidence"), Some("harness_report")) => EvidenceKind::Report,
        (Some("evidence"), Some("artifacts" | "required_artifacts")) => EvidenceKind::Artifact,
        (Some("evidence"), Some("approvals")) => EvidenceKind::Approval,
        (Some("evidence"), Some("review")) => EvidenceKind::Review,
        (Some("evidence"), Some("transcript_summary" | "step_intent" | "claims")) => EvidenceKind::Claims,
        (Some("evidence"), Some("diff" | "workspace_diff_summary")) => EvidenceKind::Diff,
        (Some("evidence"), Some("tree")) => EvidenceKind::Tree,
        (Some("evidence"), Some("baseline")) => EvidenceKind::Baseline,
        (Some("evidence"), Some("policy_events")) => EvidenceKind::Event,
        (Some("provenance_window" | "evaluate_history" | "refinement"), _) => EvidenceKind::History,
        _ => return (EvidenceKind::Field, pointer()),
    };
    (kind, None)
}

/// Returns the evidence of a fact.
const fn of_fact(fact: Fact) -> Option<EvidenceKind> {
    Some(match fact {
        Fact::Intent | Fact::Claims => EvidenceKind::Claims,
        Fact::Outcome
        | Fact::Failures
        | Fact::ValidatorsPassing
        | Fact::ValidatorsFailing
        | Fact::ValidatorsTimedOut
        | Fact::ValidatorsMissing
        | Fact::ValidatorsCount => EvidenceKind::Validator,
        Fact::DiffEmpty
        | Fact::DiffOpaque
        | Fact::DiffPaths
        | Fact::DiffFiles
        | Fact::DiffCount
        | Fact::DiffForbidden
        | Fact::DiffProtected
        | Fact::DiffInsertions
        | Fact::DiffDeletions => EvidenceKind::Diff,
        Fact::HarnessPresent
        | Fact::HarnessPasses
        | Fact::HarnessPassed
        | Fact::HarnessFailed
        | Fact::HarnessSkipped
        | Fact::HarnessFlaky
        | Fact::HarnessFailing
        | Fact::HarnessRepeats
        | Fact::HarnessGoldens
        | Fact::UxHigh
        | Fact::UxMedium
        | Fact::UxLow => EvidenceKind::Report,
        Fact::TestsKnown | Fact::TestsNewFailures | Fact::TestsLost | Fact::TestsSkippedNow => {
            EvidenceKind::Baseline
        }
        Fact::ArtifactsMissing => EvidenceKind::Artifact,
        Fact::ApprovalsMissing | Fact::ApprovalsGranted => EvidenceKind::Approval,
        Fact::ReviewPresent | Fact::ReviewHigh | Fact::ReviewMedium | Fact::ReviewLow => EvidenceKind::Review,
        Fact::EventsClasses | Fact::EventsViolations | Fact::EventsWarnings => EvidenceKind::Event,
        Fact::DiffImproved
        | Fact::HistoryCount
        | Fact::HistoryLast
        | Fact::HistoryPartials
        | Fact::HistoryFlags
        | Fact::RefinementCap
        | Fact::RefinementSpent => EvidenceKind::History,
        Fact::Contradictions => return None,
    })
}
