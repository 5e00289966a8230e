//! The document of a file of cases: cases, their variants, and their expectations.

use adjudicate_core::{
    Error,
    document::{Describe, Document, Object, Type},
    json::{self, Pointer},
    policy,
};

use crate::codes;

/// A file of cases, for generators: one case, or a list.
pub(crate) struct Cases;

impl Describe for Cases {
    fn describe() -> Type {
        Type::Either(Vec::from([CaseDocument::describe(), <[CaseDocument<'_>]>::describe()]))
    }
}

/// A test of a policy, or an input with variants, each of which is a test.
#[derive(Document)]
#[document(
    name = "Case",
    expecting = "a case object",
    root,
    schema = r#"{"anyOf": [{"required": ["expect"]}, {"required": ["cases"]}]}"#
)]
pub(super) struct CaseDocument<'a> {
    /// The name. No other case of the file has it.
    pub(super) name: &'a str,
    /// The name of the policy that the case is for. Without it, the case is for each policy.
    pub(super) policy: Option<&'a str>,
    /// The envelope. The test may be that it is refused.
    pub(super) input: Object<'a>,
    /// The fields that the answer must have.
    #[document(schema = r#"{"minProperties": 1}"#)]
    pub(super) expect: Option<Object<'a>>,
    /// The variants of the input.
    #[document(schema = r#"{"minItems": 1}"#)]
    pub(super) cases: Option<Vec<VariantDocument<'a>>>,
}

/// A variant of a case.
#[derive(Document)]
#[document(name = "Variant", expecting = "a variant object")]
pub(super) struct VariantDocument<'a> {
    /// The name. No other variant of the case has it.
    pub(super) name: &'a str,
    /// The places in the input that the variant does not have, as JSON Pointers.
    #[serde(default)]
    pub(super) remove: Vec<&'a str>,
    /// The values that take the place of those of the input, by JSON Pointers.
    pub(super) set: Option<Object<'a>>,
    /// The fields that the answer must have. Without it, the variant has those of the case.
    #[document(schema = r#"{"minProperties": 1}"#)]
    pub(super) expect: Option<Object<'a>>,
}

/// Returns the `expect` of a case or a variant as JSON, if there is one.
pub(super) fn expectation(expect: Option<&Object<'_>>, base: &Pointer) -> Result<Option<String>, Error> {
    match expect {
        Some(expect) if policy::expects_nothing(expect.0) => {
            Err(expects_nothing(base.clone().key("expect").into_string()))
        }
        expect => Ok(expect.map(|expect| json::canonical(expect.0))),
    }
}

/// Returns the error for a case without an expectation.
pub(super) fn absent(base: &Pointer) -> Error {
    let error = Error::new(codes::MISSING_FIELD, "missing field `expect`");
    error.at(base.clone().key("expect").into_string())
}

/// Returns the error for an expectation that every answer meets.
pub(super) fn expects_nothing(path: String) -> Error {
    let message = "an `expect` of empty objects accepts any answer, so this test cannot fail";
    Error::new(codes::INVALID_VALUE, message).at(path)
}

pub(super) fn invalid(fault: String, at: Pointer) -> Error {
    Error::new(codes::INVALID_VALUE, fault).at(at.into_string())
}
