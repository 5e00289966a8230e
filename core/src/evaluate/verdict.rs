//! What the conditions of a policy's rules come to.
//!
//! They are evaluated with the facts, for this can fail and rules cannot; what a verdict means for the decision is said
//! in `rules/policy_rules.rs`.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{Node, Pointer},
    logic::Scope as _,
    order,
};

use super::{facts::Facts, variables::Variables};
use crate::{
    codes,
    policy::{Policy, Rule, RuleMode},
};

/// That the condition of a rule holds, or that it is unknown.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// The place of the rule in the policy.
    pub rule: u32,
    /// If the condition is unknown, which of its variables are, by number.
    pub unknown: Option<Vec<u32>>,
    /// Whether the condition is unknown because it met a type that it does not take. Of enforced rules that is an error.
    pub fails: bool,
    /// The first part of the envelope that the condition asks for and that is there; else empty.
    pub evidence_ref: String,
}

impl Facts<'_> {
    /// What the condition of each of the policy's rules comes to, in the policy's order; `None` is unknown. What follows
    /// from an unknown condition, and whether the rule is only monitored, does not matter here.
    ///
    /// ```
    /// use adjudicate_core::{Policy, evaluate::{Envelope, Facts}, json};
    /// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
    /// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
    /// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "completed", "exit_codes": {},
    /// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
    /// let policy = Policy::parse(br#"{"policy": "p", "version": "1.0.0", "rules": [
    ///   {"id": "idle", "when": {"var": "facts.diff.empty"}, "then": {"status": "blocked", "summary": "nothing done"}},
    ///   {"id": "claims", "when": {"in": ["fixed", {"var": "facts.claims"}]}, "then": {"status": "blocked", "summary": "s"}}
    /// ]}"#)?;
    /// let tape = json::read(text, json::Limits::DOCUMENT)?;
    /// let envelope = Envelope::from_tape(&tape)?;
    /// let facts = Facts::new(&envelope, tape.root(), Some(&policy))?;
    /// assert_eq!(facts.conditions(), [Some(true), None]);
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
}

/// The verdicts on all rules, in the policy's order, those whose conditions do not hold left out.
pub(super) fn verdicts<'f>(
    facts: &'f Facts<'f>,
    input: Node<'f>,
    steps: &mut Steps,
) -> Result<Vec<Verdict>, Error> {
    let rules = facts.policy().rules();
    let mut verdicts = Vec::new();
    if rules.is_empty() {
        return Ok(verdicts);
    }
    let variables = Variables::new(facts, input);
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

/// The rules that are worth evaluating, in the policy's order.
pub(crate) fn candidates(
    policy: &Policy,
    variables: &Variables<'_>,
    steps: &mut Steps,
) -> Result<Vec<u32>, Error> {
    let mut candidates = policy.index().scanned().to_vec();
    for guard in policy.index().guards() {
        if let Some(value) = variables.numbered(guard.variable(), steps)? {
            candidates.extend(guard.rules(policy.rules(), value));
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
) -> Result<Option<Verdict>, Error> {
    let (holds, fails) = match rule.condition().holds(variables, steps) {
        // What is only watched leaves the decision alone, even when it fails; budgets are everybody's.
        Err(error) if rule.mode() == RuleMode::Monitor && error.code() == codes::INVALID_EXPRESSION => {
            (None, true)
        }
        holds => (holds?, false),
    };
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
    Ok(Some(Verdict { rule: place, unknown, fails, evidence_ref }))
}
