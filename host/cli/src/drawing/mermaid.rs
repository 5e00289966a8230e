//! The plan in the language of Mermaid.
//!
//! Names are numbers of ours, so nothing from elsewhere stands outside of a quoted label. In there quotes, entities,
//! directives (`%%{`), HTML and Markdown could still mean something, so of ASCII only letters, digits, spaces, commas, and
//! dashes between letters or digits stand for themselves; everything else is a numbered entity.

use adjudicate_core::plan::Level;

use super::{
    Drawing, Sort,
    label::{PALETTE, about, gravest, lines},
};

/// Writes a plan as a `flowchart`.
pub(crate) fn mermaid(drawing: &Drawing<'_>) -> String {
    let mut out = String::from("flowchart TD\n");
    let class = |level: Option<Level>| level.map_or(String::new(), |level| format!(":::{}", level.as_str()));
    let about_plan = class(gravest(&drawing.about_plan));
    out.push_str(&format!("  plan([\"{}\"]){about_plan}\n", label(&about(drawing))));
    for (at, vertex) in drawing.vertices.iter().enumerate() {
        let class = class(gravest(&vertex.diagnostics));
        out.push_str(&format!("  n{at}[\"{}\"]{class}\n", label(&lines(vertex))));
    }
    let mut cyclic = Vec::new();
    for (number, edge) in drawing.edges().enumerate() {
        let (from, to) = edge;
        out.push_str(&format!("  n{from} --> n{to}\n"));
        cyclic.extend(drawing.is_cyclic(edge).then(|| number.to_string()));
    }
    for (level, line, fill) in PALETTE {
        out.push_str(&format!("  classDef {} fill:{fill},stroke:{line},color:#000\n", level.as_str()));
    }
    for (at, vertex) in drawing.vertices.iter().enumerate() {
        if vertex.sort != Sort::Plain {
            out.push_str(&format!("  style n{at} stroke-dasharray:4\n"));
        }
    }
    if !cyclic.is_empty() {
        let [(_, line, _), ..] = PALETTE;
        out.push_str(&format!("  linkStyle {} stroke:{line},stroke-width:3px\n", cyclic.join(",")));
    }
    out
}

/// Lines as the text of a label, without the quotes around it.
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
            // Where Mermaid keeps its entities while it reads.
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
