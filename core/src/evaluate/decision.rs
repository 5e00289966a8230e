//! The answer: decision, findings and loop state (OA06 section 3, SPEC section 3.6).

use alloc::{borrow::Cow, vec::Vec};

use adjudicate_lang::{json::compare_pointers, order};
use serde::Serialize;

use super::{
    events::{EventClass, classify},
    facts::Facts,
    finding::{Finding, calls_for_partial, most_severe},
    fix::{FixInstructions, fix_instructions},
    found::Found,
    progress::{consecutive_partials, refinements},
    route::{Route, next_step},
};
use crate::{
    bounds::{MAX_LISTED, left_out},
    codes::{Severity, Status},
    policy::{Profile, Role},
};

/// The flag of a warning event, which has no finding.
const POLICY_WARNING: &str = "policy_warning";

/// The complete answer of `evaluate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Evaluation<'a> {
    /// What the kernel acts on.
    pub decision: Decision<'a>,
    /// The reasons. Where there are more than 10,000, a further finding of the rule `findings_omitted` has in `count` how many are left
    /// out.
    pub findings: Vec<Finding<'a>>,
    /// Where the run stands in its loop.
    #[serde(rename = "loop")]
    pub loop_state: LoopState,
    /// The policy that was given, or null.
    pub policy: Option<PolicyName<'a>>,
    /// How many findings are left out.
    #[serde(skip)]
    pub(crate) omitted: usize,
    /// The rule of the first of the most severe findings, whether it is listed or not.
    #[serde(skip)]
    pub(crate) cause: Option<&'a str>,
    /// The codes of all findings that raise a blocker, each once, in the order of findings.
    #[serde(skip)]
    pub(crate) blocker_codes: Vec<&'a str>,
}

/// The decision, exactly as OA06 section 3 has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Decision<'a> {
    /// What the evidence comes to.
    pub status: Status,
    /// The step to take, one of the allowed ones, or null.
    pub next_step: Option<&'a str>,
    /// What to fix, where a fix is called for.
    pub fix_instructions: Option<FixInstructions<'a>>,
    /// The obstacles, most severe first. Where there are more than 10,000, a further one with the code `blockers_omitted` says how many
    /// are left out.
    pub blockers: Vec<Blocker<'a>>,
    /// The flags raised, sorted, none twice.
    pub risk_flags: Vec<&'a str>,
}

/// Something that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Blocker<'a> {
    /// A stable code.
    pub code: &'a str,
    /// What it is, in one line.
    pub summary: Cow<'a, str>,
    /// JSON Pointer into the envelope.
    pub evidence_ref: Cow<'a, str>,
    /// How grave it is.
    pub severity: Severity,
}

/// Where the run stands in its loop (OA06.1 section 6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct LoopState {
    /// How many results in a row call for a fix, this one included.
    pub consecutive_partials: u64,
    /// Whether the evidence holds a review.
    pub review_completed: bool,
    /// The refinements.
    pub refinement: RefinementState,
    /// What raised the status, if looking back at earlier results did.
    pub escalation: Option<Escalation>,
    /// How the next step was classified; null without a next step.
    pub route: Option<Route>,
}

/// Refinements allowed, spent and asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct RefinementState {
    /// How many are allowed.
    pub cap: u64,
    /// How many were made.
    pub spent: u64,
    /// Whether the decision asks for another.
    pub requested: bool,
}

/// A status raised by looking back at earlier results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Escalation {
    /// The rule that raised it.
    pub reason: &'static str,
    /// The status without it.
    pub from: Status,
    /// The status with it.
    pub to: Status,
}

/// A policy's name and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct PolicyName<'a> {
    /// The name.
    pub name: &'a str,
    /// The version.
    pub version: &'a str,
}

/// Draws the decision from the findings that count; the monitored ones only join the list.
pub(super) fn decide<'a>(facts: &'a Facts<'a>, found: Found<'a>) -> Evaluation<'a> {
    let (decision, route) = decision(facts, &found);
    let status = decision.status;
    let beyond = found.beyond().count();
    let Found { mut findings, monitored, .. } = found;
    let escalation = escalation(&findings, status);
    let calls_for_partial = calls_for_partial(&findings);
    let loop_state = LoopState::of(facts, calls_for_partial, status, route, escalation);
    let cause = findings.iter().find(|finding| finding.status == status).map(|finding| finding.rule);
    let raising = findings.iter().filter(|finding| finding.raises_blocker());
    let codes = raising.filter_map(|finding| finding.blocker).collect();
    let blocker_codes = order::without_repeats(codes, Ord::cmp);
    if !monitored.is_empty() {
        findings.extend(monitored);
        order::sort_by(&mut findings, |left, right| left.origin.cmp(&right.origin));
    }
    let omitted = (findings.len() + beyond).saturating_sub(MAX_LISTED);
    if omitted > 0 {
        findings.truncate(MAX_LISTED);
        findings.push(Finding::omitted(omitted as u64, status));
    }
    Evaluation { decision, findings, loop_state, policy: facts.policy_name(), omitted, cause, blocker_codes }
}

/// The decision that findings come to, and the route of its next step.
pub(super) fn decision<'a>(facts: &'a Facts<'a>, found: &Found<'a>) -> (Decision<'a>, Option<Route>) {
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

/// One blocker per finding that raises one: gravest first, then by code, then by where the evidence is.
fn blockers<'a>(found: &Found<'a>) -> Vec<Blocker<'a>> {
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
    let beyond = found.beyond().filter(|finding| finding.raises_blocker).count();
    cut_blockers(&mut blockers, beyond);
    blockers
}

/// The code of the blocker that stands for those that are left out.
const BLOCKERS_OMITTED: &str = "blockers_omitted";

/// Cuts sorted blockers; `beyond` more were left out before.
pub(super) fn cut_blockers(blockers: &mut Vec<Blocker<'_>>, beyond: usize) {
    // What an answer that is composed left out stays said.
    let (said, listed) = core::mem::take(blockers).into_iter().partition(|one| one.code == BLOCKERS_OMITTED);
    *blockers = listed;
    let most_severe_left = blockers.get(MAX_LISTED).or(blockers.last()).map(|blocker| blocker.severity);
    let beyond_listed = blockers.len().saturating_sub(MAX_LISTED) + beyond;
    blockers.truncate(MAX_LISTED);
    blockers.extend::<Vec<Blocker<'_>>>(said);
    if let Some(severity) = most_severe_left.filter(|_| beyond_listed > 0) {
        blockers.push(Blocker {
            code: BLOCKERS_OMITTED,
            summary: left_out(beyond_listed, "blockers").into(),
            evidence_ref: Cow::Borrowed(""),
            severity,
        });
    }
}

/// Sorts blockers: gravest first, then by code, then by where the evidence is.
pub(super) fn sort_blockers(blockers: &mut Vec<Blocker<'_>>) {
    // Stable: where all three are equal, the order of the findings stands.
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
    /// Where a run stands after a decision of this status and route. `calls_for_partial` tells whether a finding other
    /// than an escalation calls for `partial`.
    pub(super) fn of(
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
            review_completed: facts.evidence().review.is_some(),
            refinement,
            escalation,
            route,
        }
    }
}

impl RefinementState {
    /// Whether the loop is bounded and has no refinement left.
    pub(crate) fn is_spent(self, profile: Profile) -> bool {
        profile == Profile::Oa06_1 && self.spent >= self.cap
    }
}

/// The first of the most severe escalations, if the status would be another without them.
fn escalation(findings: &[Finding<'_>], status: Status) -> Option<Escalation> {
    let from = most_severe(findings.iter().filter(|finding| !finding.is_escalation()));
    let mut escalations = findings.iter().filter(|finding| finding.is_escalation());
    let reason = escalations.find(|finding| finding.status == status)?.code()?.row().name;
    (from != status).then_some(Escalation { reason, from, to: status })
}
