//! The drawing of a report: statuses before on the left, statuses now on the right, and bands between them with the width of
//! their counts.

use std::fmt::Write as _;

use adjudicate_host::reevaluation::Label;

use super::{grouped, tone};

const WIDTH: f64 = 1000.0;
/// The end of the left column and the beginning of the right one. Names stand outside.
const LEFT: f64 = 200.0;
const RIGHT: f64 = 800.0;
const COLUMN: f64 = 12.0;
const GAP: f64 = 26.0;
/// The height of all bands of a column together.
const HEIGHT: f64 = 300.0;
/// The smallest thickness of a band, so that every band is visible.
const THINNEST: f64 = 2.5;

/// The number of cases that changed from one status to another.
pub(super) type Flow = (Label, Label, u64);

/// A status in one of the columns.
struct Node {
    label: Label,
    count: u64,
    top: f64,
    height: f64,
    /// The position of the next band.
    next: f64,
}

/// Returns the drawing as an SVG element; `title` is its text for screen readers.
pub(super) fn svg(flows: &[Flow], title: &str) -> String {
    let total: u64 = flows.iter().map(|(.., count)| count).sum();
    let thickness = |count: u64| (count as f64 / total.max(1) as f64 * HEIGHT).max(THINNEST);
    let mut before = column(flows.iter().map(|(from, _, count)| (*from, *count)), thickness);
    let mut after = column(flows.iter().map(|(_, to, count)| (*to, *count)), thickness);
    let bottom = |column: &[Node]| column.last().map_or(0.0, |last| last.top + last.height);
    let height = bottom(&before).max(bottom(&after)) + 8.0;
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" aria-label=\"{title}\" class=\"flow\">\n<title>{title}</title>\n"
    );
    let mut bands: Vec<(bool, String)> = Vec::new();
    for (from, to, count) in flows {
        let thick = thickness(*count);
        let start = attach(&mut before, *from, thick);
        let end = attach(&mut after, *to, thick);
        bands.push((from != to, band(*from, *to, *count, (start, end, thick))));
    }
    // Bands of changes lie above the other bands.
    bands.sort_by_key(|(is_change, _)| *is_change);
    out.extend(bands.into_iter().map(|(_, band)| band));
    nodes(&mut out, &before, total, LEFT - COLUMN, (LEFT - COLUMN - 12.0, "end"));
    nodes(&mut out, &after, total, RIGHT, (RIGHT + COLUMN + 12.0, "start"));
    out.push_str("</svg>\n");
    out
}

/// Returns the statuses of a column from top to bottom. Each is as high as its bands together.
fn column(flows: impl Iterator<Item = (Label, u64)>, thickness: impl Fn(u64) -> f64) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for (label, count) in flows {
        let at = nodes.iter().position(|node| node.label == label);
        match at.and_then(|at| nodes.get_mut(at)) {
            Some(node) => {
                node.count += count;
                node.height += thickness(count);
            }
            None => nodes.push(Node { label, count, top: 0.0, height: thickness(count), next: 0.0 }),
        }
    }
    nodes.sort_by_key(|node| node.label);
    let mut top = 8.0;
    for node in &mut nodes {
        (node.top, node.next) = (top, top);
        // Two lines of text must fit next to a status.
        top += node.height.max(18.0) + GAP;
    }
    nodes
}

/// Takes the next piece of a status and returns its start.
fn attach(column: &mut [Node], label: Label, thick: f64) -> f64 {
    let Some(node) = column.iter_mut().find(|node| node.label == label) else { return 0.0 };
    let at = node.next;
    node.next += thick;
    at
}

fn band(from: Label, to: Label, count: u64, (start, end, thick): (f64, f64, f64)) -> String {
    let middle = f64::midpoint(LEFT, RIGHT);
    let (start_below, end_below) = (start + thick, end + thick);
    let (from_text, to_text) = (from.as_str(), to.as_str());
    let class = if from == to { "same".to_owned() } else { format!("change {}", tone(to)) };
    let line_text = if from == to {
        format!("{} stayed {from_text}", grouped(count))
    } else {
        format!("{} went from {from_text} to {to_text}", grouped(count))
    };
    format!(
        "<path class=\"{class}\" d=\"M{LEFT:.0} {start:.1}C{middle:.0} {start:.1} {middle:.0} {end:.1} {RIGHT:.0} {end:.1}\
         V{end_below:.1}C{middle:.0} {end_below:.1} {middle:.0} {start_below:.1} {LEFT:.0} {start_below:.1}Z\">\
         <title>{line_text}</title></path>\n"
    )
}

fn nodes(out: &mut String, column: &[Node], total: u64, x: f64, (text_x, anchor): (f64, &str)) {
    for node in column {
        let Node { label, count, top, height, .. } = node;
        let middle = top + height / 2.0;
        let share = *count as f64 * 100.0 / total.max(1) as f64;
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<rect class=\"{}\" x=\"{x:.0}\" y=\"{top:.1}\" width=\"{COLUMN:.0}\" height=\"{height:.1}\" rx=\"2\"/>\n\
             <text x=\"{text_x:.0}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>\n\
             <text class=\"count\" x=\"{text_x:.0}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{} \u{b7} {share:.1} %</text>\n",
            tone(*label),
            middle - 1.0,
            label.as_str().replace('_', " "),
            middle + 15.0,
            grouped(*count),
        );
    }
}
