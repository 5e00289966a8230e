//! Writing values, and measuring first what that takes.

use alloc::vec::Vec;

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap as _, SerializeSeq as _},
};

use super::{evaluate::PART, value::Value};
use crate::{
    codes,
    error::Error,
    json::{Kind, MAX_DEPTH, Node},
    steps::Steps,
};

/// Unknown is null.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown | Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::BuiltText(text) => serializer.serialize_str(text),
            container => {
                if let Some(items) = container.items() {
                    let mut list = serializer.serialize_seq(Some(container.len()))?;
                    for item in items {
                        list.serialize_element(&item)?;
                    }
                    return list.end();
                }
                let mut object = serializer.serialize_map(Some(container.len()))?;
                for (name, value) in container.members().into_iter().flatten() {
                    object.serialize_entry(name, &value)?;
                }
                object.end()
            }
        }
    }
}

impl Value<'_> {
    /// Charges what it takes to write the value.
    ///
    /// # Errors
    ///
    /// Running out of the budget, and more nested containers than a document may have.
    pub fn measure(&self, steps: &mut Steps) -> Result<(), Error> {
        let text = |value: &Self| PART + value.as_text().map_or(0, str::len);
        if !self.is_container() {
            return steps.spend(text(self));
        }
        // A list of the engine's own holds texts, as a rule.
        if let Value::BuiltList(list) = self
            && !list.parts().iter().any(Value::is_container)
        {
            return list.parts().iter().try_for_each(|part| steps.spend(text(part)));
        }
        if self.is_empty() { Ok(()) } else { measure(self, steps) }
    }
}

/// Charges what it takes to write an answer. A list that was built may hold the same data many times over, so a
/// value of little work may be a text without end.
pub(super) fn measure(answer: &Value<'_>, steps: &mut Steps) -> Result<(), Error> {
    let mut pending = Vec::from([(0, answer)]);
    while let Some((depth, value)) = pending.pop() {
        steps.spend(PART + value.as_text().map_or(0, str::len))?;
        if !value.is_container() {
            continue;
        }
        if depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        match value {
            Value::Data(node) => {
                steps.spend(node.extent() * PART + node.text_extent())?;
                // Data nests less than it has parts, and by itself never too deeply.
                if depth > 0 && depth + node.extent() > MAX_DEPTH {
                    check_depth(*node, depth)?;
                }
            }
            Value::List(items) => pending.extend(items.iter().map(|item| (depth + 1, item))),
            Value::BuiltList(list) => pending.extend(list.parts().iter().map(|item| (depth + 1, item))),
            Value::Object(object) => {
                for (name, member) in object.parts() {
                    steps.spend(name.len())?;
                    pending.push((depth + 1, member));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses data that nests too deeply below so many containers.
fn check_depth(node: Node<'_>, depth: usize) -> Result<(), Error> {
    let mut pending = Vec::from([(depth, node)]);
    while let Some((depth, node)) = pending.pop() {
        if !matches!(node.kind(), Kind::Array | Kind::Object) {
            continue;
        }
        if depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        pending.extend(node.items().map(|item| (depth + 1, item)));
        pending.extend(node.members().map(|(_, member)| (depth + 1, member)));
    }
    Ok(())
}

#[cold]
fn too_deep() -> Error {
    let message = alloc::format!("a value of more than {MAX_DEPTH} nested containers");
    Error::new(codes::LIMIT_EXCEEDED, message)
}
