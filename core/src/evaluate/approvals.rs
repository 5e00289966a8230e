//! Approvals that are required and not granted: a fact of the evidence, which rule `approval` reports.

use alloc::{collections::BTreeSet, string::String};

use adjudicate_lang::{json::Pointer, order};

use super::{
    diff::ChangedFile,
    events::{EventClass, classify},
    facts::Facts,
};

/// A grant of this name covers every listed protected file.
const PROTECTED_PATH: &str = "protected_path";

/// An approval that is required.
pub(super) struct RequiredApproval<'a> {
    /// The name of the approval, or the protected path.
    pub item: &'a str,
    source: ApprovalSource<'a>,
}

/// The part of the envelope that requires an approval.
enum ApprovalSource<'a> {
    /// A protected file that changed.
    File(&'a ChangedFile<'a>),
    /// A policy event that names the approval.
    Event(usize),
    /// A policy event that does not name the approval. It cannot be granted.
    VagueEvent(usize),
    /// An item of `approvals.required`.
    Listed(usize),
}

impl RequiredApproval<'_> {
    /// Returns true if the item is a protected file that changed.
    pub(super) fn is_file(&self) -> bool {
        matches!(self.source, ApprovalSource::File(_))
    }

    /// The pointer to the part of the envelope that requires it.
    pub(super) fn pointer(&self, facts: &Facts<'_>) -> String {
        match self.source {
            ApprovalSource::File(file) => facts.file_pointer(file),
            ApprovalSource::Event(index) | ApprovalSource::VagueEvent(index) => {
                Pointer::new("/evidence/policy_events").index(index).into_string()
            }
            ApprovalSource::Listed(index) => {
                Pointer::new("/evidence/approvals/required").index(index).into_string()
            }
        }
    }
}

/// Returns the missing approvals, each once, in the order of the envelope: the summary text comes before the events, the typed diff
/// after them.
pub(super) fn missing_approvals<'a>(facts: &'a Facts<'a>) -> impl Iterator<Item = RequiredApproval<'a>> {
    let granted = order::names(facts.granted().iter().copied());
    let granted_paths = order::names(facts.granted_paths().iter().map(|path| &**path));
    let mut seen = BTreeSet::new();
    required_approvals(facts)
        .filter(move |required| match required.source {
            ApprovalSource::File(file) => {
                !granted.contains(PROTECTED_PATH) && !granted_paths.contains(&*file.path)
            }
            ApprovalSource::VagueEvent(_) => true,
            ApprovalSource::Event(_) | ApprovalSource::Listed(_) => !granted.contains(required.item),
        })
        .filter(move |missing| seen.insert(missing.item))
}

fn required_approvals<'a>(facts: &'a Facts<'a>) -> impl Iterator<Item = RequiredApproval<'a>> {
    let files = |is_typed| {
        facts
            .protected_files()
            .filter(move |file| file.index.is_some() == is_typed)
            .map(|file| RequiredApproval { item: file.shown(), source: ApprovalSource::File(file) })
    };
    let events =
        facts.evidence().policy_events.iter().enumerate().filter_map(|(index, event)| {
            match classify(event) {
                EventClass::ApprovalRequired(Some(item)) => {
                    Some(RequiredApproval { item, source: ApprovalSource::Event(index) })
                }
                EventClass::ApprovalRequired(None) => {
                    Some(RequiredApproval { item: event, source: ApprovalSource::VagueEvent(index) })
                }
                EventClass::Violation | EventClass::Warning | EventClass::Info => None,
            }
        });
    let listed = facts.evidence().approvals.as_ref().map_or(&[][..], |approvals| &approvals.required);
    let listed = listed
        .iter()
        .enumerate()
        .map(|(index, item)| RequiredApproval { item, source: ApprovalSource::Listed(index) });
    files(false).chain(events).chain(files(true)).chain(listed)
}
