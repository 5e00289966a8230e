//! Schemas that only lead on: those that lead back to themselves are refused, the others are passed over. First of all,
//! dynamic references of which it is known where they lead become plain ones.

use alloc::{format, vec, vec::Vec};

use super::{
    locate::Locator,
    tree::{Check, Id, Rule, Schema},
    word::Word,
};
use crate::error::Error;

/// The resource of the schema itself is the outermost in every scope, so what asks for an anchor that it has finds that.
pub(super) fn settle(schema: &mut Schema) {
    let outermost = schema.nodes.first().map(|node| node.resource);
    let mut is_settled = true;
    for rule in &mut schema.rules {
        let Check::DynamicRef(namesake, _) = rule.check else { continue };
        let mut anchors = schema.anchors.iter();
        let found = anchors.find(|anchor| Some(anchor.resource) == outermost && anchor.namesake == namesake);
        match found {
            Some(anchor) => rule.check = Check::Ref(anchor.schema),
            None => is_settled = false,
        }
    }
    if is_settled {
        schema.anchors.clear();
    }
}

/// Refuses schemas that apply themselves to the value that they are applied to: they would do so without end.
///
/// Where `$dynamicRef` leads is known only in the end; the limit on nesting is there for it.
pub(super) fn refuse(locator: &Locator<'_, '_>) -> Result<(), Error> {
    let schema = &locator.schema;
    // Those that are being left, and those that are done with.
    let (mut open, mut done) = (vec![false; schema.nodes.len()], vec![false; schema.nodes.len()]);
    let mut stack: Vec<(Id, Vec<(Word, Id)>)> = Vec::new();
    for start in 0..schema.nodes.len() {
        if done.get(start) == Some(&false) {
            push(schema, start as Id, &mut open, &mut stack);
        }
        while let Some((from, ways)) = stack.last_mut() {
            let Some((word, to)) = ways.pop() else {
                done.get_mut(*from as usize).into_iter().for_each(|done| *done = true);
                open.get_mut(*from as usize).into_iter().for_each(|open| *open = false);
                stack.pop();
                continue;
            };
            if open.get(to as usize) == Some(&true) {
                let message =
                    format!("`{}` leads back to where it is, without a step into the instance", word.name());
                return Err(locator.fault(*from, word, message));
            }
            if done.get(to as usize) == Some(&false) {
                push(schema, to, &mut open, &mut stack);
            }
        }
    }
    Ok(())
}

fn push(schema: &Schema, id: Id, open: &mut [bool], stack: &mut Vec<(Id, Vec<(Word, Id)>)>) {
    open.get_mut(id as usize).into_iter().for_each(|open| *open = true);
    stack.push((id, ways(schema, id)));
}

/// The schemas that a schema applies to the same value, and the keywords that do.
fn ways(schema: &Schema, id: Id) -> Vec<(Word, Id)> {
    let mut ways = Vec::new();
    for rule in schema.rules_of(id) {
        let mut add = |to| ways.push((rule.word, to));
        match rule.check {
            Check::Ref(to) | Check::Not(to) => add(to),
            Check::AllOf(run) | Check::AnyOf(run) | Check::OneOf(run) => {
                run.of(&schema.ids).iter().copied().for_each(add)
            }
            Check::If(condition, then, otherwise) => [condition, then, otherwise].into_iter().for_each(add),
            Check::Dependents(run) => {
                run.of(&schema.dependents).iter().for_each(|dependent| add(dependent.schema))
            }
            _ => {}
        }
    }
    ways
}

/// Lets what leads to a schema that is nothing but a reference lead to its target. Where `$dynamicRef` looks at the way
/// that was taken, all stays as it is.
pub(super) fn shorten(schema: &mut Schema) {
    if schema.is_dynamic() {
        return;
    }
    let mut targets: Vec<Id> = (0..schema.nodes.len()).map(|id| target(schema, id as Id)).collect();
    for id in 0..targets.len() {
        // Half of the way is left each time, for those that follow too.
        let mut at = id;
        while let Some(next) = targets.get(at).copied()
            && let Some(beyond) = targets.get(next as usize).copied()
            && beyond != next
        {
            if let Some(slot) = targets.get_mut(at) {
                *slot = beyond;
            }
            at = beyond as usize;
        }
        let end = targets.get(at).copied();
        if let (Some(slot), Some(end)) = (targets.get_mut(id), end) {
            *slot = end;
        }
    }
    let shortened = |id: &mut Id| {
        if let Some(target) = targets.get(*id as usize) {
            *id = *target;
        }
    };
    for rule in &mut schema.rules {
        match &mut rule.check {
            Check::If(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(shortened)
            }
            Check::Ref(id)
            | Check::Not(id)
            | Check::Items(_, id)
            | Check::Contains(id, ..)
            | Check::UnevaluatedItems(id)
            | Check::UnevaluatedProperties(id)
            | Check::PropertyNames(id) => shortened(id),
            _ => {}
        }
    }
    schema.ids.iter_mut().for_each(shortened);
    schema.properties.iter_mut().for_each(|property| shortened(&mut property.schema));
    schema.by_pattern.iter_mut().for_each(|by_pattern| shortened(&mut by_pattern.schema));
    schema.members.iter_mut().for_each(|members| shortened(&mut members.additional));
    schema.dependents.iter_mut().for_each(|dependent| shortened(&mut dependent.schema));
}

/// What a schema is but a reference to, or itself.
fn target(schema: &Schema, id: Id) -> Id {
    match (schema.nodes.get(id as usize).map(|node| node.types), schema.rules_of(id)) {
        (Some(u8::MAX), [Rule { check: Check::Ref(target), .. }]) => *target,
        _ => id,
    }
}
