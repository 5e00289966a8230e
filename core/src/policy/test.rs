//! The tests of a policy, on the wire and stored.
//!
//! They are read with the policy. `adjudicate test` and hosts run them; an evaluation does not use them. The tests in the
//! manifest of a policy module have the same form, and are read here too.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

use adjudicate_lang::{
    Error, document,
    json::{self, Kind, Limits, Node, Pointer},
};

use crate::{codes, documents::policy_test::TestDocument};

/// A test that was read with its policy.
#[derive(Clone, Debug)]
pub struct Test {
    name: String,
    input: String,
    expect: String,
}

impl Test {
    /// Reads a list of tests from a document other than a policy.
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
        let documents: Vec<TestDocument<'_>> = document::read(list)?;
        let tests = || documents.iter().zip(list.items());
        check(tests(), &Pointer::new(""))?;
        Ok(keep(tests()))
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The envelope that is evaluated, as canonical JSON.
    #[must_use]
    pub fn input(&self) -> &str {
        &self.input
    }

    /// The expected fields of the answer, as canonical JSON; [`Mismatch::find`](crate::check::Mismatch::find) compares them.
    #[must_use]
    pub fn expect(&self) -> &str {
        &self.expect
    }

    /// Returns whether the expectation has only empty objects. Such a test cannot fail, so programs that run tests reject it.
    ///
    /// ```
    /// use adjudicate_core::{json, policy::Test};
    /// let list = br#"[{"name": "a", "input": {}, "expect": {"decision": {}}}, {"name": "b", "input": {}, "expect": {"error": {}}}]"#;
    /// let tape = json::read(list, json::Limits::DOCUMENT)?;
    /// let tests = Test::read_list(tape.root())?;
    /// assert_eq!(tests.iter().map(Test::expects_nothing).collect::<Vec<_>>(), [true, false]);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn expects_nothing(&self) -> bool {
        json::read(self.expect.as_bytes(), Limits::ANSWER).is_ok_and(|tape| expects_nothing(tape.root()))
    }
}

/// Returns whether the `expect` of a test has only empty objects. `{"error": {}}` expects an error.
#[must_use]
pub fn expects_nothing(expect: Node<'_>) -> bool {
    is_hollow(expect) && expect.member("error").is_none()
}

/// Returns whether a value has only objects in it.
fn is_hollow(value: Node<'_>) -> bool {
    value.kind() == Kind::Object && value.members().all(|(_, value)| is_hollow(value))
}

/// Checks the tests of a document, each with its JSON; `list` is the path of their list.
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

/// Copies the tests of a document that was checked.
pub(super) fn keep<'d, 't>(tests: impl Iterator<Item = (&'d TestDocument<'d>, Node<'t>)>) -> Vec<Test> {
    let kept = tests.map(|(document, source)| {
        let part = |member: &str| source.member(member).map(json::canonical).unwrap_or_default();
        Test { name: document.name.into(), input: part("input"), expect: part("expect") }
    });
    kept.collect()
}
