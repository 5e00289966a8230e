//! Drawings in the language of Mermaid.
//!
//! Names of vertices are numbers, so data is only in quoted labels. Quotes, entities, directives (`%%{`), HTML and
//! Markdown are special even there. So of ASCII, only letters, digits, spaces, commas, and dashes and underscores
//! between words stay. Everything else becomes a numbered entity.

use adjudicate_core::plan::Level;

use super::{
    Drawing, NodeKind,
    label::{PALETTE, about, lines, most_severe},
};

/// Writes a plan as a `flowchart`.
pub(crate) fn mermaid(drawing: &Drawing<'_>) -> String {
    let mut out = String::from("flowchart TD\n");
    let class = |level: Option<Level>| level.map_or(String::new(), |level| format!(":::{level}"));
    let about_plan = class(most_severe(&drawing.about_plan));
    out.push_str(&format!("  plan([\"{}\"]){about_plan}\n", label(&about(drawing))));
    for (at, vertex) in drawing.vertices.iter().enumerate() {
        let class = class(most_severe(&vertex.diagnostics));
        out.push_str(&format!("  n{at}[\"{}\"]{class}\n", label(&lines(vertex))));
    }
    let mut cyclic = Vec::new();
    for (number, edge) in drawing.edges().enumerate() {
        let (from, to) = edge;
        out.push_str(&format!("  n{from} --> n{to}\n"));
        cyclic.extend(drawing.is_cyclic(edge).then(|| number.to_string()));
    }
    for (level, line, fill) in PALETTE {
        out.push_str(&format!("  classDef {level} fill:{fill},stroke:{line},color:#000\n"));
    }
    for (at, vertex) in drawing.vertices.iter().enumerate() {
        if vertex.node_kind != NodeKind::Plain {
            out.push_str(&format!("  style n{at} stroke-dasharray:4\n"));
        }
    }
    if !cyclic.is_empty() {
        let [(_, line, _), ..] = PALETTE;
        out.push_str(&format!("  linkStyle {} stroke:{line},stroke-width:3px\n", cyclic.join(",")));
    }
    out
}

/// Returns lines as the text of a label, without its quotes.
fn label(lines: &[String]) -> String {
    lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("<br/>")
}

fn escaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut is_after_word = false;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        let is_before_word = rest.clone().next().is_some_and(char::is_alphanumeric);
        let is_plain = match c {
            // Mermaid uses these characters for entities while it parses.
            'ﬂ' | '¶' => false,
            '-' | '_' => is_after_word && is_before_word,
            _ => matches!(c, ' ' | ',') || c.is_ascii_alphanumeric() || !c.is_ascii(),
        };
        if is_plain {
            out.push(c);
        } else {
            out.push_str(&format!("#{};", u32::from(c)));
        }
        is_after_word = c.is_alphanumeric();
    }
    out
}
