//! A rule under check.

use alloc::string::String;

use adjudicate_lang::{Steps, json::Pointer};

use super::{
    abstract_state::AbstractState,
    expected_truth::{ExpectedCondition, ExpectedTruth},
    inputs::Checked,
    scope::VariableScope,
    search::find,
    verifier::Verifier,
};
use crate::{
    documents::{
        check_code::CheckCode,
        check_finding::{CheckFinding, Witness},
        rule::{OnUnknown, RuleMode},
    },
    policy::{Policy, Rule},
};

/// The budget of all searches for one rule, and for all rules.
const STEPS_OF_RULE: u64 = 4_000_000;
const STEPS_OF_ALL: u64 = 2_000_000_000;

/// The budget of each rule: equal shares, so that the order of rules does not matter.
pub(super) fn share(policy: &Policy) -> Steps {
    let rules = policy.rules().len().max(1) as u64;
    Steps::new(STEPS_OF_RULE.min(STEPS_OF_ALL / rules))
}

pub(super) struct Subject<'p> {
    pub checked: Checked<'p>,
    pub rule: &'p Rule,
    pub place: usize,
}

impl<'p> Subject<'p> {
    pub(super) fn new(checked: Checked<'p>, place: usize, rule: &'p Rule) -> Self {
        Self { checked, rule, place }
    }

    /// The pointer to a field of the rule.
    pub(super) fn path(&self, member: &str) -> String {
        Pointer::new("/rules").index(self.place).into_string() + member
    }

    /// The truth value of the condition with which the rule fires.
    pub(super) fn fires(&self) -> ExpectedCondition<'p> {
        let expected = if self.rule.on_unknown() == OnUnknown::Fire {
            ExpectedTruth::NotFalse
        } else {
            ExpectedTruth::True
        };
        (self.rule.condition().root(), expected)
    }

    /// The truth value of the condition with which the rule has no finding. An error of the evaluation counts as neither.
    pub(super) fn is_quiet(&self) -> ExpectedCondition<'p> {
        let expected = if self.rule.on_unknown() == OnUnknown::Fire {
            ExpectedTruth::False
        } else {
            ExpectedTruth::NotTrue
        };
        (self.rule.condition().root(), expected)
    }

    /// Returns true for a monitored rule with possible type errors: it then reports the error instead of a finding.
    pub(super) fn reports_type_errors(&self) -> bool {
        let scope = VariableScope::Policy(self.checked);
        self.rule.mode() == RuleMode::Monitor && scope.may_have_type_error(self.rule.condition().root())
    }

    pub(super) fn scope(&self) -> AbstractState<'p> {
        AbstractState::new(VariableScope::Policy(self.checked))
    }

    pub(super) fn finding(&self, code: CheckCode, member: &str, message: String) -> CheckFinding {
        CheckFinding::new(code, self.path(member), message).about(self.rule.id())
    }

    /// An envelope in which the rule fires, and for which `shows` holds.
    pub(super) fn fired(
        &self,
        verifier: &mut Verifier<'p>,
        steps: &mut Steps,
        shows: &dyn Fn(&Witness) -> bool,
    ) -> Option<Witness> {
        self.show(&[self.fires()], verifier, steps, &|witness| witness.has(self.rule.id()) && shows(witness))
    }

    /// An envelope that meets the goals, and for which `shows` holds.
    #[inline(never)]
    pub(super) fn show(
        &self,
        goals: &[ExpectedCondition<'p>],
        verifier: &mut Verifier<'p>,
        steps: &mut Steps,
        shows: &dyn Fn(&Witness) -> bool,
    ) -> Option<Witness> {
        find(self.scope(), goals, steps, &mut |state| {
            verifier.drafted(state).filter(|witness| shows(witness))
        })
    }
}
