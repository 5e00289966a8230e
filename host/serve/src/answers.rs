//! Who answers calls that name no slot.

use adjudicate_core::{Error, Operation, Policy};

/// Who answers. Called on a thread of its own kind, never on one that waits for sockets.
pub trait Answers: Send + Sync + 'static {
    /// The answer to one call, JSON text.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn answer(&self, operation: Operation, input: &[u8]) -> Result<String, Error>;
}

/// The engine that is built in, perhaps with a policy in force.
///
/// ```
/// use adjudicate_core::Operation;
/// use adjudicate_serve::{Answers, Native};
/// let error = Native::default().answer(Operation::Evaluate, b"{}").unwrap_err();
/// assert_eq!(error.code().as_str(), "missing_field");
/// ```
#[derive(Debug, Default)]
pub struct Native {
    policy: Option<Policy>,
}

impl Native {
    /// The engine with this policy in force; calls may bring none of their own then.
    #[must_use]
    pub const fn with_policy(policy: Policy) -> Self {
        Self { policy: Some(policy) }
    }
}

impl Answers for Native {
    fn answer(&self, operation: Operation, input: &[u8]) -> Result<String, Error> {
        operation.call_with(input, self.policy.as_ref())
    }
}
