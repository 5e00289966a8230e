//! The built-in rules, as far as facts determine their findings.

use adjudicate_lang::Steps;

use super::{abstract_state::AbstractState, scope::VariableScope, search::judge, subject::Subject};
use crate::{codes::RuleCode, policy::Fact};

/// A built-in rule, with the facts under which it has no finding.
pub(super) struct BuiltIn {
    pub code: RuleCode,
    /// The topics of conditions from which its causes can follow.
    pub topics: &'static [&'static str],
    /// Assumes that the rule has no finding.
    pub quiet: fn(&mut AbstractState<'_>),
}

/// The built-in rules whose causes are facts, most severe first.
pub(super) static BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        code: RuleCode::PolicyViolation,
        topics: &["outcome", "events", "diff"],
        quiet: |state| {
            state.fact(Fact::Outcome).texts.not.push("killed_policy");
            make_empty(state, Fact::EventsViolations);
            make_empty(state, Fact::DiffForbidden);
        },
    },
    BuiltIn {
        code: RuleCode::ReportMismatch,
        topics: &["contradictions"],
        quiet: |state| no_contradiction(state, "report_mismatch"),
    },
    BuiltIn {
        code: RuleCode::ErrorButChanged,
        topics: &["contradictions"],
        quiet: |state| no_contradiction(state, "error_but_changed"),
    },
    BuiltIn {
        code: RuleCode::Goldens,
        topics: &["harness"],
        quiet: |state| make_empty(state, Fact::HarnessGoldens),
    },
    BuiltIn {
        code: RuleCode::Approval,
        topics: &["approvals"],
        quiet: |state| make_empty(state, Fact::ApprovalsMissing),
    },
    BuiltIn {
        code: RuleCode::UnknownEvidence,
        topics: &["diff"],
        quiet: |state| {
            for fact in [Fact::DiffForbidden, Fact::DiffProtected] {
                if !state.has_paths(fact) {
                    continue;
                }
                let opaque = state.fact(Fact::DiffOpaque);
                opaque.be(false);
                opaque.settle();
                // The rule reports paths that a pattern cannot decide.
                state.fact(fact).unknown = false;
            }
        },
    },
    BuiltIn {
        code: RuleCode::MissingArtifact,
        topics: &["artifacts", "contradictions"],
        quiet: |state| make_empty(state, Fact::ArtifactsMissing),
    },
    BuiltIn {
        code: RuleCode::UnsupportedClaim,
        topics: &["contradictions"],
        quiet: |state| no_contradiction(state, "unsupported_claim"),
    },
];

impl BuiltIn {
    /// Returns true if this rule always has a more severe finding whenever a rule of the policy fires.
    pub(super) fn overrules(&self, subject: &Subject<'_>, steps: &mut Steps) -> bool {
        if self.code.row().status <= subject.rule.status() {
            return false;
        }
        let mut start = AbstractState::new(VariableScope::Policy(subject.checked));
        (self.quiet)(&mut start);
        judge(start, &[subject.fires()], steps).is_never()
    }
}

/// Assumes that a list is empty if it is known.
fn make_empty(state: &mut AbstractState<'_>, fact: Fact) {
    let domain = state.fact(fact);
    domain.list.length.be_zero();
    domain.settle();
}

fn no_contradiction(state: &mut AbstractState<'_>, rule: &'static str) {
    let domain = state.fact(Fact::Contradictions);
    domain.list.lacks.push(rule);
    domain.settle();
}
