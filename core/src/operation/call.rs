//! Calls on an envelope: reads a call, applies the active policy, and answers.
//!
//! Pointers of errors begin at the document at fault.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, Document},
    json::{Node, Nullable, behind_field, object::missing},
};
use serde::de::IgnoredAny;

use crate::{
    Operation, bounds, check, codes,
    documents::{
        calls::{CheckCall, EvaluateCall, ExplainCall, RefineCall},
        check_finding::CheckAnswer,
        envelope::Envelope,
        policy::PolicyDocument,
    },
    evaluate::{self, Facts, Judged, ModuleFault, Unanswered},
    explain, plan,
    policy::Policy,
    revision,
};

/// Answers a call of `evaluate`.
pub(super) fn evaluate(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    evaluate_read(Operation::Evaluate.read(input)?.root(), configured)
}

/// Answers a call of `evaluate` that was read.
pub(super) fn evaluate_read(root: Node<'_>, configured: Option<&Policy>) -> Result<String, Error> {
    with_verdicts(root, configured, |facts| bounds::write(&evaluate::evaluate(facts)))
}

/// The answer to a call of `evaluate` for which the module `origin` failed with `error`: the fail-closed decision, with status
/// `unsafe` and the flag `policy_module_fault` (docs/reference/slots.md).
///
/// It passes the output contract, and composes like any other answer.
///
/// ```
/// use adjudicate_core::{Error, codes, evaluate::Unanswered, fail_closed};
/// # let envelope = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": ["ship", "rollback"], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "completed", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let error = Error::new(codes::MODULE_NOT_UTF8, "the module's reply is not UTF-8 from byte 7 on");
/// let answer = fail_closed(envelope, Unanswered::Failed("house-rules", &error))?;
/// assert!(answer.starts_with(r#"{"decision":{"status":"unsafe","next_step":"rollback""#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
///
/// # Errors
///
/// The engine's own errors about the call: an unreadable call gets no decision at all.
pub fn fail_closed(input: &[u8], unanswered: Unanswered<'_>) -> Result<String, Error> {
    let tape = Operation::Evaluate.read(input)?;
    with_verdicts(tape.root(), None, |facts| bounds::write(&evaluate::fault(facts, unanswered)))
}

/// The evaluation that restricts the answer of the last good version to a call of `evaluate` where the active version failed:
/// status `needs_human` with the flag `module_fault` (docs/reference/slots.md).
///
/// ```
/// use adjudicate_core::{Error, codes, evaluate::ModuleFault, module_fault};
/// # let envelope = br#"{"run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1",
/// #   "allowed_next_steps": ["ship", "gate"], "provenance_window": [], "evidence": {"transcript_summary": "",
/// #   "workspace_diff_summary": "", "validation": {"mechanical_outcome": "completed", "exit_codes": {},
/// #   "timeouts": []}, "artifacts": [], "policy_events": []}}"#;
/// let error = Error::new(codes::MODULE_NOT_UTF8, "the module's reply is not UTF-8 from byte 7 on");
/// let [failed, answered] = ["gate 1.1.0 sha256:ab", "gate 1.0.0 sha256:cd"].map(|module| [module.to_owned()]);
/// let fault = ModuleFault { origin: "gate", error: &error, failed: &failed, answered: &answered };
/// let restriction = module_fault(envelope, &fault)?;
/// assert!(restriction.starts_with(r#"{"decision":{"status":"needs_human","next_step":"gate""#));
/// assert!(restriction.contains("gate 1.1.0") && restriction.contains("gate 1.0.0"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
///
/// # Errors
///
/// As for [`fail_closed`].
pub fn module_fault(input: &[u8], fault: &ModuleFault<'_>) -> Result<String, Error> {
    let tape = Operation::Evaluate.read(input)?;
    with_verdicts(tape.root(), None, |facts| bounds::write(&evaluate::module_fault(facts, fault)))
}

/// Answers a call of `facts`.
pub(super) fn facts(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    let tape = Operation::Facts.read(input)?;
    with_envelope(tape.root(), configured, |envelope, policy| {
        bounds::write(&explain::known_facts(&Facts::new(envelope, policy)?))
    })
}

/// Reads a call of `evaluate`, and evaluates the conditions of the active policy on its envelope.
fn with_verdicts(
    root: Node<'_>,
    configured: Option<&Policy>,
    answer: impl FnOnce(&Judged<'_>) -> Result<String, Error>,
) -> Result<String, Error> {
    with_envelope(root, configured, |envelope, policy| answer(&Judged::new(envelope, policy)?))
}

/// Reads a call of `evaluate` or `facts`: an envelope and the active policy.
fn with_envelope(
    root: Node<'_>,
    configured: Option<&Policy>,
    answer: impl FnOnce(&Envelope<'_>, Option<&Policy>) -> Result<String, Error>,
) -> Result<String, Error> {
    // An envelope has no field of this name, so this is a call.
    let call = match root.member("envelope") {
        Some(_) => read_call(root, Operation::Evaluate)?,
        None => EvaluateCall { envelope: document::read(root)?, policy: Nullable(None), _schema: IgnoredAny },
    };
    let own = own_policy(&call.policy, configured)?;
    answer(&call.envelope, configured.or(own.as_ref()))
}

/// Answers a call of `refine`.
pub(super) fn refine(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    let tape = Operation::Refine.read(input)?;
    let root = tape.root();
    let call: RefineCall<'_> = read_call(root, Operation::Refine)?;
    let own = own_policy(&call.policy, configured)?;
    let facts = Judged::new(&call.envelope, configured.or(own.as_ref()))?;
    let evaluation = evaluate::evaluate(&facts);
    if call.evaluation.is_some()
        && let Some(given) = root.member("evaluation")
    {
        revision::check_agreement(given, &evaluation).map_err(|error| error.within("evaluation"))?;
    }
    bounds::write(&revision::refine(&facts, &evaluation))
}

/// Answers a call of `explain`.
pub(super) fn explain(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    let tape = Operation::Explain.read(input)?;
    let root = tape.root();
    let call = match root.member("envelope") {
        Some(_) => read_call(root, Operation::Explain)?,
        None => ExplainCall {
            envelope: document::read(root)?,
            policy: Nullable(None),
            trace: false,
            _schema: IgnoredAny,
        },
    };
    let own = own_policy(&call.policy, configured)?;
    let facts = Judged::new(&call.envelope, configured.or(own.as_ref()))?;
    let evaluation = evaluate::evaluate(&facts);
    bounds::write(&explain::explain(&facts, &evaluation, call.trace))
}

/// Answers a call of `check_policy`. To check a configured policy, pass `{}`.
pub(super) fn check_policy(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    let tape = Operation::CheckPolicy.read(input)?;
    let root = tape.root();
    let call: CheckCall<'_> = read_call(root, Operation::CheckPolicy)?;
    let own = match (&call.policy, configured) {
        (Some(_), Some(_)) => return Err(configured_already()),
        (Some(document), None) => {
            Some(Policy::compile_whole(document).map_err(|error| error.within("policy"))?)
        }
        (None, Some(_)) => None,
        (None, None) if call.output_contract.is_some() || call.policies.is_some() => None,
        (None, None) => return Err(missing("policy")),
    };
    let mut parts = Vec::new();
    if let Some(contract) = &call.output_contract {
        parts = plan::check_contract(contract).map_err(|error| error.under("outputContract"))?;
    }
    if let Some(guardrails) = &call.policies {
        parts.extend(plan::check_guardrails(guardrails));
    }
    bounds::write(&CheckAnswer { findings: check::findings(configured.or(own.as_ref()), parts) })
}

/// Compiles the policy of a call; an error if another one is configured.
fn own_policy(
    document: &Nullable<PolicyDocument<'_>>,
    configured: Option<&Policy>,
) -> Result<Option<Policy>, Error> {
    match document.as_ref() {
        Some(_) if configured.is_some() => Err(configured_already()),
        Some(document) => Policy::compile(document).map(Some).map_err(|error| error.within("policy")),
        None => Ok(None),
    }
}

fn configured_already() -> Error {
    let message = "the call has a policy, but another policy is already active";
    Error::new(codes::INVALID_VALUE, message).at("/policy")
}

/// Reads a call. The paths of errors in a document of the call begin at that document.
fn read_call<'t, T: Document<'t>>(root: Node<'t>, operation: Operation) -> Result<T, Error> {
    document::read(root)
        .map_err(|error: Error| error.map_all(&|error| relative_to_document(operation, error)))
}

/// Makes the path of an error inside a document begin at that document, and names the document in the message.
fn relative_to_document(operation: Operation, error: Error) -> Error {
    for name in operation.documents() {
        match behind_field(error.path(), name) {
            // A missing document, or one that the call does not take, is the call's fault. Any other error at a document is the
            // document's.
            Some("") if matches!(error.code(), codes::MISSING_FIELD | codes::UNKNOWN_FIELD) => {
                return error;
            }
            Some(path) => {
                let path = String::from(path);
                return error.within(name).at(path);
            }
            None => {}
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_input;
    use alloc::format;

    const ENVELOPE: &str = adjudicate_tests::envelope! { steps: "[]", };

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
            (
                wrap(ENVELOPE, r#"{"policy":"p","version":"1.0.0","rules":[1]}"#),
                ("invalid_value", "/rules/0"),
            ),
            (
                wrap(
                    ENVELOPE,
                    r#"{"policy":"p","version":"1.0.0","rules":[
                        {"id":"r","when":{"==":[1,1]},"then":{"status":"success","summary":"s"}}]}"#,
                ),
                ("invalid_policy", "/rules/0/then/status"),
            ),
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
        assert_eq!((error.code(), error.path()), (codes::INVALID_VALUE, "/policy"));
    }

    #[test]
    fn an_evaluation_that_is_handed_in_must_be_the_envelopes_own() {
        let own = Operation::Evaluate.call(ENVELOPE.as_bytes()).unwrap();
        let call = |evaluation: &str| {
            let call = format!(r#"{{"envelope":{ENVELOPE},"evaluation":{evaluation}}}"#);
            Operation::Refine.call(call.as_bytes())
        };
        let alone = Operation::Refine.call(format!(r#"{{"envelope":{ENVELOPE}}}"#).as_bytes());
        assert!(alone.is_ok(), "{alone:?}");
        for (from, to) in [
            ("", ""),
            (r#""policy":null"#, r#""x-note":[1], "policy": null"#),
            ("success", r"\u0073uccess"),
            (r#"{"decision""#, r#"{"x-first":0,"decision""#),
        ] {
            assert_eq!(call(&own.replacen(from, to, 1)), alone, "{from} {to}");
        }
        for (from, to, code, path) in [
            // Values without the shape of an evaluation.
            (own.as_str(), "null", "invalid_value", ""),
            (own.as_str(), "{}", "missing_field", "/decision"),
            (r#""findings""#, r#""finding""#, "unknown_field", "/finding"),
            ("success", "fine", "invalid_value", "/decision/status"),
            (r#""spent":0"#, r#""spent":0.0"#, "invalid_value", "/loop/refinement/spent"),
            // Values of another envelope.
            ("success", "partial", "invalid_value", "/decision/status"),
            (r#""spent":0"#, r#""spent":1"#, "invalid_value", "/loop/refinement/spent"),
            (r#""requested":false"#, r#""requested":true"#, "invalid_value", "/loop/refinement/requested"),
            (r#""risk_flags":[]"#, r#""risk_flags":["late"]"#, "invalid_value", "/decision/risk_flags/0"),
            (r#""policy":null"#, r#""policy":{"name":"p","version":"1.0.0"}"#, "invalid_value", "/policy"),
        ] {
            let error = call(&own.replacen(from, to, 1)).unwrap_err();
            assert_eq!((error.code().as_str(), error.path()), (code, path), "{from} {to}");
            assert!(error.message().starts_with("evaluation: "), "{error}");
        }
    }

    #[test]
    fn only_evaluate_takes_a_bare_envelope_and_only_refine_an_evaluation() {
        let input = format!(r#"{{"envelope":{ENVELOPE},"evaluation":{{}}}}"#);
        assert_eq!(fault(&input), ("unknown_field", "/evaluation".into()));
        for (input, code, path) in
            [(ENVELOPE, "unknown_field", "/run_id"), ("{}", "missing_field", "/envelope")]
        {
            let error = Operation::Refine.call(input.as_bytes()).unwrap_err();
            assert_eq!((error.code().as_str(), error.path()), (code, path), "{input}");
        }
    }
}
