//! The handler of calls that name no slot.

use std::sync::Arc;

use adjudicate_core::{Error, Operation, Policy};

/// The handler of calls that name no slot. The server calls it on a thread that may block.
pub trait CallHandler: Send + Sync + 'static {
    /// Returns the answer to one call, as JSON text.
    ///
    /// # Errors
    ///
    /// The error of the operation, for example for an invalid document.
    fn answer(&self, operation: Operation, input: &[u8]) -> Result<String, Error>;
}

/// The built-in engine, with or without a policy.
///
/// ```
/// use adjudicate_core::Operation;
/// use adjudicate_serve::{CallHandler, Native};
/// let error = Native::default().answer(Operation::Evaluate, b"{}").unwrap_err();
/// assert_eq!(error.code().as_str(), "missing_field");
/// ```
#[derive(Debug, Default)]
pub struct Native {
    policy: Option<Arc<Policy>>,
}

impl Native {
    /// Returns the engine with this policy. Calls with a policy of their own are then errors.
    #[must_use]
    pub fn with_policy(policy: impl Into<Arc<Policy>>) -> Self {
        Self { policy: Some(policy.into()) }
    }
}

impl CallHandler for Native {
    fn answer(&self, operation: Operation, input: &[u8]) -> Result<String, Error> {
        operation.call_with(input, self.policy.as_deref())
    }
}
