//! A policy as a module: its label, the function that decides, and a call from bytes to the text of the reply.

use alloc::string::String;

use crate::{
    answer::Answer,
    envelope::Envelope,
    error::{Error, INVALID_VALUE, UNSUPPORTED_OPERATION},
    finding::Verdict,
    manifest::Label,
    read::read,
    shape::{CALL, ENVELOPE, record},
    text::{push, push_string},
    value::Value,
};

/// The number of the operation that guests offer.
const EVALUATE: i32 = 1;

/// The members of a call that are documents of their own.
const DOCUMENTS: &[&str] = &["envelope", "policy"];

/// A policy: what [`policy!`](macro@crate::policy) makes of a function. Its replies are the same bytes here and in wasm.
///
/// ```
/// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
/// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
///     let is_red = envelope.evidence().exit_code("test") != Some(0);
///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
/// }
/// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
/// # fn main() {
/// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
/// assert_eq!(POLICY.label().name, "green");
/// answer.assert_status(Status::Partial);
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    label: Label,
    manifest: &'static [u8],
    serve: fn(&[u8], &Label) -> String,
}

impl Policy {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(label: Label, manifest: &'static [u8], serve: fn(&[u8], &Label) -> String) -> Self {
        #[cfg(target_arch = "wasm32")]
        let label = Label { tests: "", ..label };
        Self { label, manifest, serve }
    }

    /// What the policy says of itself.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// # answer.assert_status(Status::Partial);
    /// assert_eq!((POLICY.label().name, POLICY.label().version), ("green", "1.0.0"));
    /// # }
    /// ```
    #[must_use]
    pub const fn label(&self) -> Label {
        self.label
    }

    /// The manifest, JSON. In wasm it is in its section only, and empty here.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// # answer.assert_status(Status::Partial);
    /// assert!(POLICY.manifest().starts_with(br#"{"abi":1,"name":"green""#));
    /// # }
    /// ```
    #[must_use]
    pub const fn manifest(&self) -> &'static [u8] {
        self.manifest
    }

    /// Answers a call of the module interface: the number of an operation and its input, to the text of the reply,
    /// `{"ok": answer}` or `{"error": {code, message, path}}`.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// # answer.assert_status(Status::Partial);
    /// assert!(POLICY.call(1, b"{}").contains("missing_field"));
    /// assert!(POLICY.call(2, b"{}").contains("unsupported_operation"));
    /// # }
    /// ```
    #[must_use]
    pub fn call(&self, operation: i32, input: &[u8]) -> String {
        match operation {
            EVALUATE => (self.serve)(input, &self.label),
            _ => failed(&Error::new(UNSUPPORTED_OPERATION, "this module has the operation `evaluate` only")),
        }
    }
}

/// Reads the input, asks the policy, and writes the reply.
#[doc(hidden)]
pub fn serve(
    input: &[u8],
    label: &Label,
    decide: impl for<'a> FnOnce(Envelope<'a>) -> Verdict<'a>,
) -> String {
    let call = match read(input, DOCUMENTS) {
        Ok(call) => made(call),
        Err(error) => return failed(&error),
    };
    let envelope = match envelope(&call) {
        Ok(envelope) => envelope,
        Err(error) => return failed(&error),
    };
    let verdict = made(decide(envelope));
    let answer = made(match &*verdict {
        Verdict::Findings(findings) => Answer::draw(envelope, findings),
        Verdict::Decision(decision) => Answer::of(envelope, decision),
        Verdict::Error(error) => return failed(error),
    });
    // A step of another envelope: there is none in a module, which has one envelope at a time, but in tests.
    if !answer.is_legal() {
        return failed(&Error::new("illegal_next_step", "the next step is one of another envelope"));
    }
    let mut reply = String::from(r#"{"ok":"#);
    answer.write(&mut reply, label);
    push(&mut reply, "}");
    reply
}

/// What a call makes. In wasm all of it is forgotten when the call ends; to take it apart first would be two kilobytes of code.
#[cfg(target_arch = "wasm32")]
const fn made<T>(made: T) -> impl core::ops::Deref<Target = T> {
    core::mem::ManuallyDrop::new(made)
}

#[cfg(not(target_arch = "wasm32"))]
fn made<T>(made: T) -> impl core::ops::Deref<Target = T> {
    alloc::boxed::Box::new(made)
}

/// The envelope of a call, checked.
pub(crate) fn envelope<'a>(call: &'a Value<'a>) -> Result<Envelope<'a>, Error> {
    // An envelope has no member of this name.
    let Some(envelope) = call.member("envelope") else {
        return record(call, &ENVELOPE).map(|()| Envelope(call));
    };
    record(call, &CALL).map_err(relative_to_document)?;
    if call.member("policy").is_some_and(|policy| *policy != Value::Null) {
        let message = "the call brings a policy where another one is in force already";
        return Err(Error::new(INVALID_VALUE, message).at("/policy"));
    }
    Ok(Envelope(envelope))
}

/// Makes the path of an error inside of the envelope begin there.
fn relative_to_document(error: Error) -> Error {
    match error.path().strip_prefix("/envelope").map(String::from) {
        Some(path) if path.is_empty() || path.starts_with('/') => error.within("envelope").at(path),
        _ => error,
    }
}

fn failed(error: &Error) -> String {
    let mut out = String::from(r#"{"error":{"code":"#);
    push_string(&mut out, error.code());
    push(&mut out, r#","message":"#);
    push_string(&mut out, error.message());
    push(&mut out, r#","path":"#);
    push_string(&mut out, error.path());
    push(&mut out, "}}");
    out
}
