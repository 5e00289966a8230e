//! Messages of the Model Context Protocol (MCP) at `/mcp`, by the transport "streamable HTTP" without sessions.
//!
//! This crate knows no tools: [`ServerSettings::mcp`](crate::ServerSettings::mcp) has the handler of messages.

use adjudicate_host::TokenRole;
use axum::{
    body::Bytes,
    http::{Extensions, HeaderMap, Request, StatusCode, header},
};
use http_body_util::BodyExt;

use crate::{
    calls::{Calls, RoutedRequest},
    codes,
    handler::McpHandler,
    limiter::memory_of_engine,
    reply::{JSON, Refusal, Reply, RequestFields, body},
};

/// Answers a message of an MCP client.
pub(crate) async fn answer(
    calls: &Calls,
    handler: Option<&dyn McpHandler>,
    routed: RoutedRequest,
    role: TokenRole,
) -> Result<Reply, Refusal> {
    let handler = handler.ok_or_else(|| {
        Refusal::new(codes::NOT_FOUND, "the server does not offer MCP; start it with `--mcp`")
    })?;
    let RoutedRequest { mut head, body, .. } = routed;
    let buffered = body.read(&head.headers, calls.limits.body, &calls.budget, &calls.limits).await?;
    let length = buffered.bytes.len();
    // A reply has the answer of the engine twice: as text and as a value.
    let permit = calls.limiter.acquire(memory_of_engine(length).saturating_mul(2)).await?;
    // The handler may keep the head for longer than the request lasts.
    head.extensions = Extensions::new();
    let request = Request::from_parts(head, buffered.bytes.clone());
    // The permit is held until the reply is complete.
    let (head, body) = handler.answer(request, role, permit.clone()).await.into_parts();
    let text = body.collect().await.map_err(|_| fault("the reply cannot be read"))?.to_bytes();
    calls.freed_memory.note(length.max(text.len()));
    let mut reply = reply(head.status, &head.headers, text)?;
    reply.extensions_mut().insert(RequestFields { bytes: length as u64, ..RequestFields::default() });
    Ok(reply)
}

fn reply(status: StatusCode, headers: &HeaderMap, text: Bytes) -> Result<Reply, Refusal> {
    if text.is_empty() || headers.get(header::CONTENT_TYPE) == Some(&JSON) {
        let mut reply = body(text, JSON);
        *reply.status_mut() = status;
        return Ok(reply);
    }
    if !status.is_client_error() {
        return Err(fault("the reply is not JSON"));
    }
    let message = String::from_utf8_lossy(&text).into_owned();
    Err(Refusal::new(codes::WRONG_USAGE, message))
}

fn fault(message: &'static str) -> Refusal {
    Refusal::new(codes::HOST_FAULT, message)
}
