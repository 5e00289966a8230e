//! The second stage of an evaluation: evaluates the conditions of a policy's rules over the facts.
//!
//! It is a stage of its own because it can fail, and rules cannot. `rules/policy_rules.rs` turns verdicts into findings.

use alloc::{string::String, vec::Vec};
use core::ops::Deref;

use adjudicate_lang::{Error, Steps, json::Pointer, logic::Scope as _, order};

use super::{facts::Facts, item_variables::unknown_item_variables, variables::Variables};
use crate::{
    codes,
    documents::{envelope::Envelope, rule::RuleMode},
    policy::{Policy, Rule, Variable},
};

/// A condition of a rule that holds or is unknown.
#[derive(Clone, Debug)]
pub(crate) struct ConditionVerdict {
    /// The index of the rule in the policy.
    pub rule: u32,
    /// If the condition is unknown, the numbers of its unknown variables.
    pub unknown: Option<Vec<u32>>,
    /// If the condition is unknown, its unknown variables in the bodies of iterations.
    pub unknown_of_items: Vec<Variable>,
    /// True if the condition is unknown because of a type error. For enforced rules, that is an error.
    pub fails: bool,
    /// The pointer to the first present part of the envelope that the condition reads, or empty.
    pub evidence_ref: String,
}

/// The facts of an envelope with the verdicts on the policy's conditions: everything that determines a decision.
#[derive(Debug)]
pub struct Judged<'a> {
    facts: Facts<'a>,
    verdicts: Vec<ConditionVerdict>,
}

impl<'a> Judged<'a> {
    /// Builds the facts as [`Facts::new`] does, and evaluates the conditions of the policy's rules under the same budget.
    ///
    /// # Errors
    ///
    /// Those of [`Facts::new`]; [`invalid_expression`](crate::codes::INVALID_EXPRESSION) if the condition of an enforced rule has a
    /// type error.
    pub fn new(envelope: &'a Envelope<'a>, policy: Option<&'a Policy>) -> Result<Self, Error> {
        Self::within(envelope, policy, &mut Steps::default())
    }

    /// As [`Judged::new`], under a budget that the caller shares.
    pub(crate) fn within(
        envelope: &'a Envelope<'a>,
        policy: Option<&'a Policy>,
        steps: &mut Steps,
    ) -> Result<Self, Error> {
        let facts = Facts::within(envelope, policy, steps)?;
        let verdicts = verdicts(&facts, steps).map_err(|error| error.within("policy"))?;
        Ok(Self { facts, verdicts })
    }
}

impl<'a> Deref for Judged<'a> {
    type Target = Facts<'a>;

    fn deref(&self) -> &Facts<'a> {
        &self.facts
    }
}

impl Judged<'_> {
    /// The verdict on the condition of each of the policy's rules, in order; `None` is unknown. It does not depend on `on_unknown`
    /// or on the mode of the rule.
    ///
    /// ```
    /// use adjudicate_core::{Policy, evaluate::{Envelope, Judged}, json};
    /// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
    /// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
    /// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "completed", "exit_codes": {},
    /// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
    /// let policy = Policy::parse(br#"{"policy": "p", "version": "1.0.0", "rules": [
    ///   {"id": "idle", "when": {"var": "facts.diff.empty"}, "then": {"status": "blocked", "summary": "nothing done"}},
    ///   {"id": "claims", "when": {"in": ["fixed", {"var": "facts.claims"}]}, "then": {"status": "blocked", "summary": "s"}}
    /// ]}"#)?;
    /// let tape = json::read(text, json::ReadLimits::DOCUMENT)?;
    /// let envelope = Envelope::from_tape(&tape)?;
    /// let judged = Judged::new(&envelope, Some(&policy))?;
    /// assert_eq!(judged.conditions(), [Some(true), None]);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn conditions(&self) -> Vec<Option<bool>> {
        let mut conditions = alloc::vec![Some(false); self.policy().rules().len()];
        for verdict in self.verdicts() {
            if let Some(condition) = conditions.get_mut(verdict.rule as usize) {
                *condition = verdict.unknown.is_none().then_some(true);
            }
        }
        conditions
    }

    /// The verdicts in the policy's order, without conditions that do not hold.
    pub(crate) fn verdicts(&self) -> &[ConditionVerdict] {
        &self.verdicts
    }

    /// The verdict on the rule with this index; `None` if its condition does not hold.
    pub(crate) fn verdict(&self, place: u32) -> Option<&ConditionVerdict> {
        let at = self.verdicts.binary_search_by(|verdict| verdict.rule.cmp(&place)).ok()?;
        self.verdicts.get(at)
    }
}

/// The verdicts on all rules, in order, without conditions that do not hold.
fn verdicts(facts: &Facts<'_>, steps: &mut Steps) -> Result<Vec<ConditionVerdict>, Error> {
    let rules = facts.policy().rules();
    let mut verdicts = Vec::new();
    if rules.is_empty() {
        return Ok(verdicts);
    }
    let variables = Variables::new(facts, facts.input());
    let candidates = candidates(facts.policy(), &variables, steps).map_err(|error| error.at("/rules"))?;
    for place in candidates {
        let Some(rule) = rules.get(place as usize) else { continue };
        let verdict = verdict(place, rule, &variables, steps).map_err(|error| {
            error.below(&Pointer::new("/rules").index(place as usize).key("when").into_string())
        })?;
        verdicts.extend(verdict);
    }
    Ok(verdicts)
}

/// The rules whose conditions can hold, in order.
pub(crate) fn candidates(
    policy: &Policy,
    variables: &Variables<'_>,
    steps: &mut Steps,
) -> Result<Vec<u32>, Error> {
    let mut candidates = policy.index().scanned().to_vec();
    for group in policy.index().groups() {
        if let Some(value) = variables.numbered(group.variable(), steps)? {
            candidates.extend(group.rules(policy.rules(), value));
        }
    }
    order::sort_by(&mut candidates, Ord::cmp);
    Ok(candidates)
}

fn verdict<'f>(
    place: u32,
    rule: &'f Rule,
    variables: &Variables<'f>,
    steps: &mut Steps,
) -> Result<Option<ConditionVerdict>, Error> {
    let (holds, fails) = match rule.condition().holds(variables, steps) {
        // A failing monitored rule does not affect the decision, but an exceeded budget always is an error.
        Err(error) if rule.mode() == RuleMode::Monitor && error.code() == codes::INVALID_EXPRESSION => {
            (None, true)
        }
        holds => (holds?, false),
    };
    let mut unknown_of_items = Vec::new();
    let unknown = match holds {
        Some(false) => return Ok(None),
        Some(true) => None,
        None => {
            let mut unknown = Vec::new();
            for number in rule.asks() {
                if variables.is_unknown(*number, steps)? {
                    unknown.push(*number);
                }
            }
            unknown_of_items = unknown_item_variables(rule.condition(), variables, steps)?;
            Some(unknown)
        }
    };
    let mut evidence_ref = String::new();
    for number in rule.inputs() {
        if !variables.is_unknown(*number, steps)? {
            evidence_ref = variables.pointer(*number).unwrap_or_default().into();
            break;
        }
    }
    Ok(Some(ConditionVerdict { rule: place, unknown, unknown_of_items, fails, evidence_ref }))
}
