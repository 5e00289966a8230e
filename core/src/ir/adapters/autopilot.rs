//! Autopilot: `implementation_steps`, a list of texts or lines, with `analysis`, `confidence`, `estimated_complexity` and
//! `test_strategy`.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, Document, Notes, Reader, Shape, describe},
    json::{self, Kind, Node, ReadLimits, object::write_list, write_string},
};

use super::{ParsedSource, ParsedStep};
use crate::{
    codes,
    documents::plan_ir::{Complexity, Fraction, SpelledWord, Steps, has_few_steps},
    ir::{
        PlanIr,
        origins::{Back, Origins, kept_in_plan},
        slot::Slot,
    },
};

const STEPS: &str = "implementation_steps";

/// A plan of an Autopilot. Other fields are kept.
#[derive(Document)]
#[document(expecting = "an object", carried)]
pub(super) struct AutopilotPlan<'a> {
    /// The findings of the planner before it planned.
    analysis: Option<&'a str>,
    /// The steps: texts, or the lines of one text.
    implementation_steps: StepTexts<'a>,
    /// The way to verify that the steps were done.
    test_strategy: Option<&'a str>,
    /// The complexity of the plan, for example `medium` or `easy`.
    estimated_complexity: Option<SpelledWord<'a, Complexity, true>>,
    /// The confidence of the planner, from 0 to 1.
    confidence: Option<Fraction>,
}

/// The texts of steps. A single text is kept, because steps do not show the text around them.
struct StepTexts<'a> {
    texts: Vec<Cow<'a, str>>,
    is_text: bool,
}

describe! {
    [] StepTexts<'_> => Notes::describe();
}

impl<'t: 'a, 'a> Document<'t> for StepTexts<'a> {
    const SHAPE: Shape = Shape::Notes;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        if let Some(text) = node.as_str() {
            let Some(texts) = texts(text) else {
                let message = "expected lines, or a whole JSON list of strings without a code fence";
                reader.note(Error::new(codes::INVALID_VALUE, message));
                return None;
            };
            return has_few_steps(texts.len(), reader).then_some(Self { texts, is_text: true });
        }
        if node.kind() != Kind::Array {
            reader.refuse(node, "a list of strings, or lines");
            return None;
        }
        let Steps(texts) = Steps::<&str>::read(node, reader)?;
        Some(Self { texts: texts.into_iter().map(Cow::Borrowed).collect(), is_text: false })
    }
}

pub(super) fn read(source: Node<'_>) -> Result<ParsedSource<'_>, Error> {
    let plan: AutopilotPlan<'_> = document::read(source)?;
    let mut found = ParsedSource::new(source, "/implementation_steps", "id");
    found.use_up(STEPS, !plan.implementation_steps.is_text);
    found.use_up("analysis", plan.analysis.is_some());
    found.use_up("confidence", plan.confidence.is_some());
    found.use_up("test_strategy", plan.test_strategy.is_some());
    if let Some(complexity) = plan.estimated_complexity {
        const NAME: &str = "estimated_complexity";
        found.complexity = Some(complexity.value);
        found.spelling = complexity.is_alias().then_some((NAME, Cow::Borrowed(complexity.given)));
        found.use_up(NAME, !complexity.is_alias());
    }
    found.analysis = plan.analysis;
    found.confidence = plan.confidence.map(|confidence| confidence.0);
    found.success_criteria = plan.test_strategy;
    found.steps = plan.implementation_steps.texts.into_iter().map(step).collect();
    Ok(found)
}

/// The steps of a text: the items of a JSON list, otherwise its lines without leading dashes and without empty ones. `None` if the
/// text begins like JSON or a code fence, and is not a JSON list of strings.
fn texts(text: &str) -> Option<Vec<Cow<'_, str>>> {
    let beginning = trim(text);
    if beginning.starts_with('[') {
        return written_list(text);
    }
    if beginning.starts_with('{') || beginning.starts_with("```") || beginning.starts_with("~~~") {
        return None;
    }
    let lines = text.split('\n').map(|line| trim(trim(line).trim_start_matches('-')));
    Some(lines.filter(|line| !line.is_empty()).map(Cow::Borrowed).collect())
}

/// Not inlined, because it is much code.
#[inline(never)]
fn trim(line: &str) -> &str {
    line.trim()
}

/// The strings of a JSON text that is a list of strings.
fn written_list<'a>(text: &str) -> Option<Vec<Cow<'a, str>>> {
    let tape = json::read(text.as_bytes(), ReadLimits::ANSWER).ok()?;
    let list = tape.root();
    list.items().map(|item| Some(Cow::Owned(item.as_str()?.into()))).collect()
}

fn step(description: Cow<'_, str>) -> ParsedStep<'_> {
    ParsedStep { description: Some(description), ..ParsedStep::default() }
}

/// Writes the source.
pub(super) fn write(plan: &PlanIr<'_>, origins: &Origins<'_>) -> Result<String, Error> {
    let mut steps = String::new();
    write_list(&plan.steps, &mut steps, |step, out| write_string(step.description(), out));
    let strategy = origins.has(None, Slot::SuccessCriteria).then_some(plan.verification.success_criteria);
    let complexity = origins.has(None, Slot::Complexity).then_some(plan.complexity.as_str());
    let mut out = String::new();
    let mut source = Back::open(kept_in_plan(plan)?, &mut out);
    source.text("analysis", origins.has(None, Slot::Analysis).then_some(plan.analysis));
    source.json(STEPS, Some(&steps));
    source.text("test_strategy", strategy);
    source.text("estimated_complexity", complexity);
    source.json("confidence", origins.confidence(plan).as_deref());
    source.close();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_texts() {
        for (text, expected) in [
            ("", &[][..]),
            ("a", &["a"]),
            ("a\nb\r\n\n  c  ", &["a", "b", "c"]),
            ("- a\n-- b\n  -c\n- - d\n-", &["a", "b", "c", "- d"]),
            ("a - b\n* c\n1. d", &["a - b", "* c", "1. d"]),
            ("---\n \t\n", &[]),
            (r#"["a", "- b", ""]"#, &["a", "- b", ""]),
            ("\n [\"a\"]\n", &["a"]),
            ("[]", &[]),
        ] {
            assert_eq!(texts(text), Some(expected.iter().copied().map(Cow::Borrowed).collect()), "{text:?}");
        }
        for text in [
            "[x] a\n[ ] b",
            "[1]",
            r#"["a""#,
            r#"["a"] b"#,
            "```json\n[\"a\"]\n```",
            " ~~~\na",
            r#"{"a": 1}"#,
        ] {
            assert_eq!(texts(text), None, "{text:?}");
        }
    }
}
