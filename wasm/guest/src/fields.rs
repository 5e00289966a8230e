//! Readers of fields of an envelope. A missing field reads as empty.

use crate::value::Value;

/// The value of a missing optional field. Required fields are never missing, because the envelope was checked.
static NULL: Value<'static> = Value::Null;

pub(crate) fn member<'a>(value: &'a Value<'a>, name: &str) -> &'a Value<'a> {
    value.member(name).unwrap_or(&NULL)
}

#[inline(never)]
pub(crate) fn text<'a>(value: &'a Value<'a>, name: &str) -> &'a str {
    member(value, name).as_str().unwrap_or_default()
}

#[inline(never)]
pub(crate) fn items<'a>(value: &'a Value<'a>, name: &str) -> core::slice::Iter<'a, Value<'a>> {
    member(value, name).items().iter()
}

pub(crate) fn texts<'a>(value: &'a Value<'a>, name: &str) -> impl Iterator<Item = &'a str> {
    items(value, name).filter_map(Value::as_str)
}
