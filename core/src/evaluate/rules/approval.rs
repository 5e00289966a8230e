//! An approval is required and not granted, or a protected file changed without one.

use alloc::{collections::BTreeSet, string::String};

use adjudicate_lang::{
    json::Pointer,
    order::{self, SortedSet},
};

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{
        diff::ChangedFile,
        events::{EventClass, classify},
        finding::ResolutionKind,
    },
};

/// A grant of this name covers every protected file that is listed.
const PROTECTED_PATH: &str = "protected_path";

pub(super) const RULE: Rule = Rule { code: RuleCode::Approval, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let mut asked = Asked::new(facts);
    // In the order of the envelope: the summary text stands before the events, the typed diff after them.
    for file in facts.protected_files().filter(|file| file.index.is_none()) {
        asked.for_file(file, facts.file_pointer(file), report);
    }
    for (index, event) in facts.evidence().policy_events.iter().enumerate() {
        if let EventClass::ApprovalRequired(what) = classify(event) {
            let pointer = Pointer::new("/evidence/policy_events").index(index).into_string();
            // An event that does not say what is to be approved cannot be granted either.
            asked.for_what(what.unwrap_or(event), what.is_some(), pointer, report);
        }
    }
    for file in facts.protected_files().filter(|file| file.index.is_some()) {
        asked.for_file(file, facts.file_pointer(file), report);
    }
    let required = facts.evidence().approvals.as_ref().map_or(&[][..], |approvals| &approvals.required);
    for (index, what) in required.iter().enumerate() {
        let pointer = Pointer::new("/evidence/approvals/required").index(index).into_string();
        asked.for_what(what, true, pointer, report);
    }
}

/// What has been asked for already: one approval from two sources is one item.
struct Asked<'a> {
    granted: SortedSet<&'a str>,
    granted_paths: SortedSet<&'a str>,
    seen: BTreeSet<&'a str>,
}

impl<'a> Asked<'a> {
    fn new(facts: &'a Facts<'a>) -> Self {
        let granted = facts.evidence().approvals.as_ref().map_or(&[][..], |approvals| &approvals.granted);
        Self {
            granted: order::names(granted.iter().copied()),
            granted_paths: order::names(facts.granted_paths().iter().map(|path| &**path)),
            seen: BTreeSet::new(),
        }
    }

    fn for_what(&mut self, what: &'a str, grantable: bool, pointer: String, report: &mut Reporter<'_, 'a>) {
        if grantable && self.granted.contains(what) {
            return;
        }
        self.report(what, pointer, format_args!("`{what}` needs an approval that is not granted"), report);
    }

    fn for_file(&mut self, file: &'a ChangedFile<'a>, pointer: String, report: &mut Reporter<'_, 'a>) {
        if self.granted.contains(PROTECTED_PATH) || self.granted_paths.contains(&*file.path) {
            return;
        }
        let path = file.shown();
        self.report(
            path,
            pointer,
            format_args!("`{path}` is protected and changed without an approval"),
            report,
        );
    }

    fn report(
        &mut self,
        item: &'a str,
        pointer: String,
        summary: core::fmt::Arguments<'_>,
        report: &mut Reporter<'_, 'a>,
    ) {
        if self.seen.insert(item) {
            report.at(pointer, summary).item(item).expected(item).resolve(
                ResolutionKind::NeedsApproval,
                "have a person approve it and list it under `approvals.granted`",
            );
        }
    }
}
