//! Files of cases: tests outside of the policy, and one input in several variants.
//!
//! A file has one case or a list of cases: `{name, policy?, input, expect}`. `policy` is the name of a policy; without
//! it the case is for every policy. With `cases`, a case is a template. Each of its variants, `{name, remove?, set?,
//! expect?}`, is a test. The variant's input is that of the template without the values at the pointers in `remove`,
//! and with the values of `set`, an object from pointers to values. Without `expect`, the variant has that of the
//! template.

use std::collections::BTreeSet;

use adjudicate_core::{
    Error, document,
    json::{self, Kind, Node, Pointer, ReadLimits},
};
use serde_json::Value;

use super::{
    document::{CaseDocument, VariantDocument, absent, expectation, invalid},
    edit,
};
use crate::codes;

/// The limit for the variants of one file, in bytes of input and expectation: a small file could have a large template
/// and many variants.
const MAX_BYTES: usize = 64 << 20;

/// A test.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The file with the test.
    pub(super) file: String,
    /// The name of the policy that the test is for, and the JSON Pointer to that name.
    pub(crate) policy: Option<(String, String)>,
    /// The envelope, as JSON.
    pub(crate) input: String,
    /// The expectation for the answer, as JSON.
    pub(super) expect: String,
}

/// Reads the cases of a file, and resolves templates.
///
/// # Errors
///
/// The first error in document order, with the path of the field at fault.
pub(crate) fn read(text: &[u8], file: &str) -> Result<Vec<Case>, Error> {
    let tape = json::read(text, ReadLimits::DOCUMENT)?;
    let root = tape.root();
    let documents: Vec<CaseDocument<'_>> = match root.kind() {
        Kind::Array => document::read(root)?,
        _ => vec![document::read(root)?],
    };
    let mut cases = Vec::new();
    let mut bytes_left = MAX_BYTES;
    let mut names = BTreeSet::new();
    for (index, document) in documents.iter().enumerate() {
        let base = match root.kind() {
            Kind::Array => Pointer::new("").index(index),
            _ => Pointer::new(""),
        };
        check_name(document.name, &mut names, &base)?;
        let template = CaseTemplate { document, base, file };
        template.resolve(&mut cases, &mut bytes_left)?;
    }
    Ok(cases)
}

/// A case with its JSON Pointer in the file.
struct CaseTemplate<'a> {
    document: &'a CaseDocument<'a>,
    base: Pointer,
    file: &'a str,
}

impl CaseTemplate<'_> {
    fn resolve(&self, cases: &mut Vec<Case>, bytes_left: &mut usize) -> Result<(), Error> {
        let input = self.document.input.0;
        let expect = expectation(self.document.expect.as_ref(), &self.base)?;
        let Some(variants) = &self.document.cases else {
            let expect = expect.ok_or_else(|| absent(&self.base))?;
            cases.push(self.case(self.document.name.to_owned(), json::canonical(input), expect));
            return Ok(());
        };
        if variants.is_empty() {
            let error = Error::new(codes::INVALID_VALUE, "a list of no cases tests nothing");
            return Err(error.at(self.base.clone().key("cases").into_string()));
        }
        let template = value(input)?;
        let mut names = BTreeSet::new();
        for (index, variant) in variants.iter().enumerate() {
            let base = self.base.clone().key("cases").index(index);
            check_name(variant.name, &mut names, &base)?;
            let input = variant_input(template.clone(), variant, &base)?;
            let own = expectation(variant.expect.as_ref(), &base)?;
            let expect = own.or_else(|| expect.clone()).ok_or_else(|| absent(&base))?;
            *bytes_left =
                bytes_left.checked_sub(input.len() + expect.len()).ok_or_else(|| too_many(&base))?;
            cases.push(self.case(format!("{} / {}", self.document.name, variant.name), input, expect));
        }
        Ok(())
    }

    fn case(&self, name: String, input: String, expect: String) -> Case {
        let pointer = self.base.clone().key("policy").into_string();
        let policy = self.document.policy.map(|policy| (policy.to_owned(), pointer));
        Case { name, file: self.file.to_owned(), policy, input, expect }
    }
}

/// Returns the input of a variant.
fn variant_input(mut input: Value, variant: &VariantDocument<'_>, base: &Pointer) -> Result<String, Error> {
    for (index, pointer) in variant.remove.iter().enumerate() {
        let fault = |fault| invalid(fault, base.clone().key("remove").index(index));
        edit::remove(&mut input, pointer).map_err(fault)?;
    }
    for (pointer, new) in variant.set.iter().flat_map(|set| set.0.members()) {
        let fault = |fault| invalid(fault, base.clone().key("set").key(pointer));
        edit::set(&mut input, pointer, value(new)?).map_err(fault)?;
    }
    Ok(input.to_string())
}

fn value(node: Node<'_>) -> Result<Value, Error> {
    let read = serde_json::from_str(&json::canonical(node));
    read.map_err(|error| Error::caused_by(codes::INVALID_VALUE, "cannot be changed", error))
}

/// Rejects a name that is empty or used twice.
fn check_name<'a>(name: &'a str, names: &mut BTreeSet<&'a str>, base: &Pointer) -> Result<(), Error> {
    if name.is_empty() || !names.insert(name) {
        return Err(invalid("a case has a name of its own".to_owned(), base.clone().key("name")));
    }
    Ok(())
}

fn too_many(base: &Pointer) -> Error {
    let message = format!("the variants up to here have over {MAX_BYTES} bytes of input together");
    Error::new(codes::LIMIT_EXCEEDED, message).at(base.clone().into_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name, the input and the expectation of a case.
    type CaseParts = (String, String, String);

    fn cases(text: &str) -> Result<Vec<CaseParts>, (String, String)> {
        let read = read(text.as_bytes(), "cases.json");
        let line_text = |case: Case| (case.name, case.input, case.expect);
        let cases = read.map(|cases| cases.into_iter().map(line_text).collect());
        cases.map_err(|error| (error.code().as_str().to_owned(), error.path().to_owned()))
    }

    fn line_text(name: &str, input: &str, expect: &str) -> CaseParts {
        (name.to_owned(), input.to_owned(), expect.to_owned())
    }

    #[test]
    fn one_case_a_list_and_a_template() {
        assert_eq!(
            cases(r#"{"name":"a","input":{"x":1},"expect":{"y":2},"x-note":0}"#),
            Ok(vec![line_text("a", r#"{"x":1}"#, r#"{"y":2}"#)])
        );
        assert_eq!(cases("[]"), Ok(vec![]));
        let template = r#"[{"name":"t","policy":"p","input":{"x":{"a":[1,2]},"y":1},"expect":{"d":1},"cases":[
            {"name":"as it is"},
            {"name":"set","set":{"/x/a/0":7,"/x/a/-":[],"/x/b~1c":null},"expect":{"e":2}},
            {"name":"gone","remove":["/x/a/0","/y"],"set":{"/x/a/0":0}}]}]"#;
        assert_eq!(
            cases(template),
            Ok(vec![
                line_text("t / as it is", r#"{"x":{"a":[1,2]},"y":1}"#, r#"{"d":1}"#),
                line_text("t / set", r#"{"x":{"a":[7,2,[]],"b/c":null},"y":1}"#, r#"{"e":2}"#),
                line_text("t / gone", r#"{"x":{"a":[0]}}"#, r#"{"d":1}"#),
            ])
        );
    }

    #[test]
    fn each_fault_of_a_file_is_reported() {
        let text = r#"[{"name":"a","input":[],"expects":{}},{"input":{},"cases":[{"name":"b","set":1}]}]"#;
        let error = read(text.as_bytes(), "cases.json").unwrap_err();
        let faults: Vec<_> = error.all().map(|error| (error.message(), error.path())).collect();
        let expected = [
            ("expected an object, found a list", "/0/input"),
            ("unknown field `expects`, did you mean `expect`?", "/0/expects"),
            ("expected an object, found `1`", "/1/cases/0/set"),
            ("missing field `name`", "/1/name"),
        ];
        assert_eq!(faults, expected);
    }

    #[test]
    fn a_small_file_does_not_stand_for_a_huge_one() {
        let variants: Vec<_> = (0..100).map(|index| format!(r#"{{"name":"{index}"}}"#)).collect();
        let filler = "x".repeat(1 << 20);
        let text = format!(
            r#"{{"name":"t","input":{{"x":"{filler}"}},"expect":{{"y":2}},"cases":[{}]}}"#,
            variants.join(",")
        );
        let (code, path) = cases(&text).unwrap_err();
        assert!(code == "limit_exceeded" && path == "/cases/63", "{code} {path}");
    }

    #[test]
    fn errors_point_at_the_field_at_fault() {
        for (text, code, path) in [
            ("", "malformed_json", ""),
            ("3", "invalid_value", ""),
            ("{}", "missing_field", "/name"),
            (r#"{"name":"","input":{},"expect":{}}"#, "invalid_value", "/name"),
            (r#"{"name":"a","input":[],"expect":{}}"#, "invalid_value", "/input"),
            (r#"{"name":"a","input":{},"expect":1}"#, "invalid_value", "/expect"),
            (r#"{"name":"a","input":{}}"#, "missing_field", "/expect"),
            (r#"{"name":"a","input":{},"expect":{}}"#, "invalid_value", "/expect"),
            (
                r#"{"name":"a","input":{},"cases":[{"name":"b","expect":{}}]}"#,
                "invalid_value",
                "/cases/0/expect",
            ),
            (r#"{"name":"a","input":{},"expects":{}}"#, "unknown_field", "/expects"),
            (
                r#"[{"name":"a","input":{},"expect":{"y":2}},{"name":"a","input":{},"expect":{"y":2}}]"#,
                "invalid_value",
                "/1/name",
            ),
            (r#"{"name":"a","input":{},"cases":[]}"#, "invalid_value", "/cases"),
            (r#"{"name":"a","input":{},"cases":[{"name":"b"}]}"#, "missing_field", "/cases/0/expect"),
            (
                r#"{"name":"a","input":{},"expect":{"y":2},"cases":[{"name":"b"},{"name":"b"}]}"#,
                "invalid_value",
                "/cases/1/name",
            ),
            (
                r#"{"name":"a","input":{},"expect":{"y":2},"cases":[{"name":"b","set":{"/x/y":1}}]}"#,
                "invalid_value",
                "/cases/0/set/~1x~1y",
            ),
            (
                r#"{"name":"a","input":{},"expect":{"y":2},"cases":[{"name":"b","set":[]}]}"#,
                "invalid_value",
                "/cases/0/set",
            ),
            (
                r#"{"name":"a","input":{},"expect":{"y":2},"cases":[{"name":"b","remove":["/x"]}]}"#,
                "invalid_value",
                "/cases/0/remove/0",
            ),
        ] {
            assert_eq!(cases(text), Err((code.to_owned(), path.to_owned())), "{text}");
        }
    }
}
