//! Pictures and tables of plans: names with a meaning for a terminal, Graphviz or Mermaid are only shown, and the answers of a module as
//! those of the engine.

use adjudicate_core::Operation;
use serde_json::json;

use crate::{command::TestFolder, modules::replying_with};

const TASK: &str = r#"{"objective":"two posts","outputContract":{
    "schema":{"type":"object","required":["copy","review"]},
    "constraints":[{"constraintId":"min_qa","level":"hard","expr":{">=":[{"var":"review.score"},0.8]}},
        {"constraintId":"two","level":"soft","expr":{"==":[{"length":[{"var":"copy"}]},2]}}]}}"#;

/// A brief, two copies and a review. The constraint `two` is left open.
const PLAN: &str = r#"{"planVersion":3,"nodes":[
    {"nodeId":"brief","capabilityId":"Strategy"},
    {"nodeId":"copy-a","capabilityId":"Copywriter"},
    {"nodeId":"copy-b","capabilityId":"Copywriter"},
    {"nodeId":"qa","capabilityId":"Reviewer","enforces":["min_qa"]}],
    "edges":[{"from":"brief","to":"copy-a"},{"from":"brief","to":"copy-b"},{"from":"copy-a","to":"qa"},
        {"from":"copy-b","to":"qa"}]}"#;

const CAPABILITIES: &str = r#"[{"capabilityId":"Strategy","outputFacets":["brief"]},
    {"capabilityId":"Copywriter","inputFacets":["brief"],"outputFacets":["copy"]},
    {"capabilityId":"Reviewer","inputFacets":["copy"],"outputFacets":["review"]}]"#;

fn whole(plan: &str) -> String {
    format!(r#"{{"task":{TASK},"plan":{plan},"capabilities":{CAPABILITIES}}}"#)
}

/// Returns the answer in a format.
fn shown(format: &str, input: &str) -> String {
    let run = TestFolder::new().run_with(&["validate-plan", "-", "--format", format], input.as_bytes());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    run.stdout
}

/// Names with which an author could attack a reader.
const HOSTILE: &[&str] = &[
    "\"]; evil -> evil; x[\"",
    "\\",
    "\\\"",
    "a\nb",
    "%%{init: {'securityLevel': 'loose'}}%%",
    "<script>alert(1)</script>",
    "&lt;b&gt; &amp;",
    "#quot;#lt;",
    "`**bold**`",
    "1. one",
    "- x",
    "end",
    "subgraph",
    "click n0 \"javascript:alert(1)\"",
    "\u{202e}日本語",
    "style x:#fff;",
    "\\N \\G \\l",
    "ﬂ°lt¶ß",
    "\u{0}\u{1b}[31m",
    "]]}}))",
    "@{ shape: circle }",
    "---\ntitle: x\n---",
    "brief (drawn above)",
    " ",
    "\u{1b}[2J\u{1b}]8;;http://x\u{7}",
    "\u{9b}31m\r\u{8}",
    "\u{202e}txt.exe\u{200b}\u{feff}",
    "a\nn9 [label=\"b\"]",
    "--> n7",
    "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語",
];

fn hostile() -> String {
    let long = "x".repeat(5000);
    let names: Vec<_> = HOSTILE.iter().copied().chain([long.as_str()]).collect();
    let nodes: Vec<_> = names.iter().map(|name| json!({"nodeId": name, "capabilityId": name})).collect();
    let edges: Vec<_> = names.windows(2).map(|ends| json!({"from": ends[0], "to": ends[1]})).collect();
    whole(&json!({"nodes": nodes, "edges": edges}).to_string())
}

/// A picture has a line for each node, one for each edge between neighbors, and five more.
fn assert_every_line_is_ours(picture: &str) {
    let nodes = HOSTILE.len() + 1;
    assert_eq!(picture.lines().count(), nodes + (nodes - 1) + 5, "{picture}");
}

#[test]
fn no_name_writes_on_the_terminal_or_seems_what_it_is_not() {
    let text = shown("table", &hostile());
    let is_hidden =
        |c: char| c != '\n' && (c.is_control() || ['\u{202e}', '\u{200b}', '\u{feff}'].contains(&c));
    assert!(!text.contains(is_hidden), "{text:?}");
    // Wide characters count for two columns.
    let columns = |line: &str| -> usize {
        line.chars().map(|c| if ('\u{3000}'..='\u{9fff}').contains(&c) { 2 } else { 1 }).sum()
    };
    assert!(text.lines().all(|line| columns(line) <= 80 && line == line.trim_end()), "{text}");
    assert!(text.contains("`brief (drawn above)`"), "{text}");
}

#[test]
fn no_name_breaks_out_of_a_label_of_graphviz() {
    let picture = shown("dot", &hostile());
    let nodes: Vec<_> = picture.lines().filter(|line| line.contains("[label=")).collect();
    assert_eq!(nodes.len(), HOSTILE.len() + 2, "{picture}");
    assert_every_line_is_ours(&picture);
    for (at, line) in nodes.iter().skip(1).enumerate() {
        let label = line.strip_prefix(&format!("  n{at} [label=\"")).unwrap();
        // The label ends at the first quote that nothing escapes, and what follows is ours.
        let mut is_escaped = false;
        let end = label.find(|c| {
            let ends = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        let (label, rest) = label.split_at(end.unwrap());
        assert_eq!(rest, "\", color=\"#b3261e\", fillcolor=\"#fce4e2\"];", "{line}");
        assert!(label.matches('&').count() == label.matches("&amp;").count(), "{line}");
    }
    assert!(nodes[2].contains(r#"label="\\\n\\\nhard"#), "{}", nodes[2]);
}

#[test]
fn no_name_breaks_out_of_a_label_of_mermaid() {
    let picture = shown("mermaid", &hostile());
    let nodes: Vec<_> =
        picture.lines().filter(|line| line.starts_with("  n") && line.contains('[')).collect();
    assert_eq!(nodes.len(), HOSTILE.len() + 1, "{picture}");
    assert_every_line_is_ours(&picture);
    for (at, line) in nodes.iter().enumerate() {
        let label = line
            .strip_prefix(&format!("  n{at}[\""))
            .and_then(|line| line.strip_suffix("\"]:::hard"))
            .unwrap();
        let mut text = label.replace("<br/>", " ");
        while let Some((before, entity)) = text.split_once('#') {
            let (number, after) = entity.split_once(';').unwrap();
            assert!(number.parse::<u32>().is_ok(), "{line}");
            text = [before, after].concat();
        }
        let is_harmless = |c: char| c.is_alphanumeric() || matches!(c, ' ' | ',' | '-' | '_' | '°');
        assert!(text.chars().all(is_harmless) && !text.contains(['ﬂ', '¶']), "{text}");
    }
}

const PLANNER: &str = r#"{"abi":1,"name":"planner","version":"0.1.0","operations":["validate_plan"]}"#;

#[test]
fn a_modules_answers_are_shown_and_led_back_alike() {
    let place = TestFolder::new();
    let answer = Operation::ValidatePlan.call(whole(PLAN).as_bytes()).unwrap();
    let run = |reply: &str, more: &[&str]| {
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
        assert_eq!((run.status, run.stdout), (Some(0), shown(format, &whole(PLAN))));
    }
    assert_eq!(run(&good, &["--exit-status"]).status, Some(10));
    let refused = run(r#"{"error":{"code":"own_code","message":"m","path":"/task/x-y"}}"#, &[]);
    assert_eq!((refused.code().as_str(), refused.status), ("own_code", Some(2)));
    assert!(refused.stderr.contains(r#""message":"task: m","path":"/x-y""#), "{refused:?}");
    let lying = run(r#"{"ok":{"event":"plan_generated","payload":{}}}"#, &["--format", "dot"]);
    assert_eq!((lying.code().as_str(), lying.status), ("module_invalid_decision", Some(3)));
}
