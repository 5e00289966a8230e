//! Adjutant: subtasks of `{id, action, target, instruction}`.
//!
//! What an action does to a target is a file only where it reads or edits one; what `bash` is run on is kept aside, and no
//! command is made of it.

use alloc::borrow::Cow;

use super::{Found, FoundStep, each_member, read_steps, string};
use crate::{
    error::Error,
    ir::{Intent, spelling::ACTION},
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
