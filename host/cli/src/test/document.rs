//! What a file of cases has: cases and their variants on the wire, and their members that must be objects.

use adjudicate_core::{
    Error,
    json::{self, Kind, Node, Pointer},
};
use serde::{Deserialize, de::IgnoredAny};

use crate::codes;

/// A case as it is on the wire.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a case object")]
pub(super) struct CaseDocument<'a> {
    pub(super) name: &'a str,
    #[serde(default)]
    pub(super) policy: Option<&'a str>,
    #[serde(rename = "input")]
    _input: IgnoredAny,
    #[serde(default, rename = "expect")]
    _expect: Option<IgnoredAny>,
    #[serde(default)]
    #[serde(borrow)]
    pub(super) cases: Option<Vec<VariantDocument<'a>>>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

/// A variant of a case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a variant object")]
pub(super) struct VariantDocument<'a> {
    pub(super) name: &'a str,
    #[serde(default)]
    pub(super) remove: Vec<&'a str>,
    #[serde(default, rename = "set")]
    _set: Option<IgnoredAny>,
    #[serde(default, rename = "expect")]
    _expect: Option<IgnoredAny>,
}

/// The member of that name, which must be an object.
pub(super) fn object<'t>(source: Node<'t>, name: &str, base: &Pointer) -> Result<Node<'t>, Error> {
    let member = source.member(name).filter(|member| member.kind() == Kind::Object);
    member.ok_or_else(|| refused("expected an object".to_owned(), base.clone().key(name)))
}

/// What the answer must have, if that is said.
pub(super) fn expectation(source: Node<'_>, base: &Pointer) -> Result<Option<String>, Error> {
    if source.member("expect").is_none() {
        return Ok(None);
    }
    let expect = object(source, "expect", base)?;
    if expect.is_empty() {
        return Err(expects_nothing(base.clone().key("expect").into_string()));
    }
    Ok(Some(json::canonical(expect)))
}

/// That nothing says what the answer must have.
pub(super) fn absent(base: &Pointer) -> Error {
    let error = Error::new(codes::MISSING_FIELD, "missing field `expect`");
    error.at(base.clone().key("expect").into_string())
}

/// That any answer would do, which is no test.
pub(super) fn expects_nothing(path: String) -> Error {
    let message = "an empty `expect` accepts any answer, so this test cannot fail";
    Error::new(codes::INVALID_VALUE, message).at(path)
}

pub(super) fn refused(fault: String, at: Pointer) -> Error {
    Error::new(codes::INVALID_VALUE, fault).at(at.into_string())
}
