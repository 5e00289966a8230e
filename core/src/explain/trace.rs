//! The full trace: every rule, its verdict, and what it looked at.

use alloc::{borrow::Cow, vec::Vec};
use core::iter;

use adjudicate_lang::Steps;
use serde::{Deserialize, Serialize};

use super::{
    built_in::BUILT_IN,
    shown::{Input, Inputs},
};
use crate::{
    codes::RuleCode,
    evaluate::{Evaluation, Facts, candidates},
    policy::{OnUnknown, Root, Rule, RuleMode},
};

/// What looking up all inputs may take.
const BUDGET: u64 = Steps::DEFAULT / 10;

/// Every rule of an evaluation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Trace<'a> {
    /// What the rules looked at, each once: what the built-in rules look at, then what the policy's conditions ask for.
    pub inputs: Vec<Input<'a>>,
    /// The built-in rules in the order of their table, then the policy's in its order.
    pub rules: Vec<TracedRule<'a>>,
}

/// What one rule came to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct TracedRule<'a> {
    /// The rule's name.
    pub rule: &'a str,
    /// What it came to.
    pub verdict: RuleResult,
    /// The places of its findings in the list of findings.
    pub findings: Vec<usize>,
    /// The places of what it looks at in `inputs`; of a built-in rule they are always the same.
    #[cfg_attr(feature = "typescript", tsify(type = "number[]"))]
    pub inputs: Cow<'static, [usize]>,
    /// `monitor` for a rule that is only watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<RuleMode>,
}

/// What a rule came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum RuleResult {
    /// It found something.
    Fired,
    /// It looked and found nothing.
    Quiet,
    /// Its condition cannot be decided; what follows is its `on_unknown`.
    Unknown,
    /// It was not looked at: what its condition begins with is known not to hold.
    Skipped,
}

/// Traces an evaluation, which must be that of the same facts.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Facts, evaluate}, explain::{RuleResult, trace}, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "judge", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "killed_policy", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::Limits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Facts::new(&envelope, tape.root(), None)?;
/// let evaluation = evaluate(&facts);
/// let trace = trace(&facts, &evaluation);
/// assert_eq!((trace.rules[0].rule, trace.rules[0].verdict), ("policy_violation", RuleResult::Fired));
/// assert_eq!(trace.inputs[trace.rules[0].inputs[1]].variable, "facts.outcome");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn trace<'a>(facts: &'a Facts<'a>, evaluation: &Evaluation<'a>) -> Trace<'a> {
    let policy = facts.policy();
    let mut recorder = Recorder::new(facts);
    // The findings are in the order of the rules.
    let mut findings = evaluation.findings.iter().enumerate().peekable();
    let mut rules = Vec::with_capacity(RuleCode::ALL.len() + policy.rules().len());
    for code in RuleCode::ALL {
        let of_rule = iter::from_fn(|| findings.next_if(|(_, finding)| finding.code() == Some(*code)));
        let findings: Vec<usize> = of_rule.map(|(at, _)| at).collect();
        let verdict = if findings.is_empty() { RuleResult::Quiet } else { RuleResult::Fired };
        let inputs = BUILT_IN.places(*code).into();
        rules.push(TracedRule { rule: code.row().name, verdict, findings, inputs, mode: None });
    }
    if !policy.rules().is_empty() {
        // What could be evaluated once can be looked up again.
        let looked_at =
            candidates(policy, recorder.inputs.scope(), &mut Steps::default()).unwrap_or_default();
        let mut looked_at = looked_at.into_iter().peekable();
        for (place, rule) in (0..).zip(policy.rules()) {
            let of_rule = iter::from_fn(|| findings.next_if(|(_, finding)| finding.place() == Some(place)));
            let findings = of_rule.map(|(at, _)| at).collect();
            let verdict = verdict(facts, place, rule, looked_at.next_if_eq(&place).is_some());
            let mut inputs = Vec::with_capacity(rule.variables().len());
            inputs.extend(rule.variables().iter().filter_map(|number| recorder.numbered(*number)));
            let mode = (rule.mode() == RuleMode::Monitor).then_some(RuleMode::Monitor);
            rules.push(TracedRule { rule: rule.id(), verdict, findings, inputs: inputs.into(), mode });
        }
    }
    Trace { inputs: recorder.recorded, rules }
}

fn verdict(facts: &Facts<'_>, place: u32, rule: &Rule, is_looked_at: bool) -> RuleResult {
    match facts.verdict(place) {
        Some(verdict) if verdict.unknown.is_none() => RuleResult::Fired,
        Some(verdict) if !verdict.fails && rule.on_unknown() == OnUnknown::Fire => RuleResult::Fired,
        Some(_) => RuleResult::Unknown,
        None if is_looked_at => RuleResult::Quiet,
        None => RuleResult::Skipped,
    }
}

/// Records what rules look at, each variable once.
struct Recorder<'a> {
    facts: &'a Facts<'a>,
    inputs: Inputs<'a>,
    recorded: Vec<Input<'a>>,
    /// The places of the variables of the policy, by number.
    variables: Vec<Option<usize>>,
    steps: Steps,
}

impl<'a> Recorder<'a> {
    /// What the built-in rules look at is recorded first.
    fn new(facts: &'a Facts<'a>) -> Self {
        let mut variables = Vec::new();
        variables.resize(facts.policy().variables().len(), None);
        let inputs = Inputs::new(facts);
        let mut steps = Steps::new(BUDGET);
        let mut recorded = Vec::with_capacity(BUILT_IN.inputs().len() + variables.len());
        recorded.extend(BUILT_IN.inputs().iter().map(|root| inputs.whole(*root, &mut steps)));
        Self { facts, inputs, recorded, variables, steps }
    }

    /// The place of a variable of the policy among what is recorded.
    fn numbered(&mut self, number: u32) -> Option<usize> {
        let known = self.variables.get_mut(number as usize)?;
        if known.is_none() {
            let variable = self.facts.policy().variables().get(number as usize)?;
            *known = BUILT_IN.place(variable).or_else(|| {
                let input = match variable.root() {
                    root @ (Root::Fact(_) | Root::Parameter(_)) if variable.rest().is_empty() => {
                        self.inputs.whole(root, &mut self.steps)
                    }
                    _ => self.inputs.numbered(number, variable, &mut self.steps),
                };
                self.recorded.push(input);
                Some(self.recorded.len() - 1)
            });
        }
        *known
    }
}
