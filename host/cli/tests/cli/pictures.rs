//! The views of plans and runs: trees, tables, and drawings for Graphviz and Mermaid.

use crate::{
    command::{Run, TestFolder},
    modules::replying_with,
    plans::{CAPABILITIES, PLAN, TASK, whole},
};

/// A plan with a cycle, an edge to an unknown node, a repeated id and an unknown capability.
const TANGLED: &str = r#"{"nodes":[{"nodeId":"z","capabilityId":"Strategy"},{"nodeId":"a","capabilityId":"Strategy"},
    {"nodeId":"b","capabilityId":"Strategy"},{"nodeId":"no way","capabilityId":"Robot"},{"nodeId":"a"}],
    "edges":[{"from":"a","to":"b"},{"from":"b","to":"z"},{"from":"b","to":"a"},{"from":"a","to":"b"},
    {"from":"z","to":"nowhere"}]}"#;

/// An answer for [`PLAN`].
const OPEN: &str = r#"{"event":"plan_generated","payload":{"planVersion":3,"nodes":[
    {"nodeId":"brief","capabilityId":"Strategy","provides":["brief"],"enforces":[]},
    {"nodeId":"copy-a","capabilityId":"Copywriter","provides":["copy"],"enforces":[]},
    {"nodeId":"copy-b","capabilityId":"Copywriter","provides":["copy"],"enforces":[]},
    {"nodeId":"qa","capabilityId":"Reviewer","provides":["review"],"enforces":["min_qa"]}],
    "status":"accepted_with_findings","satisfactionScore":0.666667,"failures":[],"warnings":[
    {"severity":"soft","status":"unsatisfied","constraint":"copy.length == 2","constraintId":"two","cause":"unsatisfied_soft",
     "suggestion":"Declare two in enforces of a node at or after copy-a.","details":{"code":"missing_enforcer"}}],"infos":[],
    "constraintScores":[{"constraintId":"min_qa","severity":"hard","score":1.0},
    {"constraintId":"two","severity":"soft","score":0.0}]}}"#;

/// An answer for [`TANGLED`].
const KNOT: &str = r#"{"event":"plan_rejected","payload":{"status":"rejected","satisfactionScore":1.0,"failures":[
    {"severity":"hard","status":"unsatisfied","nodeId":"a","capabilityId":"Strategy","cause":"schema_incompatible",
     "suggestion":"Give each node an id of its own.","details":{"code":"duplicate_node","node":"a"}},
    {"severity":"hard","status":"unsatisfied","nodeId":"a","cause":"schema_incompatible",
     "details":{"code":"incomplete_node","missing":"capabilityId"}},
    {"severity":"hard","status":"unsatisfied","nodeId":"no way","capabilityId":"Robot","cause":"missing_producer",
     "details":{"code":"unknown_capability"}},
    {"severity":"hard","status":"unsatisfied","nodeId":"z","capabilityId":"Strategy","cause":"missing_producer",
     "suggestion":"Add a node nowhere, or remove the edge from z to nowhere.",
     "details":{"code":"unknown_edge_end","end":"to","from":"z","to":"nowhere"}}],"warnings":[
    {"severity":"soft","status":"unsatisfied","nodeId":"no way","capabilityId":"Robot","cause":"schema_incompatible",
     "suggestion":"Connect the node, or remove it.","details":{"code":"isolated_node","node":"no way"}}],"infos":[],
    "constraintScores":[{"constraintId":"min_qa","severity":"hard","score":0.0},
    {"constraintId":"two","severity":"soft","score":0.0}]}}"#;

/// Returns a view of a plan with a fixed answer, so that the view does not change with the engine's answers.
fn planned(format: &str, plan: &str, answer: &str) -> String {
    let place = TestFolder::new();
    let module = place.file("module.wasm", replying_with(PLANNER, &format!(r#"{{"ok":{answer}}}"#), ""));
    let args = ["validate-plan", "-", "--format", format, "--module", &module];
    let run = place.run_with(&args, whole(plan).as_bytes());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    run.stdout
}

const PLANNER: &str = r#"{"abi":1,"name":"planner","version":"0.1.0","operations":["validate_plan"]}"#;

pub(crate) fn shown(verb: &str, format: &str, input: &str) -> String {
    let run = TestFolder::new().run_with(&[verb, "-", "--format", format], input.as_bytes());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    run.stdout
}

#[test]
fn a_plan_is_a_tree_with_what_was_found() {
    assert_eq!(
        planned("table", PLAN, OPEN),
        "\
ACCEPTED WITH FINDINGS score: 0.666667
0 failures, 1 warning, 0 notes

Plan, version 3 4 nodes, 4 edges
brief Strategy
│  gives     brief
├─ copy-a Copywriter
│  │  gives     copy
│  └─ qa Reviewer
│        gives     review
│        enforces  min_qa
└─ copy-b Copywriter
   │  gives     copy
   └─ qa (drawn above)

Constraints
  hard          1.0 min_qa
  soft          0.0 two

About the plan
  soft  missing_enforcer (unsatisfied_soft)
        no node enforces the constraint at or after the nodes that give its
        fields
        constraint  copy.length == 2
        named       two
        help        Declare two in enforces of a node at or after copy-a.
"
    );
}

#[test]
fn cycles_and_nodes_that_there_are_not_are_in_the_tree() {
    assert_eq!(
        planned("table", TANGLED, KNOT),
        "\
REJECTED score: 1.0
4 failures, 1 warning, 0 notes

Plan 5 nodes, 5 edges
a Strategy
│  hard  duplicate_node (schema_incompatible)
│        several nodes have the same id
│        help        Give each node an id of its own.
│  hard  incomplete_node (schema_incompatible)
│        a node names no capability
│        missing     capabilityId
└─ b Strategy
   ├─ z Strategy
   │  │  hard  unknown_edge_end (missing_producer)
   │  │        an edge begins or ends at an unknown node
   │  │        end         to
   │  │        from        z
   │  │        to          nowhere
   │  │        help        Add a node nowhere, or remove the edge from z to
   │  │                    nowhere.
   │  └─ nowhere (unknown node)
   └─ a (back again: a cycle)
`no way` Robot
   hard  unknown_capability (missing_producer)
         a node names an unknown capability
   soft  isolated_node (schema_incompatible)
         a node has no edge, and it is not the only node
         help        Connect the node, or remove it.
a (the id of a node above)

Constraints
  hard          0.0 min_qa
  soft          0.0 two
"
    );
    let empty = shown("validate-plan", "table", &whole(r#"{"nodes":[],"edges":[]}"#));
    let scores = "\nConstraints\n  hard          0.0 min_qa\n  soft          0.0 two\n\nAbout the plan\n";
    assert!(empty.starts_with("REJECTED"), "{empty}");
    assert!(empty.contains(&format!("\nPlan 0 nodes, 0 edges\n{scores}")), "{empty}");
}

#[test]
fn constraints_without_a_score_are_among_the_others() {
    let noted = r#"{"constraintId":"see \u001b[2J","level":"informational","expr":{"==":[1,1]}},"#;
    let call = whole(PLAN).replace(r#"{"constraintId":"two""#, &format!(r#"{noted}{{"constraintId":"two""#));
    let page = shown("validate-plan", "table", &call);
    let scores = "\nConstraints\n  hard          1.0 min_qa\n  informational not scored see \\u{1b}[2J\n  soft          0.0 two\n";
    assert!(page.contains(scores), "{page}");
    let without = r#"{"task":{"objective":"o","outputContract":{"schema":{}}},"plan":{"nodes":[],"edges":[]},"capabilities":[]}"#;
    assert!(!shown("validate-plan", "table", without).contains("Constraints"));
}

#[test]
fn graphviz_gets_numbered_nodes_and_colours() {
    let looping = TANGLED.replace(r#",{"nodeId":"a"}]"#, "]").replace(
        r#",
    {"from":"z","to":"nowhere"}"#,
        "",
    );
    assert_eq!(
        shown("validate-plan", "dot", &whole(&looping)),
        r##"digraph plan {
  node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="Helvetica"];
  edge [color="#555555"];
  plan [label="rejected, score 0.0", shape=note, style=filled];
  n0 [label="z\nStrategy"];
  n1 [label="a\nStrategy\nhard: cycle", color="#b3261e", fillcolor="#fce4e2"];
  n2 [label="b\nStrategy"];
  n3 [label="no way\nRobot\nhard: unknown_capability\nsoft: isolated_node", color="#b3261e", fillcolor="#fce4e2"];
  n1 -> n2 [color="#b3261e", penwidth=2];
  n2 -> n0;
  n2 -> n1 [color="#b3261e", penwidth=2];
}
"##
    );
    let open = planned("dot", PLAN, OPEN);
    let about = r##"  plan [label="accepted_with_findings, score 0.666667\nsoft: missing_enforcer, copy.length == 2", shape=note, style=filled, color="#a36200", fillcolor="#fff0d1"];"##;
    assert!(open.lines().any(|line| line == about), "{open}");
}

#[test]
fn mermaid_gets_the_same() {
    assert_eq!(
        planned("mermaid", PLAN, OPEN),
        r#"flowchart TD
  plan(["accepted_with_findings, score 0#46;666667<br/>soft#58; missing_enforcer, copy#46;length #61;#61; 2"]):::soft
  n0["brief<br/>Strategy"]
  n1["copy-a<br/>Copywriter"]
  n2["copy-b<br/>Copywriter"]
  n3["qa<br/>Reviewer"]
  n0 --> n1
  n0 --> n2
  n1 --> n3
  n2 --> n3
  classDef hard fill:#fce4e2,stroke:#b3261e,color:#000
  classDef soft fill:#fff0d1,stroke:#a36200,color:#000
  classDef informational fill:#e3eefb,stroke:#1f5fa8,color:#000
"#
    );
    let tangled = planned("mermaid", TANGLED, KNOT);
    assert!(tangled.ends_with("  style n4 stroke-dasharray:4\n  style n5 stroke-dasharray:4\n"), "{tangled}");
    let looping = TANGLED.replace(r#",{"nodeId":"a"}]"#, "]");
    let looping = shown("validate-plan", "mermaid", &whole(&looping.replace("nowhere", "z")));
    // The node after itself is a cycle too; edges are counted in the order in which they stand there.
    assert!(looping.ends_with("  linkStyle 0,1,3 stroke:#b3261e,stroke-width:3px\n"), "{looping}");
}

#[test]
fn pictures_are_of_plans_only() {
    let place = TestFolder::new();
    for (args, words) in [
        (&["merge-diagnostics", "-", "--format", "dot"][..], "cannot be `dot`, expected `json`, "),
        (&["evaluate", "-", "--format", "mermaid"], "cannot be `mermaid`, expected `json`, "),
        (&["inspect", "x", "--format", "dot"], "cannot be `dot`, expected `json`, "),
        (&["validate-plan", "-", "--format", "svg"], "`dot` or `mermaid`"),
        (&["validate-plan", "-", "--format", "dot", "--ndjson"], "`--ndjson`"),
    ] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)), "{args:?}");
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}

#[test]
fn bundles_have_a_table() {
    let call = r#"[{"severity":"soft","status":"unsatisfied","cause":"unsatisfied_soft","constraintId":"two","constraint":"copy.length == 2","suggestion":"a\nb","x-more":1},
        {"severity":"hard","status":"satisfied","cause":"missing_producer","constraintId":"one","nodeId":"n","capabilityId":"c"},
        {"severity":"informational","status":"unknown","cause":"advisory","details":{"code":"own","list":[1,[2]],"none":[],"note":"\u001b[31m"}}]"#;
    assert_eq!(
        shown("merge-diagnostics", "table", call),
        "\
ACCEPTED WITH FINDINGS score: 0.666667
1 failure, 1 warning, 1 note

Failures
  hard  missing_producer is met
        named       one
        node        n
        capability  c

Warnings
  soft  unsatisfied_soft
        constraint  copy.length == 2
        named       two
        help        a
        help        b

Notes
  info  own (advisory) is unknown
        list        1, 2
        none        []
        note        \\u{1b}[31m
"
    );
    assert_eq!(
        shown("merge-diagnostics", "table", "[]"),
        "ACCEPTED score: 1.0\n0 failures, 0 warnings, 0 notes\n"
    );
    let observed =
        shown("observe-output", "table", r#"{"outputContract":{"schema":{"type":"string"}},"output":1}"#);
    assert!(observed.starts_with("REJECTED score: 1.0 observed: 1.0\n1 failure, "), "{observed}");
    assert!(observed.contains("expected    a string\n"), "{observed}");
}

#[test]
fn actions_have_a_table() {
    let call = |kind: &str| {
        format!(
            r#"{{"policies":[
            {{"id":"tell","trigger":{{"kind":"onStart"}},"action":{{"type":"emit","event":"e","payload":{{"b":1,"a":2}}}}}},
            {{"id":"ask","trigger":{{"kind":"onNodeComplete","selector":{{"nodeId":"n"}},"condition":{{"==":[{{"var":"a"}},1]}}}},
             "action":{{"type":"hitl","rationale":"who knows\u001b[2J","approveAction":"go on"}}}}],
            "event":{{"kind":"{kind}","node":{{"nodeId":"n"}}}}}}"#
        )
    };
    assert_eq!(
        shown("apply-guardrails", "table", &call("onNodeComplete")),
        "\
STOPS by policy ask

1.   hitl by policy ask (stops the run)
     because        condition_undecided
     rationale      who knows\\u{1b}[2J
     approveAction  go on
     on             onNodeComplete
     selector       {\"nodeId\":\"n\"}
     condition      {\"==\":[{\"var\":\"a\"},1]}
"
    );
    let output = shown("apply-guardrails", "table", &call("onStart"));
    assert!(output.starts_with("CONTINUES\n\n1.   emit by policy tell\n     event          e\n"), "{output}");
    assert_eq!(shown("apply-guardrails", "table", &call("manual")), "NO ACTION\n");
}

#[test]
fn a_modules_answers_are_shown_and_led_back_alike() {
    let place = TestFolder::new();
    let answer = adjudicate_core::Operation::ValidatePlan.call(whole(PLAN).as_bytes()).unwrap();
    let run = |reply: &str, more: &[&str]| -> Run {
        let module = place.file("module.wasm", replying_with(PLANNER, reply, ""));
        place.file("plan.json", PLAN);
        place.file("task.json", TASK);
        place.file("capabilities.json", CAPABILITIES);
        let args =
            ["validate-plan", "plan.json", "--task", "task.json", "--capabilities", "capabilities.json"];
        place.run(&[&args[..], &["--module", &module], more].concat())
    };
    let good = format!(r#"{{"ok":{answer}}}"#);
    for format in ["table", "dot", "mermaid"] {
        let run = run(&good, &["--format", format]);
        assert_eq!((run.status, run.stdout), (Some(0), shown("validate-plan", format, &whole(PLAN))));
    }
    assert_eq!(run(&good, &["--exit-status"]).status, Some(10));
    let refused = run(r#"{"error":{"code":"own_code","message":"m","path":"/task/x-y"}}"#, &[]);
    assert_eq!((refused.code().as_str(), refused.status), ("own_code", Some(2)));
    assert!(refused.stderr.contains(r#""message":"task: m","path":"/x-y""#), "{refused:?}");
    let lying = run(r#"{"ok":{"event":"plan_generated","payload":{}}}"#, &["--format", "dot"]);
    assert_eq!((lying.code().as_str(), lying.status), ("module_invalid_decision", Some(3)));
}
