//! The verdict on a tool call before it runs: guardrails, then the path lists of the policy.

use std::path::Path;

use adjudicate_core::{
    Error, Operation,
    codes::Status,
    document::{self, Document},
    evaluate::{Outcome, Role},
    json::{self, Limits, OwnedValue},
    owned::{Diff, DiffFile, Envelope, Evaluation, Evidence, StepInfo, Validation},
    policy::PolicyDocument,
};

use super::{event::ToolCall, place, text};

/// The verdict on a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallVerdict {
    /// Nothing objects. The host's own permissions decide.
    Allow,
    /// A human has to decide; the reason, and what to do instead.
    Ask(String),
    /// The call must not run; the reason, and what to do instead.
    Deny(String),
}

/// The rules for calls.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// The root of the repository.
    pub root: &'a Path,
    /// The JSON text of the policy, whose path lists apply.
    pub policy: Option<&'a str>,
    /// The JSON text of the guardrails, a list. Those with the trigger `onStart` apply.
    pub guardrails: Option<&'a str>,
    /// Paths below the root, or patterns, that change only with an approval: those of the configuration and of the hook.
    pub own_paths: &'a [String],
}

/// The name of a tool that does not exist. A call of it is always denied, so that a hook can be tested.
pub const TEST_TOOL: &str = "adjudicate_hook_test";

/// The lists of a policy that apply to a call.
const KEPT: [&str; 6] = ["policy", "version", "outside", "path_case", "forbidden_paths", "allowed_paths"];

/// Judges a call. The strictest verdict decides.
///
/// The files of a call are those that its input names. Other changes, for example those by a shell, are unknown, and the end of the turn
/// judges them.
///
/// # Errors
///
/// Those of the policy and of the guardrails. The call must then not run.
pub fn judge_call(rules: &Rules<'_>, call: &ToolCall) -> Result<CallVerdict, Error> {
    if call.tool == TEST_TOOL {
        return Ok(CallVerdict::Deny("this call only tests the hook".into()));
    }
    let by_guardrails = rules.guardrails.map(|guardrails| of_guardrails(guardrails, call)).transpose()?;
    if let Some(denied @ CallVerdict::Deny(_)) = by_guardrails {
        return Ok(denied);
    }
    let by_policy = of_policy(rules, call)?;
    Ok(match (by_guardrails, by_policy) {
        (Some(asked @ CallVerdict::Ask(_)), CallVerdict::Allow) => asked,
        (_, verdict) => verdict,
    })
}

/// The answer of `apply_guardrails`, as far as it is used here.
#[derive(Document)]
#[document(carried, expecting = "an object with `actions`")]
struct Fired<'a> {
    actions: Vec<FiredAction<'a>>,
}

#[derive(Document)]
#[document(carried, expecting = "an action with its guardrail")]
struct FiredAction<'a> {
    #[serde(rename = "policyId")]
    guardrail: &'a str,
    action: FiredKind<'a>,
}

#[derive(Document)]
#[document(carried, expecting = "an action")]
struct FiredKind<'a> {
    #[serde(rename = "type")]
    name: &'a str,
    rationale: Option<&'a str>,
    reason: Option<&'a str>,
    message: Option<&'a str>,
}

fn of_guardrails(guardrails: &str, call: &ToolCall) -> Result<CallVerdict, Error> {
    let name = || OwnedValue::text(&call.tool);
    let event = OwnedValue::object([
        ("kind", OwnedValue::text("onStart")),
        (
            "node",
            OwnedValue::object([
                ("nodeId", name()),
                ("kind", OwnedValue::text("tool")),
                ("capabilityId", name()),
            ]),
        ),
        ("output", OwnedValue::object([("tool", name()), ("input", call.input.clone())])),
    ]);
    let input = format!(r#"{{"policies":{guardrails},"event":{}}}"#, event.to_text());
    let answer = Operation::ApplyGuardrails.call(input.as_bytes())?;
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let fired: Fired<'_> = document::read(tape.root())?;
    let mut verdict = CallVerdict::Allow;
    for FiredAction { guardrail, action } in fired.actions {
        let said = action
            .rationale
            .or(action.reason)
            .or(action.message)
            .map_or_else(String::new, |said| format!(": {said}"));
        let reason = format!("the guardrail `{guardrail}` objects{said}");
        match action.name {
            "emit" => {}
            "pause" | "hitl" if verdict == CallVerdict::Allow => verdict = CallVerdict::Ask(reason),
            "pause" | "hitl" => {}
            // Actions that retry or plan again do not run the call as it is.
            _ => return Ok(CallVerdict::Deny(reason)),
        }
    }
    Ok(verdict)
}

fn of_policy(rules: &Rules<'_>, call: &ToolCall) -> Result<CallVerdict, Error> {
    if call.files.is_empty() {
        return Ok(CallVerdict::Allow);
    }
    let folder = call.folders.first().map(Path::new);
    let files = call
        .files
        .iter()
        .map(|file| DiffFile { path: place::relative(rules.root, folder, &file.path), ..file.clone() });
    let evidence = Evidence {
        diff: Some(Diff { files: files.collect(), extra: Default::default() }),
        validation: Validation { mechanical_outcome: Outcome::Completed, ..Validation::default() },
        required_validators: Some(Vec::new()),
        ..Evidence::default()
    };
    let step = |role| StepInfo { role: Some(role), opcode: None, extra: Default::default() };
    let envelope = Envelope {
        run_id: "hook".into(),
        workflow_id: "hook".into(),
        step_id: "call".into(),
        evaluate_prompt: "hook.v1".into(),
        allowed_next_steps: ["continue", "ask", "STOP"].map(String::from).into(),
        steps: Some(
            [("continue".to_owned(), step(Role::Forward)), ("ask".to_owned(), step(Role::Gate))].into(),
        ),
        evidence,
        ..Envelope::default()
    };
    let input = format!(r#"{{"envelope":{},"policy":{}}}"#, envelope.to_json(), policy(rules)?);
    let evaluation = Evaluation::from_json(Operation::Evaluate.call(input.as_bytes())?.as_bytes())?;
    let reason = text::objections(&evaluation);
    Ok(match evaluation.decision.status {
        Status::Success => CallVerdict::Allow,
        Status::NeedsHuman => CallVerdict::Ask(reason),
        Status::Partial | Status::Blocked | Status::Unsafe => CallVerdict::Deny(reason),
    })
}

/// Returns the policy for calls: the path lists of the policy, and the files of the hook itself.
fn policy(rules: &Rules<'_>) -> Result<String, Error> {
    let text = rules.policy.unwrap_or(r#"{"policy": "hook", "version": "1.0.0"}"#);
    let tape = json::read(text.as_bytes(), Limits::DOCUMENT)?;
    let document = PolicyDocument::from_tape(&tape)?;
    let mut policy = OwnedValue::object([
        ("review", OwnedValue::text("optional")),
        ("required_validators", OwnedValue::texts::<&str>([])),
    ]);
    for (name, value) in
        KEPT.into_iter().filter_map(|name| tape.root().member(name).map(|value| (name, value)))
    {
        policy.set(&[name], value.into());
    }
    let protected = document.protected_paths.iter().map(|pattern| pattern.text());
    policy.set(
        &["protected_paths"],
        OwnedValue::texts(protected.chain(rules.own_paths.iter().map(String::as_str))),
    );
    Ok(policy.to_text())
}
