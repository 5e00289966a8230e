//! Deserialization of owned JSON values from any format of serde.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};

use super::{OwnedValue, write};

impl<'de> Deserialize<'de> for OwnedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = OwnedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Null)
    }

    fn visit_none<E: Error>(self) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<OwnedValue, D::Error> {
        OwnedValue::deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Number(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Number(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<OwnedValue, E> {
        if value.is_finite() {
            return Ok(OwnedValue::Number(write(&value)));
        }
        Err(E::custom("a number that is not finite has no JSON form"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<OwnedValue, E> {
        Ok(OwnedValue::text(value))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<OwnedValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(OwnedValue::List(list))
    }

    /// A repeated name stays, so that the reader of the text rejects it.
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<OwnedValue, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(OwnedValue::Object(object))
    }
}
