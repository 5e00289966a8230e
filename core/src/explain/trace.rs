//! The full trace: every rule, its result, and its inputs.

use alloc::vec::Vec;
use core::iter;

use adjudicate_lang::Steps;

use super::{inputs::inputs_of, shown::VariableLookup};
use crate::{
    codes::RuleCode,
    documents::{
        evaluation::Evaluation,
        explanation::{Input, RuleResult, Trace, TracedRule},
        rule::{OnUnknown, RuleMode},
    },
    evaluate::{Judged, candidates},
    policy::{Root, Rule},
};

/// The budget for looking up all inputs.
const BUDGET: u64 = Steps::DEFAULT / 10;

/// Traces an evaluation, which must be that of the same facts.
///
/// ```
/// use adjudicate_core::{evaluate::{Envelope, Judged, evaluate}, explain::{RuleResult, trace}, json};
/// # let text = br#"{"run_id": "r", "workflow_id": "w", "step_id": "judge", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": [], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "killed_policy", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let tape = json::read(text, json::ReadLimits::DOCUMENT)?;
/// let envelope = Envelope::from_tape(&tape)?;
/// let facts = Judged::new(&envelope, None)?;
/// let evaluation = evaluate(&facts);
/// let trace = trace(&facts, &evaluation);
/// assert_eq!((trace.rules[0].rule, trace.rules[0].verdict), ("policy_violation", RuleResult::Fired));
/// assert_eq!(trace.inputs[trace.rules[0].inputs[1]].variable, "facts.outcome");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn trace<'a>(facts: &'a Judged<'a>, evaluation: &Evaluation<'a>) -> Trace<'a> {
    let policy = facts.policy();
    let mut recorder = Recorder::new(facts);
    // Findings are in the order of the rules.
    let mut findings = evaluation.findings.iter().enumerate().peekable();
    let mut rules = Vec::with_capacity(RuleCode::ALL.len() + policy.rules().len());
    for code in RuleCode::ALL {
        let of_rule = iter::from_fn(|| findings.next_if(|(_, finding)| finding.code() == Some(*code)));
        let findings: Vec<usize> = of_rule.map(|(at, _)| at).collect();
        let verdict = if findings.is_empty() { RuleResult::Quiet } else { RuleResult::Fired };
        let inputs = inputs_of(*code).iter().map(|root| recorder.whole(*root)).collect();
        rules.push(TracedRule { rule: code.row().name, verdict, findings, inputs, mode: None });
    }
    if !policy.rules().is_empty() {
        // This succeeded during the evaluation, so it succeeds again.
        let looked_at =
            candidates(policy, &recorder.lookup.variables, &mut Steps::default()).unwrap_or_default();
        let mut looked_at = looked_at.into_iter().peekable();
        for (place, rule) in (0..).zip(policy.rules()) {
            let of_rule = iter::from_fn(|| findings.next_if(|(_, finding)| finding.place() == Some(place)));
            let findings = of_rule.map(|(at, _)| at).collect();
            let verdict = verdict(facts, place, rule, looked_at.next_if_eq(&place).is_some());
            let inputs = rule.variables().iter().filter_map(|number| recorder.numbered(*number)).collect();
            let mode = (rule.mode() == RuleMode::Monitor).then_some(RuleMode::Monitor);
            rules.push(TracedRule { rule: rule.id(), verdict, findings, inputs, mode });
        }
    }
    Trace { inputs: recorder.recorded, rules }
}

fn verdict(facts: &Judged<'_>, place: u32, rule: &Rule, is_looked_at: bool) -> RuleResult {
    match facts.verdict(place) {
        Some(verdict) if verdict.unknown.is_none() => RuleResult::Fired,
        Some(verdict) if !verdict.fails && rule.on_unknown() == OnUnknown::Fire => RuleResult::Fired,
        Some(_) => RuleResult::Unknown,
        None if is_looked_at => RuleResult::Quiet,
        None => RuleResult::Skipped,
    }
}

/// Records the inputs of rules, each once.
struct Recorder<'a> {
    facts: &'a Judged<'a>,
    lookup: VariableLookup<'a>,
    recorded: Vec<Input<'a>>,
    /// The indices of whole facts and parameters in the recorded inputs.
    whole: Vec<(Root, usize)>,
    /// The indices of the policy's variables in the recorded inputs, by number.
    variables: Vec<Option<usize>>,
    steps: Steps,
}

impl<'a> Recorder<'a> {
    fn new(facts: &'a Judged<'a>) -> Self {
        Self {
            facts,
            lookup: VariableLookup::new(facts),
            recorded: Vec::new(),
            whole: Vec::new(),
            variables: [None].repeat(facts.policy().variables().len()),
            steps: Steps::new(BUDGET),
        }
    }

    /// The index of a fact or parameter among the recorded inputs.
    fn whole(&mut self, root: Root) -> usize {
        if let Some((_, place)) = self.whole.iter().find(|(known, _)| *known == root) {
            return *place;
        }
        let place = self.recorded.len();
        self.recorded.push(self.lookup.whole(root, &mut self.steps));
        self.whole.push((root, place));
        place
    }

    /// The index of a policy's variable among the recorded inputs.
    fn numbered(&mut self, number: u32) -> Option<usize> {
        let known = *self.variables.get(number as usize)?;
        if known.is_some() {
            return known;
        }
        let variable = self.facts.policy().variables().get(number as usize)?;
        let place = if variable.rest().is_empty() && variable.root() != Root::Input {
            self.whole(variable.root())
        } else {
            self.recorded.push(self.lookup.numbered(number, variable, &mut self.steps));
            self.recorded.len() - 1
        };
        *self.variables.get_mut(number as usize)? = Some(place);
        Some(place)
    }
}
