//! The messages of clients: one JSON text a line.

use std::ops::Range;

use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId},
};
use serde_json::error::Category;

use crate::layout;

/// The text of the arguments of a call. The engine reads it as the client wrote it, with all digits and repeated keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments(pub(super) String);

/// The reply to a line that is no message, with the id of the request if it has one.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) error: ErrorData,
    pub(super) id: Option<RequestId>,
}

/// Reads a message. The parser of messages does not see the arguments of a call, so it sets them no limits of its own.
pub(super) fn read(line: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    let refuse = |error, id| Err(Refusal { error, id });
    let Ok(text) = str::from_utf8(line) else {
        return refuse(ErrorData::parse_error("the line is not UTF-8", None), None);
    };
    let text = text.trim_start_matches('\u{feff}');
    let id = field(text, "id").and_then(|id| text.get(id));
    let (rest, arguments) = take_arguments(text).unwrap_or_else(|| (text.to_owned(), "{}".to_owned()));
    match serde_json::from_str(&rest) {
        // A request whose id is of another type looks like a notification.
        Ok(JsonRpcMessage::Notification(_)) if id.is_some() => {
            refuse(ErrorData::invalid_request("an id is an integer or a string", None), None)
        }
        Ok(JsonRpcMessage::Request(mut request)) => {
            if let ClientRequest::CallToolRequest(call) = &mut request.request {
                call.extensions.insert(Arguments(arguments));
            }
            Ok(JsonRpcMessage::Request(request))
        }
        Ok(message) => Ok(message),
        Err(error) => {
            let fault = match error.classify() {
                Category::Data => ErrorData::invalid_request("the line is no message of JSON-RPC 2.0", None),
                _ => ErrorData::parse_error(format!("the line is not JSON: {error}"), None),
            };
            refuse(fault, id.and_then(|id| serde_json::from_str::<RequestId>(id).ok()))
        }
    }
}

/// Returns a message with an empty object for its arguments, and the arguments.
fn take_arguments(message: &str) -> Option<(String, String)> {
    let params = field(message, "params")?;
    let (before, after) = (message.get(..params.start)?, message.get(params.end..)?);
    let params = message.get(params)?;
    let arguments = field(params, "arguments")?;
    let (inner_before, inner_after) = (params.get(..arguments.start)?, params.get(arguments.end..)?);
    Some(([before, inner_before, "{}", inner_after, after].concat(), params.get(arguments)?.to_owned()))
}

/// Returns the place of a field's value, if the text begins with an object that has the field.
fn field(object: &str, name: &str) -> Option<Range<usize>> {
    let mut tokens = layout::tokens(object);
    tokens.next().filter(|(_, token)| *token == "{")?;
    loop {
        let (_, key) = tokens.next()?;
        tokens.next().filter(|(_, token)| *token == ":")?;
        let value = extent(&mut tokens)?;
        if serde_json::from_str::<String>(key).is_ok_and(|key| key == name) {
            return Some(value);
        }
        tokens.next().filter(|(_, token)| *token == ",")?;
    }
}

/// Returns the place of the value that follows.
fn extent<'t>(tokens: &mut impl Iterator<Item = (usize, &'t str)>) -> Option<Range<usize>> {
    let (mut start, mut depth) = (None, 0_usize);
    loop {
        let (at, token) = tokens.next()?;
        let start = *start.get_or_insert(at);
        match token {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(start..at + token.len());
        }
    }
}
