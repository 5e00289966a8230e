//! The evidence from which a variable of a condition is made.

use alloc::string::String;

use crate::{
    documents::need::EvidenceKind,
    policy::{Fact, Root, Variable, is_extension},
};

/// Returns the evidence of a variable, with the name if it is about one item. There is none for parameters, and for facts that
/// follow from all evidence.
pub(super) fn subject(variable: &Variable) -> Option<(EvidenceKind, Option<String>)> {
    match variable.root() {
        Root::Parameter(_) => None,
        Root::Fact(fact) => Some((of_fact(fact)?, None)),
        Root::Input if is_extension(variable.path().segments()) => {
            Some((EvidenceKind::Extension, variable.pointer().map(String::from)))
        }
        Root::Input => Some(match of_part(variable.rest().iter().map(|name| &**name)) {
            Some((kind, id)) => (kind, id.map(String::from)),
            None => (EvidenceKind::Field, variable.pointer().map(String::from)),
        }),
    }
}

impl EvidenceKind {
    /// Returns true if the items of this kind have names that conditions compare.
    pub(super) const fn has_names(self) -> bool {
        matches!(self, Self::Validator | Self::Artifact | Self::Approval | Self::Event)
    }
}

/// Returns the evidence of a part of the envelope, with the id if it is the result of one validator; `None` for a part that is no
/// known evidence.
fn of_part<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<(EvidenceKind, Option<&'n str>)> {
    let kind = match (names.next()?, names.next()) {
        ("evidence", Some("validation")) => {
            let id = names.next().filter(|list| matches!(*list, "exit_codes" | "trees")).and(names.next());
            return Some((EvidenceKind::Validator, id));
        }
        ("evidence", Some("harness_report")) => EvidenceKind::Report,
        ("evidence", Some("artifacts" | "required_artifacts")) => EvidenceKind::Artifact,
        ("evidence", Some("approvals")) => EvidenceKind::Approval,
        ("evidence", Some("review")) => EvidenceKind::Review,
        ("evidence", Some("transcript_summary" | "step_intent" | "claims")) => EvidenceKind::Claims,
        ("evidence", Some("diff" | "workspace_diff_summary")) => EvidenceKind::Diff,
        ("evidence", Some("tree")) => EvidenceKind::Tree,
        ("evidence", Some("baseline")) => EvidenceKind::Baseline,
        ("evidence", Some("policy_events")) => EvidenceKind::Event,
        ("provenance_window" | "evaluate_history" | "refinement", _) => EvidenceKind::History,
        _ => return None,
    };
    Some((kind, None))
}

fn of_fact(fact: Fact) -> Option<EvidenceKind> {
    match fact {
        Fact::Contradictions => None,
        // It compares the diff with that of an earlier evaluation.
        Fact::DiffImproved => Some(EvidenceKind::History),
        _ => of_part(fact.row().source.split('/').skip(1)).map(|(kind, _)| kind),
    }
}
