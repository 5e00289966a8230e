//! Numbers of JSON reports.

use adjudicate_core::json::Node;

use crate::duration::{Unit, milliseconds};

/// Returns a field that is an integer of 0 or more.
pub(crate) fn count(object: Node<'_>, name: &str) -> Option<u64> {
    object.member(name)?.as_number()?.parse().ok()
}

/// Returns a field that is the number of a line.
pub(crate) fn line_number(object: Node<'_>, name: &str) -> Option<u32> {
    object.member(name)?.as_number()?.parse().ok()
}

/// Returns a field that is a duration, in milliseconds.
pub(crate) fn duration(object: Node<'_>, name: &str, unit: Unit) -> Option<u64> {
    milliseconds(object.member(name)?.as_number()?, unit)
}
