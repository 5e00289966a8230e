//! This engine, in two ways: the whole evaluator with the nine rules as a policy, and the nine conditions alone.
//!
//! The evaluator does more than any peer. In addition to the nine rules it reads git's diff format and the transcript,
//! applies its own 24 rules, routes, and explains each finding. The conditions alone are the peers' task.

use adjudicate_core::{
    Policy, Steps,
    evaluate::{Envelope, Evaluation, Judged, evaluate, evaluate_text},
    json::{self, Limits, Node},
    logic::{Mode, Program},
};

use crate::{
    Failure,
    verdict::{RULES, Verdict},
};

const POLICY: &str = include_str!("../rules/policy.json");

/// The conditions over the envelope itself, without the root `input` of policies, as JSONLogic engines take them.
pub(crate) fn conditions() -> Result<Vec<String>, Failure> {
    let text = POLICY.replace(r#""var": "input."#, r#""var": ""#);
    let policy: serde_json::Value = serde_json::from_str(&text)?;
    let rules = policy.get("rules").and_then(|rules| rules.as_array()).ok_or("there are no rules")?;
    let condition = |rule: &serde_json::Value| Some(rule.get("when")?.to_string());
    let conditions: Option<_> = rules.iter().map(condition).collect();
    Ok(conditions.ok_or("a rule has no condition")?)
}

/// The whole evaluator.
pub(crate) struct Evaluator {
    policy: Policy,
}

impl Evaluator {
    pub(crate) fn new() -> Result<Self, Failure> {
        let policy = Policy::parse(POLICY.as_bytes())?;
        // Verdicts have rules by their positions.
        if !policy.rules().iter().map(|rule| rule.id()).eq(RULES.map(|(rule, _)| rule)) {
            return Err("the policy has other rules".into());
        }
        Ok(Self { policy })
    }

    /// Evaluates, and converts the answer to a verdict on the nine rules.
    pub(crate) fn decide(&self, envelope: &Envelope<'_>) -> Result<Verdict, Failure> {
        let facts = Judged::new(envelope, Some(&self.policy))?;
        verdict(&evaluate(&facts))
    }

    /// Evaluates from text to text. The answer is the complete decision with its reasons.
    pub(crate) fn answer(&self, envelope: &str) -> Result<String, Failure> {
        Ok(evaluate_text(envelope.as_bytes(), Some(&self.policy))?)
    }
}

fn verdict(evaluation: &Evaluation<'_>) -> Result<Verdict, Failure> {
    let mut verdict = Verdict::default();
    for finding in &evaluation.findings {
        if let Some(place) = RULES.iter().position(|(rule, _)| *rule == finding.rule) {
            verdict.add(place);
        }
    }
    // The built-in rules apply, too. For these inputs they agree.
    if evaluation.decision.status.as_str() == verdict.status() {
        Ok(verdict)
    } else {
        Err(format!("the built-in rules come to {}", evaluation.decision.status.as_str()).into())
    }
}

/// The conditions alone.
pub(crate) struct Conditions {
    programs: Vec<Program>,
}

impl Conditions {
    pub(crate) fn new() -> Result<Self, Failure> {
        let mut steps = Steps::for_patterns();
        let compile = |condition: String| {
            let tape = json::read(condition.as_bytes(), Limits::DOCUMENT)?;
            Ok(Program::compile(tape.root(), Mode::Strict, &mut steps)?)
        };
        Ok(Self { programs: conditions()?.into_iter().map(compile).collect::<Result<_, Failure>>()? })
    }

    pub(crate) fn decide(&self, node: Node<'_>) -> Result<Verdict, Failure> {
        let mut verdict = Verdict::default();
        let mut steps = Steps::default();
        for (place, program) in self.programs.iter().enumerate() {
            if program.holds(&node, &mut steps)? == Some(true) {
                verdict.add(place);
            }
        }
        Ok(verdict)
    }

    pub(crate) fn answer(&self, envelope: &str) -> Result<String, Failure> {
        let tape = json::read(envelope.as_bytes(), Limits::DOCUMENT)?;
        Ok(self.decide(tape.root())?.text())
    }
}
