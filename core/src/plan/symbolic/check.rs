//! Static findings without a plan: contracts that cannot be satisfied, and guardrails that cannot fire
//! (docs/reference/policies.md).

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Decimal, Error, Steps,
    document::Condition,
    json::{self, Pointer, shorten},
    logic::Expression as Part,
};

use super::{
    Analysis, Clash, MOST_NAMED,
    parts::{ClashReason, Replacement},
};
use crate::{
    check::{CheckFinding, CheckWitness, OutputWitness, outputs::Ground},
    documents::{Contract, Guardrail, Trigger, check_code::CheckCode},
    plan::{demand::Demand, readable, schema},
};

/// The budget of one guardrail.
const STEPS_OF_GUARDRAIL: u64 = 1_000_000;

/// Findings about an output contract: constraints that no output satisfies, alone or together, and a schema that allows no
/// output.
///
/// # Errors
///
/// [`invalid_schema`](crate::codes::INVALID_SCHEMA), with a path that begins at the contract.
pub(crate) fn check_contract(contract: &Contract<'_>) -> Result<Vec<CheckFinding>, Error> {
    let compiled = schema::compile(contract.schema.0, &mut Steps::default())?;
    let compiled = compiled.map_err(|error| error.under("schema"))?;
    let demands: Vec<Demand<'_>> = contract.constraints.iter().map(Demand::new).collect();
    let mut analysis = Analysis::new(&compiled, &contract.constraints);
    let clashes = analysis.clashes();
    let reasons: Vec<ClashReason> = clashes.iter().map(|clash| analysis.reason(clash)).collect();
    let mut findings = Vec::new();
    for (clash, reason) in clashes.iter().zip(&reasons) {
        match clash.members.as_slice() {
            [] => findings.push(impossible(reason)),
            [at] => findings.push(unsatisfiable(*at, reason)),
            _ => {}
        }
    }
    for at in 0..demands.len() {
        let own = clashes.iter().zip(&reasons);
        let own = own.filter(|(clash, _)| clash.members.len() > 1 && clash.members.contains(&at));
        for (clash, reason) in own.take(MOST_NAMED) {
            let mut finding = conflicting(at, clash, reason, &demands);
            finding.witness =
                analysis.witness(&[at]).map(|output| CheckWitness::Output(OutputWitness { output }));
            findings.push(finding);
        }
    }
    Ok(findings)
}

fn at_constraint(at: usize) -> String {
    Pointer::new("/outputContract/constraints").index(at).into_string() + "/expr"
}

fn quoted<'t>(texts: impl Iterator<Item = &'t String>) -> String {
    texts.map(|text| format!("`{}`", shorten(text))).collect::<Vec<_>>().join(" and ")
}

/// The pointers of the keywords.
fn places(reason: &ClashReason) -> String {
    const LONG: usize = 256;
    let shown = |place: &String| match place.len() > LONG {
        true => format!("`{}`", shorten(place)),
        false => format!("`{place}`"),
    };
    reason.schema.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn hint(reason: &ClashReason) -> Option<String> {
    (!reason.schema.is_empty()).then(|| format!("see {} in the schema", places(reason)))
}

fn impossible(reason: &ClashReason) -> CheckFinding {
    let message = format!("the schema allows no output at all: see {}", places(reason));
    CheckFinding::new(CheckCode::ImpossibleOutput, "/outputContract/schema", message)
}

fn unsatisfiable(at: usize, reason: &ClashReason) -> CheckFinding {
    let parts = quoted(reason.parts.iter().flatten());
    let message = match reason.schema.is_empty() {
        true => format!("no output satisfies {parts}"),
        false => format!("no output that the schema allows satisfies {parts}"),
    };
    let mut finding = CheckFinding::new(CheckCode::UnsatisfiableConstraint, at_constraint(at), message);
    let writes = |one: &Replacement| format!("write `{}` in place of `{}`", one.meant, one.given);
    let lengths = reason.lengths.iter().map(writes).collect::<Vec<_>>().join(" and ");
    finding.hint = if lengths.is_empty() { hint(reason) } else { Some(lengths) };
    finding
}

fn conflicting(at: usize, clash: &Clash, reason: &ClashReason, demands: &[Demand<'_>]) -> CheckFinding {
    let (mut own, mut others) = (String::new(), Vec::new());
    for (member, parts) in clash.members.iter().zip(&reason.parts) {
        let Some(demand) = demands.get(*member) else { continue };
        match *member == at {
            true => own = quoted(parts.iter()),
            false => others.push(format!("{} of `{}`", quoted(parts.iter()), shorten(&demand.id))),
        }
    }
    let message = format!("{own} and {} cannot hold at once", others.join(" and "));
    let mut finding = CheckFinding::new(CheckCode::ConflictingConstraints, at_constraint(at), message);
    finding.hint = hint(reason);
    finding
}

/// Findings about guardrails that cannot fire, or that only ever ask for human review. Outputs are unknown, so conditions are
/// judged without a schema.
pub(crate) fn check_guardrails(guardrails: &[Guardrail<'_>]) -> Vec<CheckFinding> {
    let mut findings = Vec::new();
    for (at, guardrail) in guardrails.iter().enumerate() {
        let path = Pointer::new("/policies").index(at).into_string();
        findings.extend(check_threshold(&guardrail.trigger, &path));
        let inner = (guardrail.trigger.condition(), path.clone() + "/trigger/condition");
        let outer = (guardrail.condition.as_ref(), path + "/condition");
        findings.extend(check_conditions([inner, outer]));
    }
    findings
}

/// The lowest number that documents allow.
const LEAST: &str = "-1.7976931348623157e308";

/// Returns a finding if a guardrail never fires, because no number is below its threshold.
fn check_threshold(trigger: &Trigger<'_>, path: &str) -> Option<CheckFinding> {
    let Trigger::OnMetricBelow { threshold, .. } = trigger else { return None };
    let message = format!("no metric is below `{}`", json::write(&threshold.to_f64()));
    let found =
        CheckFinding::new(CheckCode::UnreachableGuardrail, [path, "/trigger/threshold"].concat(), message);
    (*threshold <= Decimal::read(LEAST)?).then_some(found)
}

/// Judges the condition in the trigger and the one next to it, each with its path.
fn check_conditions(places: [(Option<&Condition<'_>>, String); 2]) -> Option<CheckFinding> {
    let conditions = places.into_iter().filter_map(|(condition, path)| Some((condition?, path)));
    let conditions: Vec<_> = conditions.collect();
    for (condition, path) in &conditions {
        if let Some((code, what)) = fault(&[condition.program.root()]) {
            let message = format!("`{}` {what}", shorten(&readable::write(condition.source)));
            return Some(CheckFinding::new(code, path.clone(), message));
        }
    }
    let [(inner, _), (outer, path)] = conditions.as_slice() else { return None };
    let (code, _) = fault(&[inner.program.root(), outer.program.root()])?;
    let [inner, outer] = [inner, outer].map(|condition| readable::write(condition.source));
    let message =
        format!("`{}` and `{}` in the trigger cannot hold at once", shorten(&outer), shorten(&inner));
    Some(CheckFinding::new(code, path.clone(), message))
}

/// The fault of conditions that must all hold for a guardrail to fire; the code depends on whether they can be unknown.
fn fault(roots: &[Part<'_>]) -> Option<(CheckCode, &'static str)> {
    let ground = Ground::new(None, &[], STEPS_OF_GUARDRAIL);
    let steps = &mut Steps::new(STEPS_OF_GUARDRAIL);
    if !ground.judge(roots, steps).is_never() {
        return None;
    }
    let steps = &mut Steps::new(STEPS_OF_GUARDRAIL);
    Some(match ground.judge_leniently(roots, steps).is_never() {
        true => (CheckCode::DeadGuardrail, "is false whatever the output is"),
        false => (CheckCode::UnreachableGuardrail, "never holds: if it is unknown, a human is asked"),
    })
}
