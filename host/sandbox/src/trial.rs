//! The tests that a module brings in its manifest: reading them, and running them under the module's limits.
//!
//! They stand in `x-tests` and have the form of a policy's tests: `{name, input, expect}`. A host that only evaluates never
//! looks at them.

use adjudicate_core::{Error, Operation, check::Mismatch, json, policy::Test};

use crate::{
    codes,
    manifest::{MAX_BYTES, Manifest},
    module::Module,
    reply::CallError,
};

/// The member of the manifest that holds the tests.
const MEMBER: &str = "x-tests";

/// How many tests a module may bring: each may take as long as a call may.
pub(crate) const MAX_TESTS: usize = 1_000;

/// What came of one test that a module brings.
#[derive(Clone, Debug)]
pub struct TestOutcome {
    /// The test's name.
    pub name: String,
    /// Why the test fails; `None` if it passes.
    pub mismatch: Option<Mismatch>,
}

impl Manifest {
    /// The tests that the module brings; none if it brings none.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_TESTS`] for tests that are malformed, too many (over 1,000), or cannot fail, with their path in the manifest.
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
                "an empty `expect` accepts any answer, so this test cannot fail",
                &format!("/{place}/expect"),
            )),
            None => Ok(tests),
        }
    }
}

impl Module {
    /// Runs the tests that the module brings, each as a call of `evaluate` under the module's own limits. An input is an
    /// envelope, or `{envelope, policy}`.
    ///
    /// # Errors
    ///
    /// Those of [`Manifest::tests`]; [`codes::HOST_OVERLOADED`] and [`codes::HOST_FAULT`] if a test was not run. That
    /// the module fails in a test is what came of the test.
    pub fn run_tests(&self) -> Result<Vec<TestOutcome>, Error> {
        self.manifest().tests()?.iter().map(|test| self.run_test(test)).collect()
    }

    /// Runs the tests that the module brings, up to one that fails; how many there are if none does.
    ///
    /// # Errors
    ///
    /// Those of [`run_tests`](Self::run_tests); [`codes::MODULE_TESTS`] for the first test that fails, and why it fails.
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
            let message =
                format!("the answer to the module's test `{}` cannot be read: {error}", test.name());
            Error::new(codes::MODULE_TESTS, message)
        })?;
        Ok(TestOutcome { name: test.name().to_owned(), mismatch })
    }
}

/// That tests are malformed; `path` begins at their list.
fn refusal(message: &str, path: &str) -> Error {
    let path = format!("/{MEMBER}{path}");
    Error::new(codes::MODULE_TESTS, format!("the module's tests: {message}")).at(path)
}
