//! Writing values, and measuring first what that takes.

use alloc::vec::Vec;

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap as _, SerializeSeq as _},
};

use super::{evaluate::PART, value::Value};
use crate::{codes::ErrorCode, error::Error, json::MAX_DEPTH, steps::Steps};

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

/// Charges what it takes to write an answer. A list that was built may hold the same data many times over, so a
/// value of little work may be a text without end.
pub(super) fn measure(answer: &Value<'_>, steps: &mut Steps) -> Result<(), Error> {
    let mut pending = Vec::from([(0, answer.clone())]);
    while let Some((depth, value)) = pending.pop() {
        steps.spend(PART + value.weight() + value.as_text().map_or(0, str::len))?;
        if depth >= MAX_DEPTH && value.is_container() {
            let message = alloc::format!("a value of more than {MAX_DEPTH} nested containers");
            return Err(Error::new(ErrorCode::LimitExceeded, message));
        }
        if let Some(items) = value.items() {
            pending.extend(items.map(|item| (depth + 1, item)));
        }
        for (name, member) in value.members().into_iter().flatten() {
            steps.spend(name.len())?;
            pending.push((depth + 1, member));
        }
    }
    Ok(())
}
