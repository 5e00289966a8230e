//! Serialization of values, and its cost.

use alloc::vec::Vec;

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap as _, SerializeSeq as _},
};

use super::{cost::PART, value::Value};
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
    /// Spends the cost of writing the value.
    ///
    /// # Errors
    ///
    /// [`LIMIT_EXCEEDED`](codes::LIMIT_EXCEEDED) when the budget runs out, and for more nested containers than a document can have.
    pub fn measure(&self, steps: &mut Steps) -> Result<(), Error> {
        let text = |value: &Self| PART + value.as_text().map_or(0, str::len);
        if !self.is_container() {
            return steps.spend(text(self));
        }
        // Lists that the engine builds usually hold texts.
        if let Value::BuiltList(list) = self
            && !list.parts().iter().any(Value::is_container)
        {
            return list.parts().iter().try_for_each(|part| steps.spend(text(part)));
        }
        if self.is_empty() { Ok(()) } else { measure(self, steps) }
    }
}

/// Spends the cost of writing an answer. A built list can repeat the same data many times, so a cheap value can be a very long
/// text.
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
                // Data nests at most as deep as its number of parts, and never too deep by itself.
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

/// Fails if data nests too deep within `depth` containers.
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
