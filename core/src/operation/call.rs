//! Calls on an envelope: reading one, putting a policy in force, answering it.
//!
//! Owns the wire form of the calls and says whose fault an error is: pointers begin at the document that it is in.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{Node, Nullable, behind_field, object::missing},
};
use serde::{Deserialize, de::IgnoredAny};

use crate::{
    Operation, bounds, check, codes,
    evaluate::{self, Answer, Envelope, Facts, ModuleFault, Unanswered},
    explain, plan,
    policy::{Policy, PolicyDocument},
    revision,
};

/// `{envelope, policy}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `envelope` and `policy`")]
struct EvaluateCall<'a> {
    #[serde(borrow)]
    envelope: Envelope<'a>,
    #[serde(default)]
    policy: Nullable<PolicyDocument<'a>>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

/// `{envelope, policy, evaluation}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `envelope`, `policy` and `evaluation`")]
struct RefineCall<'a> {
    #[serde(borrow)]
    envelope: Envelope<'a>,
    #[serde(default)]
    policy: Nullable<PolicyDocument<'a>>,
    /// Of this only the shape is read here.
    #[serde(default)]
    #[serde(borrow)]
    evaluation: Option<Answer<'a>>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

/// Answers a call of `evaluate`.
pub(super) fn evaluate(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    with_facts(input, configured, |facts| bounds::write(&evaluate::evaluate(facts)))
}

/// The answer to a call of `evaluate` where the module that was to give it, named `origin`, failed with `error`: the
/// fail-closed decision, status `unsafe` with the flag `policy_module_fault` (SPEC section 13.3).
///
/// It is whole, passes the output contract, and is composed like any other answer.
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
/// What the engine itself would say of the call: to one that cannot be read there is no decision, not even this one.
pub fn fail_closed(input: &[u8], unanswered: Unanswered<'_>) -> Result<String, Error> {
    with_facts(input, None, |facts| bounds::write(&evaluate::fault(facts, unanswered)))
}

/// The evaluation that restricts the answer of the last good version to a call of `evaluate` where the active version failed:
/// status `needs_human` with the flag `module_fault` (SPEC section 18.9).
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
    with_facts(input, None, |facts| bounds::write(&evaluate::module_fault(facts, fault)))
}

/// Reads a call of `evaluate`, and hands on what its envelope says under the policy in force.
fn with_facts(
    input: &[u8],
    configured: Option<&Policy>,
    answer: impl FnOnce(&Facts<'_>) -> Result<String, Error>,
) -> Result<String, Error> {
    let tape = Operation::Evaluate.read(input)?;
    let root = tape.root();
    // An envelope has no member of this name, so it says that there is a wrapper.
    let (call, envelope) = match root.member("envelope") {
        Some(envelope) => {
            (root.decode().map_err(|error| relative_to_document(Operation::Evaluate, error))?, envelope)
        }
        None => {
            (EvaluateCall { envelope: root.decode()?, policy: Nullable(None), _schema: IgnoredAny }, root)
        }
    };
    let own = own_policy(root, &call.policy, configured)?;
    let facts = Facts::new(&call.envelope, envelope, configured.or(own.as_ref()))?;
    answer(&facts)
}

/// Answers a call of `refine`.
pub(super) fn refine(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    let tape = Operation::Refine.read(input)?;
    let root = tape.root();
    let call: RefineCall<'_> =
        root.decode().map_err(|error| relative_to_document(Operation::Refine, error))?;
    let own = own_policy(root, &call.policy, configured)?;
    // What was decoded is there.
    let envelope = root.member("envelope").unwrap_or(root);
    let facts = Facts::new(&call.envelope, envelope, configured.or(own.as_ref()))?;
    let evaluation = evaluate::evaluate(&facts);
    if call.evaluation.is_some()
        && let Some(given) = root.member("evaluation")
    {
        revision::check_agreement(given, &evaluation).map_err(|error| error.within("evaluation"))?;
    }
    bounds::write(&revision::refine(&facts, &evaluation))
}

/// `{envelope, policy, trace}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `envelope`, `policy` and `trace`")]
struct ExplainCall<'a> {
    #[serde(borrow)]
    envelope: Envelope<'a>,
    #[serde(default)]
    policy: Nullable<PolicyDocument<'a>>,
    #[serde(default)]
    trace: bool,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

/// Answers a call of `explain`.
pub(super) fn explain(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    let tape = Operation::Explain.read(input)?;
    let root = tape.root();
    let (call, envelope) = match root.member("envelope") {
        Some(envelope) => {
            (root.decode().map_err(|error| relative_to_document(Operation::Explain, error))?, envelope)
        }
        None => (
            ExplainCall {
                envelope: root.decode()?,
                policy: Nullable(None),
                trace: false,
                _schema: IgnoredAny,
            },
            root,
        ),
    };
    let own = own_policy(root, &call.policy, configured)?;
    let facts = Facts::new(&call.envelope, envelope, configured.or(own.as_ref()))?;
    let evaluation = evaluate::evaluate(&facts);
    bounds::write(&explain::explain(&facts, &evaluation, call.trace))
}

/// `{policy, outputContract, policies}`, of which one is enough. Of the last two, only that they are there is read here.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    rename_all = "camelCase",
    expecting = "an object with `policy`, `outputContract` or `policies`"
)]
struct CheckCall<'a> {
    #[serde(default)]
    #[serde(borrow)]
    policy: Option<PolicyDocument<'a>>,
    #[serde(default)]
    output_contract: Option<IgnoredAny>,
    #[serde(default)]
    policies: Option<IgnoredAny>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

/// Answers a call of `check_policy`. Who has a configured policy checks that one with `{}`.
pub(super) fn check_policy(input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
    let tape = Operation::CheckPolicy.read(input)?;
    let root = tape.root();
    let call: CheckCall<'_> =
        root.decode().map_err(|error| relative_to_document(Operation::CheckPolicy, error))?;
    let own = match (&call.policy, configured) {
        (Some(_), Some(_)) => return Err(configured_already()),
        (Some(document), None) => {
            // What was decoded is there.
            let source = root.member("policy").unwrap_or(root);
            Some(Policy::compile_whole(document, source).map_err(|error| error.within("policy"))?)
        }
        (None, Some(_)) => None,
        (None, None) if call.output_contract.is_some() || call.policies.is_some() => None,
        (None, None) => return Err(missing("policy")),
    };
    let mut parts = Vec::new();
    if let Some(contract) = root.member("outputContract") {
        parts = plan::check_contract(contract).map_err(|error| error.under("outputContract"))?;
    }
    if let Some(policies) = root.member("policies") {
        parts.extend(plan::check_guardrails(policies).map_err(|error| error.under("policies"))?);
    }
    bounds::checked(check::answer(configured.or(own.as_ref()), parts))
}

/// Compiles the policy that a call brings; a configured one takes no other beside it.
fn own_policy(
    root: Node<'_>,
    document: &Nullable<PolicyDocument<'_>>,
    configured: Option<&Policy>,
) -> Result<Option<Policy>, Error> {
    match document.as_ref() {
        Some(_) if configured.is_some() => Err(configured_already()),
        Some(document) => {
            // What was decoded is there.
            let source = root.member("policy").unwrap_or(root);
            Policy::compile(document, source).map(Some).map_err(|error| error.within("policy"))
        }
        None => Ok(None),
    }
}

fn configured_already() -> Error {
    let message = "the call brings a policy where another one is in force already";
    Error::new(codes::INVALID_VALUE, message).at("/policy")
}

/// Makes the path of an error inside a document begin at that document, and names the document in the message.
fn relative_to_document(operation: Operation, error: Error) -> Error {
    for name in operation.documents() {
        match behind_field(error.path(), name) {
            // A missing document is the call's fault, and so is one that the call does not take; anything else that
            // points at a document is the document's.
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
            // What has not the shape of an evaluation.
            (own.as_str(), "null", "invalid_value", ""),
            (own.as_str(), "{}", "missing_field", "/decision"),
            (r#""findings""#, r#""finding""#, "unknown_field", "/finding"),
            ("success", "fine", "invalid_value", "/decision/status"),
            (r#""spent":0"#, r#""spent":0.0"#, "invalid_value", "/loop/refinement/spent"),
            // What another envelope would have.
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
