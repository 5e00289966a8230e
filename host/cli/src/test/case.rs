//! Files of cases: tests that stand beside a policy instead of in it, and one input in several variants.
//!
//! A file holds one case or a list of them: `{name, policy?, input, expect}`. With `cases` a case is a template, and each
//! of `cases`, `{name, remove?, set?, expect?}`, is a test of its own: the template's input without what is at the
//! pointers in `remove`, with the values of `set`, from pointers to values, put in. Without an `expect` of its own it has
//! the template's. `policy` is the name of the policy that the case is for; without it the case is for each of them.

use std::collections::BTreeSet;

use adjudicate_core::{
    Error,
    json::{self, Kind, Limits, Node, Pointer},
};
use serde_json::Value;

use super::{
    document::{CaseDocument, VariantDocument, absent, expectation, object, refused},
    edit,
};
use crate::codes;

/// How many bytes of input the variants of one file may stand for: a template of one megabyte may have very many.
const MAX_BYTES: usize = 64 << 20;

/// A test, ready to be run.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) name: String,
    /// The file that it stands in.
    pub(super) file: String,
    /// The name of the policy that it is for, and where that is said.
    pub(super) policy: Option<(String, String)>,
    /// The envelope, as JSON.
    pub(super) input: String,
    /// What the answer must have, as JSON.
    pub(super) expect: String,
}

/// Reads the cases of a file, templates resolved.
///
/// # Errors
///
/// The first error in document order, with the path of the member at fault.
pub(super) fn read(text: &[u8], file: &str) -> Result<Vec<Case>, Error> {
    let tape = json::read(text, Limits::DOCUMENT)?;
    let root = tape.root();
    let (documents, sources): (Vec<CaseDocument<'_>>, Vec<Node<'_>>) = match root.kind() {
        Kind::Array => (root.decode()?, root.items().collect()),
        _ => (vec![root.decode()?], vec![root]),
    };
    let mut cases = Vec::new();
    let mut room = MAX_BYTES;
    let mut names = BTreeSet::new();
    for (index, (document, source)) in documents.iter().zip(sources).enumerate() {
        let base = match root.kind() {
            Kind::Array => Pointer::new("").index(index),
            _ => Pointer::new(""),
        };
        own_name(document.name, &mut names, &base)?;
        let template = Template { document, source, base, file };
        template.resolve(&mut cases, &mut room)?;
    }
    Ok(cases)
}

/// A case, how it stands in its file, and where.
struct Template<'a> {
    document: &'a CaseDocument<'a>,
    source: Node<'a>,
    base: Pointer,
    file: &'a str,
}

impl Template<'_> {
    fn resolve(&self, cases: &mut Vec<Case>, room: &mut usize) -> Result<(), Error> {
        let input = object(self.source, "input", &self.base)?;
        let expect = expectation(self.source, &self.base)?;
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
        let sources = self.source.member("cases").into_iter().flat_map(Node::items);
        for (index, (variant, source)) in variants.iter().zip(sources).enumerate() {
            let base = self.base.clone().key("cases").index(index);
            own_name(variant.name, &mut names, &base)?;
            let input = varied(template.clone(), variant, source, &base)?;
            let own = expectation(source, &base)?;
            let expect = own.or_else(|| expect.clone()).ok_or_else(|| absent(&base))?;
            *room = room.checked_sub(input.len() + expect.len()).ok_or_else(|| too_many(&base))?;
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

/// The template's input as a variant has it.
fn varied(
    mut input: Value,
    variant: &VariantDocument<'_>,
    source: Node<'_>,
    base: &Pointer,
) -> Result<String, Error> {
    for (index, pointer) in variant.remove.iter().enumerate() {
        let fault = |fault| refused(fault, base.clone().key("remove").index(index));
        edit::remove(&mut input, pointer).map_err(fault)?;
    }
    if source.member("set").is_some() {
        for (pointer, new) in object(source, "set", base)?.members() {
            let fault = |fault| refused(fault, base.clone().key("set").key(pointer));
            edit::set(&mut input, pointer, value(new)?).map_err(fault)?;
        }
    }
    Ok(input.to_string())
}

fn value(node: Node<'_>) -> Result<Value, Error> {
    let read = serde_json::from_str(&json::canonical(node));
    read.map_err(|error| Error::new(codes::INVALID_VALUE, format!("cannot be changed: {error}")))
}

/// Checks that a name is not empty, and nobody else's.
fn own_name<'a>(name: &'a str, names: &mut BTreeSet<&'a str>, base: &Pointer) -> Result<(), Error> {
    if name.is_empty() || !names.insert(name) {
        return Err(refused("a case has a name of its own".to_owned(), base.clone().key("name")));
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

    /// Name, input and expectation.
    type Told = (String, String, String);

    fn cases(text: &str) -> Result<Vec<Told>, (String, String)> {
        let read = read(text.as_bytes(), "cases.json");
        let told = |case: Case| (case.name, case.input, case.expect);
        let cases = read.map(|cases| cases.into_iter().map(told).collect());
        cases.map_err(|error| (error.code().as_str().to_owned(), error.path().to_owned()))
    }

    fn told(name: &str, input: &str, expect: &str) -> Told {
        (name.to_owned(), input.to_owned(), expect.to_owned())
    }

    #[test]
    fn one_case_a_list_and_a_template() {
        assert_eq!(
            cases(r#"{"name":"a","input":{"x":1},"expect":{"y":2},"x-note":0}"#),
            Ok(vec![told("a", r#"{"x":1}"#, r#"{"y":2}"#)])
        );
        assert_eq!(cases("[]"), Ok(vec![]));
        let template = r#"[{"name":"t","policy":"p","input":{"x":{"a":[1,2]},"y":1},"expect":{"d":1},"cases":[
            {"name":"as it is"},
            {"name":"set","set":{"/x/a/0":7,"/x/a/-":[],"/x/b~1c":null},"expect":{"e":2}},
            {"name":"gone","remove":["/x/a/0","/y"],"set":{"/x/a/0":0}}]}]"#;
        assert_eq!(
            cases(template),
            Ok(vec![
                told("t / as it is", r#"{"x":{"a":[1,2]},"y":1}"#, r#"{"d":1}"#),
                told("t / set", r#"{"x":{"a":[7,2,[]],"b/c":null},"y":1}"#, r#"{"e":2}"#),
                told("t / gone", r#"{"x":{"a":[0]}}"#, r#"{"d":1}"#),
            ])
        );
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
    fn what_is_wrong_is_pointed_at() {
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
