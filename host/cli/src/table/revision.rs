//! The table of an answer of `refine`: the package or the reason for none, the events, and the changes to the next
//! envelope.

use adjudicate_core::{
    owned::{LoopEvent, NextLoop, RefinementCount, RefinementPackage, Revision, StatusPatch},
    revision::NoPackage,
};

use super::{
    counted,
    evaluation::verification,
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN, word},
};

/// The columns of labels, and of the text after them.
const ROW: (usize, usize) = (2, 12);
const NEXT: (usize, usize) = (2, 16);
const STATUS: (usize, usize) = (2, 26);

/// Returns the table of an answer of `refine`.
pub(crate) fn revision(revision: &Revision) -> Page {
    let mut page = Page::default();
    match &revision.package {
        Some(package) => self::package(&mut page, package),
        None => {
            let reason = revision.reason.map_or("", NoPackage::as_str);
            page.line(0, &[("NO REFINEMENT", BOLD), ("because:", PLAIN), (reason, BOLD)]);
        }
    }
    page.heading("What happened");
    revision.events.iter().for_each(|event| page.push(self::event(event)));
    status(&mut page, &revision.status_patch);
    next(&mut page, &revision.next);
    page
}

fn package(page: &mut Page, package: &RefinementPackage) {
    page.push(Line::at(0).label("REFINE", BOLD, 8).text(&package.objective, PLAIN));
    for issue in &package.issues {
        page.gap();
        let severity = issue.severity.as_str();
        let line = Line::at(2).label(severity, word(severity), 10).text(&issue.id, BOLD);
        page.push(line.text(&issue.evidence_ref, DIM));
        page.line(10, &[(&issue.summary, PLAIN)]);
        if let Some(edit) = &issue.edit {
            page.push(
                Line::at(10).label("change", DIM, 21).text(&edit.target, BOLD).text(&edit.action, PLAIN),
            );
        }
    }
    page.gap();
    for (label, items) in [("keep to", &package.constraints), ("artifacts", &package.artifact_refs)] {
        page.listed(ROW, label, items.iter().map(|item| [(item.as_str(), PLAIN)]));
    }
    verification(page, &package.verification);
}

fn event(event: &LoopEvent) -> Line {
    let LoopEvent { event, status, next_step, spent, cap, reason, .. } = event;
    let step = next_step.as_ref().map(|step| step.as_deref().unwrap_or("none").to_owned());
    let fields = [
        ("status", status.map(|status| status.as_str().to_owned())),
        ("next_step", step),
        ("spent", spent.map(|spent| spent.to_string())),
        ("cap", cap.map(|cap| cap.to_string())),
        ("reason", reason.clone()),
    ];
    fields.iter().fold(Line::at(2).text(event.as_str(), BOLD), |line, (name, value)| match value {
        Some(value) => line.text(name, DIM).text(value, PLAIN),
        None => line,
    })
}

fn status(page: &mut Page, patch: &StatusPatch) {
    page.heading("The run's status");
    let yes = |holds| if holds { "yes" } else { "no" };
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    let status = patch.last_decision_status.as_str();
    page.push(Line::at(STATUS.0).label("last_decision_status", DIM, STATUS.1).text(status, word(status)));
    page.labelled(STATUS, "selected_step", &text(&patch.selected_step));
    page.labelled(STATUS, "refinement_requested", yes(patch.refinement_requested));
    page.labelled(STATUS, "awaiting_human", yes(patch.awaiting_human));
    page.labelled(STATUS, "blocking_reason", &text(&patch.blocking_reason));
    page.labelled(STATUS, "review_completed", patch.review_completed.map_or("", yes));
    page.labelled(STATUS, "refinement", &patch.refinement.as_ref().map(spent).unwrap_or_default());
}

fn next(page: &mut Page, next: &NextLoop) {
    page.heading("The next envelope carries");
    page.labelled(NEXT, "refinement", &spent(&next.refinement));
    let (entry, status) = (&next.history_entry, next.history_entry.status.as_str());
    let line = Line::at(NEXT.0).label("history", DIM, NEXT.1).text(&entry.step_id, BOLD);
    page.push(line.text("came to", DIM).text(status, word(status)));
    for blocker in entry.blockers.iter().flatten() {
        page.line(NEXT.1, &[("blocker", DIM), (&blocker.code, PLAIN), (&blocker.item, DIM)]);
    }
    page.line(NEXT.1, &[(&entry.failures.to_string(), PLAIN), ("failing checks", DIM)]);
}

fn spent(refinement: &RefinementCount) -> String {
    format!("{} of {} spent", refinement.spent, counted(refinement.cap, "refinement"))
}
