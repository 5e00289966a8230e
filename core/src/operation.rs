//! The list of operations: name, number, JSON in, JSON out.
//!
//! Every face (command line, module interface, JavaScript) offers exactly these, by these names.

use alloc::{format, string::String};

use serde::Deserialize;

use crate::{
    codes::ErrorCode,
    error::Error,
    evaluate::{self, Envelope, Facts},
    json::{self, Kind, Limits, MAX_DOCUMENT_BYTES, Nullable, Tape},
    policy::{Policy, PolicyDocument},
};

/// What the engine can be asked (SPEC section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operation {
    /// An evaluator envelope, with or without a policy, to a decision.
    Evaluate,
}

impl Operation {
    /// All operations, in the order of their numbers.
    pub const ALL: &'static [Self] = &[Self::Evaluate];

    /// The name, as every face spells it (the command line with dashes).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evaluate => "evaluate",
        }
    }

    /// The number that stands for it in the module interface.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::Evaluate => 1,
        }
    }

    /// The operation with that number, or `None`.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|operation| operation.number() == number)
    }

    /// The operation with that name, or `None`.
    ///
    /// ```
    /// use adjudicate_core::Operation;
    /// assert_eq!(Operation::from_name("evaluate"), Some(Operation::Evaluate));
    /// assert_eq!(Operation::from_name("guess"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|operation| operation.name() == name)
    }

    /// Reads the text of an input as a call would, and looks no further: for hosts that hand it on to somebody else.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`]; paths begin inside the document at fault.
    pub fn read(self, input: &[u8]) -> Result<Tape<'_>, Error> {
        let documents = match self {
            Self::Evaluate => DOCUMENTS,
        };
        json::read(input, Limits { documents, bytes: MAX_DOCUMENT_BYTES })
    }

    /// Answers one call.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the input; there is no answer then.
    pub fn call(self, input: &[u8]) -> Result<String, Error> {
        self.call_with(input, None)
    }

    /// Answers one call with a policy that was configured before.
    ///
    /// # Errors
    ///
    /// Those of [`Operation::call`], and [`ErrorCode::InvalidValue`] at `/policy` when the call brings a policy of
    /// its own: the configured one is not to be replaced from outside.
    pub fn call_with(self, input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
        match self {
            Self::Evaluate => evaluate_call(input, configured),
        }
    }
}

/// The members of a call that are documents of their own: pointers and depth begin inside of them.
const DOCUMENTS: &[&str] = &["envelope", "policy"];

/// `{envelope, policy}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `envelope` and `policy`")]
struct EvaluateCall<'a> {
    #[serde(borrow)]
    envelope: Envelope<'a>,
    #[serde(default)]
    policy: Nullable<PolicyDocument<'a>>,
}

fn evaluate_call(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    let tape = Operation::Evaluate.read(input)?;
    let root = tape.root();
    // An envelope has no member of this name, so it says that there is a wrapper.
    let (envelope, document) = if root.member("envelope").is_some() {
        let call: EvaluateCall<'_> = root.decode().map_err(relative_to_document)?;
        (call.envelope, call.policy.0)
    } else {
        (root.decode()?, None)
    };
    let parsed = match document {
        Some(_) if configured.is_some() => {
            let message = "this module has a policy of its own and takes no other";
            return Err(Error::new(ErrorCode::InvalidValue, message).at("/policy"));
        }
        Some(document) => Some(Policy::compile(&document).map_err(|error| error.within("policy"))?),
        None => None,
    };
    let policy = configured.or(parsed.as_ref());
    let facts = Facts::new(&envelope, policy)?;
    Ok(json::write(&evaluate::evaluate(&facts)))
}

/// Makes the path of an error inside a document begin at that document, and names the document in the message.
fn relative_to_document(error: Error) -> Error {
    for name in DOCUMENTS {
        let inside = error.path().strip_prefix('/').and_then(|path| path.strip_prefix(name));
        match inside {
            // A missing document is the call's fault, anything else that points at a document is the document's.
            Some("") if error.code() == ErrorCode::MissingField => return error,
            Some(path) if path.is_empty() || path.starts_with('/') => {
                let path = String::from(path);
                return error.within(name).at(path);
            }
            _ => {}
        }
    }
    error
}

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

#[cfg(test)]
mod tests {
    use super::*;

    const ENVELOPE: &str = r#"{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1",
        "allowed_next_steps":[],"provenance_window":[],"evidence":{"transcript_summary":"",
        "workspace_diff_summary":"","validation":{"mechanical_outcome":"completed","exit_codes":{},"timeouts":[]},
        "artifacts":[],"policy_events":[]}}"#;

    fn fault(input: &str) -> (&'static str, String) {
        let error = Operation::Evaluate.call(input.as_bytes()).unwrap_err();
        (error.code().as_str(), error.path().into())
    }

    #[test]
    fn paths_are_relative_to_the_document_at_fault() {
        let wrap = |envelope: &str, policy: &str| format!(r#"{{"envelope":{envelope},"policy":{policy}}}"#);
        let broken = ENVELOPE.replace(r#""step_id":"s""#, r#""step_id":3"#);
        for (input, expected) in [
            (wrap("5", "null"), ("invalid_value", "")),
            (wrap("null", "null"), ("invalid_value", "")),
            (wrap("{}", "null"), ("missing_field", "/run_id")),
            (wrap(&broken, "null"), ("invalid_value", "/step_id")),
            (wrap(ENVELOPE, "{}"), ("missing_field", "/policy")),
            (wrap(ENVELOPE, "[]"), ("invalid_value", "")),
            (wrap(ENVELOPE, r#"{"policy":"p","version":"1"}"#), ("invalid_value", "/version")),
            (wrap(ENVELOPE, r#"{"policy":"p","version":"1.0.0","rules":[1]}"#), ("invalid_policy", "/rules")),
            (format!(r#"{{"envelope":{ENVELOPE},"polcy":null}}"#), ("unknown_field", "/polcy")),
            (String::from(r#"{"policy":null}"#), ("unknown_field", "/policy")),
            (String::from("[]"), ("invalid_value", "")),
            // In document order, whichever document comes first.
            (format!(r#"{{"policy":7,"envelope":{broken}}}"#), ("invalid_value", "")),
            // Text errors come before all others.
            (
                format!(r#"{{"envelope":{broken},"policy":{{"policy":"p","policy":"q"}}}}"#),
                ("duplicate_key", "/policy"),
            ),
        ] {
            assert_eq!(fault(&input), (expected.0, expected.1.into()), "{input}");
        }
    }

    #[test]
    fn a_configured_policy_is_not_replaced() {
        let policy = Policy::parse(br#"{"policy":"p","version":"1.0.0"}"#).unwrap();
        let call = |input: &str| Operation::Evaluate.call_with(input.as_bytes(), Some(&policy));
        assert!(call(ENVELOPE).unwrap().ends_with(r#""policy":{"name":"p","version":"1.0.0"}}"#));
        let null = format!(r#"{{"envelope":{ENVELOPE},"policy":null}}"#);
        assert_eq!(call(&null), call(ENVELOPE));
        let other = call_input(ENVELOPE.as_bytes(), Some(br#"{"policy":"q","version":"2.0.0"}"#)).unwrap();
        let error = call(&other).unwrap_err();
        assert_eq!((error.code(), error.path()), (ErrorCode::InvalidValue, "/policy"));
    }

    #[test]
    fn numbers_and_names_lead_back() {
        for operation in Operation::ALL {
            assert_eq!(Operation::from_number(operation.number()), Some(*operation));
            assert_eq!(Operation::from_name(operation.name()), Some(*operation));
        }
        assert_eq!(Operation::from_number(0), None);
    }
}
