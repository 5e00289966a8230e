//! Static findings: what is wrong with a contract, and which guardrails cannot fire, before there is a plan (SPEC section 11).

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{Node, Pointer, shorten},
    logic::{Expression, Number, Program},
};

use super::{
    Analysis, Clash, MOST_NAMED,
    parts::{Reason, Replacement},
};
use crate::{
    check::{
        CheckCode, PartFinding,
        outputs::{Ground, Verdict},
    },
    guardrail::read_guardrails,
    plan::{Contract, demand::Demand, readable, schema},
};

/// The budget of one guardrail.
const STEPS_OF_GUARDRAIL: u64 = 1_000_000;

/// What is wrong with an output contract: constraints that no output satisfies, alone or together, and a schema that allows
/// none.
///
/// # Errors
///
/// Those of reading it, and [`invalid_schema`](crate::codes::INVALID_SCHEMA); paths begin at the contract.
pub(crate) fn check_contract(contract: Node<'_>) -> Result<Vec<PartFinding>, Error> {
    let contract = Contract::read(contract, &mut Steps::for_patterns())?;
    let compiled = schema::compile(contract.schema, &mut Steps::default())?;
    let compiled = compiled.map_err(|error| error.under("schema"))?;
    let demands: Vec<Demand<'_>> = contract.constraints.iter().map(Demand::of).collect();
    let mut analysis = Analysis::new(&compiled, &contract.constraints);
    let clashes = analysis.clashes();
    let reasons: Vec<Reason> = clashes.iter().map(|clash| analysis.reason(clash)).collect();
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
            finding.output = analysis.witness(&[at]);
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

/// Where the keywords stand.
fn places(reason: &Reason) -> String {
    const LONG: usize = 256;
    let shown = |place: &String| match place.len() > LONG {
        true => format!("`{}`", shorten(place)),
        false => format!("`{place}`"),
    };
    reason.schema.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn hint(reason: &Reason) -> Option<String> {
    (!reason.schema.is_empty()).then(|| format!("see {} in the schema", places(reason)))
}

fn impossible(reason: &Reason) -> PartFinding {
    let message = format!("the schema allows no output at all: see {}", places(reason));
    PartFinding::new(CheckCode::ImpossibleOutput, "/outputContract/schema".into(), message)
}

fn unsatisfiable(at: usize, reason: &Reason) -> PartFinding {
    let parts = quoted(reason.parts.iter().flatten());
    let message = match reason.schema.is_empty() {
        true => format!("no output satisfies {parts}"),
        false => format!("no output that the schema allows satisfies {parts}"),
    };
    let mut finding = PartFinding::new(CheckCode::UnsatisfiableConstraint, at_constraint(at), message);
    let writes = |one: &Replacement| format!("write `{}` in place of `{}`", one.meant, one.given);
    let lengths = reason.lengths.iter().map(writes).collect::<Vec<_>>().join(" and ");
    finding.hint = if lengths.is_empty() { hint(reason) } else { Some(lengths) };
    finding
}

fn conflicting(at: usize, clash: &Clash, reason: &Reason, demands: &[Demand<'_>]) -> PartFinding {
    let (mut own, mut others) = (String::new(), Vec::new());
    for (member, parts) in clash.members.iter().zip(&reason.parts) {
        let Some(demand) = demands.get(*member) else { continue };
        match *member == at {
            true => own = quoted(parts.iter()),
            false => others.push(format!("{} of `{}`", quoted(parts.iter()), shorten(&demand.id))),
        }
    }
    let message = format!("{own} and {} cannot hold at once", others.join(" and "));
    let mut finding = PartFinding::new(CheckCode::ConflictingConstraints, at_constraint(at), message);
    finding.hint = hint(reason);
    finding
}

/// Guardrails that cannot fire, or do nothing but ask a person. What outputs are is not known, so their conditions are looked at
/// alone.
///
/// # Errors
///
/// Those of reading them; paths begin at the list.
pub(crate) fn check_guardrails(list: Node<'_>) -> Result<Vec<PartFinding>, Error> {
    read_guardrails(list, &mut Steps::for_patterns())?;
    let mut findings = Vec::new();
    for (at, item) in list.items().enumerate() {
        let path = Pointer::new("/policies").index(at).into_string();
        let Some(trigger) = item.member("trigger") else { continue };
        findings.extend(check_threshold(trigger, &path));
        let inner = (trigger.member("condition"), path.clone() + "/trigger/condition");
        let outer = (item.member("condition"), path + "/condition");
        findings.extend(check_conditions([inner, outer])?);
    }
    Ok(findings)
}

/// Nothing is below the least of all numbers.
fn check_threshold(trigger: Node<'_>, path: &str) -> Option<PartFinding> {
    let threshold = trigger.member("threshold")?;
    let least = Number::from_f64(f64::MIN);
    let is_least = Number::read(threshold.as_number()?).compare(&least)?.is_le();
    let message = format!("no metric is below `{}`", threshold.as_number()?);
    let found =
        PartFinding::new(CheckCode::UnreachableGuardrail, [path, "/trigger/threshold"].concat(), message);
    is_least.then_some(found)
}

/// The condition in the trigger and the one beside it, each with its path.
fn check_conditions(places: [(Option<Node<'_>>, String); 2]) -> Result<Option<PartFinding>, Error> {
    let mut conditions = Vec::new();
    for (node, path) in places {
        let Some(node) = node else { continue };
        conditions.push((node, path, Program::condition(node, &mut Steps::for_patterns())?));
    }
    for (node, path, program) in &conditions {
        if let Some((code, what)) = fault(&[program.root()]) {
            let message = format!("`{}` {what}", shorten(&readable::write(*node)));
            return Ok(Some(PartFinding::new(code, path.clone(), message)));
        }
    }
    let [(inner, ..), (outer, path, _)] = conditions.as_slice() else { return Ok(None) };
    let roots: Vec<_> = conditions.iter().map(|(.., program)| program.root()).collect();
    Ok(fault(&roots).map(|(code, _)| {
        let [inner, outer] = [inner, outer].map(|node| readable::write(*node));
        let message =
            format!("`{}` and `{}` in the trigger cannot hold at once", shorten(&outer), shorten(&inner));
        PartFinding::new(code, path.clone(), message)
    }))
}

/// What is wrong with conditions of which all have to hold for a guardrail to fire, and whether they can be unknown.
fn fault(roots: &[Expression<'_>]) -> Option<(CheckCode, &'static str)> {
    let ground = Ground::new(None, &[], STEPS_OF_GUARDRAIL);
    let steps = &mut Steps::new(STEPS_OF_GUARDRAIL);
    if ground.judge(roots, steps) != Verdict::Never {
        return None;
    }
    let steps = &mut Steps::new(STEPS_OF_GUARDRAIL);
    Some(match ground.judge_leniently(roots, steps) {
        Verdict::Never => (CheckCode::DeadGuardrail, "is false whatever the output is"),
        _ => (CheckCode::UnreachableGuardrail, "never holds: where it is unknown, a person is asked"),
    })
}
