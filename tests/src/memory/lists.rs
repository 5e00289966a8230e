//! The long lists of [`calls`](super::calls()), each of which makes a call take much memory for its size.

use adjudicate_core::Operation;

/// Writes the item of a number.
pub(super) type Item = fn(usize) -> String;

/// Text around a place for many items.
pub(super) struct Around(pub(super) &'static str, pub(super) &'static str);

/// Envelopes with a long list, and a policy that reads the list.
pub(super) const ENVELOPES: &[(&str, &str, Around, Item)] = &[
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
    (
        "files in a condition",
        r#","rules":[{"id":"r","then":{"status":"partial","summary":""},"when":{"some":[{"var":"facts.diff.files"},{"==":[{"var":"change"},"deleted"]}]}}]"#,
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

/// Policies with a long list.
pub(super) const POLICIES: &[(&str, Around, Item)] = &[
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
pub(super) const OTHERS: &[(Operation, &str, Around, Item)] = &[
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
