//! Passes over references: static resolution of dynamic references, rejection of reference cycles, and shortcuts through schemas
//! that are only references.

use alloc::{format, vec, vec::Vec};

use super::{
    keyword::Keyword,
    range::SchemaId,
    subschema_index::SubschemaIndex,
    tree::{Check, InPlaceSchemas, Reach, Rule, Schema},
};
use crate::error::Error;

/// Resolves each `$dynamicRef` whose anchor is in the root resource, because that resource is the outermost of every scope.
pub(super) fn resolve_static(schema: &mut Schema) {
    let outermost = schema.nodes.first().map(|node| node.resource);
    let mut are_all_static = true;
    for rule in &mut schema.rules {
        let Check::DynamicRef(namesake, _) = rule.check else { continue };
        let mut anchors = schema.anchors.iter();
        let found = anchors.find(|anchor| Some(anchor.resource) == outermost && anchor.namesake == namesake);
        match found {
            Some(anchor) => rule.check = Check::Ref(anchor.schema),
            None => are_all_static = false,
        }
    }
    if are_all_static {
        schema.anchors.clear();
    }
}

/// Rejects reference cycles: schemas that apply themselves to the same value, without end.
///
/// The targets of `$dynamicRef` are known only at run time. The nesting limit covers those.
pub(super) fn reject(index: &SubschemaIndex<'_, '_>) -> Result<(), Error> {
    let schema = &index.schema;
    // A depth-first search: schemas on the current path, and finished schemas.
    let (mut open, mut done) = (vec![false; schema.nodes.len()], vec![false; schema.nodes.len()]);
    let mut stack: Vec<(SchemaId, Vec<(Keyword, SchemaId)>)> = Vec::new();
    for start in 0..schema.nodes.len() {
        if done.get(start) == Some(&false) {
            push(schema, start as SchemaId, &mut open, &mut stack);
        }
        while let Some((from, edges)) = stack.last_mut() {
            let Some((keyword, to)) = edges.pop() else {
                done.get_mut(*from as usize).into_iter().for_each(|done| *done = true);
                open.get_mut(*from as usize).into_iter().for_each(|open| *open = false);
                stack.pop();
                continue;
            };
            if open.get(to as usize) == Some(&true) {
                let message = format!(
                    "`{}` is part of a reference cycle: the schema applies itself to the same value",
                    keyword.name()
                );
                return Err(index.keyword_error(*from, keyword, message));
            }
            if done.get(to as usize) == Some(&false) {
                push(schema, to, &mut open, &mut stack);
            }
        }
    }
    Ok(())
}

fn push(
    schema: &Schema,
    id: SchemaId,
    open: &mut [bool],
    stack: &mut Vec<(SchemaId, Vec<(Keyword, SchemaId)>)>,
) {
    open.get_mut(id as usize).into_iter().for_each(|open| *open = true);
    stack.push((id, edges(schema, id)));
}

/// Returns the schemas that a schema applies to the same value, with the keywords that do so.
fn edges(schema: &Schema, id: SchemaId) -> Vec<(Keyword, SchemaId)> {
    let mut edges = Vec::new();
    for rule in schema.rules_of(id) {
        let mut add = |to| edges.push((rule.keyword, to));
        let Reach::SameValue(schemas) = rule.check.reach() else { continue };
        match schemas {
            InPlaceSchemas::One(to) => add(to),
            InPlaceSchemas::Three(schemas) => schemas.into_iter().for_each(add),
            InPlaceSchemas::List(run) => run.entries(&schema.ids).iter().copied().for_each(add),
            InPlaceSchemas::Dependents(run) => {
                run.entries(&schema.dependents).iter().for_each(|dependent| add(dependent.schema))
            }
            InPlaceSchemas::Dynamic => {}
        }
    }
    edges
}

/// Replaces each reference to a schema that is only a `$ref` by a reference to its target. Does nothing if `$dynamicRef` depends on
/// the path.
pub(super) fn shorten_references(schema: &mut Schema) {
    if schema.is_dynamic() {
        return;
    }
    let mut targets: Vec<SchemaId> =
        (0..schema.nodes.len()).map(|id| target(schema, id as SchemaId)).collect();
    for id in 0..targets.len() {
        // Path halving: later lookups of the same chain take half of the steps.
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
    let shortened = |id: &mut SchemaId| {
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

/// Returns the target of a schema that is only a `$ref`, otherwise the schema itself.
fn target(schema: &Schema, id: SchemaId) -> SchemaId {
    match (schema.nodes.get(id as usize).map(|node| node.types), schema.rules_of(id)) {
        (Some(u8::MAX), [Rule { check: Check::Ref(target), .. }]) => *target,
        _ => id,
    }
}
