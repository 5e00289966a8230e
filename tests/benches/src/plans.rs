//! Plans, outputs and guardrails: the growth with the number of nodes and diagnostics, and the time of a call of each.
//!
//! All calls are JSON text to JSON text, like those of every interface, but the schema is compiled once.

use adjudicate_core::{
    Operation, Steps,
    json::{self, ReadLimits},
    schema::{Documents, Options, Schema},
};
use adjudicate_tests::{Fixture, text::compact};
use serde_json::json;

use crate::{
    Failure, Values,
    contest::{Contest, Effort, Run, timed},
};

/// One call of each operation, from the corpus.
const CALLS: [(&str, Operation, &str); 7] = [
    ("validate_plan_us", Operation::ValidatePlan, "pipeline-with-findings-advice"),
    ("merge_diagnostics_us", Operation::MergeDiagnostics, "printed-three-buckets"),
    ("observe_output_us", Operation::ObserveOutput, "pipeline-accepted"),
    ("apply_guardrails_us", Operation::ApplyGuardrails, "printed-shape-score-inside"),
    ("normalize_plan_us", Operation::NormalizePlan, "adjutant-bug-fix"),
    ("verify_replay_us", Operation::VerifyReplay, "session-in-the-timed-layout"),
    ("deliberate_us", Operation::Deliberate, "story-stagnation-6-stop"),
];

/// Divides the number of rounds, because the largest sizes take many turns.
const FEWER: usize = 8;

/// Returns the microseconds of each call, and the exponents by which the times grow with the number of nodes and
/// diagnostics.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let mut values = Values::new();
    let accepted = r#""status":"accepted_with_findings""#;
    grow(effort, ["plan_growth", "plan_nodes"], 100, &mut values, |size| {
        answering(Operation::ValidatePlan, plan(size), accepted)
    })?;
    grow(effort, ["diagnostics_growth", "diagnostics"], 1_000, &mut values, |size| {
        answering(Operation::MergeDiagnostics, diagnostics(size), accepted)
    })?;
    calls(effort, &mut values)?;
    Ok(values)
}

/// Measures a run for three sizes, each ten times the one before, and the exponent of the growth from the smallest to the
/// largest. The names are those of the growth and of the times.
pub(crate) fn grow<'a>(
    effort: Effort,
    [growth, time]: [&str; 2],
    smallest: usize,
    values: &mut Values,
    make: impl Fn(usize) -> Result<Run<'a>, Failure>,
) -> Result<(), Failure> {
    let key = |size| format!("{time}_{size}_us");
    let sizes = [smallest, smallest * 10, smallest * 100];
    let mut contest = Contest::new(effort.with_fewer_rounds(FEWER));
    for size in sizes {
        contest.enter(key(size), make(size)?)?;
    }
    let results = contest.hold()?;
    values.extend(sizes.map(|size| (key(size), results.micros(&key(size)))));
    let [small, _, large] = sizes.map(key);
    values.insert(growth.into(), results.ratio(&large, &small).ln() / 100_f64.ln());
    Ok(())
}

/// Calls of an operation. The answer must contain `words`.
pub(crate) fn answering(operation: Operation, call: String, words: &str) -> Result<Run<'static>, Failure> {
    let answer = operation.call(call.as_bytes())?;
    if !answer.contains(words) {
        return Err(format!("{words} is not in {answer:.200}").into());
    }
    Ok(timed(move || Ok(operation.call(call.as_bytes())?.len())))
}

fn calls(effort: Effort, values: &mut Values) -> Result<(), Failure> {
    let observed = call(Operation::ObserveOutput, "pipeline-accepted")?;
    let tape = json::read(observed.as_bytes(), ReadLimits::DOCUMENT)?;
    let contract = tape.root().member("outputContract").and_then(|contract| contract.member("schema"));
    let (Some(schema), Some(output)) = (contract, tape.root().member("output")) else {
        return Err("the output has no contract".into());
    };
    let schema = Schema::compile(schema, &Documents::default(), Options::default(), &mut Steps::default())?;

    let mut contest = Contest::new(effort);
    for (key, operation, name) in CALLS {
        let text = call(operation, name)?;
        contest.enter(key, timed(move || Ok(operation.call(text.as_bytes())?.len())))?;
    }
    contest
        .enter("schema_validate_us", timed(|| Ok(schema.validate(output, &mut Steps::default())?.len())))?;
    let results = contest.hold()?;
    for key in CALLS.map(|(key, ..)| key).into_iter().chain(["schema_validate_us"]) {
        values.insert(key.into(), results.micros(key));
    }
    Ok(())
}

/// The call of a case, without white space.
fn call(operation: Operation, name: &str) -> Result<String, Failure> {
    Ok(compact(str::from_utf8(&Fixture::read(operation, name)?.call)?))
}

/// The number of fields that a generated plan produces.
const MEMBERS: usize = 50;

/// A plan of a number of nodes, three times as many edges, and a tenth as many constraints. Each node takes the output
/// of the one before it. Every tenth node enforces a constraint. One constraint is soft, and no node enforces it.
fn plan(nodes: usize) -> String {
    let constraints = (0..nodes / 10).map(|at| {
        let variable = |field: &str| json!({"var": format!("m{}.{field}", at % MEMBERS)});
        let expression = match at % 3 {
            0 => json!({">=": [variable("score"), at as f64 / 1_024.0]}),
            1 => json!({"between": [{"length": [variable("items")]}, 1, at]}),
            _ => json!({"and": [
                {"in": [variable("tone"), ["warm", "plain"]]}, {"!=": [variable("id"), at.to_string()]},
            ]}),
        };
        json!({"constraintId": format!("c{at}"), "level": if at == 0 { "soft" } else { "hard" }, "expr": expression})
    });
    let node = |at: usize| {
        let mut node =
            json!({"nodeId": format!("n{at}"), "capabilityId": format!("Agent.c{}", at % MEMBERS)});
        if let (Some(node), true) = (node.as_object_mut(), at % 10 == 9 && at > 9) {
            node.insert("enforces".into(), json!([format!("c{}", at / 10)]));
        }
        node
    };
    let edges = (0..nodes).flat_map(|from| [1, 7, 31].map(|far| (from, from + far)));
    let edges = edges.filter(|(_, to)| *to < nodes);
    let capability = |at: usize| {
        let input = format!("m{}", (at + MEMBERS - 1) % MEMBERS);
        json!({"capabilityId": format!("Agent.c{at}"), "inputFacets": [input], "outputFacets": [format!("m{at}")]})
    };
    json!({
        "task": {"objective": "generated", "inputs": {"m49": 0}, "outputContract": {
            "schema": {"type": "object", "required": ["m0"]},
            "constraints": constraints.collect::<Vec<_>>(),
        }},
        "plan": {
            "nodes": (0..nodes).map(node).collect::<Vec<_>>(),
            "edges": edges.map(|(from, to)| json!({"from": format!("n{from}"), "to": format!("n{to}")})).collect::<Vec<_>>(),
        },
        "capabilities": (0..MEMBERS).map(capability).collect::<Vec<_>>(),
    })
    .to_string()
}

/// A number of diagnostics, as short as possible. Every fifth repeats another one.
fn diagnostics(count: usize) -> String {
    let diagnostic = |at: usize| {
        // An order that is not obvious.
        let number = (if at % 5 == 4 { at - 4 } else { at }) * 7_919 % count;
        let (level, status) = match number % 3 {
            0 => ("soft", "unknown"),
            1 => ("soft", "satisfied"),
            _ => ("hard", "satisfied"),
        };
        let subject = if number.is_multiple_of(2) { "constraintId" } else { "nodeId" };
        json!({"severity": level, "status": status, "cause": "advisory", subject: number.to_string()})
    };
    json!({"diagnostics": (0..count).map(diagnostic).collect::<Vec<_>>()}).to_string()
}
