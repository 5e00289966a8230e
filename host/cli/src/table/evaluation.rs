//! The table of an evaluation: the status and the next step, the reasons, the fixes, the blockers.

use adjudicate_core::{
    evaluate::{ClassifiedBy, ResolutionKind},
    json::OwnedValue,
    owned::{Decision, Evaluation, Finding, FixInstructions, KnownFailure, Reason, Verification},
    policy::RuleMode,
};

use super::{
    conditions::{REASON, conditions},
    counted,
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN, word},
    value::owned,
};

/// The column of labelled text.
const HANG: usize = 12;

/// Returns the table of an answer of `evaluate`.
pub(crate) fn evaluation(evaluation: &Evaluation) -> Page {
    let mut page = Page::default();
    head(&mut page, evaluation);
    findings(&mut page, &evaluation.findings, &[]);
    if let Some(fix) = &evaluation.decision.fix_instructions {
        fixes(&mut page, fix);
    }
    blockers(&mut page, &evaluation.decision);
    known_failures(&mut page, evaluation.known_failures.as_deref().unwrap_or_default());
    tail(&mut page, evaluation);
    page
}

/// Adds the status, the next step with its role, and the policy.
pub(super) fn head(page: &mut Page, evaluation: &Evaluation) {
    let line = Line::badge(evaluation.decision.status.as_str());
    page.push(match &evaluation.decision.next_step {
        None => line.text("no next step", BOLD),
        Some(step) => line.text("next step:", PLAIN).text(step, BOLD),
    });
    if let Some(route) = evaluation.loop_state.route.iter().flatten().next() {
        let by = source(route.by).unwrap_or("as the only unclassified step");
        page.line(0, &[(&format!("in the role {}, {by}", route.role), DIM)]);
    }
    if let Some(policy) = &evaluation.policy {
        page.line(0, &[("by policy", DIM), (&policy.name, DIM), (&policy.version, DIM)]);
    }
}

/// Returns the source of a step's role, or nothing for an unclassified step.
pub(super) const fn source(by: ClassifiedBy) -> Option<&'static str> {
    match by {
        ClassifiedBy::Declared => Some("declared in `steps` or in the policy's `routes`"),
        ClassifiedBy::Reserved => Some("reserved for `STOP`"),
        ClassifiedBy::Named => Some("by the step's name"),
        ClassifiedBy::Unclassified => None,
    }
}

/// Adds the reasons, one block for each finding; an explanation has more about each.
pub(super) fn findings(page: &mut Page, findings: &[Finding], reasons: &[Reason]) {
    page.heading("Why");
    if findings.is_empty() {
        page.line(2, &[("no findings", PLAIN)]);
    }
    for (index, finding) in findings.iter().enumerate() {
        if index > 0 {
            page.gap();
        }
        block(page, finding, reasons.get(index));
    }
}

fn block(page: &mut Page, finding: &Finding, reason: Option<&Reason>) {
    let (severity, status) = (finding.severity.as_str(), finding.status.as_str());
    let line = Line::at(2).label(severity, word(severity), REASON.0).text(&finding.rule, BOLD);
    let line = match finding.mode {
        Some(RuleMode::Monitor) => line.text("would call for", DIM).text(status, DIM),
        _ => line.text("calls for", DIM).text(status, word(status)),
    };
    let line = match reason.and_then(|reason| reason.overruled_by.as_ref()) {
        Some(winner) => line.text("and is overruled by", DIM).text(winner, PLAIN),
        None => line,
    };
    page.push(match &finding.origin {
        Some(origin) => line.text("says", DIM).text(origin, PLAIN),
        None => line,
    });
    page.line(REASON.0, &[(&finding.summary, PLAIN)]);
    page.labelled(REASON, "evidence", finding.evidence_ref.as_deref().unwrap_or_default());
    for (label, value) in [("expected", &finding.expected), ("actual", &finding.actual)] {
        let value = value.as_ref().filter(|value| **value != OwnedValue::Null);
        page.labelled(REASON, label, &value.map(|value| owned(value, ", ")).unwrap_or_default());
    }
    conditions(page, reason.and_then(|reason| reason.conditions.as_deref()).unwrap_or_default());
    let remedy = match finding.resolution.kind {
        ResolutionKind::AfterFix => "to fix",
        ResolutionKind::NeedsApproval => "to approve",
        ResolutionKind::Retry => "to retry",
        ResolutionKind::ProvideEvidence => "to provide",
        ResolutionKind::Terminal => "final",
    };
    page.labelled(REASON, remedy, &finding.resolution.hint);
}

fn fixes(page: &mut Page, fix: &FixInstructions) {
    page.heading("Fixes");
    page.line(2, &[(&fix.objective, PLAIN)]);
    for (number, edit) in (1..).zip(&fix.edits) {
        page.push(Line::at(2).label(&format!("{number}."), BOLD, 5).text(&edit.target, BOLD));
        page.line(5, &[(&edit.action, PLAIN)]);
        page.labelled((5, HANG + 1), "because", &edit.rationale);
    }
    page.listed(
        (2, HANG),
        "keep to",
        fix.constraints.iter().map(|constraint| [(constraint.as_str(), PLAIN)]),
    );
    verification(page, &fix.verification);
}

/// Adds the checks that show that a fix is done.
pub(super) fn verification(page: &mut Page, checks: &[Verification]) {
    let lines = checks.iter().map(|check| {
        [(check.command.as_str(), BOLD), ("gives", DIM), (check.expected_signal.as_str(), PLAIN)]
    });
    page.listed((2, HANG), "verify", lines);
}

fn blockers(page: &mut Page, decision: &Decision) {
    if !decision.blockers.is_empty() {
        page.heading("Blockers");
    }
    for blocker in &decision.blockers {
        let severity = blocker.severity.as_str();
        let line = Line::at(2).label(severity, word(severity), HANG).text(&blocker.code, BOLD);
        page.push(line.text(blocker.evidence_ref.as_deref().unwrap_or_default(), DIM));
    }
}

/// Adds the failed cases that count as known, each with its validator.
fn known_failures(page: &mut Page, known: &[KnownFailure]) {
    if !known.is_empty() {
        page.heading("Known failures");
    }
    for case in known {
        let line = Line::at(2).text(&case.id, BOLD);
        page.push(match &case.validator {
            Some(validator) => line.text("of", DIM).text(validator, PLAIN),
            None => line,
        });
    }
}

fn tail(page: &mut Page, evaluation: &Evaluation) {
    page.gap();
    let flags = evaluation.decision.risk_flags.join(", ");
    let flags = if flags.is_empty() { "none" } else { &flags };
    page.push(Line::at(0).label("Risk flags", BOLD, HANG).text(flags, PLAIN));
    let state = &evaluation.loop_state;
    let line = format!(
        "{} partial in a row; {} of {} spent{}",
        state.consecutive_partials,
        state.refinement.spent,
        counted(state.refinement.cap, "refinement"),
        if state.refinement.requested { ", another is requested" } else { "" },
    );
    page.push(Line::at(0).label("Loop", BOLD, HANG).text(&line, PLAIN));
    if let Some(escalation) = &state.escalation {
        let line = Line::at(0).label("Escalated", BOLD, HANG).text("from", PLAIN);
        let line =
            line.text(escalation.from.as_str(), BOLD).text("to", PLAIN).text(escalation.to.as_str(), BOLD);
        page.push(line.text("by", PLAIN).text(&escalation.reason, PLAIN));
    }
}
