//! Adjutant: subtasks of `{id, action, target, instruction}`, in a list or in a text that is one as JSON.
//!
//! A target is a file only where the action reads or edits it. The target of `bash` is kept aside, and no command is made of it.

use alloc::{borrow::Cow, format, string::String};

use adjudicate_lang::{
    Error,
    json::{self, Kind, Limits, Node, object::missing},
};

use super::{Found, FoundStep, each_member, read_steps, string};
use crate::{
    codes,
    ir::{
        Intent, PlanIr,
        read::confidence,
        slot::Slot,
        source::{Back, Origins, kept_in_plan, write_steps},
        spelling::ACTION,
    },
};

pub(super) fn read(source: Node<'_>) -> Result<Found<'_>, Error> {
    if source.kind() == Kind::Array {
        let mut found = Found::new(source, "", "id");
        read_subtasks(source, &mut found)?;
        return Ok(found);
    }
    let mut found = Found::new(source, "/subtasks", "id");
    each_member(source, &mut |name, member| {
        match (name, member.as_str()) {
            ("subtasks", Some(text)) => read_text(text, &mut found).map_err(in_text)?,
            ("subtasks", None) => {
                found.used.push("subtasks");
                read_subtasks(member, &mut found)?;
            }
            ("confidence", _) => {
                found.confidence = Some(confidence(member)?);
                found.used.push("confidence");
            }
            _ => {}
        }
        Ok(())
    })?;
    match source.member("subtasks") {
        Some(_) => Ok(found),
        None => Err(missing("subtasks")),
    }
}

fn read_subtasks<'a>(list: Node<'a>, found: &mut Found<'a>) -> Result<(), Error> {
    read_steps(list, &mut |item| {
        found.steps.push(read_subtask(item)?);
        Ok(())
    })
}

/// Reads subtasks from a text, which is kept as a whole.
fn read_text(text: &str, found: &mut Found<'_>) -> Result<(), Error> {
    let tape = json::read(text.as_bytes(), Limits::DOCUMENT)?;
    read_steps(tape.root(), &mut |item| {
        let step = read_subtask(item)?;
        found.steps.push(FoundStep {
            source: None,
            id: owned(step.id),
            description: owned(step.description),
            derived: None,
            intent: step.intent,
            spelling: step.spelling.map(|(name, given)| (name, Cow::Owned(given.into_owned()))),
            target: owned(step.target),
            depends_on: None,
            used: step.used,
        });
        Ok(())
    })
}

fn owned<'a>(text: Option<Cow<'_, str>>) -> Option<Cow<'a, str>> {
    text.map(|text| Cow::Owned(text.into_owned()))
}

/// An error about a text that is read as JSON. No pointer of the call leads into the text, so the message says where in it.
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

fn read_subtask(item: Node<'_>) -> Result<FoundStep<'_>, Error> {
    let mut step = FoundStep { source: Some(item), ..FoundStep::default() };
    each_member(item, &mut |name, member| {
        match name {
            "id" => step.id = Some(Cow::Borrowed(string(member)?)),
            "action" => read_action(member, &mut step)?,
            "target" => step.target = Some(Cow::Borrowed(string(member)?)),
            "instruction" => {
                step.description = Some(Cow::Borrowed(string(member)?));
                step.used.push("instruction");
            }
            _ => {}
        }
        Ok(())
    })?;
    let Some(intent) = step.intent else { return Err(missing("action")) };
    // No text is the name of no file.
    step.target = step.target.filter(|target| intent != Intent::Verify && !target.is_empty());
    if step.target.is_some() {
        step.used.push("target");
    }
    Ok(step)
}

fn read_action<'a>(member: Node<'a>, step: &mut FoundStep<'a>) -> Result<(), Error> {
    let place = ACTION.read(member, true)?;
    step.intent = Intent::ALL.get(place).copied();
    let given = string(member)?;
    match ACTION.word(place) == Some(given) {
        true => step.used.push("action"),
        false => step.spelling = Some(("action", Cow::Borrowed(given))),
    }
    Ok(())
}

/// The way back.
pub(super) fn write(plan: &PlanIr<'_>, origins: &Origins<'_>) -> Result<String, Error> {
    let kept = kept_in_plan(plan)?;
    let list = write_steps(plan, |place, step, item| {
        item.text("id", origins.has(place, Slot::Id).then_some(step.id()));
        // No adapter makes a step that synthesizes of one: whoever did writes something.
        let action = ACTION.word(step.intent as usize).or(ACTION.word(Intent::Modify as usize));
        item.text("action", action);
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
