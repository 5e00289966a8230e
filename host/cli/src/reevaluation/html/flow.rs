//! The drawing of a report: statuses before on the left, statuses now on the right, and bands between them with the width of
//! their counts.

use adjudicate_host::reevaluation::Label;
use maud::{Markup, html};

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
pub(super) fn svg(flows: &[Flow], title: &str) -> Markup {
    let total: u64 = flows.iter().map(|(.., count)| count).sum();
    let thickness = |count: u64| (count as f64 / total.max(1) as f64 * HEIGHT).max(THINNEST);
    let mut before = column(flows.iter().map(|(from, _, count)| (*from, *count)), thickness);
    let mut after = column(flows.iter().map(|(_, to, count)| (*to, *count)), thickness);
    let bottom = |column: &[Node]| column.last().map_or(0.0, |last| last.top + last.height);
    let height = bottom(&before).max(bottom(&after)) + 8.0;
    let mut bands: Vec<(bool, Markup)> = Vec::new();
    for flow @ (from, to, count) in flows {
        let thick = thickness(*count);
        let ends = (attach(&mut before, *from, thick), attach(&mut after, *to, thick), thick);
        bands.push((from != to, band(*flow, ends)));
    }
    // Bands of changes lie above the other bands.
    bands.sort_by_key(|(is_change, _)| *is_change);
    html! {
        svg.flow viewBox=(format!("0 0 {WIDTH:.0} {height:.0}")) role="img" aria-label=(title) {
            title { (title) }
            @for (_, band) in bands { (band) }
            (nodes(&before, total, LEFT - COLUMN, (LEFT - COLUMN - 12.0, "end")))
            (nodes(&after, total, RIGHT, (RIGHT + COLUMN + 12.0, "start")))
        }
    }
}

/// Returns the statuses of a column from top to bottom. Each is as high as its bands together.
fn column(flows: impl Iterator<Item = (Label, u64)>, thickness: impl Fn(u64) -> f64) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for (label, count) in flows {
        match nodes.iter_mut().find(|node| node.label == label) {
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
    node.next += thick;
    node.next - thick
}

fn band((from, to, count): Flow, (start, end, thick): (f64, f64, f64)) -> Markup {
    let middle = f64::midpoint(LEFT, RIGHT);
    let (start_below, end_below) = (start + thick, end + thick);
    let path = format!(
        "M{LEFT:.0} {start:.1}C{middle:.0} {start:.1} {middle:.0} {end:.1} {RIGHT:.0} {end:.1}V{end_below:.1}\
         C{middle:.0} {end_below:.1} {middle:.0} {start_below:.1} {LEFT:.0} {start_below:.1}Z"
    );
    html! {
        @if from == to {
            path.same d=(path) { title { (grouped(count)) " stayed " (from.as_str()) } }
        } @else {
            path.change.(tone(to)) d=(path) {
                title { (grouped(count)) " went from " (from.as_str()) " to " (to.as_str()) }
            }
        }
    }
}

fn nodes(column: &[Node], total: u64, x: f64, (text_x, anchor): (f64, &str)) -> Markup {
    let share = |node: &Node| format!("{:.1}", node.count as f64 * 100.0 / total.max(1) as f64);
    let middle = |node: &Node| node.top + node.height / 2.0;
    let [x, text_x, width] = [x, text_x, COLUMN].map(|number| format!("{number:.0}"));
    let fixed = |number: f64| format!("{number:.1}");
    html! {
        @for node in column {
            rect.(tone(node.label)) x=(x) y=(fixed(node.top)) width=(width) height=(fixed(node.height)) rx="2" {}
            text x=(text_x) y=(fixed(middle(node) - 1.0)) text-anchor=(anchor) { (node.label.as_str().replace('_', " ")) }
            text.count x=(text_x) y=(fixed(middle(node) + 15.0)) text-anchor=(anchor) {
                (grouped(node.count)) " · " (share(node)) " %"
            }
        }
    }
}
