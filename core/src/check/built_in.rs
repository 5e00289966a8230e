//! The built-in rules, as far as facts say when they find something.

use alloc::vec::Vec;

use adjudicate_lang::Steps;

use super::{
    domain::only,
    env::{Conflict, Env},
    rules::Subject,
    search::{Answer, search},
    world::World,
};
use crate::{codes::RuleCode, policy::Fact};

/// A built-in rule and what makes it quiet, as far as facts say.
pub(super) struct BuiltIn {
    pub code: RuleCode,
    /// The topics of conditions that its causes can follow from.
    pub topics: &'static [&'static str],
    /// Assumes that it finds nothing.
    pub quiet: fn(&mut Env<'_>),
}

/// The built-in rules whose causes are facts, gravest first.
pub(super) static BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        code: RuleCode::PolicyViolation,
        topics: &["outcome", "events", "diff"],
        quiet: |env| {
            env.fact(Fact::Outcome).texts.not.push("killed_policy");
            nothing_in(env, Fact::EventsViolations);
            nothing_in(env, Fact::DiffForbidden);
        },
    },
    BuiltIn {
        code: RuleCode::ReportMismatch,
        topics: &["contradictions"],
        quiet: |env| no_contradiction(env, "report_mismatch"),
    },
    BuiltIn {
        code: RuleCode::ErrorButChanged,
        topics: &["contradictions"],
        quiet: |env| no_contradiction(env, "error_but_changed"),
    },
    BuiltIn {
        code: RuleCode::Goldens,
        topics: &["harness"],
        quiet: |env| nothing_in(env, Fact::HarnessGoldens),
    },
    BuiltIn {
        code: RuleCode::Approval,
        topics: &["approvals"],
        quiet: |env| nothing_in(env, Fact::ApprovalsMissing),
    },
    BuiltIn {
        code: RuleCode::UnknownEvidence,
        topics: &["diff"],
        quiet: |env| {
            for fact in [Fact::DiffForbidden, Fact::DiffProtected] {
                if !env.has_paths(fact) {
                    continue;
                }
                let opaque = env.fact(Fact::DiffOpaque);
                opaque.truths = only(opaque.truths, false);
                opaque.settle();
                // It speaks up where a pattern cannot tell.
                env.fact(fact).unknown = false;
            }
        },
    },
    BuiltIn {
        code: RuleCode::MissingArtifact,
        topics: &["artifacts", "contradictions"],
        quiet: |env| nothing_in(env, Fact::ArtifactsMissing),
    },
    BuiltIn {
        code: RuleCode::UnsupportedClaim,
        topics: &["contradictions"],
        quiet: |env| no_contradiction(env, "unsupported_claim"),
    },
    BuiltIn {
        code: RuleCode::HardFailure,
        topics: &["validators"],
        quiet: |env| nothing_in(env, Fact::ValidatorsMissing),
    },
];

impl BuiltIn {
    /// Whether this rule always finds something more severe where a rule of the policy fires.
    pub(super) fn overrules(&self, subject: &Subject<'_>, steps: &mut Steps) -> bool {
        if self.code.row().status <= subject.rule.status() {
            return false;
        }
        let mut start = Env::new(World::Policy(subject.policy));
        (self.quiet)(&mut start);
        let answer = search(start, Vec::from([subject.fires()]), steps, &mut |_| true);
        matches!(answer, Answer::Impossible(Conflict::Values | Conflict::Absent))
    }
}

/// Where a list is known, it is empty.
fn nothing_in(env: &mut Env<'_>, fact: Fact) {
    let domain = env.fact(fact);
    domain.list.length.be_zero();
    domain.settle();
}

fn no_contradiction(env: &mut Env<'_>, rule: &'static str) {
    let domain = env.fact(Fact::Contradictions);
    domain.list.lacks.push(rule);
    domain.settle();
}
