//! Drawings in the language of Graphviz.
//!
//! Names of vertices are numbers, so data is only in quoted labels. Three characters are special there: the quote, the
//! backslash, and the ampersand of an entity.

use adjudicate_core::plan::Level;

use super::{
    Drawing, NodeKind,
    label::{PALETTE, about, lines, most_severe},
};

/// Writes a plan as a `digraph`.
pub(crate) fn dot(drawing: &Drawing<'_>) -> String {
    let mut out = String::from(
        "digraph plan {\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", fontname=\"Helvetica\"];\n  \
         edge [color=\"#555555\"];\n",
    );
    out.push_str(&format!(
        "  plan [label=\"{}\", shape=note, style=filled{}];\n",
        label(&about(drawing)),
        colors(most_severe(&drawing.about_plan))
    ));
    for (at, vertex) in drawing.vertices.iter().enumerate() {
        let dashed =
            if vertex.node_kind == NodeKind::Plain { "" } else { ", style=\"rounded,filled,dashed\"" };
        let colors = colors(most_severe(&vertex.diagnostics));
        out.push_str(&format!("  n{at} [label=\"{}\"{dashed}{colors}];\n", label(&lines(vertex))));
    }
    let [(_, cyclic, _), ..] = PALETTE;
    for (from, to) in drawing.edges() {
        let style = match drawing.is_cyclic((from, to)) {
            true => format!(" [color=\"{cyclic}\", penwidth=2]"),
            false => String::new(),
        };
        out.push_str(&format!("  n{from} -> n{to}{style};\n"));
    }
    out.push_str("}\n");
    out
}

/// Returns the attributes that show a level.
fn colors(level: Option<Level>) -> String {
    match PALETTE.iter().find(|(one, ..)| Some(*one) == level) {
        Some((_, line, fill)) => format!(", color=\"{line}\", fillcolor=\"{fill}\""),
        None => String::new(),
    }
}

/// Returns lines as the text of a label, without its quotes.
fn label(lines: &[String]) -> String {
    let mut label = String::new();
    for (at, line) in lines.iter().enumerate() {
        label.push_str(if at > 0 { "\\n" } else { "" });
        for c in line.chars() {
            match c {
                '"' | '\\' => label.extend(['\\', c]),
                '&' => label.push_str("&amp;"),
                _ => label.push(c),
            }
        }
    }
    label
}
