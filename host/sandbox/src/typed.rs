//! Calls with owned types: envelopes as inputs, typed answers as results.

use adjudicate_core::{
    Error, Operation, call_input, join_documents,
    owned::{Envelope, Evaluation, Revision},
};

use crate::{CallError, codes, module::Module};

/// An answer, as text and as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered<T> {
    /// The text, as the module wrote it.
    pub text: String,
    /// The value.
    pub answer: T,
}

/// A type of answers.
pub trait TypedAnswer: Sized {
    /// The operation that gives the answer.
    const OPERATION: Operation;

    /// Returns the input of a call; `policy` is the text of a policy document.
    ///
    /// # Errors
    ///
    /// The error of a policy that is not JSON, and [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for an input that is too large.
    fn input(envelope: &Envelope, policy: Option<&str>) -> Result<String, Error> {
        let (envelope, policy) = (envelope.to_json(), policy.map(str::as_bytes));
        if Self::OPERATION.is_bare() {
            return call_input(envelope.as_bytes(), policy);
        }
        let policy = policy.map(|policy| ("policy", policy));
        let documents: Vec<_> = [("envelope", envelope.as_bytes())].into_iter().chain(policy).collect();
        join_documents(&documents)
    }

    /// Reads the answer of a module.
    ///
    /// # Errors
    ///
    /// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the wrong field. The host does not check
    /// the answers of known engines, so this error can occur for an engine of another version.
    fn read(text: &str) -> Result<Self, Error>;
}

impl TypedAnswer for Evaluation {
    const OPERATION: Operation = Operation::Evaluate;

    fn read(text: &str) -> Result<Self, Error> {
        Self::from_json(text.as_bytes()).map_err(breach)
    }
}

impl TypedAnswer for Revision {
    const OPERATION: Operation = Operation::Refine;

    fn read(text: &str) -> Result<Self, Error> {
        Self::from_json(text.as_bytes()).map_err(breach)
    }
}

fn breach(error: Error) -> Error {
    let message = format!("{} ({})", error.message(), error.code());
    Error::new(codes::MODULE_INVALID_DECISION, message).at(error.path())
}

impl Module {
    /// Evaluates an envelope; `policy` is the text of a policy document.
    ///
    /// # Errors
    ///
    /// As for [`Module::call`] and [`TypedAnswer`].
    ///
    /// ```no_run
    /// use adjudicate_core::{evaluate::{Outcome, Status}, owned::{Envelope, Evidence, Validation}};
    /// use adjudicate_sandbox::{Host, HostSettings};
    ///
    /// let module = Host::new(HostSettings::default())?.load(&std::fs::read("engine.wasm")?)?;
    /// let validation = Validation {
    ///     mechanical_outcome: Outcome::Completed,
    ///     exit_codes: [("test".into(), 0)].into(),
    ///     ..Validation::default()
    /// };
    /// let envelope = Envelope {
    ///     evaluate_prompt: "release.v1".into(),
    ///     allowed_next_steps: vec!["publish".into()],
    ///     evidence: Evidence { validation, ..Evidence::default() },
    ///     ..Envelope::default()
    /// };
    /// let decided = module.evaluate(&envelope, None)?;
    /// assert_eq!(decided.answer.decision.status, Status::Success);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn evaluate(
        &self,
        envelope: &Envelope,
        policy: Option<&str>,
    ) -> Result<Answered<Evaluation>, CallError> {
        self.typed(envelope, policy)
    }

    /// Evaluates the envelope and returns the revision that follows for the run.
    ///
    /// # Errors
    ///
    /// As for [`Module::evaluate`].
    pub fn refine(&self, envelope: &Envelope, policy: Option<&str>) -> Result<Answered<Revision>, CallError> {
        self.typed(envelope, policy)
    }

    fn typed<T: TypedAnswer>(
        &self,
        envelope: &Envelope,
        policy: Option<&str>,
    ) -> Result<Answered<T>, CallError> {
        let text = self.call(T::OPERATION, T::input(envelope, policy)?.as_bytes())?;
        Ok(Answered { answer: T::read(&text)?, text })
    }
}
