//! An interceptor of AGENT-HOOKS 0.1, for a host that runs its agent in its own process (docs/reference/agent-hooks.md).

use std::{path::PathBuf, time::Duration};

use adjudicate_core::{
    Error, Policy,
    codes::{self, Status},
    document::{self, Document},
    json::{self, Node, OwnedValue, ReadLimits, shorten},
    owned::Evaluation,
};
use adjudicate_evidence::collect::OwnedConfiguration;

use super::{
    call::{CallVerdict, Rules, judge_call},
    event::HookCall,
    instructions, tools,
    turn::{begin, judge_work},
};
use crate::{CollectError, CollectOptions};

/// The version of the contract.
const SPEC: &str = "agent-hooks/0.1";

/// The points at which an agent is intercepted.
const POINTS: [&str; 8] = [
    "agent_startup",
    "input",
    "pre_model_call",
    "post_model_call",
    "pre_tool_call",
    "post_tool_call",
    "output",
    "agent_shutdown",
];

/// The files that decide about calls and about the diff. They change only with an approval.
const OWN_PATHS: [&str; 3] = ["**/adjudicate.{yaml,yml,json}", "**/.adjudicate/**", ".git"];

/// The longest wait for another collection in the same root.
const WAIT: Duration = Duration::from_secs(15);

/// An interceptor of AGENT-HOOKS 0.1 for an agent that works in one repository.
///
/// At `pre_tool_call`, guardrails and path lists judge the call. At `output`, the validators run, and the decision on the work counts. A human
/// may lift the denial if the verdict has `approval`. Every failure is a denial.
///
/// ```no_run
/// use adjudicate_collect::hooks::Interceptor;
/// use adjudicate_evidence::collect::OwnedConfiguration;
///
/// let configuration = OwnedConfiguration::from_json(&std::fs::read("adjudicate.json")?)?;
/// let interceptor = Interceptor::new(".".into(), configuration, None, None)?;
/// let verdict = interceptor.intercept(
///     br#"{"spec": "agent-hooks/0.1", "interception_point": "input", "target": "go", "input": {"content": "go"}}"#,
/// );
/// assert_eq!(verdict, r#"{"decision":"allow"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Interceptor {
    root: PathBuf,
    configuration: OwnedConfiguration,
    policy: Option<String>,
    guardrails: Option<String>,
    own_paths: Vec<String>,
}

/// The context of an interception. Hosts add fields.
#[derive(Document)]
#[document(carried, expecting = "an object, the context of an interception")]
struct Context<'a> {
    spec: &'a str,
    interception_point: &'a str,
    session: Option<ContextSession<'a>>,
    target: Option<Node<'a>>,
    tool_call: Option<ContextCall<'a>>,
}

#[derive(Document)]
#[document(carried, expecting = "a session with `id`")]
struct ContextSession<'a> {
    id: &'a str,
}

#[derive(Document)]
#[document(carried, expecting = "a tool call with `name` and `args`")]
struct ContextCall<'a> {
    name: &'a str,
    args: Node<'a>,
}

impl Interceptor {
    /// `policy` is the JSON text of a policy, and `guardrails` that of a list of guardrails.
    ///
    /// # Errors
    ///
    /// Those of the policy.
    pub fn new(
        root: PathBuf,
        configuration: OwnedConfiguration,
        policy: Option<String>,
        guardrails: Option<String>,
    ) -> Result<Self, Error> {
        policy.as_ref().map(|policy| Policy::parse(policy.as_bytes())).transpose()?;
        let documents = [configuration.policy.as_deref(), configuration.guardrails.as_deref()];
        let documents = documents.into_iter().flatten().map(|path| format!("/{path}"));
        let own_paths = OWN_PATHS.map(str::to_owned).into_iter().chain(documents).collect();
        Ok(Self { root, configuration, policy, guardrails, own_paths })
    }

    /// Returns the verdict on a context, both as JSON. The context names the version and the point.
    ///
    /// At `output` this takes as long as the validators.
    #[must_use]
    pub fn intercept(&self, context: &[u8]) -> String {
        self.verdict(context).unwrap_or_else(Failure::into_verdict).to_text()
    }

    fn verdict(&self, context: &[u8]) -> Result<OwnedValue, Failure> {
        match interception(context)? {
            Interception::Startup => {
                self.begin()?;
                Ok(allow())
            }
            Interception::Call(call) => self.call(&call),
            Interception::Output => self.output(),
            Interception::Other => Ok(allow()),
        }
    }

    /// Begins a run, if there is none. Without it, commits of the agent would be a part of the base.
    fn begin(&self) -> Result<(), CollectError> {
        begin(&self.root, &self.configuration, &options())
    }

    fn call(&self, call: &HookCall) -> Result<OwnedValue, Failure> {
        self.begin()?;
        let rules = Rules {
            root: &self.root,
            policy: self.policy.as_deref(),
            guardrails: self.guardrails.as_deref(),
            own_paths: &self.own_paths,
            own_outside: &[],
        };
        Ok(on_call(&judge_call(&rules, call)?))
    }

    /// Judges the work before the answer of the agent leaves it. Work without a change since the base needs no decision.
    fn output(&self) -> Result<OwnedValue, Failure> {
        let work = judge_work(&self.root, &self.configuration, self.policy.as_deref(), &options())?;
        let Some(evaluation) = work else { return Ok(allow()) };
        let mut verdict = match evaluation.decision.status {
            Status::Success => allow(),
            status => {
                let reason = format!("adjudicate:{}", status.as_str());
                deny(&reason, &instructions(&evaluation), status == Status::NeedsHuman)
            }
        };
        verdict.set(&["evidence", "artefact"], OwnedValue::text(&address(&evaluation)?));
        Ok(verdict)
    }
}

/// The action that a host intercepts.
pub(super) enum Interception {
    Startup,
    Call(HookCall),
    Output,
    Other,
}

/// Reads the context of an interception.
pub(super) fn interception(context: &[u8]) -> Result<Interception, Error> {
    let tape = json::read(context, ReadLimits::DOCUMENT)?;
    let context: Context<'_> = document::read(tape.root())?;
    if context.spec != SPEC {
        return Err(invalid("/spec", &format!("`{SPEC}`"), context.spec));
    }
    match context.interception_point {
        "agent_startup" => Ok(Interception::Startup),
        "pre_tool_call" => call(&context).map(Interception::Call),
        "output" => Ok(Interception::Output),
        point if POINTS.contains(&point) => Ok(Interception::Other),
        point => {
            let known = format!("one of `{}`", POINTS.join("`, `"));
            Err(invalid("/interception_point", &known, point))
        }
    }
}

fn call(context: &Context<'_>) -> Result<HookCall, Error> {
    let missing = |name: &str| Error::new(codes::MISSING_FIELD, format!("missing field `{name}`"));
    let call = context.tool_call.as_ref().ok_or_else(|| missing("tool_call"))?;
    let target = context.target.ok_or_else(|| missing("target"))?;
    if !is_same(target, call.args) {
        // The tool gets the target.
        return Err(Error::new(codes::INVALID_VALUE, "expected the arguments of the call").at("/target"));
    }
    let input = OwnedValue::from(call.args);
    let files = tools::files(&[], call.name, &input)?;
    let session = context.session.as_ref().map_or_else(String::new, |session| session.id.to_owned());
    Ok(HookCall { session, tool: call.name.to_owned(), input, files, folders: Vec::new(), can_ask: true })
}

/// Returns true if two values are equal, in any order of fields. Numbers are equal if their texts are: a canonical text rounds them.
fn is_same(one: Node<'_>, other: Node<'_>) -> bool {
    (one.kind(), one.as_str(), one.as_number(), one.len())
        == (other.kind(), other.as_str(), other.as_number(), other.len())
        && one.items().zip(other.items()).all(|(one, other)| is_same(one, other))
        && sorted(one)
            .into_iter()
            .zip(sorted(other))
            .all(|((one, value), (other, other_value))| one == other && is_same(value, other_value))
}

/// Returns the fields of an object by their names.
fn sorted(object: Node<'_>) -> Vec<(&str, Node<'_>)> {
    let mut fields: Vec<_> = object.members().collect();
    fields.sort_by_key(|(name, _)| *name);
    fields
}

/// Returns the verdict of the contract on a call.
pub(super) fn on_call(verdict: &CallVerdict) -> OwnedValue {
    match verdict {
        CallVerdict::Allow => allow(),
        CallVerdict::Ask(reason) => deny("adjudicate:needs_human", reason, true),
        CallVerdict::Deny(reason) => deny("adjudicate:blocked", reason, false),
    }
}

fn options() -> CollectOptions<'static> {
    CollectOptions { wait: WAIT, ..CollectOptions::default() }
}

pub(super) fn allow() -> OwnedValue {
    OwnedValue::object([("decision", OwnedValue::text("allow"))])
}

/// Returns a denial. A human may lift it if `is_liftable` is true.
pub(super) fn deny(reason: &str, message: &str, is_liftable: bool) -> OwnedValue {
    let text = OwnedValue::text;
    let mut verdict = OwnedValue::object([
        ("decision", text("deny")),
        ("reason", text(reason)),
        ("message", text(message)),
    ]);
    if is_liftable {
        verdict.set(&["approval"], OwnedValue::object([]));
    }
    verdict
}

/// Returns the digest of an evaluation.
fn address(evaluation: &Evaluation) -> Result<String, Error> {
    let text = evaluation.to_json();
    Ok(json::digest(json::read(text.as_bytes(), ReadLimits::ANSWER)?.root()))
}

fn invalid(path: &str, expected: &str, found: &str) -> Error {
    let message = format!("expected {expected}, found `{}`", shorten(found));
    Error::new(codes::INVALID_VALUE, message).at(path)
}

/// A failure of the interceptor.
pub(super) enum Failure {
    Document(Error),
    Collection(CollectError),
}

impl Failure {
    pub(super) fn into_verdict(self) -> OwnedValue {
        let (code, message) = match self {
            Self::Document(error) | Self::Collection(CollectError::Document(_, error)) => {
                (error.code().as_str(), error.to_string())
            }
            Self::Collection(error) => ("fault", error.to_string()),
        };
        let message = format!("the interceptor cannot judge this action: {message}");
        deny(&format!("runtime_error:{code}"), &message, false)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Document(error)
    }
}

impl From<CollectError> for Failure {
    fn from(error: CollectError) -> Self {
        Self::Collection(error)
    }
}
