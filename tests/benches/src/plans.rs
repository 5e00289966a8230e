//! Plans, outputs and guardrails: the growth with the number of nodes and diagnostics, and the time of a call of each.
//!
//! All calls are JSON text to JSON text, like those of every interface, but the schema is compiled once.

use std::fmt::Write as _;

use adjudicate_core::{
    Operation, Steps,
    json::{self, Limits},
    schema::{Documents, Options, Schema},
};
use adjudicate_tests::{Fixture, text::compact};

use crate::{
    Failure, Values,
    contest::{Contest, Effort, Run, timed},
};

/// The growth of a time: the exponent, and the time of each size. Each size is ten times the one before.
pub(crate) struct Growth {
    pub(crate) power: &'static str,
    pub(crate) sizes: [(usize, &'static str); 3],
}

const PLANS: Growth = Growth {
    power: "plan_growth",
    sizes: [(100, "plan_nodes_100_us"), (1_000, "plan_nodes_1000_us"), (10_000, "plan_nodes_10000_us")],
};
const DIAGNOSTICS: Growth = Growth {
    power: "diagnostics_growth",
    sizes: [
        (1_000, "diagnostics_1000_us"),
        (10_000, "diagnostics_10000_us"),
        (100_000, "diagnostics_100000_us"),
    ],
};

/// One call of each operation, from the corpus.
const CALLS: [(&str, Operation, &str); 4] = [
    ("validate_plan_us", Operation::ValidatePlan, "pipeline-with-findings-advice"),
    ("merge_diagnostics_us", Operation::MergeDiagnostics, "printed-three-buckets"),
    ("observe_output_us", Operation::ObserveOutput, "pipeline-accepted"),
    ("apply_guardrails_us", Operation::ApplyGuardrails, "printed-shape-score-inside"),
];

/// Divides the number of rounds, because the largest sizes take many turns.
pub(crate) const FEWER: usize = 8;

/// Returns the microseconds of each call, and the exponents by which the times grow with the number of nodes and
/// diagnostics.
pub(crate) fn measure(effort: Effort) -> Result<Values, Failure> {
    let mut values = Values::new();
    let fewer = Effort { rounds: (effort.rounds / FEWER) | 1, ..effort };
    let accepted = r#""status":"accepted_with_findings""#;
    grow(fewer, &PLANS, &mut values, |size| answering(Operation::ValidatePlan, plan(size), accepted))?;
    grow(fewer, &DIAGNOSTICS, &mut values, |size| {
        answering(Operation::MergeDiagnostics, diagnostics(size), accepted)
    })?;
    calls(effort, &mut values)?;
    Ok(values)
}

/// Measures a run for each size, and the exponent of the growth from the smallest to the largest.
pub(crate) fn grow<'a>(
    effort: Effort,
    growth: &Growth,
    values: &mut Values,
    make: impl Fn(usize) -> Result<Run<'a>, Failure>,
) -> Result<(), Failure> {
    let mut contest = Contest::new(effort);
    for (size, key) in growth.sizes {
        contest.enter(key, make(size)?)?;
    }
    let results = contest.hold()?;
    for (_, key) in growth.sizes {
        values.insert(key.into(), results.micros(key));
    }
    let [(small, first), _, (large, last)] = growth.sizes;
    let power = results.ratio(last, first).ln() / (large as f64 / small as f64).ln();
    values.insert(growth.power.into(), power);
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
    let tape = json::read(observed.as_bytes(), Limits::DOCUMENT)?;
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
pub(crate) fn call(operation: Operation, name: &str) -> Result<String, Failure> {
    Ok(compact(str::from_utf8(&Fixture::read(operation, name)?.call)?))
}

/// The number of fields that a generated plan produces.
const MEMBERS: usize = 50;

/// A plan of a number of nodes, three times as many edges, and a tenth as many constraints. Each node takes the output
/// of the one before it. Every tenth node enforces a constraint. One constraint is soft, and no node enforces it.
pub(crate) fn plan(nodes: usize) -> String {
    let mut text = String::from(
        r#"{"task":{"objective":"generated","inputs":{"m49":0},"outputContract":{"schema":{"type":"object","required":["m0"]},"constraints":["#,
    );
    // Writing to a string cannot fail.
    for at in 0..nodes / 10 {
        let (level, member) = (if at == 0 { "soft" } else { "hard" }, at % MEMBERS);
        let expression = match at % 3 {
            0 => format!(r#"{{">=":[{{"var":"m{member}.score"}},0.{at}]}}"#),
            1 => format!(r#"{{"between":[{{"length":[{{"var":"m{member}.items"}}]}},1,{at}]}}"#),
            _ => format!(
                r#"{{"and":[{{"in":[{{"var":"m{member}.tone"}},["warm","plain"]]}},{{"!=":[{{"var":"m{member}.id"}},"{at}"]}}]}}"#
            ),
        };
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(text, r#"{comma}{{"constraintId":"c{at}","level":"{level}","expr":{expression}}}"#);
    }
    text.push_str(r#"]}},"plan":{"nodes":["#);
    for at in 0..nodes {
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(text, r#"{comma}{{"nodeId":"n{at}","capabilityId":"Agent.c{}""#, at % MEMBERS);
        if at % 10 == 9 && at > 9 {
            let _ = write!(text, r#","enforces":["c{}"]"#, at / 10);
        }
        text.push('}');
    }
    text.push_str(r#"],"edges":["#);
    let edges = (0..nodes).flat_map(|from| [1, 7, 31].map(|far| (from, from + far)));
    for (from, to) in edges.filter(|(_, to)| *to < nodes) {
        let comma = if to > 1 { "," } else { "" };
        let _ = write!(text, r#"{comma}{{"from":"n{from}","to":"n{to}"}}"#);
    }
    text.push_str(r#"]},"capabilities":["#);
    for at in 0..MEMBERS {
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(
            text,
            r#"{comma}{{"capabilityId":"Agent.c{at}","inputFacets":["m{}"],"outputFacets":["m{at}"]}}"#,
            (at + MEMBERS - 1) % MEMBERS
        );
    }
    text.push_str("]}");
    text
}

/// A number of diagnostics, as short as possible. Every fifth repeats another one.
pub(crate) fn diagnostics(count: usize) -> String {
    let mut text = String::from(r#"{"diagnostics":["#);
    for at in 0..count {
        let comma = if at > 0 { "," } else { "" };
        // An order that is not obvious.
        let number = (if at % 5 == 4 { at - 4 } else { at }) * 7_919 % count;
        let (level, status) = match number % 3 {
            0 => ("soft", "unknown"),
            1 => ("soft", "satisfied"),
            _ => ("hard", "satisfied"),
        };
        let subject = if number.is_multiple_of(2) { "constraintId" } else { "nodeId" };
        let _ = write!(
            text,
            r#"{comma}{{"severity":"{level}","status":"{status}","cause":"advisory","{subject}":"{number}"}}"#
        );
    }
    text.push_str("]}");
    text
}
