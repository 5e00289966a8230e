//! Names in plans with a meaning for a terminal, Graphviz or Mermaid are only shown.

use serde_json::json;

use crate::plans::{shown, whole};

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
    let text = shown("validate-plan", "table", &hostile());
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
    let picture = shown("validate-plan", "dot", &hostile());
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
    let picture = shown("validate-plan", "mermaid", &hostile());
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
