//! Applying guardrails to an event.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::{
    Error, Steps,
    json::{
        self, Limits, Node,
        object::{Field, Form, Members, missing, optional, read_document, required},
    },
    logic::{Scope, Value},
};

use super::{
    Action, Event, Guardrail, State,
    document::{Selector, Threshold, Trigger, read_guardrails},
};
use crate::{bounds, codes, diagnostic::Diagnostic, words::words};

/// A guardrail that fired, and what is to be done.
#[derive(Clone, Debug)]
pub struct Firing<'g> {
    id: &'g str,
    trigger: &'g str,
    /// The node of the event.
    node: Selector<'g>,
    /// The guardrail as it was given.
    source: Node<'g>,
    action: Cow<'g, Action>,
    reason: Option<Reason>,
}

words! {
    /// Why another action was put in the place of the guardrail's own.
    Reason {
        /// It was retried as often as it may be.
        RetriesExhausted = "retries_exhausted",
        /// Its condition cannot be decided.
        ConditionUndecided = "condition_undecided",
        /// Its metric is missing.
        MetricMissing = "metric_missing",
        /// How long it took is missing.
        ElapsedMissing = "elapsed_missing",
    }
}

impl Reason {
    /// What the person who is asked is told.
    const fn rationale(self) -> &'static str {
        match self {
            Self::RetriesExhausted => "the retries that the policy allows are spent",
            Self::ConditionUndecided => "the condition of the policy cannot be decided",
            Self::MetricMissing => "the metric that the policy watches is missing",
            Self::ElapsedMissing => "the event does not say how much time has passed",
        }
    }
}

impl<'g> Firing<'g> {
    /// The guardrail's id.
    #[must_use]
    pub const fn policy_id(&self) -> &str {
        self.id
    }

    /// What is to be done.
    #[must_use]
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// Why this is done and not what the guardrail says.
    #[must_use]
    pub const fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// The advice that a planner gets with the event `policy_triggered` (5.9.4): which policy fired, at which node, and what it does.
    ///
    /// It is informational, so that merging it with the diagnostics of a plan rejects nothing.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic<'g> {
        Diagnostic::of_policy(
            self.id,
            self.action.name(),
            self.reason.map(Reason::as_str),
            (self.node.node, self.node.capability),
        )
    }

    /// `{policyId, action, terminal, reason?}`
    fn write_action(&self, out: &mut String) {
        let mut members = Members::open(out);
        members.text("policyId", Some(self.id));
        members.json("action", Some(self.action.to_json()));
        members.flag("terminal", self.action.is_terminal());
        members.text("reason", self.reason.map(Reason::as_str));
        members.close();
    }

    /// `{policyId, trigger, action, diagnostic}`, the payload of the event `policy_triggered`, and the extensions of the guardrail.
    fn write_payload(&self, out: &mut String) {
        let mut members = Members::open(out);
        members.text("policyId", Some(self.id));
        members.json("trigger", Some(self.trigger));
        members.json("action", Some(self.action.to_json()));
        members.json("diagnostic", Some(&self.diagnostic().to_json()));
        members.extensions(self.source);
        members.close();
    }
}

/// The guardrails that an event makes fire, in their order.
///
/// A guardrail whose condition, metric or time cannot be known asks a person, and so does one whose retries are spent.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] when the budget runs out: no answer is not "nothing fires".
pub fn apply<'g>(
    guardrails: &'g [Guardrail<'_>],
    event: &Event<'g>,
    state: &State<'_>,
    steps: &mut Steps,
) -> Result<Vec<Firing<'g>>, Error> {
    let mut firings = Vec::new();
    for (index, guardrail) in guardrails.iter().enumerate() {
        let found = guardrail.outcome(event, state, steps);
        let (action, reason) = match found.map_err(|error| error.at(alloc::format!("/{index}")))? {
            Outcome::Quiet => continue,
            Outcome::Fires => guardrail.counted(state),
            Outcome::Undecided(reason) => (guardrail.asking(reason), Some(reason)),
        };
        let (trigger, source) = (&*guardrail.trigger.json, guardrail.source);
        let node = event.node.unwrap_or_default();
        firings.push(Firing { id: guardrail.id, trigger, node, source, action, reason });
    }
    Ok(firings)
}

/// Whether a guardrail fires.
enum Outcome {
    Quiet,
    Fires,
    Undecided(Reason),
}

impl Guardrail<'_> {
    fn outcome(&self, event: &Event<'_>, state: &State<'_>, steps: &mut Steps) -> Result<Outcome, Error> {
        let trigger = &self.trigger;
        if !self.is_enabled || trigger.kind != event.kind || !trigger.selects(event) {
            return Ok(Outcome::Quiet);
        }
        let mut outcome = trigger.reached(event, state);
        // A false condition decides, whatever the others are, so that their order does not count.
        for condition in &trigger.conditions {
            outcome = match (outcome, decide(condition, event, steps)?) {
                (_, Some(false)) => Outcome::Quiet,
                (Outcome::Fires, None) => Outcome::Undecided(Reason::ConditionUndecided),
                (outcome, _) => outcome,
            };
        }
        Ok(outcome)
    }

    /// The guardrail's own action, unless its retries are spent.
    fn counted(&self, state: &State<'_>) -> (Cow<'_, Action>, Option<Reason>) {
        match self.action.attempts {
            Some(attempts) if state.retries(self.id) >= attempts => {
                (self.asking(Reason::RetriesExhausted), Some(Reason::RetriesExhausted))
            }
            _ => (Cow::Borrowed(&self.action), None),
        }
    }

    /// Asks a person: as the guardrail would, if that is what it does.
    fn asking(&self, reason: Reason) -> Cow<'_, Action> {
        match self.action.name() {
            "hitl" => Cow::Borrowed(&self.action),
            _ => Cow::Owned(Action::ask(reason.rationale())),
        }
    }
}

impl Trigger<'_> {
    /// Whether the event is of a node that it waits for.
    fn selects(&self, event: &Event<'_>) -> bool {
        match (self.selector, event.node) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(selector), Some(node)) => selector.matches(node),
        }
    }

    /// Whether the time or the metric is where it waits for it.
    fn reached(&self, event: &Event<'_>, state: &State<'_>) -> Outcome {
        let (order, fires, reason) = match &self.threshold {
            Threshold::Nothing => return Outcome::Fires,
            Threshold::Elapsed(least) => {
                let order = event.elapsed.as_ref().and_then(|elapsed| elapsed.compare(least));
                (order, Ordering::is_ge as fn(Ordering) -> bool, Reason::ElapsedMissing)
            }
            Threshold::Below { metric, value } => {
                let order = event.metric(state, metric).and_then(|measured| measured.compare(value));
                (order, Ordering::is_lt as fn(Ordering) -> bool, Reason::MetricMissing)
            }
        };
        match order {
            Some(order) if fires(order) => Outcome::Fires,
            Some(_) => Outcome::Quiet,
            None => Outcome::Undecided(reason),
        }
    }
}

/// Whether a condition holds of the event's output; one whose types do not fit cannot be decided.
fn decide(
    condition: &adjudicate_lang::logic::Program,
    event: &Event<'_>,
    steps: &mut Steps,
) -> Result<Option<bool>, Error> {
    let nothing = Value::Unknown;
    let scope: &dyn Scope<'_> = match &event.output {
        Some(output) => output,
        None => &nothing,
    };
    match condition.holds(scope, steps) {
        Err(error) if error.code() == codes::INVALID_EXPRESSION => Ok(None),
        decided => decided,
    }
}

const CALL: &[Field] =
    &[required("policies", Form::List), required("event", Form::Object), optional("state", Form::Object)];

/// Applies the guardrails of `{"policies": [...], "event": {...}, "state": {...}}` (SPEC section 8).
///
/// # Errors
///
/// What is wrong with the text, then the first of its members in document order, with a pointer to it:
/// [`codes::INVALID_POLICY`] for an action that would change the plan.
///
/// ```
/// let call = br#"{
///   "policies": [{
///     "id": "qa_runtime_guardrail",
///     "trigger": {"kind": "onNodeComplete", "nodeId": "publish-1"},
///     "condition": {"between": [{"var": "qaFindings.overallScore"}, 0.6, 0.8]},
///     "action": {"type": "hitl", "rationale": "a person looks at scores like this"}
///   }],
///   "event": {"kind": "onNodeComplete", "node": {"nodeId": "publish-1"}, "output": {"qaFindings": {"overallScore": 0.7}}}
/// }"#;
/// let answer = adjudicate_core::guardrail::apply_text(call)?;
/// assert!(answer.starts_with(r#"{"actions":[{"policyId":"qa_runtime_guardrail","action":{"type":"hitl""#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn apply_text(input: &[u8]) -> Result<String, Error> {
    let tape = json::read(input, Limits::DOCUMENT)?;
    let mut patterns = Steps::for_patterns();
    let (mut guardrails, mut event, mut state) = (Vec::new(), None, State::default());
    read_document(tape.root(), CALL, &mut |at, member| {
        match at {
            0 => guardrails = read_guardrails(member, &mut patterns)?,
            1 => event = Some(Event::read(member)?),
            _ => state = State::read(member)?,
        }
        Ok(())
    })?;
    // What is required was read.
    let Some(event) = event else { return Err(missing("event")) };
    let firings =
        apply(&guardrails, &event, &state, &mut Steps::default()).map_err(|error| error.under("policies"))?;
    bounds::checked(answer(&firings))
}

fn answer(firings: &[Firing<'_>]) -> String {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.list("actions", firings, Firing::write_action);
    members.list("payloads", firings, Firing::write_payload);
    members.close();
    out
}
