//! Fields of what an envelope holds. A field that is missing reads as empty.

use crate::value::Value;

/// What stands for a member that is not there. No policy sees it of a member that must be there.
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
