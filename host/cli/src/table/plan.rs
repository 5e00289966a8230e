//! A `validate_plan` answer as a page: what becomes of the plan, the plan as a tree with what was found at each node, the
//! score of each constraint, and what was found about no node.

use adjudicate_core::{
    Error,
    json::{self, Limits, Node},
    plan::shown_id,
};
use anstyle::AnsiColor;

use super::{
    bundle::{diagnostics, head},
    counted,
    diagnostic::{self, severity_style},
    page::{BOLD, DIM, Line, PLAIN, Page},
};
use crate::drawing::{Drawing, Reached, Row, Sort, Vertex, rows};
use crate::fields::{items, text};

/// Where a score begins, behind the level of its constraint.
const SCORE: usize = 16;

/// The page of a `validate_plan` answer to this input.
pub(crate) fn plan(input: &[u8], answer: &str) -> Result<Page, Error> {
    let (input, answer) =
        (json::read(input, Limits::ANSWER)?, json::read(answer.as_bytes(), Limits::ANSWER)?);
    let drawing = Drawing::of(input.root(), answer.root());
    let mut page = Page::default();
    if let Some(payload) = drawing.payload {
        head(&mut page, payload);
    }
    if let Some(line) = drawing.payload.and_then(changes) {
        page.push(line);
    }
    let (nodes, edges) = drawing.size;
    let title = match drawing.version {
        Some(version) => format!("Plan, version {version}"),
        None => "Plan".to_owned(),
    };
    page.gap();
    let line = Line::at(0).text(&title, BOLD);
    page.push(line.text(&format!("{}, {}", counted(nodes, "node"), counted(edges, "edge")), DIM));
    for row in rows(&drawing) {
        if let Some(vertex) = drawing.vertices.get(row.vertex) {
            self::row(&mut page, &row, vertex);
        }
    }
    if let Some(payload) = drawing.payload {
        scores(&mut page, payload);
    }
    if !drawing.about_plan.is_empty() {
        page.heading("About the plan");
        diagnostics(&mut page, drawing.about_plan.iter().copied());
    }
    Ok(page)
}

/// How the findings differ from those of the earlier answer, if there was one.
fn changes(payload: Node<'_>) -> Option<Line> {
    let unchanged = payload.member("unchanged")?.as_number()?;
    let [resolved, introduced] = ["resolved", "introduced"].map(|name| items(payload, name).count());
    let told = format!("{resolved} resolved, {introduced} introduced, {unchanged} unchanged");
    Some(Line::at(0).text("Since the earlier answer", PLAIN).text(&told, DIM))
}

/// The constraints of the task, one a line: the level, the score and the id.
fn scores(page: &mut Page, payload: Node<'_>) {
    for (at, constraint) in items(payload, "constraintScores").enumerate() {
        if at == 0 {
            page.heading("Constraints");
        }
        let severity = text(constraint, "severity");
        let score = constraint.member("score").and_then(Node::as_number).unwrap_or("not scored");
        let line = Line::at(2).label(severity, severity_style(severity), SCORE).text(score, BOLD);
        page.push(line.text(text(constraint, "constraintId"), PLAIN));
    }
}

/// A node with what was found about it; in other places than its own it is only named.
fn row(page: &mut Page, row: &Row, vertex: &Vertex<'_>) {
    let alarm = AnsiColor::Red.on_default();
    let line = Line::at(0).right_of(&row.first, &row.rest);
    let named = |line: Line| line.verbatim(&shown_id(vertex.id), PLAIN);
    let line = match row.reached {
        Reached::Above => return page.push(named(line).text("(drawn above)", DIM)),
        Reached::Below => return page.push(named(line).text("(drawn below)", DIM)),
        Reached::Cycle => return page.push(named(line).text("(back again: a cycle)", alarm)),
        Reached::Root | Reached::Here | Reached::Continued => {
            let line = line.verbatim(&shown_id(vertex.id), BOLD);
            if vertex.capability.is_empty() {
                line
            } else {
                line.verbatim(&shown_id(vertex.capability), PLAIN)
            }
        }
    };
    let line = if row.reached == Reached::Continued { line.text("(continued)", DIM) } else { line };
    page.push(match vertex.sort {
        Sort::Plain => line,
        Sort::Repeated => line.text("(the id of a node above)", alarm),
        Sort::Missing => line.text("(there is no such node)", alarm),
    });
    for (label, list) in [("gives", &vertex.provides), ("enforces", &vertex.enforces)] {
        if !list.is_empty() {
            let line = Line::at(0).right_of(&row.rest, &row.rest).label(label, DIM, 10);
            page.push(line.text(&list.join(", "), DIM));
        }
    }
    for diagnostic in &vertex.diagnostics {
        for line in diagnostic::lines(*diagnostic, true) {
            page.push(line.right_of(&row.rest, &row.rest));
        }
    }
}
