//! What is looked at first where one schema of several holds: a member that tells them apart.

use super::lists::Guard;
use super::tree::{Check, Id, Schema};

/// Finds the guard of every schema that has one: of its properties the first declared whose value must be one of some strings.
pub(super) fn add(schema: &mut Schema) {
    schema.guards = (0..schema.nodes.len()).map(|id| find(schema, id as Id)).collect();
}

fn find(schema: &Schema, id: Id) -> Option<Guard> {
    let members = schema.rules_of(id).iter().find_map(|rule| match rule.check {
        Check::Members(members) => schema.members.get(members as usize),
        _ => None,
    })?;
    let mut at = members.first;
    while let Some(property) = schema.properties.get(at as usize) {
        if let Some(choice) = strings(schema, property.schema) {
            return Some(Guard { name: property.name, choice });
        }
        at = property.next;
    }
    None
}

/// The strings that a schema allows, if it allows nothing else.
fn strings(schema: &Schema, id: Id) -> Option<u32> {
    schema.rules_of(id).iter().find_map(|rule| match rule.check {
        Check::Choice(choice) if schema.choices.get(choice as usize)?.others.properties.count == 0 => {
            Some(choice)
        }
        _ => None,
    })
}
