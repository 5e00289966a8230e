//! The tests in a manifest.
//!
//! They are in the field `x-tests` and have the form of a policy's tests: `{name, input, expect}`. A host that only evaluates does
//! not read them.

use alloc::{format, vec::Vec};

use adjudicate_lang::{Error, json};

use super::{MAX_BYTES, Manifest};
use crate::{codes, policy::Test};

/// The manifest's field for tests.
pub const TESTS: &str = "x-tests";

/// Largest number of tests in a module, because each may take as long as a call.
pub const MAX_TESTS: usize = 1_000;

impl Manifest {
    /// Reads the tests of the module. The list may be empty.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_TESTS`] with the path in the manifest, for tests that are malformed, more than 1,000, or cannot fail.
    ///
    /// ```
    /// use adjudicate_core::module::Manifest;
    /// let manifest = Manifest::parse(br#"{"abi": 1, "name": "strict", "version": "1.2.0", "operations": ["evaluate"],
    ///     "x-tests": [{"name": "garbage", "input": {}, "expect": {"error": {"code": "missing_field"}}}]}"#)?;
    /// assert_eq!(manifest.tests()?[0].name(), "garbage");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn tests(&self) -> Result<Vec<Test>, Error> {
        let limits = json::ReadLimits { documents: &[], bytes: MAX_BYTES };
        let tape = json::read(self.text().as_bytes(), limits)?;
        let Some(list) = tape.root().member(TESTS) else { return Ok(Vec::new()) };
        let malformed = |error: Error| refusal(error.message(), error.path());
        let tests = Test::read_list(list).map_err(malformed)?;
        if tests.len() > MAX_TESTS {
            return Err(refusal(&format!("{} tests are over the limit of {MAX_TESTS}", tests.len()), ""));
        }
        match tests.iter().position(Test::expects_nothing) {
            Some(place) => Err(refusal(
                "an `expect` of empty objects accepts any answer, so this test cannot fail",
                &format!("/{place}/expect"),
            )),
            None => Ok(tests),
        }
    }
}

/// The error for malformed tests; `path` is relative to the list of tests.
fn refusal(message: &str, path: &str) -> Error {
    let path = format!("/{TESTS}{path}");
    Error::new(codes::MODULE_TESTS, format!("the module's tests: {message}")).at(path)
}
