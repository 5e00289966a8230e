//! The handlers of a program that starts a server: of calls that name no slot, and of messages at `/mcp`.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use adjudicate_core::{Error, Operation, Policy};
use adjudicate_host::TokenRole;
use axum::{
    body::{Body, Bytes},
    http::{Request, Response},
};

use crate::limiter::CallPermit;

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

/// The handler of messages at `/mcp`.
pub trait McpHandler: fmt::Debug + Send + Sync + 'static {
    /// Returns the reply to the `POST` of one message: JSON, or no body. Text with a status of 400 to 499 is the message
    /// of an error. The role is that of the client.
    ///
    /// The future may be dropped before it ends, because the client is gone. A job of the handler on another thread keeps a
    /// clone of the permit until it ends.
    fn answer(&self, request: Request<Bytes>, role: TokenRole, permit: CallPermit) -> McpReply<'_>;

    /// Ends jobs that may take longer than the deadline for requests in progress. The server calls this when it stops listening.
    fn stop(&self);
}

/// The future of a reply.
pub type McpReply<'a> = Pin<Box<dyn Future<Output = Response<Body>> + Send + 'a>>;
