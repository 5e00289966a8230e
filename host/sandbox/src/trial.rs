//! Runs the tests in a module's manifest under the module's limits.

use adjudicate_core::{Error, Operation, check::Mismatch, policy::Test};

use crate::{CallError, codes, manifest::TESTS, module::Module};

/// The outcome of one test of a module.
#[derive(Clone, Debug)]
pub struct TestOutcome {
    /// The test's name.
    pub name: String,
    /// The difference to the expected answer; `None` if the test passes.
    pub mismatch: Option<Mismatch>,
}

impl Module {
    /// Runs the module's tests. Each is a call of `evaluate` under the module's own limits. An input is an envelope, or `{envelope,
    /// policy}`.
    ///
    /// # Errors
    ///
    /// Those of [`Manifest::tests`](crate::Manifest::tests); [`codes::HOST_OVERLOADED`] and [`codes::HOST_FAULT`] if a test could not run. If the module
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
                return Err(error.below(&format!("/{TESTS}/{place}")));
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
