//! Calls that are made to take much memory for their size: one way each.

use std::fmt::Write as _;

use adjudicate_core::{
    MAX_DIAGNOSTICS, MAX_LISTED, Operation, Policy,
    evaluate::{Answered, Member, Panel},
};

use super::peak;

/// A call that is made to take much memory.
pub struct Hungry {
    /// What is called.
    pub operation: Operation,
    /// What there is much of.
    pub name: &'static str,
    /// The call.
    pub input: String,
    /// How many items an answer lists at most.
    pub listed: usize,
}

/// Writes the item of a number.
type Item = fn(usize) -> String;

/// Text around a place for many items.
struct Around(&'static str, &'static str);

const HEAD: &str = r#""run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1""#;
const STEPS: &str = r#","allowed_next_steps":["fix","STOP"],"provenance_window":[]"#;

/// How long the long list of a call is.
#[derive(Clone, Copy)]
pub enum Amount {
    /// A number of items.
    Items(usize),
    /// As many items as make a call of about this many bytes.
    Bytes(usize),
}

/// Items, divided by commas.
fn filled(around: &Around, item: Item, amount: Amount) -> String {
    let mut text = String::from(around.0);
    for number in 0.. {
        let comma = if number == 0 { "" } else { "," };
        let item = item(number);
        let is_enough = match amount {
            Amount::Items(items) => number == items,
            Amount::Bytes(bytes) => text.len() + item.len() + around.1.len() + 1 > bytes,
        };
        if is_enough {
            break;
        }
        let _ = write!(text, "{comma}{item}");
    }
    text.push_str(around.1);
    text
}

/// The members of `evidence` but for those in `more`.
fn evidence(more: &str) -> String {
    let mut text = String::from("{");
    for (name, value) in [
        ("transcript_summary", "\"\""),
        ("workspace_diff_summary", "\"\""),
        ("validation", r#"{"mechanical_outcome":"completed","exit_codes":{},"timeouts":[]}"#),
        ("artifacts", "[]"),
        ("policy_events", "[]"),
    ] {
        if !more.contains(&format!("\"{name}\":")) {
            let _ = write!(text, "\"{name}\":{value},");
        }
    }
    text + more + "}"
}

/// Envelopes that have much of something, with the policy that makes something of it.
const ENVELOPES: &[(&str, &str, Around, Item)] = &[
    ("violations", "", Around(r#""policy_events":["#, "]"), |_| r#""network_violation""#.into()),
    ("approvals", "", Around(r#""approvals":{"granted":[],"required":["#, "]}"), |n| format!("\"{n:x}\"")),
    ("missing artifacts", "", Around(r#""required_artifacts":["#, "]"), |n| format!("\"{n:x}\"")),
    ("artifacts", "", Around(r#""required_artifacts":["**/x"],"artifacts":["#, "]"), |n| {
        format!("\"{n:x}\"")
    }),
    ("deep artifacts", "", Around(r#""required_artifacts":["**/x"],"artifacts":["#, "]"), |_| {
        "\"a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p\"".into()
    }),
    (
        "failing validators",
        "",
        Around(
            r#""claims":["tests_passed"],"validation":{"mechanical_outcome":"completed","timeouts":[],"exit_codes":{"#,
            "}}",
        ),
        |n| format!("\"{n:x}\":1"),
    ),
    (
        "validators that can be fixed",
        "",
        Around(
            r#""artifacts":["a.log"],"validation":{"mechanical_outcome":"completed","exit_codes":{"a":1},"timeouts":["#,
            "]}",
        ),
        |n| format!("\"{n:x}\""),
    ),
    ("failing cases", "", Around(r#""harness_report":{"cases":["#, "]}"), |n| {
        format!(r#"{{"id":"{n:x}","status":"failed","repro":"r"}}"#)
    }),
    ("goldens", "", Around(r#""harness_report":{"proposed_goldens":["#, "]}"), |_| "\"\"".into()),
    (
        "review issues",
        "",
        Around(r#""artifacts":["a"],"review":{"artifact_ref":"a","issues":["#, "]}"),
        |n| {
            format!(
                r#"{{"id":"{n:x}","summary":"","severity":"high","edit":{{"target":"","action":"","rationale":""}}}}"#
            )
        },
    ),
    ("forbidden files", r#","forbidden_paths":["**"]"#, Around(r#""diff":{"files":["#, "]}"), |n| {
        format!(r#"{{"path":"{n:x}","change":"added"}}"#)
    }),
    (
        "forbidden lines",
        r#","forbidden_paths":["**"]"#,
        Around(r#""workspace_diff_summary":" M a"#, "\""),
        |n| format!(r"\n M {n:x}"),
    ),
    ("uncollected", "", Around(r#""uncollected":["#, "]"), |n| format!(r#"{{"what":"{n:x}","reason":""}}"#)),
    ("claims", "", Around(r#""claims":["#, "]"), |_| "\"fixed\"".into()),
    ("numbers", "", Around(r#""x-n":["#, "]"), |_| "0".into()),
    ("lists in lists", "", Around(r#""x-n":["#, "]"), |_| "[[[[]]]]".into()),
    ("keys", "", Around(r#""x-n":{"#, "}"), |n| format!("\"{n:x}\":0")),
    ("escapes", "", Around(r#""transcript_summary":""#, "\""), |_| {
        r"\n\u0001\n\u0001\n\u0001\n\u0001".into()
    }),
    (
        "observations",
        "",
        Around(r#""harness_report":{"cases":[{"id":"a","status":"failed","observations":["#, "]}]}"),
        |_| "\"\"".into(),
    ),
];

/// Policies that have much of something.
const POLICIES: &[(&str, Around, Item)] = &[
    ("patterns", Around(r#","forbidden_paths":["#, "]"), |n| format!("\"{n:x}\"")),
    ("patterns of other dialects", Around(r#","protected_paths":["#, "]"), |n| format!("\"!{n:x}\"")),
    ("alternatives", Around(r#","forbidden_paths":["{"#, "}\"]"), |n| format!("{n:x}")),
    ("required artifacts", Around(r#","required_artifacts":["#, "]"), |n| format!("\"{n:x}\"")),
    ("routes", Around(r#","routes":{"forward":["#, "]}"), |n| format!("\"{n:x}\"")),
    ("validators", Around(r#","required_validators":["#, "]"), |n| format!("\"{n:x}\"")),
    ("rules that fire", Around(r#","rules":["#, "]"), |n| {
        format!(r#"{{"id":"{n:x}","when":{{"==":[1,1]}},"then":{{"status":"partial","summary":""}}}}"#)
    }),
    ("rules that compare", Around(r#","rules":["#, "]"), |n| {
        format!(
            r#"{{"id":"{n:x}","when":{{"==":[{{"var":"input.run_id"}},"{n}"]}},"then":{{"status":"partial","summary":""}}}}"#
        )
    }),
    (
        "parts of a condition",
        Around(
            r#","rules":[{"id":"r","then":{"status":"partial","summary":""},"when":{"in":["x",["#,
            "]]}}]",
        ),
        |_| "1".into(),
    ),
    ("tests", Around(r#","tests":["#, "]"), |n| format!(r#"{{"name":"{n:x}","input":{{}},"expect":{{}}}}"#)),
];

/// Calls of the operations that take no envelope.
const OTHERS: &[(Operation, &str, Around, Item)] = &[
    (Operation::MergeDiagnostics, "diagnostics", Around(r#"{"diagnostics":["#, "]}"), |n| {
        format!(r#"{{"severity":"hard","status":"unknown","cause":"advisory","nodeId":"{n:x}"}}"#)
    }),
    (
        Operation::MergeDiagnostics,
        "suggestions",
        Around(
            r#"{"diagnostics":[{"severity":"hard","status":"unknown","cause":"advisory","suggestion":""#,
            "\"}]}",
        ),
        |n| format!(r"{n:x}\n"),
    ),
    (
        Operation::ValidatePlan,
        "nodes",
        Around(
            r#"{"task":{"objective":"o","outputContract":{"schema":true}},"capabilities":[{"capabilityId":"C","outputFacets":["m"]}],"plan":{"edges":[],"nodes":["#,
            "]}}",
        ),
        |n| format!(r#"{{"nodeId":"{n:x}","capabilityId":"C"}}"#),
    ),
    (
        Operation::ValidatePlan,
        "constraints",
        Around(
            r#"{"plan":{"edges":[],"nodes":[]},"capabilities":[],"task":{"objective":"o","outputContract":{"schema":true,"constraints":["#,
            "]}}}",
        ),
        |n| format!(r#"{{"constraintId":"{n:x}","level":"soft","expr":{{"var":"m{n:x}"}}}}"#),
    ),
    (
        Operation::ObserveOutput,
        "items",
        Around(r#"{"outputContract":{"schema":{"items":{"type":"string"}}},"output":["#, "]}"),
        |_| "1".into(),
    ),
    (
        Operation::ObserveOutput,
        "constraints",
        Around(r#"{"output":{},"outputContract":{"schema":true,"constraints":["#, "]}}"),
        |n| format!(r#"{{"constraintId":"{n:x}","level":"soft","expr":{{"var":"m"}}}}"#),
    ),
    (
        Operation::ApplyGuardrails,
        "policies",
        Around(r#"{"event":{"kind":"onStart"},"policies":["#, "]}"),
        |n| {
            format!(
                r#"{{"id":"{n:x}","trigger":{{"kind":"onStart"}},"action":{{"type":"fail","message":""}}}}"#
            )
        },
    ),
    (Operation::NormalizePlan, "subtasks", Around(r#"{"plan":["#, "]}"), |_| {
        r#"{"action":"read","target":"a","description":"some words on what is to be done here, and why"}"#
            .into()
    }),
    (Operation::NormalizePlan, "kept members", Around(r#"{"plan":{"subtasks":[],"x-n":["#, "]}}"), |_| {
        "0".into()
    }),
    (
        Operation::VerifyReplay,
        "calls",
        Around(
            r#"{"plan":{"analysis":"","steps":[],"verification_strategy":{"commands":[],"success_criteria":"","max_retries":0},"complexity":"low","confidence":0.5},"events":[{"event":"PlanStart"},"#,
            "]}",
        ),
        |n| format!(r#"{{"event":"ToolCall","id":"{n:x}","step_id":"s"}}"#),
    ),
    (
        Operation::VerifyReplay,
        "calls of no step",
        Around(
            r#"{"plan":{"analysis":"","steps":[],"verification_strategy":{"commands":[],"success_criteria":"","max_retries":0},"complexity":"low","confidence":0.5},"events":[{"event":"PlanStart","plan_hash":"","step_count":0},"#,
            "]}",
        ),
        |n| format!(r#"{{"event":"ToolCall","id":"{n:x}","step_id":"s"}}"#),
    ),
    (Operation::Deliberate, "turns", Around(r#"{"goal":"g","turns":["#, "]}"), |n| {
        format!(r#"{{"n":{},"confidence":0.5,"uncertainty":1,"evidence_ids":["{n:x}"]}}"#, n + 1)
    }),
    (Operation::CheckPolicy, "guardrails", Around(r#"{"policies":["#, "]}"), |n| {
        format!(r#"{{"id":"{n:x}","trigger":{{"kind":"onStart"}},"action":{{"type":"fail","message":""}}}}"#)
    }),
];

/// Composes three decisions, one of them handed in, on an envelope with this many failing validators. Returns the bytes that it
/// reads, and the most bytes that it holds at once, these included.
///
/// # Errors
///
/// Those of the engine.
pub fn composed(amount: Amount) -> Result<(usize, usize), adjudicate_core::Error> {
    let around =
        Around(r#""validation":{"mechanical_outcome":"completed","timeouts":[],"exit_codes":{"#, "}}");
    let validators = filled(&around, |n| format!("\"{n:x}\":1"), amount);
    let envelope = format!("{{{HEAD}{STEPS},\"evidence\":{}}}", evidence(&validators));
    let answer = Operation::Evaluate.call(envelope.as_bytes())?;
    let policy = Policy::parse(br#"{"policy":"p","version":"1.0.0"}"#)?;
    let panel = Panel {
        answer: Some(Answered { origin: "base", answer: answer.as_bytes() }),
        restricting: vec![Member::Policy(&policy), Member::Policy(&policy)],
        ..Panel::default()
    };
    let (composed, peak) = peak(|| panel.evaluate(envelope.as_bytes()));
    let input = envelope.len() + answer.len();
    composed.map(|_| (input, peak + input))
}

/// All calls, each with one long list.
#[must_use]
pub fn calls(amount: Amount) -> Vec<Hungry> {
    let mut calls = Vec::new();
    for (name, policy, around, item) in ENVELOPES {
        let more = filled(around, *item, amount);
        // What is no list has no commas.
        let more = if around.0.ends_with(['[', '{']) {
            more
        } else {
            more.replace(",\\n", "\\n").replace(",\\n", "\\n")
        };
        let envelope = format!("{{{HEAD}{STEPS},\"evidence\":{}}}", evidence(&more));
        let input =
            format!(r#"{{"envelope":{envelope},"policy":{{"policy":"p","version":"1.0.0"{policy}}}}}"#);
        // Both operations evaluate first.
        for operation in [Operation::Refine, Operation::Explain] {
            calls.push(Hungry { operation, name, input: input.clone(), listed: MAX_LISTED });
        }
    }
    let entry = r#"{"step_id":"e","opcode":"EVALUATE","status":"partial","diff_summary":"","risk_flags":[],"blocker_codes":[]}"#;
    for (name, list, item) in
        [("entries", "provenance_window", entry), ("steps", "allowed_next_steps", "\"s\"")]
    {
        let others = [r#""allowed_next_steps":["fix"]"#, r#""provenance_window":[]"#];
        let other = others.iter().find(|other| !other.contains(list)).unwrap_or(&"");
        let items = match amount {
            Amount::Items(items) => items,
            Amount::Bytes(bytes) => bytes / (item.len() + 1),
        };
        let item = vec![item; items].join(",");
        let input = format!("{{{HEAD},{other},\"{list}\":[{item}],\"evidence\":{}}}", evidence("\"x-\":0"));
        calls.push(Hungry { operation: Operation::Explain, name, input, listed: MAX_LISTED });
    }
    let evidence = evidence("\"x-\":0");
    for (name, around, item) in POLICIES {
        let policy = format!(r#"{{"policy":"p","version":"1.0.0"{}}}"#, filled(around, *item, amount));
        let envelope = format!("{{{HEAD}{STEPS},\"evidence\":{evidence}}}");
        let input = format!(r#"{{"envelope":{envelope},"policy":{policy}}}"#);
        let trace = input.replacen('{', "{\"trace\":true,", 1);
        let check = format!(r#"{{"policy":{policy}}}"#);
        for (operation, input) in
            [(Operation::Evaluate, input), (Operation::Explain, trace), (Operation::CheckPolicy, check)]
        {
            calls.push(Hungry { operation, name, input, listed: MAX_LISTED });
        }
    }
    for (operation, name, around, item) in OTHERS {
        // These lists end at 100,000 items, which no small call reaches, so a few items do as well.
        let amount = match amount {
            Amount::Items(items) => Amount::Items(items / 16),
            bytes @ Amount::Bytes(_) => bytes,
        };
        let input = filled(around, *item, amount);
        calls.push(Hungry { operation: *operation, name, input, listed: MAX_DIAGNOSTICS });
    }
    calls
}
