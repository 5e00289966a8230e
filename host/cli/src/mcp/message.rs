//! The messages of clients: JSON texts, each a line or the body of a request.

use std::{ops::Range, sync::Arc};

use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ClientRequest, Extensions, JsonRpcMessage, RequestId},
};
use serde_json::error::Category;

use crate::layout;

/// The longest message, without the arguments of a call.
pub(super) const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// The arguments of a call.
#[derive(Clone)]
pub(super) struct Arguments {
    /// Their text. The engine reads it as the client wrote it, with all digits and repeated keys.
    pub(super) text: String,
    /// The right to compute, if the transport has given it.
    pub(super) permit: Option<Permit>,
}

impl Arguments {
    /// Takes the arguments out of the extensions of a call.
    pub(super) fn take(extensions: &mut Extensions) -> Option<Self> {
        let own = extensions.remove::<Self>();
        // rmcp puts the head of the request there.
        #[cfg(feature = "serve")]
        let own = own
            .or_else(|| extensions.get_mut::<adjudicate_serve::http::request::Parts>()?.extensions.remove());
        own
    }
}

/// The right to compute, until it is dropped.
pub(super) type Permit = Arc<dyn Send + Sync>;

/// A message, taken apart.
pub(super) struct SplitMessage {
    pub(super) message: ClientJsonRpcMessage,
    /// The text of the message, with an empty object for the arguments of a call.
    #[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "only HTTP needs it"))]
    pub(super) rest: String,
    /// The text of the arguments.
    pub(super) arguments: String,
}

/// The reply to a text that is no message, with the id of the request if it has one.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) error: ErrorData,
    pub(super) id: Option<RequestId>,
}

/// Reads a message.
pub(super) fn read(text: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    let SplitMessage { mut message, arguments, .. } = split(text)?;
    if let JsonRpcMessage::Request(request) = &mut message
        && let ClientRequest::CallToolRequest(call) = &mut request.request
    {
        call.extensions.insert(Arguments { text: arguments, permit: None });
    }
    Ok(message)
}

/// Reads a message. The parser of messages does not see the arguments of a call, so it sets them no limits of its own.
pub(super) fn split(text: &[u8]) -> Result<SplitMessage, Refusal> {
    let refuse = |error, id| Err(Refusal { error, id });
    let usable = |id: Option<&str>| id.and_then(|id| serde_json::from_str::<RequestId>(id).ok());
    let Ok(text) = str::from_utf8(text) else {
        return refuse(ErrorData::parse_error("the message is not UTF-8", None), None);
    };
    let text = text.trim_start_matches('\u{feff}');
    let id = field(text, "id").and_then(|id| text.get(id));
    let (rest, arguments) = take_arguments(text).unwrap_or_else(|| (text.to_owned(), "{}".to_owned()));
    if rest.len() > MAX_MESSAGE_BYTES {
        let fault =
            format!("without its arguments, the message is over the limit of {MAX_MESSAGE_BYTES} bytes");
        return refuse(ErrorData::invalid_request(fault, None), usable(id));
    }
    match serde_json::from_str(&rest) {
        // A request whose id is of another type looks like a notification.
        Ok(JsonRpcMessage::Notification(_)) if id.is_some() => {
            refuse(ErrorData::invalid_request("an id is an integer or a string", None), None)
        }
        Ok(message) => Ok(SplitMessage { message, rest, arguments }),
        Err(error) => {
            let fault = match error.classify() {
                Category::Data => ErrorData::invalid_request("the text is no message of JSON-RPC 2.0", None),
                _ => ErrorData::parse_error(format!("the message is not JSON: {error}"), None),
            };
            refuse(fault, usable(id))
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
