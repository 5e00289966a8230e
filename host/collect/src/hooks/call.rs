//! The verdict on a tool call before it runs: guardrails, then the path lists of the policy.

use std::path::{Component, Path};

use adjudicate_core::{
    Error, Operation, Policy,
    codes::Status,
    document::{self, Document},
    evaluate::{Outcome, Role},
    json::{self, OwnedValue, ReadLimits},
    owned::{Diff, DiffFile, Envelope, Evaluation, Evidence, StepInfo, Validation},
    policy::PolicyDocument,
};

use super::{event::HookCall, joined, objections, place::PathResolver};

/// The verdict on a call, the mildest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallVerdict {
    /// Nothing objects. The host's own permissions decide.
    Allow,
    /// A human has to decide; the reason, and what to do instead.
    Ask(String),
    /// The call must not run; the reason, and what to do instead.
    Deny(String),
}

impl CallVerdict {
    /// Returns the stricter of two verdicts, with the reasons of both if these have the same effect.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Ask(one), Self::Ask(two)) => Self::Ask(joined(&one, &two)),
            (Self::Deny(one), Self::Deny(two)) => Self::Deny(joined(&one, &two)),
            (one, two) => one.max(two),
        }
    }
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
    /// Patterns of files outside of the repository that change only with an approval: the user's settings of agents.
    pub own_outside: &'a [String],
}

impl Rules<'_> {
    /// Checks the documents, before there is a call.
    ///
    /// # Errors
    ///
    /// Those of the policy and of the guardrails.
    pub fn check(&self) -> Result<(), Error> {
        self.policy.map(|policy| Policy::parse(policy.as_bytes())).transpose()?;
        let event = OwnedValue::object([("kind", OwnedValue::text("onStart"))]);
        self.guardrails.map(|guardrails| applied(guardrails, &event)).transpose()?;
        Ok(())
    }
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
pub fn judge_call(rules: &Rules<'_>, call: &HookCall) -> Result<CallVerdict, Error> {
    if let Some(verdict) = on_test(call) {
        return Ok(verdict);
    }
    let by_guardrails = rules.guardrails.map(|guardrails| of_guardrails(guardrails, call)).transpose()?;
    Ok(by_guardrails.unwrap_or(CallVerdict::Allow).and(of_policy(rules, call)?))
}

/// Returns the verdict on a call that only tests the hook.
pub(super) fn on_test(call: &HookCall) -> Option<CallVerdict> {
    (call.tool == TEST_TOOL).then(|| CallVerdict::Deny("this call only tests the hook".into()))
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

/// Returns the answer of `apply_guardrails` to an event.
fn applied(guardrails: &str, event: &OwnedValue) -> Result<String, Error> {
    let input = format!(r#"{{"policies":{guardrails},"event":{}}}"#, event.to_text());
    Operation::ApplyGuardrails.call(input.as_bytes())
}

fn of_guardrails(guardrails: &str, call: &HookCall) -> Result<CallVerdict, Error> {
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
    let answer = applied(guardrails, &event)?;
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let fired: Fired<'_> = document::read(tape.root())?;
    let mut verdict = CallVerdict::Allow;
    for FiredAction { guardrail, action } in fired.actions {
        let said = action
            .rationale
            .or(action.reason)
            .or(action.message)
            .map_or_else(String::new, |said| format!(": {said}"));
        let reason = format!("the guardrail `{guardrail}` objects{said}");
        verdict = verdict.and(match action.name {
            "emit" => CallVerdict::Allow,
            "pause" | "hitl" => CallVerdict::Ask(reason),
            // Actions that retry or plan again do not run the call as it is.
            _ => CallVerdict::Deny(reason),
        });
    }
    Ok(verdict)
}

fn of_policy(rules: &Rules<'_>, call: &HookCall) -> Result<CallVerdict, Error> {
    if call.files.is_empty() {
        return Ok(CallVerdict::Allow);
    }
    let resolver = PathResolver::new(rules.root, &call.folders);
    let policy = rules.policy.map(CallPolicy::new).transpose()?;
    let names_outside = policy.as_ref().is_some_and(|policy| policy.names_outside);
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for file in &call.files {
        let names = resolver.names(&file.path);
        let named = |path: String| DiffFile { path, ..file.clone() };
        outside.extend(names.outside.iter().chain(&names.aliases).map(|path| named(below_the_top(path))));
        inside.extend(names.inside.into_iter().map(named));
        // Files outside of the repository are no changes of it, unless the policy names them.
        inside.extend(names.outside.into_iter().filter(|_| names_outside).map(named));
    }
    let own = |patterns: &[String]| path_policy(own_fields(), patterns.iter().map(String::as_str));
    let own_inside = of_files(inside.clone(), &own(rules.own_paths))?;
    let own = own_inside.and(of_files(outside, &own(rules.own_outside))?);
    match policy {
        Some(policy) => Ok(own.and(of_files(inside, &policy.text)?)),
        None => Ok(own),
    }
}

/// Returns the path of a file from the top folder of its file system.
fn below_the_top(path: &str) -> String {
    let parts = Path::new(path).components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Judges files by the path lists of a policy.
fn of_files(files: Vec<DiffFile>, policy: &str) -> Result<CallVerdict, Error> {
    if files.is_empty() {
        return Ok(CallVerdict::Allow);
    }
    let input = format!(r#"{{"envelope":{},"policy":{}}}"#, envelope(files).to_json(), policy);
    let evaluation = Evaluation::from_json(Operation::Evaluate.call(input.as_bytes())?.as_bytes())?;
    let reason = objections(&evaluation);
    Ok(match evaluation.decision.status {
        Status::Success => CallVerdict::Allow,
        Status::NeedsHuman => CallVerdict::Ask(reason),
        Status::Partial | Status::Blocked | Status::Unsafe => CallVerdict::Deny(reason),
    })
}

/// Returns the envelope of a call that changes these files. Only its diff is evidence.
pub(super) fn envelope(files: Vec<DiffFile>) -> Envelope {
    let step = |role| StepInfo { role: Some(role), opcode: None, extra: Default::default() };
    Envelope {
        run_id: "hook".into(),
        workflow_id: "hook".into(),
        step_id: "call".into(),
        evaluate_prompt: "hook.v1".into(),
        allowed_next_steps: ["continue", "ask", "STOP"].map(String::from).into(),
        steps: Some(
            [("continue".to_owned(), step(Role::Forward)), ("ask".to_owned(), step(Role::Gate))].into(),
        ),
        evidence: Evidence {
            diff: Some(Diff { files, extra: Default::default() }),
            validation: Validation { mechanical_outcome: Outcome::Completed, ..Validation::default() },
            required_validators: Some(Vec::new()),
            ..Evidence::default()
        },
        ..Envelope::default()
    }
}

/// The policy for calls: the path lists of the policy.
struct CallPolicy {
    text: String,
    /// True if the policy has the field `outside`.
    names_outside: bool,
}

impl CallPolicy {
    fn new(text: &str) -> Result<Self, Error> {
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT)?;
        let document = PolicyDocument::from_tape(&tape)?;
        let field = |name| tape.root().member(name).map(|value| (name, OwnedValue::from(value)));
        let protected = document.protected_paths.iter().map(|pattern| pattern.text());
        let text = path_policy(KEPT.into_iter().filter_map(field), protected);
        Ok(Self { text, names_outside: tape.root().member("outside").is_some() })
    }
}

/// The fields of a policy for the files of the hook itself. On some systems, `.Claude` is the folder `.claude`, whatever the policy says.
fn own_fields() -> [(&'static str, OwnedValue); 2] {
    [("outside", OwnedValue::text("allow")), ("path_case", OwnedValue::text("ascii_insensitive"))]
}

/// Returns a policy of path lists only.
fn path_policy<'a>(
    fields: impl IntoIterator<Item = (&'a str, OwnedValue)>,
    protected: impl Iterator<Item = &'a str>,
) -> String {
    let mut policy = OwnedValue::object([
        ("policy", OwnedValue::text("hook")),
        ("version", OwnedValue::text("1.0.0")),
        ("review", OwnedValue::text("optional")),
        ("required_validators", OwnedValue::texts::<&str>([])),
    ]);
    for (name, value) in fields {
        policy.set(&[name], value);
    }
    policy.set(&["protected_paths"], OwnedValue::texts(protected));
    policy.to_text()
}
