//! What faces do with the texts of a call: join its documents, wrap its answer.

use alloc::{format, string::String};

use crate::{
    codes::ErrorCode,
    error::Error,
    json::{self, Kind, Limits, MAX_DOCUMENT_BYTES},
};

/// Joins an envelope and a policy to the input of one `evaluate` call; without a policy the envelope is the input.
///
/// Each text is checked to be one JSON document first, so that neither can reach beyond its place.
///
/// # Errors
///
/// Those of [`json::read`] for either text, [`ErrorCode::InvalidValue`] for a policy that is `null` (whoever names a
/// policy means one), and [`ErrorCode::LimitExceeded`] when both together are too large.
///
/// ```
/// use adjudicate_core::call_input;
/// assert_eq!(call_input(b"{} ", Some(b"{}"))?, r#"{"envelope":{} ,"policy":{}}"#);
/// assert!(call_input(b"{}", Some(b"null")).is_err());
/// assert!(call_input(br#"{}, "policy": {}"#, None).is_err());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn call_input(envelope: &[u8], policy: Option<&[u8]>) -> Result<String, Error> {
    let envelope = json::read(envelope, Limits::DOCUMENT)?;
    let Some(policy) = policy else { return Ok(envelope.text().into()) };
    let policy = json::read(policy, Limits::DOCUMENT).map_err(|error| error.within("policy"))?;
    if policy.root().kind() == Kind::Null {
        let error = Error::new(ErrorCode::InvalidValue, "expected a policy document, found null");
        return Err(error.within("policy"));
    }
    let input = format!(r#"{{"envelope":{},"policy":{}}}"#, envelope.text(), policy.text());
    if input.len() > MAX_DOCUMENT_BYTES {
        let message =
            format!("envelope and policy are over the limit of {MAX_DOCUMENT_BYTES} bytes together");
        return Err(Error::new(ErrorCode::LimitExceeded, message));
    }
    Ok(input)
}

/// The reply of the module interface: `{"ok": answer}` or `{"error": ...}`.
///
/// ```
/// use adjudicate_core::reply;
/// assert_eq!(reply(Ok("null".into())), r#"{"ok":null}"#);
/// ```
#[must_use]
pub fn reply(answer: Result<String, Error>) -> String {
    match answer {
        Ok(mut answer) => {
            // In place: an answer may be the largest thing in memory.
            answer.insert_str(0, r#"{"ok":"#);
            answer.push('}');
            answer
        }
        Err(error) => error.to_json(),
    }
}
