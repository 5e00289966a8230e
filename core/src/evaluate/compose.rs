//! Composition: makes one evaluation of several evaluations of an envelope (docs/reference/policies.md).
//!
//! The composed evaluation follows from the findings that count, in the order of the evaluations. The status is the most severe
//! one, the envelope and the base policy route the next step, and the loop state is recomputed. Flags and blockers are united,
//! and so are fix instructions unless a finding forbids them. Partial results count whichever evaluation calls for a fix; each
//! evaluation keeps its other escalations.

mod call;

use alloc::{string::String, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::{Error, order};

use super::{
    decision::{cut_blockers, sort_blockers},
    external_answer::ExternalAnswer,
    facts::Facts,
    fix::{checks_omitted, edits_omitted},
    next_step::next_step,
    rules::{ambiguous_route, escalations_of_partial},
};
use crate::{
    bounds::{MAX_LISTED, cut, left_out},
    codes::{RuleCode, Status},
    documents::{
        evaluation::{Blocker, ComposedEvaluation, CompositionMode, Decision, Escalation, LoopState, Route},
        finding::{ComposedFinding, Finding},
        fix::{AnswerFixInstructions, FixEdit, FixInstructions, Verification},
    },
    policy::Policy,
};

pub use call::{AnswerText, ComposedCall, CompositionMember, ENGINE_ORIGIN};

/// The origin of findings that follow from several evaluations together.
const COMPOSITION: &str = "composition";
/// Between the parts of an objective.
const AND: &str = "; ";
/// The most edits, constraints or checks that are listed: those of one answer, and the entry for those left out.
const MAX_COMPOSED: usize = MAX_LISTED + 1;

/// Composes evaluations of one envelope. `facts` are the facts of the envelope under the base policy.
///
/// ```
/// use adjudicate_core::{evaluate::{CompositionMode, Envelope, Judged, ExternalAnswer, Status, compose, evaluate}, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": ["ship", "STOP"], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "completed", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": [], "required_validators": []}}"#;
/// let tape = json::read(text, json::ReadLimits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Judged::new(&envelope, None)?;
/// let ours = serde_json::to_string(&evaluate(&facts)).unwrap();
/// let theirs = ours.replace(r#""status":"success""#, r#""status":"blocked""#);
/// let [ours, theirs] = [&ours, &theirs].map(|text| json::read(text.as_bytes(), json::ReadLimits::DOCUMENT));
/// let (ours, theirs) = (ours?, theirs?);
/// let (ours, theirs) = (ExternalAnswer::read("ours", ours.root())?, ExternalAnswer::read("theirs", theirs.root())?);
/// let composed = compose(&facts, ours, vec![theirs], CompositionMode::Restrict);
/// assert_eq!((composed.decision.status, composed.decision.next_step), (Status::Blocked, Some("STOP")));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn compose<'a>(
    facts: &'a Facts<'a>,
    base: ExternalAnswer<'a>,
    others: Vec<ExternalAnswer<'a>>,
    mode: CompositionMode,
) -> ComposedEvaluation<'a> {
    let is_overruled = !others.is_empty();
    let joined = others.into_iter().fold(base, |before, next| match mode {
        CompositionMode::Restrict => before.join(next),
        CompositionMode::Override => before.overruled().join(next),
    });
    // An override has its own escalations; the bounds of the base do not apply to it.
    let joined =
        if mode == CompositionMode::Override && is_overruled { joined } else { escalated(joined, facts) };
    let ExternalAnswer { mut findings, flags, blockers, fixes, known } = routed(joined, facts);
    let status = most_severe(counted(&findings));
    let next = next_step(facts, status);
    let stops = |finding: &ComposedFinding<'_>| matches!(finding.status, Status::Blocked | Status::Unsafe);
    let mut blockers = order::without_repeats(blockers, by_all_members);
    sort_blockers(&mut blockers);
    cut_blockers(&mut blockers, 0);
    let decision = Decision {
        status,
        next_step: next.map(|(step, _)| step),
        fix_instructions: if counted(&findings).any(stops) { None } else { united(fixes) },
        blockers,
        risk_flags: order::names(flags).into_iter().collect(),
    };
    let loop_state = loop_state(facts, &findings, status, next.map(|(_, route)| route));
    cut_findings(&mut findings, status);
    let mut known_failures = order::without_repeats(known, Ord::cmp);
    known_failures.truncate(MAX_LISTED);
    ComposedEvaluation { decision, findings, loop_state, policy: facts.policy_name(), known_failures }
}

/// Cuts the composed findings to the limit of one answer, and adds the numbers of findings that the answers left out.
fn cut_findings(findings: &mut Vec<ComposedFinding<'_>>, status: Status) {
    let left_before = findings.iter().filter_map(ComposedFinding::omits).fold(0, u64::saturating_add);
    if left_before == 0 && findings.len() <= MAX_LISTED {
        return;
    }
    findings.retain(|finding| finding.omits().is_none());
    let left = left_before.saturating_add(findings.len().saturating_sub(MAX_LISTED) as u64);
    findings.truncate(MAX_LISTED);
    findings.push(ComposedFinding::from_engine(Finding::omitted(left, status), COMPOSITION));
}

/// Evaluates an envelope under several policies and composes the answers, which are named after their policies.
///
/// # Errors
///
/// Those of [`ComposedCall::evaluate`].
///
/// ```
/// use adjudicate_core::{Policy, evaluate::{CompositionMode, evaluate_composed}};
/// # let envelope = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": ["ship", "STOP"], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": " M infra/a.tf", "validation": {"mechanical_outcome": "completed", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let ours = Policy::parse(br#"{"policy": "ours", "version": "1.0.0"}"#)?;
/// let strict = Policy::parse(br#"{"policy": "strict", "version": "1.0.0", "forbidden_paths": ["infra/**"]}"#)?;
/// let answer = evaluate_composed(envelope, &ours, &[&strict], CompositionMode::Restrict)?;
/// assert!(answer.starts_with(r#"{"decision":{"status":"unsafe","next_step":"STOP""#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn evaluate_composed(
    envelope: &[u8],
    base: &Policy,
    others: &[&Policy],
    mode: CompositionMode,
) -> Result<String, Error> {
    let others = others.iter().map(|policy| CompositionMember::Policy(policy)).collect();
    let call = ComposedCall { policy: Some(base), ..ComposedCall::default() };
    match mode {
        CompositionMode::Restrict => ComposedCall { restrictions: others, ..call },
        CompositionMode::Override => ComposedCall { overrides: others, ..call },
    }
    .evaluate(envelope)
}

/// Adds the findings that follow from counting partial results, so that the loop is bounded whichever evaluation calls for a fix.
fn escalated<'a>(mut answer: ExternalAnswer<'a>, facts: &'a Facts<'a>) -> ExternalAnswer<'a> {
    let calls_for_fix = |finding: &ComposedFinding<'_>| {
        finding.status == Status::Partial && finding.counts() && !finding.is_escalation()
    };
    if !answer.findings.iter().any(calls_for_fix) {
        return answer;
    }
    for finding in escalations_of_partial(facts) {
        let finding = ComposedFinding::from_engine(finding, COMPOSITION);
        // A finding of an earlier composition of some of the evaluations moves to the end.
        answer.findings.retain(|other| !is_own(other, &finding));
        add(&mut answer, finding);
    }
    answer
}

/// Adds `ambiguous_route` if the evaluations agree on `success` and the next step would be a guess.
fn routed<'a>(mut answer: ExternalAnswer<'a>, facts: &'a Facts<'a>) -> ExternalAnswer<'a> {
    let Some(finding) = ambiguous_route(facts) else { return answer };
    let finding = ComposedFinding::from_engine(finding, COMPOSITION);
    // A finding of an earlier composition of some of the evaluations is judged again.
    if answer.findings.iter().any(|other| is_own(other, &finding)) {
        answer.findings.retain(|other| !is_own(other, &finding));
        answer.blockers.retain(|blocker| Some(blocker.code) != finding.blocker);
    }
    if most_severe(counted(&answer.findings)) == Status::Success {
        add(&mut answer, finding);
    }
    answer
}

/// Returns true if a finding is one that an earlier composition added.
fn is_own(other: &ComposedFinding<'_>, finding: &ComposedFinding<'_>) -> bool {
    other.origin == COMPOSITION && other.repeats(finding)
}

/// Adds a finding of the composition itself with its flag and blocker, unless an evaluation has the same one.
fn add<'a>(answer: &mut ExternalAnswer<'a>, finding: ComposedFinding<'a>) {
    if answer.findings.iter().any(|other| other.repeats(&finding)) {
        return;
    }
    answer.flags.extend(finding.flag);
    answer.blockers.extend(finding.blocker.map(|code| Blocker {
        code,
        summary: finding.summary.clone(),
        evidence_ref: finding.evidence_ref.clone().unwrap_or_default(),
        severity: finding.severity,
    }));
    answer.findings.push(finding);
}

fn counted<'f, 'a>(findings: &'f [ComposedFinding<'a>]) -> impl Iterator<Item = &'f ComposedFinding<'a>> {
    findings.iter().filter(|finding| finding.counts())
}

fn most_severe<'f, 'a: 'f>(findings: impl Iterator<Item = &'f ComposedFinding<'a>>) -> Status {
    findings.map(|finding| finding.status).max().unwrap_or(Status::Success)
}

fn by_all_members(left: &Blocker<'_>, right: &Blocker<'_>) -> Ordering {
    let by_code = left.severity.cmp(&right.severity).then_with(|| left.code.cmp(right.code));
    by_code
        .then_with(|| left.evidence_ref.cmp(&right.evidence_ref))
        .then_with(|| left.summary.cmp(&right.summary))
}

/// Unites fix instructions, each part once; `None` if there are none.
fn united<'a>(fixes: Vec<AnswerFixInstructions<'a>>) -> Option<FixInstructions<'a>> {
    if fixes.is_empty() {
        return None;
    }
    let goals = fixes.iter().flat_map(|fix| fix.objective.split(AND)).filter(|goal| !goal.is_empty());
    let objective = order::without_repeats(goals.collect(), Ord::cmp).join(AND);
    let (mut constraints, mut edits, mut verification) = (Vec::new(), Vec::new(), Vec::new());
    for fix in fixes {
        constraints.extend(fix.constraints.into_iter().map(String::from));
        edits.extend(fix.edits.into_iter().map(FixEdit::from));
        verification.extend(fix.verification.into_iter().map(|check| Verification {
            command: check.command,
            expected_signal: check.expected_signal.into(),
        }));
    }
    let mut constraints = order::without_repeats(constraints, Ord::cmp);
    let mut edits = order::without_repeats(edits, Ord::cmp);
    let mut verification = order::without_repeats(verification, Ord::cmp);
    cut(&mut constraints, MAX_COMPOSED, |left| left_out(left, "constraints"));
    cut(&mut edits, MAX_COMPOSED, edits_omitted);
    cut(&mut verification, MAX_COMPOSED, checks_omitted);
    Some(FixInstructions { objective, constraints, edits, verification })
}

/// Returns the loop state, counted as for one evaluation with all findings.
fn loop_state(
    facts: &Facts<'_>,
    findings: &[ComposedFinding<'_>],
    status: Status,
    route: Option<Route>,
) -> LoopState {
    let causes = || counted(findings).filter(|finding| !finding.is_escalation());
    let calls_for_partial = causes().any(|finding| finding.status == Status::Partial);
    let from = most_severe(causes());
    let mut escalations = counted(findings).filter(|finding| finding.is_escalation());
    let raised = escalations.find(|finding| finding.status == status && from != status);
    let codes = RuleCode::ALL.iter().map(|code| code.row().name);
    let reason = raised.and_then(|finding| codes.clone().find(|name| *name == finding.rule));
    let escalation = reason.map(|reason| Escalation { reason, from, to: status });
    let state = LoopState::new(facts, calls_for_partial, status, route, escalation);
    // Another policy may ask the review for its tree.
    let is_stale = counted(findings).any(|finding| {
        finding.rule == RuleCode::StaleEvidence.row().name
            && finding.evidence_ref.as_deref() == Some("/evidence/review")
    });
    LoopState { review_completed: state.review_completed && !is_stale, ..state }
}
