//! The table of an answer of `normalize_plan`: the hash, the steps in their order, the counts, and the report of the
//! conversion.

use adjudicate_core::{
    Error,
    json::{self, Kind, Limits, Node},
};

use super::{
    counted,
    decision::first,
    page::{BOLD, DIM, Line, PLAIN, Page},
    value::shown,
};
use crate::fields::{is_set, items, text};

/// The columns of labelled text: of the plan, and of a step or a count.
const HANG: usize = 14;
const STEP_HANG: usize = 17;

/// Returns the table of an answer of `normalize_plan`.
pub(crate) fn normalized(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let mut page = Page::default();
    page.push(Line::at(0).text(text(root, "plan_hash"), BOLD));
    if let Some(plan) = root.member("plan") {
        self::plan(&mut page, plan);
    }
    if let Some(quality) = root.member("quality") {
        self::quality(&mut page, quality);
    }
    if let Some(adapter) = root.member("adapter") {
        self::adapter(&mut page, adapter);
    }
    Ok(page)
}

fn plan(page: &mut Page, plan: Node<'_>) {
    let line_text = |name| plan.member(name).map(|value| shown(value, ", ")).unwrap_or_default();
    let line = Line::at(0).text(&counted(items(plan, "steps").count(), "step"), PLAIN);
    let line = line.text("complexity:", DIM).text(&line_text("complexity"), PLAIN);
    page.push(line.text("confidence:", DIM).text(&line_text("confidence"), PLAIN));
    labelled(page, 0, HANG, "analysis", text(plan, "analysis"));
    for (number, step) in (1..).zip(items(plan, "steps")) {
        page.gap();
        self::step(page, number, step);
    }
    let Some(verification) = plan.member("verification_strategy") else { return };
    page.heading("Verification");
    for (index, command) in items(verification, "commands").enumerate() {
        let line = Line::at(2).label(first(index, "run"), DIM, HANG);
        page.push(line.text(command.as_str().unwrap_or_default(), BOLD));
    }
    labelled(page, 2, HANG, "success", text(verification, "success_criteria"));
    let retries = verification.member("max_retries").map(|retries| shown(retries, "")).unwrap_or_default();
    labelled(page, 2, HANG, "retries", &retries);
}

fn step(page: &mut Page, number: usize, step: Node<'_>) {
    let line = Line::at(0).label(&format!("{number}."), BOLD, 4).text(text(step, "id"), BOLD);
    page.push(line.text(text(step, "intent"), DIM));
    if !text(step, "description").is_empty() {
        page.push(Line::at(4).text(text(step, "description"), PLAIN));
    }
    for (label, name) in
        [("after", "depends_on"), ("files", "target_files"), ("iterations", "max_iterations")]
    {
        let value = step.member(name).filter(|value| value.kind() != Kind::Array || !value.is_empty());
        labelled(page, 4, STEP_HANG, label, &value.map(|value| shown(value, ", ")).unwrap_or_default());
    }
}

fn quality(page: &mut Page, quality: Node<'_>) {
    page.heading("Quality");
    let line_text = |name| quality.member(name).map(|value| shown(value, "")).unwrap_or_default();
    let verified = format!("{} of {} steps", line_text("verified_steps"), line_text("steps"));
    let is_verified = is_set(quality, "has_verification");
    let verified = if is_verified { verified } else { "no verify step and no command".to_owned() };
    labelled(page, 2, STEP_HANG, "verified", &verified);
    for (label, name) in [("orphans", "orphan_steps"), ("longest path", "longest_path"), ("files", "files")] {
        labelled(page, 2, STEP_HANG, label, &line_text(name));
    }
}

fn adapter(page: &mut Page, adapter: Node<'_>) {
    page.heading("Adapter");
    let line = Line::at(2).label("format", DIM, HANG).text(text(adapter, "format"), BOLD);
    page.push(if is_set(adapter, "detected") { line.text("(detected by its fields)", DIM) } else { line });
    for (index, inferred) in items(adapter, "inferred").enumerate() {
        let line = Line::at(2).label(first(index, "inferred"), DIM, HANG).text(text(inferred, "path"), BOLD);
        let value = inferred.member("value").map(|value| json::canonical(value)).unwrap_or_default();
        page.push(line.text(&value, PLAIN).text(text(inferred, "reason"), DIM));
    }
    for (index, kept) in items(adapter, "kept").enumerate() {
        let line = Line::at(2).label(first(index, "kept aside"), DIM, HANG).text(text(kept, "path"), BOLD);
        page.push(line.text("from", DIM).text(text(kept, "source"), PLAIN));
    }
}

/// Adds a labelled line, unless the text is empty.
fn labelled(page: &mut Page, indent: usize, hang: usize, label: &str, line_text: &str) {
    if !line_text.is_empty() {
        page.push(Line::at(indent).label(label, DIM, hang).text(line_text, PLAIN));
    }
}
