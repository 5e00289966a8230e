//! The table of an evaluation: the status and the next step, the reasons, the fixes, the blockers.

use adjudicate_core::{
    Error,
    json::{self, Limits, Node},
};

use super::{
    counted,
    findings::findings,
    page::{BOLD, DIM, Line, PLAIN, Page},
    style::{severity_style, status_style},
};
use crate::{
    codes,
    fields::{is_set, items, text},
};

/// The column of labelled text.
const HANG: usize = 12;

/// Returns the table of an answer of `evaluate`.
pub(crate) fn evaluation(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let decision = root.member("decision").ok_or_else(|| {
        Error::new(codes::MODULE_INVALID_DECISION, "the module's answer has no decision").at("/decision")
    })?;
    let mut page = Page::default();
    head(&mut page, root, decision);
    findings(&mut page, items(root, "findings"));
    if let Some(fix) = decision.member("fix_instructions").filter(|fix| !fix.is_empty()) {
        fix_instructions(&mut page, fix);
    }
    blockers(&mut page, decision);
    tail(&mut page, root, decision);
    Ok(page)
}

/// Adds the status, the next step with its role, and the policy.
pub(super) fn head(page: &mut Page, root: Node<'_>, decision: Node<'_>) {
    let status = text(decision, "status");
    let badge = format!("{} ", status.replace('_', " ").to_uppercase());
    let line = Line::at(0).text(&badge, status_style(status));
    page.push(match text(decision, "next_step") {
        "" => line.text("no next step", BOLD),
        step => line.text("next step:", PLAIN).text(step, BOLD),
    });
    let route = root.member("loop").and_then(|state| state.member("route"));
    if let Some(route) = route.filter(|route| !route.is_empty()) {
        let line = Line::at(0).text("in the role", DIM).text(&format!("{},", text(route, "role")), DIM);
        page.push(line.text(classified(text(route, "by")), DIM));
    }
    if let Some(policy) = root.member("policy").filter(|policy| !policy.is_empty()) {
        let line = Line::at(0).text("by policy", DIM).text(text(policy, "name"), DIM);
        page.push(line.text(text(policy, "version"), DIM));
    }
}

fn fix_instructions(page: &mut Page, fix: Node<'_>) {
    page.heading("Fixes");
    page.push(Line::at(2).text(text(fix, "objective"), PLAIN));
    for (number, edit) in (1..).zip(items(fix, "edits")) {
        page.push(Line::at(2).label(&format!("{number}."), BOLD, 5).text(text(edit, "target"), BOLD));
        page.push(Line::at(5).text(text(edit, "action"), PLAIN));
        if !text(edit, "rationale").is_empty() {
            page.push(Line::at(5).label("because", DIM, HANG + 1).text(text(edit, "rationale"), PLAIN));
        }
    }
    for (index, constraint) in items(fix, "constraints").enumerate() {
        let line = Line::at(2).label(first(index, "keep to"), DIM, HANG);
        page.push(line.text(constraint.as_str().unwrap_or_default(), PLAIN));
    }
    for (index, check) in items(fix, "verification").enumerate() {
        let line = Line::at(2).label(first(index, "verify"), DIM, HANG).text(text(check, "command"), BOLD);
        page.push(line.text("gives", DIM).text(text(check, "expected_signal"), PLAIN));
    }
}

/// Returns the label for the first of several lines, and an empty one for the others.
pub(super) const fn first(index: usize, label: &str) -> &str {
    if index == 0 { label } else { "" }
}

fn blockers(page: &mut Page, decision: Node<'_>) {
    let mut blockers = items(decision, "blockers").peekable();
    if blockers.peek().is_none() {
        return;
    }
    page.heading("Blockers");
    for blocker in blockers {
        let severity = text(blocker, "severity");
        let line =
            Line::at(2).label(severity, severity_style(severity), HANG).text(text(blocker, "code"), BOLD);
        page.push(line.text(text(blocker, "evidence_ref"), DIM));
    }
}

fn tail(page: &mut Page, root: Node<'_>, decision: Node<'_>) {
    page.gap();
    let flags: Vec<_> = items(decision, "risk_flags").filter_map(Node::as_str).collect();
    let flags = if flags.is_empty() { "none".to_owned() } else { flags.join(", ") };
    page.push(Line::at(0).label("Risk flags", BOLD, HANG).text(&flags, PLAIN));
    let Some(state) = root.member("loop") else { return };
    let refinement = state.member("refinement");
    let number = |node: Option<Node<'_>>, key: &str| {
        node.and_then(|node| node.member(key)?.as_number()).unwrap_or("?").to_owned()
    };
    let is_requested = refinement.is_some_and(|node| is_set(node, "requested"));
    let line_text = format!(
        "{} partial in a row; {} of {} spent{}",
        number(Some(state), "consecutive_partials"),
        number(refinement, "spent"),
        counted(number(refinement, "cap"), "refinement"),
        if is_requested { ", another is requested" } else { "" },
    );
    page.push(Line::at(0).label("Loop", BOLD, HANG).text(&line_text, PLAIN));
    if let Some(escalation) = state.member("escalation").filter(|escalation| !escalation.is_empty()) {
        let line = Line::at(0).label("Escalated", BOLD, HANG).text("from", PLAIN);
        let line =
            line.text(text(escalation, "from"), BOLD).text("to", PLAIN).text(text(escalation, "to"), BOLD);
        page.push(line.text("by", PLAIN).text(text(escalation, "reason"), PLAIN));
    }
}

/// Returns the words for the origin of the next step's role.
fn classified(by: &str) -> &str {
    match by {
        "declared" => "declared in `steps` or in the policy's `routes`",
        "reserved" => "reserved for `STOP`",
        "named" => "by the step's name",
        "unclassified" => "as the only unclassified step",
        other => other,
    }
}
