//! Compares an evaluation from a call with the engine's own evaluation of the same envelope.
//!
//! Both are compared as JSON values. Order of fields, white space, escapes and `x-` fields do not count.

use alloc::{format, string::String};

use adjudicate_lang::{
    Error,
    json::{self, Kind, Node, Pointer, ReadLimits},
};

use crate::{bounds, codes, documents::evaluation::Evaluation};

/// Checks that a given evaluation, whose shape is already known to be valid, equals the engine's own.
///
/// # Errors
///
/// [`codes::INVALID_VALUE`] at the first difference, in the order of the given document. A missing field or item counts as the end
/// of its object or list.
pub(crate) fn check_agreement(given: Node<'_>, own: &Evaluation<'_>) -> Result<(), Error> {
    let text = bounds::write(own)?;
    // An evaluation may be larger than any input.
    let tape = json::read(text.as_bytes(), ReadLimits::ANSWER)?;
    compare(given, tape.root(), "")
}

fn compare(given: Node<'_>, own: Node<'_>, path: &str) -> Result<(), Error> {
    match (given.kind(), own.kind()) {
        (Kind::Object, Kind::Object) => compare_members(given, own, path),
        (Kind::Array, Kind::Array) => compare_items(given, own, path),
        _ if given.is_like(own) => Ok(()),
        _ => Err(differs(path, Some(own), Some(given))),
    }
}

fn compare_members(given: Node<'_>, own: Node<'_>, path: &str) -> Result<(), Error> {
    for (key, member) in given.members().filter(|(key, _)| !key.starts_with("x-")) {
        let path = Pointer::new(path).key(key).into_string();
        match own.member(key) {
            Some(own) => compare(member, own, &path)?,
            None => return Err(differs(&path, None, Some(member))),
        }
    }
    match own.members().find(|(key, _)| given.member(key).is_none()) {
        Some((key, own)) => Err(differs(&Pointer::new(path).key(key).into_string(), Some(own), None)),
        None => Ok(()),
    }
}

fn compare_items(given: Node<'_>, own: Node<'_>, path: &str) -> Result<(), Error> {
    let (mut given, mut own) = (given.items(), own.items());
    let mut index = 0;
    loop {
        let path = Pointer::new(path).index(index).into_string();
        match (given.next(), own.next()) {
            (None, None) => return Ok(()),
            (Some(given), Some(own)) => compare(given, own, &path)?,
            (given, own) => return Err(differs(&path, own, given)),
        }
        index += 1;
    }
}

fn differs(path: &str, own: Option<Node<'_>>, given: Option<Node<'_>>) -> Error {
    let describe = |node: Option<Node<'_>>| node.map_or_else(|| String::from("nothing"), Node::describe);
    let message = format!("the envelope evaluates to {} here, not to {}", describe(own), describe(given));
    Error::new(codes::INVALID_VALUE, message).at(path)
}
