//! Discriminators: a field that distinguishes the branches of `anyOf` and `oneOf`, checked before the rest of a branch.

use super::lists::Discriminator;
use super::range::SchemaId;
use super::tree::{Check, Schema};

/// Sets the discriminator of each schema: the first declared property whose value must be one of some strings.
pub(super) fn set_all(schema: &mut Schema) {
    schema.discriminators = (0..schema.nodes.len()).map(|id| find(schema, id as SchemaId)).collect();
}

fn find(schema: &Schema, id: SchemaId) -> Option<Discriminator> {
    let members = schema.rules_of(id).iter().find_map(|rule| match rule.check {
        Check::ObjectRules(members) => schema.members.get(members as usize),
        _ => None,
    })?;
    let mut at = members.first;
    while let Some(property) = schema.properties.get(at as usize) {
        if let Some(choice) = strings(schema, property.schema) {
            return Some(Discriminator { name: property.name, choice });
        }
        at = property.next;
    }
    None
}

/// Returns the choice of a schema that allows only certain strings.
fn strings(schema: &Schema, id: SchemaId) -> Option<u32> {
    schema.rules_of(id).iter().find_map(|rule| match rule.check {
        Check::Choice(choice) if schema.choices.get(choice as usize)?.others.properties.count == 0 => {
            Some(choice)
        }
        _ => None,
    })
}
