//! Names in plans with a meaning for a terminal, Graphviz or Mermaid are only shown.

use serde_json::json;

use crate::{pictures::shown, plans::whole};

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
];

fn hostile() -> String {
    let long = "x".repeat(5000);
    let names: Vec<_> = HOSTILE.iter().copied().chain([long.as_str()]).collect();
    let nodes: Vec<_> = names.iter().map(|name| json!({"nodeId": name, "capabilityId": name})).collect();
    let edges: Vec<_> = names.windows(2).map(|ends| json!({"from": ends[0], "to": ends[1]})).collect();
    whole(&json!({"nodes": nodes, "edges": edges}).to_string())
}

#[test]
fn no_name_writes_on_the_terminal_or_seems_what_it_is_not() {
    let text = shown("validate-plan", "table", &hostile());
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()) && !text.contains('\u{202e}'), "{text:?}");
    assert!(text.lines().all(|line| line.chars().count() <= 80 && line == line.trim_end()), "{text}");
    assert!(text.contains("`brief (drawn above)`"), "{text}");
}

#[test]
fn no_name_breaks_out_of_a_label_of_graphviz() {
    let picture = shown("validate-plan", "dot", &hostile());
    let nodes: Vec<_> = picture.lines().filter(|line| line.contains("[label=")).collect();
    assert_eq!(nodes.len(), HOSTILE.len() + 2, "{picture}");
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
    let picture = shown("validate-plan", "mermaid", &hostile());
    let nodes: Vec<_> =
        picture.lines().filter(|line| line.starts_with("  n") && line.contains('[')).collect();
    assert_eq!(nodes.len(), HOSTILE.len() + 1, "{picture}");
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
