//! Plans whose ids and texts are written to act on a terminal, on Graphviz, on Mermaid or on a page that shows one.

use crate::{pictures::shown, plans::whole};

/// Ids with a meaning in some output format, or with invisible characters.
const HOSTILE: [&str; 12] = [
    r"\u001b[2J\u001b]8;;http:\/\/x\u0007",
    r"\u009b31m\r\b",
    r"\u202etxt.exe\u200b\ufeff",
    r"a\nn9 [label=\u0022b\u0022]",
    r#"\"]; n9 -> n8; //"#,
    r"\\N\\",
    "%%{init: {}}%%",
    "</script><img src=x onerror=alert(1)>",
    "click n0 call x()",
    "--> n7",
    "#35;quot; &lt;",
    "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語",
];

/// A plan of such nodes, one after the other.
fn hostile() -> String {
    let nodes = HOSTILE.map(|id| format!(r#"{{"nodeId":"{id}","capabilityId":"{id}"}}"#)).join(",");
    let edges: Vec<_> =
        HOSTILE.windows(2).map(|ends| format!(r#"{{"from":"{}","to":"{}"}}"#, ends[0], ends[1])).collect();
    whole(&format!(r#"{{"nodes":[{nodes}],"edges":[{}]}}"#, edges.join(",")))
}

fn lines(format: &str) -> Vec<String> {
    let text = shown("validate-plan", format, &hostile());
    let is_safe =
        |c: char| c == '\n' || !(c.is_control() || matches!(c, '\u{202e}' | '\u{200b}' | '\u{feff}'));
    assert!(text.chars().all(is_safe), "{format}: {text:?}");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn no_text_controls_the_terminal_or_leaves_its_line() {
    let table = lines("table");
    assert!(table.iter().any(|line| line.contains(r"\u{1b}[2J\u{1b}]8;;http://x\u{7}")), "{table:#?}");
    // Wide characters count for two, so that nothing is wider than a page is where there is no terminal.
    let columns = |line: &String| {
        line.chars().map(|c| if ('\u{3000}'..='\u{9fff}').contains(&c) { 2 } else { 1 }).sum()
    };
    assert!(table.iter().map(columns).all(|columns: usize| columns <= 80), "{table:#?}");
}

#[test]
fn every_line_of_a_picture_is_one_of_ours() {
    let count =
        |lines: &[String], is_one: &dyn Fn(&str) -> bool| lines.iter().filter(|line| is_one(line)).count();
    let dot = lines("dot");
    let is_node = |line: &str| line.starts_with("  n") && line.contains(" [label=\"") && line.ends_with("];");
    let is_edge = |line: &str| line.starts_with("  n") && line.contains(" -> n") && !line.contains('"');
    // Three lines before the nodes, one about the plan, and the end.
    let counted = (count(&dot, &is_node), count(&dot, &is_edge), dot.len());
    assert_eq!(counted, (12, 11, 12 + 11 + 5), "{dot:#?}");
    // Three texts in quotes: the label and two colours.
    for line in dot.iter().filter(|line| is_node(line)) {
        let bare = line.replace(r"\\", "").replace(r#"\""#, "");
        assert_eq!(bare.matches('"').count(), 6, "{line}");
    }
    let mermaid = lines("mermaid");
    let is_edge = |line: &str| {
        line.strip_prefix("  n").is_some_and(|line| line.contains(" --> n") && !line.contains('['))
    };
    let is_node = |line: &str| line.starts_with("  n") && line.contains("[\"");
    assert_eq!((count(&mermaid, &is_node), count(&mermaid, &is_edge)), (12, 11), "{mermaid:#?}");
    for label in mermaid.iter().filter(|line| is_node(line)).filter_map(|line| line.split('"').nth(1)) {
        let label = label.replace("<br/>", "");
        assert!(!label.contains(['<', '>', '%', '&', '(', '[', '{', '`', '\\']), "{label}");
    }
}
