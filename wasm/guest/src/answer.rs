//! From a verdict to the answer: the decision that follows from findings, and its JSON (docs/reference/rules.md).

use alloc::{string::String, vec::Vec};
use core::cmp::Reverse;

use crate::{
    change::normalize,
    finding::{Blocker, Decision, Edit, Finding, FindingFields, Shown, Text, Verification},
    manifest::Label,
    order::sorted_places,
    route::Step,
    text::{push, push_number, push_string},
    views::{Envelope, Evidence, Refinement},
    words::{Role, Severity, Status},
};

/// The default cap of refinements.
const REFINEMENT_CAP: u64 = 1;

/// A decision in the form in which it is written, borrowed from its maker.
pub(crate) struct WrittenAnswer<'d, 'a> {
    envelope: Envelope<'a>,
    status: Status,
    next_step: Option<Step<'a>>,
    fix: Option<Fix<'d, 'a>>,
    blockers: Vec<Obstacle<'d>>,
    flags: Vec<&'d str>,
    findings: &'d [Finding<'a>],
}

struct Fix<'d, 'a> {
    objective: Text<'d>,
    constraints: &'d [Text<'a>],
    edits: Vec<&'d Edit<'a>>,
    verification: Vec<&'d Verification<'a>>,
}

/// A blocker.
struct Obstacle<'d> {
    code: &'d str,
    summary: &'d str,
    evidence_ref: Option<&'d str>,
    severity: Severity,
}

impl<'d, 'a> WrittenAnswer<'d, 'a> {
    /// Derives the decision from findings: the most severe status wins, and asks for its step.
    pub(crate) fn draw(envelope: Envelope<'a>, findings: &'d [Finding<'a>]) -> Self {
        let counting = || findings.iter().map(|finding| &*finding.0).filter(|finding| !finding.is_monitored);
        let status = counting().map(|finding| finding.status).max().unwrap_or(Status::Success);
        let obstacle = |finding: &'d FindingFields<'a>| {
            Some(Obstacle {
                code: finding.blocker.as_deref()?,
                summary: &finding.summary,
                evidence_ref: Some(finding.evidence_ref.as_deref().unwrap_or_default()),
                severity: finding.severity,
            })
        };
        Self {
            envelope,
            status,
            next_step: envelope.step_for(status),
            fix: Fix::new(findings),
            blockers: counting()
                .filter(|finding| finding.status >= Status::Blocked)
                .filter_map(obstacle)
                .collect(),
            flags: counting().filter_map(|finding| finding.flag.as_deref()).collect(),
            findings,
        }
    }

    /// Takes a whole decision of a policy.
    pub(crate) fn new(envelope: Envelope<'a>, decision: &'d Decision<'a>) -> Self {
        let fix = decision.fix_instructions.as_ref().map(|fix| Fix {
            objective: Text::Borrowed(&fix.objective),
            constraints: &fix.constraints,
            edits: fix.edits.iter().collect(),
            verification: fix.verification.iter().collect(),
        });
        let obstacle = |blocker: &'d Blocker<'a>| Obstacle {
            code: &blocker.code,
            summary: &blocker.summary,
            evidence_ref: blocker.evidence_ref.as_deref(),
            severity: blocker.severity,
        };
        Self {
            envelope,
            status: decision.status,
            next_step: decision.next_step,
            fix,
            blockers: decision.blockers.iter().map(obstacle).collect(),
            flags: decision.risk_flags.iter().map(|flag| &**flag).collect(),
            findings: &decision.findings,
        }
    }

    /// Returns whether the next step is null or one that the envelope allows.
    pub(crate) fn is_legal(&self) -> bool {
        self.next_step.is_none_or(|step| self.envelope.step(step.id).is_some())
    }

    /// Writes the answer of `evaluate`.
    pub(crate) fn write(&self, out: &mut String, label: &Label) {
        push(out, r#"{"decision":{"status":"#);
        push_string(out, self.status.as_str());
        push(out, r#","next_step":"#);
        push_optional(out, self.next_step.map(|step| step.id));
        push(out, r#","fix_instructions":"#);
        match &self.fix {
            Some(fix) => push_fix(out, fix),
            None => push(out, "null"),
        }
        push(out, r#","blockers":"#);
        push_list(out, &sorted_blockers(&self.blockers), |out, blocker| push_blocker(out, blocker));
        push(out, r#","risk_flags":"#);
        push_list(out, &sorted_flags(&self.flags), |out, flag| push_string(out, flag));
        push(out, r#"},"findings":"#);
        push_list(out, self.findings, push_finding);
        self.push_loop(out);
        push(out, r#","policy":{"name":"#);
        push_string(out, label.name);
        push(out, r#","version":"#);
        push_string(out, label.version);
        push(out, "}}");
    }

    /// Writes the state of the loop: the same fields that the engine answers to this decision without a policy.
    fn push_loop(&self, out: &mut String) {
        let calls_for_fix =
            |finding: &Finding<'_>| !finding.0.is_monitored && finding.0.status == Status::Partial;
        let is_partial = self.status == Status::Partial || self.findings.iter().any(calls_for_fix);
        let earlier =
            self.envelope.earlier_statuses().take_while(|status| *status == Status::Partial).count() as u64;
        let is_fixed_next = self.next_step.is_some_and(|step| step.role() == Role::Fix);
        let refinement = self.envelope.refinement();
        push(out, r#","loop":{"consecutive_partials":"#);
        push_number(out, if is_partial { 1 + earlier } else { 0 });
        push(out, r#","review_completed":"#);
        push(out, word(is_reviewed(&self.envelope.evidence())));
        push(out, r#","refinement":{"cap":"#);
        // The envelope can only tighten.
        push_number(out, refinement.and_then(Refinement::cap).unwrap_or(REFINEMENT_CAP).min(REFINEMENT_CAP));
        push(out, r#","spent":"#);
        push_number(out, refinement.map(Refinement::spent).unwrap_or_default());
        push(out, r#","requested":"#);
        push(out, word(self.status == Status::Partial && is_fixed_next));
        push(out, r#"},"escalation":null,"route":"#);
        match self.next_step {
            Some(step) => {
                push(out, r#"{"role":"#);
                push_string(out, step.role().as_str());
                push(out, r#","by":"#);
                push_string(out, step.classified_by().as_str());
                push(out, "}}");
            }
            None => push(out, "null}"),
        }
    }
}

impl<'d, 'a> Fix<'d, 'a> {
    /// Returns the instructions for a fix step, if a finding calls for a fix and no more severe finding prevents it.
    fn new(findings: &'d [Finding<'a>]) -> Option<Self> {
        let counting = || findings.iter().map(|finding| &*finding.0).filter(|finding| !finding.is_monitored);
        let any = |status| counting().any(|finding| finding.status == status);
        if !any(Status::Partial) || any(Status::Blocked) || any(Status::Unsafe) {
            return None;
        }
        let mut objective = String::new();
        let mut latest = "";
        let (mut edits, mut verification) = (Vec::new(), Vec::new());
        for finding in counting().filter(|finding| finding.status == Status::Partial) {
            // Findings of one rule are usually adjacent, and often ask for the same.
            if finding.rule != latest {
                push(
                    &mut objective,
                    if latest.is_empty() { "resolve what these rules find: `" } else { ", `" },
                );
                push(&mut objective, &finding.rule);
                push(&mut objective, "`");
                latest = &finding.rule;
            }
            edits.extend(&finding.edit);
            verification.extend(&finding.verification);
        }
        edits.dedup();
        verification.dedup();
        Some(Self { objective: objective.into(), constraints: &[], edits, verification })
    }
}

/// Orders blockers by severity (most severe first), then code, then place of the evidence. Equal blockers keep their
/// order.
fn sorted_blockers<'b, 'd>(blockers: &'b [Obstacle<'d>]) -> Vec<&'b Obstacle<'d>> {
    let key = |place: usize| {
        blockers.get(place).map(|blocker| (Reverse(blocker.severity), blocker.code, blocker.evidence_ref))
    };
    let places = sorted_places(blockers.len(), &|left, right| key(left).cmp(&key(right)));
    places.into_iter().filter_map(|place| blockers.get(place)).collect()
}

/// The flags in the order of their bytes, each once.
fn sorted_flags<'d>(flags: &[&'d str]) -> Vec<&'d str> {
    let places = sorted_places(flags.len(), &|left, right| flags.get(left).cmp(&flags.get(right)));
    let mut flags: Vec<&str> = places.into_iter().filter_map(|place| flags.get(place).copied()).collect();
    flags.dedup();
    flags
}

fn push_blocker(out: &mut String, blocker: &Obstacle<'_>) {
    push(out, r#"{"code":"#);
    push_string(out, blocker.code);
    push(out, r#","summary":"#);
    push_string(out, blocker.summary);
    push(out, r#","evidence_ref":"#);
    push_optional(out, blocker.evidence_ref);
    push(out, r#","severity":"#);
    push_string(out, blocker.severity.as_str());
    push(out, "}");
}

fn push_fix(out: &mut String, fix: &Fix<'_, '_>) {
    push(out, r#"{"objective":"#);
    push_string(out, &fix.objective);
    push(out, r#","constraints":"#);
    push_list(out, fix.constraints, |out, constraint| push_string(out, constraint));
    push(out, r#","edits":"#);
    push_list(out, &fix.edits, |out, edit| {
        push(out, r#"{"target":"#);
        push_string(out, &edit.target);
        push(out, r#","action":"#);
        push_string(out, &edit.action);
        push(out, r#","rationale":"#);
        push_string(out, &edit.rationale);
        push(out, "}");
    });
    push(out, r#","verification":"#);
    push_list(out, &fix.verification, |out, check| {
        push(out, r#"{"command":"#);
        push_string(out, &check.command);
        push(out, r#","expected_signal":"#);
        push_string(out, &check.expected_signal);
        push(out, "}");
    });
    push(out, "}");
}

fn push_finding(out: &mut String, finding: &Finding<'_>) {
    let finding = &*finding.0;
    push(out, r#"{"rule":"#);
    push_string(out, &finding.rule);
    push(out, r#","status":"#);
    push_string(out, finding.status.as_str());
    for (name, text) in [(r#","flag":"#, &finding.flag), (r#","blocker":"#, &finding.blocker)] {
        if let Some(text) = text {
            push(out, name);
            push_string(out, text);
        }
    }
    push(out, r#","severity":"#);
    push_string(out, finding.severity.as_str());
    push(out, r#","summary":"#);
    push_string(out, &finding.summary);
    push(out, r#","evidence_ref":"#);
    push_string(out, finding.evidence_ref.as_deref().unwrap_or_default());
    if let Some(count) = finding.count {
        push(out, r#","count":"#);
        push_number(out, count);
    }
    for (name, shown) in [(r#","expected":"#, &finding.expected), (r#","actual":"#, &finding.actual)] {
        if let Some(shown) = shown {
            push(out, name);
            push_shown(out, shown);
        }
    }
    push(out, r#","resolution":{"kind":"#);
    push_string(out, finding.resolution.as_str());
    push(out, r#","hint":"#);
    push_string(out, &finding.hint);
    push(out, "}");
    if finding.is_monitored {
        push(out, r#","mode":"monitor""#);
    }
    push(out, "}");
}

fn push_shown(out: &mut String, shown: &Shown<'_>) {
    match shown {
        Shown::Integer(number) => {
            if *number < 0 {
                push(out, "-");
            }
            push_number(out, number.unsigned_abs());
        }
        Shown::Text(text) => push_string(out, text),
        Shown::List(texts) => push_list(out, texts, |out, text: &Text<'_>| push_string(out, text)),
    }
}

const fn word(truth: bool) -> &'static str {
    if truth { "true" } else { "false" }
}

fn push_optional(out: &mut String, text: Option<&str>) {
    match text {
        Some(text) => push_string(out, text),
        None => push(out, "null"),
    }
}

fn push_list<T>(out: &mut String, items: &[T], write: impl Fn(&mut String, &T)) {
    push(out, "[");
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            push(out, ",");
        }
        write(out, item);
    }
    push(out, "]");
}

/// Returns true if there is a review that is not stale, and its artifact is among the artifacts.
fn is_reviewed(evidence: &Evidence<'_>) -> bool {
    let is_of_tree = |tree| evidence.tree().is_none_or(|judged| judged == tree);
    let review = evidence.review().filter(|review| review.tree().is_none_or(is_of_tree));
    let reviewed = review.map(|review| normalize(review.artifact_ref()));
    reviewed.is_some_and(|reviewed| {
        !reviewed.is_empty() && evidence.artifacts().any(|artifact| normalize(artifact) == reviewed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blockers_are_ordered_by_severity_code_and_place() {
        let blocker =
            |severity, code, place, summary| Obstacle { code, summary, evidence_ref: Some(place), severity };
        let blockers = [
            blocker(Severity::Low, "a", "", "6"),
            blocker(Severity::High, "b", "", "2"),
            blocker(Severity::High, "a", "", "1"),
            blocker(Severity::Medium, "b", "/x", "4"),
            blocker(Severity::Medium, "b", "/x", "5"),
            blocker(Severity::Medium, "b", "/a", "3"),
        ];
        assert_eq!(
            sorted_blockers(&blockers).iter().map(|blocker| blocker.summary).collect::<String>(),
            "123456"
        );
        assert_eq!(sorted_flags(&["b", "a", "b", "a"]), ["a", "b"]);
    }
}
