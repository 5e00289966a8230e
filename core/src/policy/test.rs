//! The tests of a policy, on the wire and stored.
//!
//! They are read with the policy. `adjudicate test` and hosts run them; an evaluation does not use them. The tests in the
//! manifest of a policy module have the same form, and are read here too.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, Reader},
    json::{self, Kind, Node, Pointer, ReadLimits},
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
    /// let tape = json::read(br#"[{"name": "a", "input": {}, "expect": {"error": {}}}]"#, json::ReadLimits::DOCUMENT)?;
    /// assert_eq!(Test::read_list(tape.root())?[0].name(), "a");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn read_list(list: Node<'_>) -> Result<Vec<Self>, Error> {
        let tests: Vec<TestDocument<'_>> = document::read(list)?;
        let mut errors = Reader::default();
        check(&tests, &Pointer::new(""), &mut errors);
        errors.end(Some(keep(&tests)))
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
    /// let tape = json::read(list, json::ReadLimits::DOCUMENT)?;
    /// let tests = Test::read_list(tape.root())?;
    /// assert_eq!(tests.iter().map(Test::expects_nothing).collect::<Vec<_>>(), [true, false]);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn expects_nothing(&self) -> bool {
        json::read(self.expect.as_bytes(), ReadLimits::ANSWER).is_ok_and(|tape| expects_nothing(tape.root()))
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

/// Notes tests without a name of their own; `list` is the path of their list.
pub(super) fn check(tests: &[TestDocument<'_>], list: &Pointer, errors: &mut Reader) {
    let mut names = BTreeSet::new();
    for (index, document) in tests.iter().enumerate() {
        if document.name.is_empty() || !names.insert(document.name) {
            let path = list.clone().index(index).key("name").into_string();
            errors.note(Error::new(codes::INVALID_POLICY, "a test has a name of its own").at(path));
        }
    }
}

/// Copies the tests of a document that was checked.
pub(super) fn keep(tests: &[TestDocument<'_>]) -> Vec<Test> {
    let kept = tests.iter().map(|TestDocument { name, input, expect }| Test {
        name: (*name).into(),
        input: json::canonical(input.0),
        expect: json::canonical(expect.0),
    });
    kept.collect()
}
