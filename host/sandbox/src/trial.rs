//! The tests in a module's manifest: reads them and runs them under the module's limits.
//!
//! They are in the field `x-tests` and have the form of a policy's tests: `{name, input, expect}`. A host that only evaluates does
//! not read them.

use adjudicate_core::{Error, Operation, check::Mismatch, json, policy::Test};

use crate::{
    codes,
    manifest::{MAX_BYTES, Manifest},
    module::Module,
    reply::CallError,
};

/// The manifest's field for tests.
const MEMBER: &str = "x-tests";

/// Largest number of tests in a module, because each may take as long as a call.
pub(crate) const MAX_TESTS: usize = 1_000;

/// The outcome of one test of a module.
#[derive(Clone, Debug)]
pub struct TestOutcome {
    /// The test's name.
    pub name: String,
    /// The difference to the expected answer; `None` if the test passes.
    pub mismatch: Option<Mismatch>,
}

impl Manifest {
    /// Reads the tests of the module. The list may be empty.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_TESTS`] with the path in the manifest, for tests that are malformed, more than 1,000, or cannot fail.
    ///
    /// ```
    /// use adjudicate_sandbox::Manifest;
    /// let manifest = Manifest::parse(br#"{"abi": 1, "name": "strict", "version": "1.2.0", "operations": ["evaluate"],
    ///     "x-tests": [{"name": "garbage", "input": {}, "expect": {"error": {"code": "missing_field"}}}]}"#)?;
    /// assert_eq!(manifest.tests()?[0].name(), "garbage");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn tests(&self) -> Result<Vec<Test>, Error> {
        let limits = json::Limits { documents: &[], bytes: MAX_BYTES };
        let tape = json::read(self.text().as_bytes(), limits)?;
        let Some(list) = tape.root().member(MEMBER) else { return Ok(Vec::new()) };
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

impl Module {
    /// Runs the module's tests. Each is a call of `evaluate` under the module's own limits. An input is an envelope, or `{envelope,
    /// policy}`.
    ///
    /// # Errors
    ///
    /// Those of [`Manifest::tests`]; [`codes::HOST_OVERLOADED`] and [`codes::HOST_FAULT`] if a test could not run. If the module
    /// fails in a test, that is the test's outcome, not an error.
    pub fn run_tests(&self) -> Result<Vec<TestOutcome>, Error> {
        self.manifest().tests()?.iter().map(|test| self.run_test(test)).collect()
    }

    /// Runs the module's tests up to the first failure. Returns the number of tests if all pass.
    ///
    /// # Errors
    ///
    /// Those of [`run_tests`](Self::run_tests); [`codes::MODULE_TESTS`] with the reason for the first test that fails.
    pub fn pass_tests(&self) -> Result<usize, Error> {
        let tests = self.manifest().tests()?;
        for (place, test) in tests.iter().enumerate() {
            let TestOutcome { name, mismatch } = self.run_test(test)?;
            if let Some(mismatch) = mismatch {
                let message = format!("the module's test `{name}` fails: {mismatch}");
                let error = Error::new(codes::MODULE_TESTS, message).at(mismatch.path());
                return Err(error.below(&format!("/{MEMBER}/{place}")));
            }
        }
        Ok(tests.len())
    }

    fn run_test(&self, test: &Test) -> Result<TestOutcome, Error> {
        let answer = match self.call(Operation::Evaluate, test.input().as_bytes()) {
            Ok(answer) => answer,
            Err(CallError::Fault(error))
                if matches!(error.code(), codes::HOST_OVERLOADED | codes::HOST_FAULT) =>
            {
                return Err(error);
            }
            Err(error) => error.to_json(),
        };
        let mismatch = Mismatch::find(test.expect(), &answer).map_err(|error| {
            let message = format!("the answer to the module's test `{}` cannot be read", test.name());
            Error::caused_by(codes::MODULE_TESTS, message, error)
        })?;
        Ok(TestOutcome { name: test.name().to_owned(), mismatch })
    }
}

/// The error for malformed tests; `path` is relative to the list of tests.
fn refusal(message: &str, path: &str) -> Error {
    let path = format!("/{MEMBER}{path}");
    Error::new(codes::MODULE_TESTS, format!("the module's tests: {message}")).at(path)
}
