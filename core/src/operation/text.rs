//! Texts of calls, for interfaces: joins documents to an input, and wraps an answer.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{self, Kind, MAX_DOCUMENT_BYTES, ReadLimits},
};

use crate::codes;

/// Joins an envelope and a policy to the input of `evaluate`; without a policy, the input is the envelope.
///
/// # Errors
///
/// Those of [`json::read`] for an envelope alone, those of [`join_documents`] for both.
///
/// ```
/// use adjudicate_core::call_input;
/// assert_eq!(call_input(b"{} ", Some(b"{}"))?, r#"{"envelope":{} ,"policy":{}}"#);
/// assert!(call_input(b"{}", Some(b"null")).is_err());
/// assert!(call_input(br#"{}, "policy": {}"#, None).is_err());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn call_input(envelope: &[u8], policy: Option<&[u8]>) -> Result<String, Error> {
    match policy {
        Some(policy) => join_documents(&[("envelope", envelope), ("policy", policy)]),
        None => json::read(envelope, ReadLimits::DOCUMENT).map(|envelope| envelope.text().into()),
    }
}

/// Joins separate documents to the input of one call: an object with each of them under its name.
///
/// Each text is first checked to be one JSON document, so that none can reach beyond its place. Names are fields of a call
/// (`envelope`, `policy`) and written unchanged.
///
/// # Errors
///
/// Those of [`json::read`] for each text, [`codes::INVALID_VALUE`] for a text that is `null`, and [`codes::LIMIT_EXCEEDED`] if all
/// of them together are too large.
///
/// ```
/// use adjudicate_core::join_documents;
/// let input = join_documents(&[("envelope", b"{}"), ("evaluation", b"[1]")])?;
/// assert_eq!(input, r#"{"envelope":{},"evaluation":[1]}"#);
/// let error = join_documents(&[("policy", b"{} {}")]).unwrap_err();
/// assert_eq!(error.code().as_str(), "malformed_json");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn join_documents(documents: &[(&str, &[u8])]) -> Result<String, Error> {
    let mut input = String::from("{");
    for (index, (name, text)) in documents.iter().enumerate() {
        let document = json::read(text, ReadLimits::DOCUMENT).map_err(|error| error.within(name))?;
        if document.root().kind() == Kind::Null {
            let error = Error::new(codes::INVALID_VALUE, "expected a document, found null");
            return Err(error.within(name));
        }
        let comma = if index == 0 { "" } else { "," };
        input.extend([comma, "\"", name, "\":", document.text()]);
        // Checked before the next one is added, so that memory never exceeds the limit by more than one document.
        if input.len() >= MAX_DOCUMENT_BYTES {
            let names: Vec<_> = documents.iter().map(|(name, _)| *name).collect();
            let message =
                format!("{} are over the limit of {MAX_DOCUMENT_BYTES} bytes together", names.join(" and "));
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
    }
    input.push('}');
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
            // In place, because an answer may be the largest value in memory.
            answer.insert_str(0, r#"{"ok":"#);
            answer.push('}');
            answer
        }
        Err(error) => error.to_json(),
    }
}
