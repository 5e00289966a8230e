//! The tests of a policy, as they are on the wire and kept.
//!
//! They are read with the policy and run by whoever asks for it; evaluating never looks at them. What a policy module
//! brings in its manifest has the same form, and is read here too.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{self, Kind, Node, Pointer},
};
use serde::{Deserialize, de::IgnoredAny};

use crate::codes;

/// A test of a policy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a test object")]
pub struct TestDocument<'a> {
    /// What it is called: unique, and not empty.
    pub name: &'a str,
    /// The envelope that is evaluated, an object.
    pub input: IgnoredAny,
    /// What the answer must have, an object: see [`differences`](crate::check::differences). A test whose input gets no answer
    /// fails with the error, unless this is `{"error": {...}}` and the error has what it says.
    pub expect: IgnoredAny,
}

/// A test that was read with its policy.
#[derive(Clone, Debug)]
pub struct Test {
    name: String,
    input: String,
    expect: String,
}

impl Test {
    /// Reads a list of tests that does not stand in a policy.
    ///
    /// # Errors
    ///
    /// The first error in document order, with a path that begins at the list.
    ///
    /// ```
    /// use adjudicate_core::{json, policy::Test};
    /// let tape = json::read(br#"[{"name": "a", "input": {}, "expect": {"error": {}}}]"#, json::Limits::DOCUMENT)?;
    /// assert_eq!(Test::read_list(tape.root())?[0].name(), "a");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read_list(list: Node<'_>) -> Result<Vec<Self>, Error> {
        let documents: Vec<TestDocument<'_>> = list.decode()?;
        let tests = || documents.iter().zip(list.items());
        check(tests(), &Pointer::new(""))?;
        Ok(keep(tests()))
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The envelope that is evaluated, as canonical JSON.
    #[must_use]
    pub fn input(&self) -> &str {
        &self.input
    }

    /// What the answer must have, as canonical JSON; [`Mismatch::find`](crate::check::Mismatch::find) compares it.
    #[must_use]
    pub fn expect(&self) -> &str {
        &self.expect
    }

    /// Whether any answer would do. Such a test cannot fail; who runs tests refuses it.
    #[must_use]
    pub fn expects_nothing(&self) -> bool {
        self.expect == "{}"
    }
}

/// Checks the tests of a document, each with how it stands in it; the list of them is at `list`.
pub(super) fn check<'d, 't>(
    tests: impl Iterator<Item = (&'d TestDocument<'d>, Node<'t>)>,
    list: &Pointer,
) -> Result<(), Error> {
    let mut names = BTreeSet::new();
    for (index, (document, source)) in tests.enumerate() {
        let pointer = |member: &str| list.clone().index(index).key(member).into_string();
        if document.name.is_empty() || !names.insert(document.name) {
            let message = "a test has a name of its own";
            return Err(Error::new(codes::INVALID_POLICY, message).at(pointer("name")));
        }
        for member in ["input", "expect"] {
            if source.member(member).is_none_or(|part| part.kind() != Kind::Object) {
                return Err(Error::new(codes::INVALID_VALUE, "expected an object").at(pointer(member)));
            }
        }
    }
    Ok(())
}

/// The tests of a document that was checked.
pub(super) fn keep<'d, 't>(tests: impl Iterator<Item = (&'d TestDocument<'d>, Node<'t>)>) -> Vec<Test> {
    let kept = tests.map(|(document, source)| {
        let part = |member: &str| source.member(member).map(json::canonical).unwrap_or_default();
        Test { name: document.name.into(), input: part("input"), expect: part("expect") }
    });
    kept.collect()
}
