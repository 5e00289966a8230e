//! A policy as a module: its label, the function that decides, and a call from bytes to the text of the reply.

use alloc::string::String;

use crate::{
    answer::WrittenAnswer,
    check::object,
    error::{Error, INVALID_VALUE, UNSUPPORTED_OPERATION},
    finding::Verdict,
    manifest::Label,
    read::read,
    text::{push, push_string},
    value::Value,
    views::{ENVELOPE, EVALUATE_CALL, Envelope, EvaluateCall},
};

/// The number of the operation of policy modules.
const EVALUATE: i32 = 1;

/// The fields of a call that are documents of their own.
const DOCUMENTS: &[&str] = &["envelope", "policy"];

/// A policy, which [`policy!`](macro@crate::policy) makes from a function. Its replies have the same bytes natively and
/// in wasm.
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

    /// The label of the policy.
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

    /// The manifest, as JSON. Empty in a wasm module, which has the manifest in a custom section.
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

    /// Answers a call of the module interface. Takes the number of an operation and its input. Returns the text of the reply,
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

/// Reads the input, calls the policy, and writes the reply.
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
        Verdict::Findings(findings) => WrittenAnswer::draw(envelope, findings),
        Verdict::Decision(decision) => WrittenAnswer::new(envelope, decision),
        Verdict::Error(error) => return failed(error),
    });
    // A step of another envelope. Only tests can have one, because a module has one envelope at a time.
    if !answer.is_legal() {
        return failed(&Error::new("illegal_next_step", "the next step is one of another envelope"));
    }
    let mut reply = String::from(r#"{"ok":"#);
    answer.write(&mut reply, label);
    push(&mut reply, "}");
    reply
}

/// A value of a call. In wasm it is never dropped, because the call's end frees all memory; the code to drop it has two
/// kilobytes.
#[cfg(target_arch = "wasm32")]
const fn made<T>(made: T) -> impl core::ops::Deref<Target = T> {
    core::mem::ManuallyDrop::new(made)
}

#[cfg(not(target_arch = "wasm32"))]
fn made<T>(made: T) -> impl core::ops::Deref<Target = T> {
    alloc::boxed::Box::new(made)
}

/// Returns the checked envelope of a call.
pub(crate) fn envelope<'a>(input: &'a Value<'a>) -> Result<Envelope<'a>, Error> {
    // An envelope has no field of this name.
    if input.member("envelope").is_none() {
        return object(input, &ENVELOPE).map(|()| Envelope(input));
    }
    object(input, &EVALUATE_CALL).map_err(relative_to_document)?;
    let call = EvaluateCall(input);
    if *call.policy() != Value::Null {
        let message = "the call has a policy, but another policy is already active";
        return Err(Error::new(INVALID_VALUE, message).at("/policy"));
    }
    Ok(call.envelope())
}

/// Removes the envelope's own segment from the path of an error.
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
