//! Adjutant: subtasks of `{id, action, target, instruction}`.
//!
//! What an action does to a target is a file only where it reads or edits one; what `bash` is run on is kept aside, and no
//! command is made of it.

use alloc::{borrow::Cow, string::String};

use super::{Found, FoundStep, each_member, read_steps, string};
use crate::{
    error::Error,
    ir::{
        Intent, PlanIr,
        slot::Slot,
        source::{Back, Origins, kept_in_plan, write_steps},
        spelling::ACTION,
    },
    json::{Kind, Node, object::missing},
};

pub(super) fn read(source: Node<'_>) -> Result<Found<'_>, Error> {
    if source.kind() == Kind::Array {
        let mut found = Found::new(source, "", "id");
        read_subtasks(source, &mut found)?;
        return Ok(found);
    }
    let mut found = Found::new(source, "/subtasks", "id");
    found.used.push("subtasks");
    each_member(source, &mut |name, member| match name {
        "subtasks" => read_subtasks(member, &mut found),
        _ => Ok(()),
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

fn read_subtask(item: Node<'_>) -> Result<FoundStep<'_>, Error> {
    let mut step = FoundStep { source: Some(item), ..FoundStep::default() };
    each_member(item, &mut |name, member| {
        match name {
            "id" => step.id = Some(string(member)?),
            "action" => read_action(member, &mut step)?,
            "target" => step.target = Some(string(member)?),
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
        false => step.spelling = Some(("action", given)),
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
        item.text("target", step.target_files.first().copied());
        item.text("instruction", origins.has(place, Slot::Description).then_some(step.description()));
    })?;
    if origins.is_list {
        return Ok(list);
    }
    let mut out = String::new();
    let mut source = Back::open(kept, &mut out);
    source.json("subtasks", &list);
    source.close();
    Ok(out)
}
