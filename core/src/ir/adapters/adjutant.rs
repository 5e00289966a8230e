//! Adjutant: subtasks of `{id, action, target, instruction}`, as a list or as JSON text.
//!
//! A target is a file only if the action reads or edits it. The target of `bash` is kept, and does not become a command.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, Document, Reader, Shape, Type, describe},
    json::{self, Kind, Node, ReadLimits},
};

use super::{ParsedSource, ParsedStep};
use crate::{
    codes,
    documents::plan_ir::{AdjutantAction, Fraction, SpelledWord, StepIntent, Steps},
    ir::{
        PlanIr,
        origins::{Back, Origins, kept_in_plan, write_steps},
        slot::Slot,
    },
};

/// A plan of subtasks. Other fields are kept.
#[derive(Document)]
#[document(expecting = "an object", carried)]
pub(super) struct Subtasks<'a> {
    /// The subtasks, in order, or the same list as JSON text.
    subtasks: SubtaskList<'a>,
    /// The confidence of the planner, from 0 to 1.
    confidence: Option<Fraction>,
}

/// A subtask. Other fields are kept.
#[derive(Document)]
#[document(expecting = "an object", carried)]
pub(super) struct Subtask<'a> {
    /// The id of the subtask.
    id: Option<&'a str>,
    /// The action: `read`, `edit` or `bash`.
    action: SpelledWord<'a, AdjutantAction, true>,
    /// The file that is read or edited, or the argument of `bash`.
    target: Option<&'a str>,
    /// The work of the subtask.
    instruction: Option<&'a str>,
    #[document(source)]
    object: Node<'a>,
}

/// The subtasks. A text is kept as a whole.
struct SubtaskList<'a> {
    steps: Vec<ParsedStep<'a>>,
    is_text: bool,
}

describe! {
    [] SubtaskList<'_> => Type::Either(Vec::from([Type::TEXT, <[Subtask<'_>]>::describe()]));
}

impl<'t: 'a, 'a> Document<'t> for SubtaskList<'a> {
    const SHAPE: Shape = Shape::Any;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let Some(text) = node.as_str() else {
            return Steps::read(node, reader).map(|list| Self { steps: found(list), is_text: false });
        };
        let steps = read_text(text).map_err(|error| reader.note(in_text(error))).ok()?;
        Some(Self { steps, is_text: true })
    }
}

pub(super) fn read(source: Node<'_>) -> Result<ParsedSource<'_>, Error> {
    if source.kind() == Kind::Array {
        let steps = found(document::read(source)?);
        return Ok(ParsedSource { steps, ..ParsedSource::new(source, "", "id") });
    }
    let Subtasks { subtasks, confidence } = document::read(source)?;
    let mut found = ParsedSource { steps: subtasks.steps, ..ParsedSource::new(source, "/subtasks", "id") };
    found.use_up("subtasks", !subtasks.is_text);
    found.use_up("confidence", confidence.is_some());
    found.confidence = confidence.map(|confidence| confidence.0);
    Ok(found)
}

fn found(list: Steps<Subtask<'_>>) -> Vec<ParsedStep<'_>> {
    list.0.into_iter().map(Subtask::found).collect()
}

/// Reads subtasks from a text that outlives its tape.
fn read_text<'a>(text: &str) -> Result<Vec<ParsedStep<'a>>, Error> {
    let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT)?;
    let list: Steps<Subtask<'_>> = document::read(tape.root())?;
    let owned = |step: ParsedStep<'_>| ParsedStep {
        source: None,
        id: owned(step.id),
        description: owned(step.description),
        derived: None,
        intent: step.intent,
        spelling: step.spelling.map(|(name, given)| (name, Cow::Owned(given.into_owned()))),
        target: owned(step.target),
        depends_on: None,
        used: step.used,
    };
    Ok(list.0.into_iter().map(|subtask| owned(subtask.found())).collect())
}

fn owned<'a>(text: Option<Cow<'_, str>>) -> Option<Cow<'a, str>> {
    text.map(|text| Cow::Owned(text.into_owned()))
}

/// An error inside a text. No pointer of the call leads there, so the message has the position.
fn in_text(error: Error) -> Error {
    let code = match error.code() {
        codes::LIMIT_EXCEEDED => codes::LIMIT_EXCEEDED,
        _ => codes::INVALID_VALUE,
    };
    let place = match error.path() {
        "" => String::new(),
        path => format!(", at `{path}` in the text"),
    };
    Error::new(code, format!("expected a list or its JSON as text: {}{place}", error.message()))
}

impl<'a> Subtask<'a> {
    fn found(self) -> ParsedStep<'a> {
        let intent = self.action.value.0;
        // An empty target names no file.
        let target = self.target.filter(|target| intent != StepIntent::Verify && !target.is_empty());
        let is_alias = self.action.is_alias();
        let mut step = ParsedStep {
            source: Some(self.object),
            id: self.id.map(Cow::Borrowed),
            description: self.instruction.map(Cow::Borrowed),
            intent: Some(intent),
            spelling: is_alias.then_some(("action", Cow::Borrowed(self.action.given))),
            target: target.map(Cow::Borrowed),
            ..ParsedStep::default()
        };
        step.use_up("instruction", self.instruction.is_some());
        step.use_up("action", !is_alias);
        step.use_up("target", target.is_some());
        step
    }
}

/// Writes the source.
pub(super) fn write(plan: &PlanIr<'_>, origins: &Origins<'_>) -> Result<String, Error> {
    let kept = kept_in_plan(plan)?;
    let list = write_steps(plan, |place, step, item| {
        item.text("id", origins.has(place, Slot::Id).then_some(step.id()));
        item.text("action", Some(AdjutantAction::word(step.intent)));
        item.text("target", step.target_files.first().map(|file| &**file));
        item.text("instruction", origins.has(place, Slot::Description).then_some(step.description()));
    })?;
    if origins.is_list {
        return Ok(list);
    }
    let mut out = String::new();
    let mut source = Back::open(kept, &mut out);
    source.json("subtasks", Some(&list));
    source.json("confidence", origins.confidence(plan).as_deref());
    source.close();
    Ok(out)
}
