//! The answer: decision, findings and loop state (docs/reference/rules.md).

use alloc::{borrow::Cow, vec::Vec};

use adjudicate_lang::{json::compare_pointers, order};

use super::{
    collected::CollectedFindings,
    events::{EventClass, classify},
    facts::Facts,
    finding::{calls_for_partial, most_severe},
    fix::fix_instructions,
    next_step::next_step,
    progress::{consecutive_partials, refinements},
};
use crate::{
    bounds::{MAX_LISTED, left_out},
    codes::Status,
    documents::{
        evaluation::{Blocker, Decision, Escalation, Evaluation, LoopState, RefinementState, Route},
        finding::Finding,
        policy::Profile,
        role::Role,
    },
};

/// The flag of a warning event, which has no finding.
const POLICY_WARNING: &str = "policy_warning";

/// Derives the evaluation from the findings that count; monitored findings are only listed.
pub(super) fn decide<'a>(facts: &'a Facts<'a>, found: CollectedFindings<'a>) -> Evaluation<'a> {
    let (decision, route) = decision(facts, &found);
    let status = decision.status;
    let unlisted = found.unlisted().count();
    let CollectedFindings { mut findings, monitored, .. } = found;
    let escalation = escalation(&findings, status);
    let calls_for_partial = calls_for_partial(&findings);
    let loop_state = LoopState::new(facts, calls_for_partial, status, route, escalation);
    let cause = findings.iter().find(|finding| finding.status == status).map(|finding| finding.rule);
    let raising = findings.iter().filter(|finding| finding.raises_blocker());
    let codes = raising.filter_map(|finding| finding.blocker).collect();
    let blocker_codes = order::without_repeats(codes, Ord::cmp);
    if !monitored.is_empty() {
        findings.extend(monitored);
        order::sort_by(&mut findings, |left, right| left.origin.cmp(&right.origin));
    }
    let omitted = (findings.len() + unlisted).saturating_sub(MAX_LISTED);
    if omitted > 0 {
        findings.truncate(MAX_LISTED);
        findings.push(Finding::omitted(omitted as u64, status));
    }
    Evaluation {
        decision,
        findings,
        loop_state,
        policy: facts.policy_name(),
        known_failures: facts.known_failures().take(MAX_LISTED).collect(),
        omitted,
        cause,
        blocker_codes,
    }
}

/// The decision that follows from the findings, and the route of its next step.
pub(super) fn decision<'a>(
    facts: &'a Facts<'a>,
    found: &CollectedFindings<'a>,
) -> (Decision<'a>, Option<Route>) {
    let status = found.status();
    let next = next_step(facts, status);
    let decision = Decision {
        status,
        next_step: next.map(|(step, _)| step),
        fix_instructions: fix_instructions(facts, found),
        blockers: blockers(found),
        risk_flags: risk_flags(facts, &found.findings),
    };
    (decision, next.map(|(_, route)| route))
}

/// One blocker for each finding that raises one: most severe first, then by code, then by evidence.
fn blockers<'a>(found: &CollectedFindings<'a>) -> Vec<Blocker<'a>> {
    let raising = found.findings.iter().filter(|finding| finding.raises_blocker());
    let mut blockers: Vec<Blocker<'a>> = raising
        .filter_map(|finding| {
            Some(Blocker {
                code: finding.blocker?,
                summary: finding.summary.clone().into(),
                evidence_ref: finding.evidence_ref.clone().into(),
                severity: finding.severity,
            })
        })
        .collect();
    sort_blockers(&mut blockers);
    let unlisted = found.unlisted().filter(|finding| finding.raises_blocker).count();
    cut_blockers(&mut blockers, unlisted);
    blockers
}

/// The code of the blocker for those that are left out.
const BLOCKERS_OMITTED: &str = "blockers_omitted";

/// Cuts sorted blockers; `unlisted` more were left out before.
pub(super) fn cut_blockers(blockers: &mut Vec<Blocker<'_>>, unlisted: usize) {
    // An `omitted` entry of a composed answer adds its own number.
    let omissions: Vec<_> = blockers.extract_if(.., |one| one.code == BLOCKERS_OMITTED).collect();
    let most_severe_left = blockers.get(MAX_LISTED).or(blockers.last()).map(|blocker| blocker.severity);
    let beyond_listed = blockers.len().saturating_sub(MAX_LISTED) + unlisted;
    blockers.truncate(MAX_LISTED);
    blockers.extend(omissions);
    if let Some(severity) = most_severe_left.filter(|_| beyond_listed > 0) {
        blockers.push(Blocker {
            code: BLOCKERS_OMITTED,
            summary: left_out(beyond_listed, "blockers").into(),
            evidence_ref: Cow::Borrowed(""),
            severity,
        });
    }
}

/// Sorts blockers: most severe first, then by code, then by evidence.
pub(super) fn sort_blockers(blockers: &mut Vec<Blocker<'_>>) {
    // Stable: equal blockers keep the order of the findings.
    order::sort_by(blockers, |left, right| {
        let by_severity = right.severity.cmp(&left.severity);
        by_severity
            .then_with(|| left.code.cmp(right.code))
            .then_with(|| compare_pointers(&left.evidence_ref, &right.evidence_ref))
    });
}

/// The flags of the findings and of warning events, sorted, none twice.
fn risk_flags<'a>(facts: &Facts<'a>, findings: &[Finding<'a>]) -> Vec<&'a str> {
    let mut events = facts.evidence().policy_events.iter();
    let is_warned = events.any(|event| classify(event) == EventClass::Warning);
    let warning = is_warned.then_some(POLICY_WARNING);
    order::names(findings.iter().filter_map(|finding| finding.flag).chain(warning)).into_iter().collect()
}

impl LoopState {
    /// The state after a decision of this status and route. `calls_for_partial` is true if a finding other than an escalation
    /// calls for `partial`.
    pub(super) fn new(
        facts: &Facts<'_>,
        calls_for_partial: bool,
        status: Status,
        route: Option<Route>,
        escalation: Option<Escalation>,
    ) -> Self {
        let (spent, cap) = refinements(facts);
        let goes_to_fix = status == Status::Partial && route.is_some_and(|route| route.role == Role::Fix);
        let mut refinement = RefinementState { cap, spent, requested: false };
        refinement.requested = goes_to_fix && !refinement.is_spent(facts.policy().profile());
        Self {
            consecutive_partials: consecutive_partials(facts, calls_for_partial),
            review_completed: facts.has_review(),
            refinement,
            escalation,
            route,
        }
    }
}

impl RefinementState {
    /// Returns true if the loop is bounded and no refinement is left.
    pub(crate) fn is_spent(self, profile: Profile) -> bool {
        profile == Profile::Oa06_1 && self.spent >= self.cap
    }
}

/// The first of the most severe escalations, if the status would differ without them.
fn escalation(findings: &[Finding<'_>], status: Status) -> Option<Escalation> {
    let from = most_severe(findings.iter().filter(|finding| !finding.is_escalation()));
    let mut escalations = findings.iter().filter(|finding| finding.is_escalation());
    let reason = escalations.find(|finding| finding.status == status)?.code()?.row().name;
    (from != status).then_some(Escalation { reason, from, to: status })
}
