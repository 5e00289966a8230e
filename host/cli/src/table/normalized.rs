//! The table of an answer of `normalize_plan`: the hash, the steps in their order, the counts, and the report of the
//! conversion.

use adjudicate_core::{
    Error, document,
    ir::{AdapterReport, NormalizedPlan, PlanIr, PlanQuality, PlanStep},
    json::{self, ReadLimits},
};

use super::{
    counted,
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN},
};

/// The columns of labels, and of the text after them: of the plan, of its verification, and of a step or a count.
const PLAN: (usize, usize) = (0, 14);
const ROW: (usize, usize) = (2, 14);
const STEP: (usize, usize) = (4, 17);

/// Returns the table of an answer of `normalize_plan`.
pub(crate) fn normalized(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let answer: NormalizedPlan<'_> = document::read(tape.root())?;
    let mut page = Page::default();
    page.line(0, &[(answer.plan_hash, BOLD)]);
    plan(&mut page, &PlanIr::read(answer.plan.0)?);
    quality(&mut page, &answer.quality);
    adapter(&mut page, &answer.adapter);
    Ok(page)
}

fn plan(page: &mut Page, plan: &PlanIr<'_>) {
    let line = Line::at(0).text(&counted(plan.steps().len(), "step"), PLAIN);
    let line = line.text("complexity:", DIM).text(plan.complexity().as_str(), PLAIN);
    page.push(line.text("confidence:", DIM).text(&plan.confidence().to_string(), PLAIN));
    page.labelled(PLAN, "analysis", plan.analysis());
    for (number, step) in (1..).zip(plan.steps()) {
        page.gap();
        self::step(page, number, step, &plan.depends_on(step).collect::<Vec<_>>());
    }
    let verification = plan.verification_strategy();
    page.heading("Verification");
    page.listed(ROW, "run", verification.commands().iter().map(|command| [(*command, BOLD)]));
    page.labelled(ROW, "success", verification.success_criteria());
    page.labelled(ROW, "retries", &verification.max_retries().to_string());
}

fn step(page: &mut Page, number: usize, step: &PlanStep<'_>, after: &[&str]) {
    let line = Line::at(0).label(&format!("{number}."), BOLD, STEP.0).text(step.id(), BOLD);
    page.push(line.text(step.intent().as_str(), DIM));
    if !step.description().is_empty() {
        page.line(STEP.0, &[(step.description(), PLAIN)]);
    }
    page.labelled(STEP, "after", &after.join(", "));
    page.labelled(STEP, "files", &step.target_files().join(", "));
    page.labelled(STEP, "iterations", &step.max_iterations().to_string());
}

fn quality(page: &mut Page, quality: &PlanQuality) {
    page.heading("Quality");
    let verified = match quality.has_verification {
        true => format!("{} of {} steps", quality.verified_steps, quality.steps),
        false => "no verify step and no command".to_owned(),
    };
    page.labelled((2, STEP.1), "verified", &verified);
    page.labelled((2, STEP.1), "orphans", &quality.orphan_steps.to_string());
    page.labelled((2, STEP.1), "longest path", &quality.longest_path.to_string());
    page.labelled((2, STEP.1), "files", &quality.files.to_string());
}

fn adapter(page: &mut Page, adapter: &AdapterReport<'_>) {
    page.heading("Adapter");
    let detected = if adapter.detected { "(detected by its fields)" } else { "" };
    page.listed(ROW, "format", [[(adapter.format.as_str(), BOLD), (detected, DIM)]]);
    for (index, inferred) in adapter.inferred.iter().enumerate() {
        let label = if index == 0 { "inferred" } else { "" };
        let value = json::canonical(inferred.value);
        page.listed(ROW, label, [[(inferred.path, BOLD), (&value, PLAIN), (inferred.reason.as_str(), DIM)]]);
    }
    let kept = adapter.kept.iter().map(|kept| [(kept.path, BOLD), ("from", DIM), (kept.source, PLAIN)]);
    page.listed(ROW, "kept aside", kept);
}
