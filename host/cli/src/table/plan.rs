//! The table of an answer of `validate_plan`: the outcome, the plan as a tree with the diagnostics of each node, the
//! score of each constraint, and the diagnostics about no node.

use adjudicate_core::{
    Error,
    documents::{Plan, PreviousPayload},
    plan::shown_id,
};
use anstyle::AnsiColor;

use super::{
    bundle::{diagnostics, head, lines},
    counted,
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN, word},
};
use crate::drawing::{Drawing, NodeKind, Placement, Row, Vertex, rows, with_plan};

/// The column of a score, after the level of its constraint.
const SCORE: usize = 16;

/// Returns the table of an answer of `validate_plan` to this input.
pub(crate) fn plan(input: &[u8], answer: &str) -> Result<Page, Error> {
    with_plan(input, answer, page)
}

fn page(plan: &Plan<'_>, payload: &PreviousPayload<'_>) -> Page {
    let drawing = Drawing::new(plan, payload);
    let mut page = Page::default();
    let buckets = [&*payload.failures.0, &*payload.warnings.0, &*payload.infos.0];
    head(&mut page, payload.status, &[("score:", payload.satisfaction_score.0)], buckets);
    if let Some(line) = changes(payload) {
        page.push(line);
    }
    let (nodes, edges) = drawing.size;
    let title = match plan.plan_version {
        1 => "Plan".to_owned(),
        version => format!("Plan, version {version}"),
    };
    page.gap();
    let size = format!("{}, {}", counted(nodes, "node"), counted(edges, "edge"));
    page.line(0, &[(&title, BOLD), (&size, DIM)]);
    for row in rows(&drawing) {
        if let Some(vertex) = drawing.vertices.get(row.vertex) {
            self::row(&mut page, &row, vertex);
        }
    }
    scores(&mut page, payload);
    if !drawing.about_plan.is_empty() {
        page.heading("About the plan");
        diagnostics(&mut page, drawing.about_plan.iter().copied());
    }
    page
}

/// Returns the line with the changes since the earlier answer, if there was one.
fn changes(payload: &PreviousPayload<'_>) -> Option<Line> {
    let unchanged = payload.unchanged?;
    let [resolved, introduced] =
        [&payload.resolved, &payload.introduced].map(|list| list.as_ref().map_or(0, Vec::len));
    let line_text = format!("{resolved} resolved, {introduced} introduced, {unchanged} unchanged");
    Some(Line::at(0).text("Since the earlier answer", PLAIN).text(&line_text, DIM))
}

/// Adds the constraints of the task, one per line: the level, the score and the id.
fn scores(page: &mut Page, payload: &PreviousPayload<'_>) {
    for (at, constraint) in payload.constraint_scores.iter().flatten().enumerate() {
        if at == 0 {
            page.heading("Constraints");
        }
        let severity = constraint.severity.as_str();
        let score = constraint.score.as_number().unwrap_or("not scored");
        let line = Line::at(2).label(severity, word(severity), SCORE).text(score, BOLD);
        page.push(line.text(constraint.constraint_id.0, PLAIN));
    }
}

/// Adds a node with its diagnostics; only its name, if the node is drawn on another line.
fn row(page: &mut Page, row: &Row, vertex: &Vertex<'_>) {
    let (alarm, is_own) = (AnsiColor::Red.on_default(), row.placement.is_own());
    let style = if is_own { BOLD } else { PLAIN };
    let line = Line::at(0).right_of(&row.first, &row.rest).verbatim(&shown_id(vertex.id), style);
    let line = match vertex.capability {
        capability if is_own && !capability.is_empty() => line.verbatim(&shown_id(capability), PLAIN),
        _ => line,
    };
    page.push(match (row.placement, vertex.node_kind) {
        (Placement::Above, _) => line.text("(drawn above)", DIM),
        (Placement::Below, _) => line.text("(drawn below)", DIM),
        (Placement::Cycle, _) => line.text("(back again: a cycle)", alarm),
        (_, NodeKind::Repeated) => line.text("(the id of a node above)", alarm),
        (_, NodeKind::Missing) => line.text("(unknown node)", alarm),
        (Placement::Continued, _) => line.text("(continued)", DIM),
        (Placement::Root | Placement::Here, NodeKind::Plain) => line,
    });
    if !is_own {
        return;
    }
    for (label, list) in [("gives", &vertex.provides), ("enforces", &vertex.enforces)] {
        if !list.is_empty() {
            let line = Line::at(0).right_of(&row.rest, &row.rest).label(label, DIM, 10);
            page.push(line.text(&list.join(", "), DIM));
        }
    }
    for diagnostic in &vertex.diagnostics {
        for line in lines(diagnostic, true) {
            page.push(line.right_of(&row.rest, &row.rest));
        }
    }
}
