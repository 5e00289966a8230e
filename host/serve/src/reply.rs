//! HTTP replies: the bytes of an answer, or an error with its status.

use std::borrow::Cow;

use adjudicate_core::{Error, ErrorCode, codes::Subject, document::Describe};
use adjudicate_host::DecidedBy;
use adjudicate_sandbox::CallError;
use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header},
};
use serde::Serialize;

use crate::codes;

pub(crate) type Reply = Response<Body>;

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
pub(crate) const NDJSON: HeaderValue = HeaderValue::from_static("application/x-ndjson");

/// The page of error codes, whose anchors are the codes.
const PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/reference/error-codes.md");

/// The error of a request without an answer, with its status and headers.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    error: CallError,
    headers: HeaderMap,
}

/// Fields of a reply for the request log, metrics and traces.
#[derive(Clone, Debug, Describe, Serialize)]
pub(crate) struct RequestFields {
    /// The path of the route; `none` without one.
    pub(crate) route: &'static str,
    /// The code of the error, or of the fault in whose place another part of the slot answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'static str>,
    /// The size of the input in bytes.
    pub(crate) bytes: u64,
    /// The public id of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<String>,
    /// The slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slot: Option<String>,
    /// The entry of the slot's history that was active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entry: Option<i64>,
    /// The part of the slot that decided.
    #[document(described = "DecidedBy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<&'static str>,
}

impl Default for RequestFields {
    fn default() -> Self {
        Self { route: "none", code: None, bytes: 0, token: None, slot: None, entry: None, by: None }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        CallError::from(error).into()
    }
}

impl From<CallError> for Refusal {
    fn from(error: CallError) -> Self {
        let known = codes::TABLE.find(error.code());
        let refusal = Self {
            status: known.map_or(StatusCode::UNPROCESSABLE_ENTITY, status_of),
            headers: HeaderMap::new(),
            error,
        };
        // An error that a module reports adds no headers.
        let CallError::Fault(error) = &refusal.error else { return refusal };
        let code = error.code();
        let refusal = match HeaderValue::try_from(format!("<{PAGE}#{code}>; rel=\"help\"")) {
            Ok(link) => refusal.with_header(header::LINK, link),
            Err(_) => refusal,
        };
        match code {
            codes::HOST_OVERLOADED => refusal.with_header(header::RETRY_AFTER, HeaderValue::from_static("1")),
            codes::UNAUTHORIZED => {
                let challenge = HeaderValue::from_static("Bearer realm=\"adjudicate\"");
                refusal.with_header(header::WWW_AUTHENTICATE, challenge)
            }
            // The rest of an unfinished request would be read as the next request.
            codes::REQUEST_TIMEOUT => refusal.closing(),
            _ => refusal,
        }
    }
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Error::new(code, message).into()
    }

    /// Returns the code for the log and metrics: `reported_by_module` for a code that a module defines.
    pub(crate) fn code(&self) -> &'static str {
        codes::TABLE.find(self.error.code()).map_or("reported_by_module", ErrorCode::as_str)
    }

    /// Returns the message for humans.
    pub(crate) fn message(&self) -> &str {
        self.error.message()
    }

    /// Returns `{"error": ...}` on one line. A module may write its error on several lines.
    pub(crate) fn line(&self) -> String {
        self.error.to_json().replace(['\n', '\r'], " ")
    }

    /// Closes the connection after the reply.
    pub(crate) fn closing(self) -> Self {
        self.with_header(header::CONNECTION, HeaderValue::from_static("close"))
    }

    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    pub(crate) fn into_reply(self) -> Reply {
        let (mut reply, code) = (json(self.line()), self.code());
        *reply.status_mut() = self.status;
        reply.headers_mut().extend(self.headers);
        reply.extensions_mut().insert(RequestFields { code: Some(code), ..RequestFields::default() });
        reply
    }
}

/// Returns a reply with JSON text.
pub(crate) fn json(text: impl Into<Body>) -> Reply {
    body(text, JSON)
}

/// Returns a reply of any content type. Its headers forbid caching and sniffing of the content type.
pub(crate) fn body(body: impl Into<Body>, kind: HeaderValue) -> Reply {
    let mut reply = Response::new(body.into());
    let headers = reply.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    reply
}

/// Returns a reply with a value as JSON.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Reply, Refusal> {
    let text = serde_json::to_string(value)
        .map_err(|error| Error::caused_by(codes::HOST_FAULT, "the answer has no form", error))?;
    Ok(json(text))
}

/// Returns the status of a reply whose error has this code; 500 for a code that the server does not raise.
///
/// | status | about |
/// | --- | --- |
/// | 400 | the text, or the form of the request |
/// | 404 | names |
/// | 409 | a concurrent change, or a module in use |
/// | 413 | sizes |
/// | 422 | the content of a document; a module as it is, or its signatures |
/// | 500 | the host |
/// | 501 | an operation that is not offered |
/// | 502, 504 | a module that failed in a call |
/// | 503 | the present moment |
///
/// ```
/// use adjudicate_serve::codes;
/// assert_eq!(adjudicate_serve::status_of(codes::UNKNOWN_FIELD), 422);
/// ```
#[must_use]
pub fn status_of(code: ErrorCode) -> StatusCode {
    use StatusCode as S;
    match code {
        codes::MALFORMED_JSON | codes::DUPLICATE_KEY | codes::UNREADABLE_INPUT | codes::WRONG_USAGE => {
            S::BAD_REQUEST
        }
        codes::UNAUTHORIZED => S::UNAUTHORIZED,
        codes::FORBIDDEN => S::FORBIDDEN,
        codes::NOT_FOUND | codes::UNKNOWN_SLOT | codes::UNKNOWN_MODULE | codes::UNKNOWN_VERSION => {
            S::NOT_FOUND
        }
        codes::METHOD_NOT_ALLOWED => S::METHOD_NOT_ALLOWED,
        codes::REQUEST_TIMEOUT => S::REQUEST_TIMEOUT,
        codes::SLOT_CHANGED | codes::IN_USE => S::CONFLICT,
        codes::LIMIT_EXCEEDED | codes::MODULE_TOO_LARGE | codes::MODULE_INPUT_TOO_LARGE => {
            S::PAYLOAD_TOO_LARGE
        }
        codes::UNSUPPORTED_MEDIA_TYPE => S::UNSUPPORTED_MEDIA_TYPE,
        codes::MODULE_DEADLINE => S::GATEWAY_TIMEOUT,
        // A module that failed in a call.
        codes::MODULE_ALLOC_REFUSED
        | codes::MODULE_OUT_OF_FUEL
        | codes::MODULE_MEMORY
        | codes::MODULE_STACK
        | codes::MODULE_TRAP
        | codes::MODULE_BAD_POINTER
        | codes::MODULE_OUTPUT_TOO_LARGE
        | codes::MODULE_NOT_UTF8
        | codes::MODULE_MALFORMED_REPLY
        | codes::MODULE_INVALID_DECISION
        | codes::MODULE_ILLEGAL_NEXT_STEP => S::BAD_GATEWAY,
        codes::CLUSTER_FAULT | codes::HOST_OVERLOADED | codes::SLOT_EMPTY => S::SERVICE_UNAVAILABLE,
        codes::UNSUPPORTED_OPERATION => S::NOT_IMPLEMENTED,
        // The content of a document; a module as it is, or its signatures.
        code if code.subject() == Subject::Input || code.as_str().starts_with("module_") => {
            S::UNPROCESSABLE_ENTITY
        }
        _ => S::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_the_same_table() {
        // Read at run time, so that the tests of the packed crate compile.
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/http.md");
        let page = std::fs::read_to_string(page).unwrap();
        let documented: Vec<_> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
            .filter_map(|(status, codes)| Some((status.parse::<u16>().ok()?, codes)))
            .collect();
        for code in codes::TABLE.all() {
            let (status, name) = (status_of(code).as_u16(), format!("`{code}`"));
            let found = documented.iter().filter(|(number, codes)| *number != 429 && codes.contains(&name));
            assert_eq!(found.map(|(number, _)| *number).collect::<Vec<_>>(), [status], "{name}");
        }
    }

    #[test]
    fn an_error_about_the_input_is_no_error_of_the_server() {
        for code in codes::TABLE.all() {
            let status = status_of(code);
            assert!(status.is_client_error() || status.is_server_error());
            assert!(code.subject() != Subject::Input || status.is_client_error(), "{code}");
        }
    }
}
