//! The interface of the handler of messages at `/mcp`.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use adjudicate_host::TokenRole;
use axum::{
    body::{Body, Bytes},
    http::{Request, Response},
};

use crate::limiter::LimiterPermit;

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

/// The right to run a call, with its memory. When the last clone is dropped, another call may run.
#[derive(Clone, Debug)]
pub struct CallPermit {
    _permit: Arc<LimiterPermit>,
}

impl CallPermit {
    pub(crate) fn new(permit: &Arc<LimiterPermit>) -> Self {
        Self { _permit: Arc::clone(permit) }
    }
}
