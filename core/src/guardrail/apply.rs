//! Applies guardrails to an event.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Decimal, Error, Steps,
    document::{self, Condition, Id, Magnitude},
    json::{self, ReadLimits, object::ObjectWriter},
    logic::{Scope, Value},
};

use crate::{
    bounds, codes,
    documents::{
        Action, ActionReason, Guardrail, GuardrailCall, GuardrailEvent, RunState, Selector, Trigger,
        diagnostic::Diagnostic,
    },
};

/// A guardrail that fired, with its action.
#[derive(Clone, Debug)]
pub struct Firing<'g> {
    guardrail: &'g Guardrail<'g>,
    /// The node of the event.
    node: Selector<'g>,
    action: Cow<'g, Action<'g>>,
    reason: Option<ActionReason>,
}

impl ActionReason {
    /// The rationale shown to the human who is asked.
    const fn rationale(self) -> &'static str {
        match self {
            Self::RetriesExhausted => "no retry that the policy allows is left",
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
        self.guardrail.id.0
    }

    /// The action to take.
    #[must_use]
    pub fn action(&self) -> &Action<'g> {
        &self.action
    }

    /// The reason for human review in place of the guardrail's own action.
    #[must_use]
    pub const fn reason(&self) -> Option<ActionReason> {
        self.reason
    }

    /// The diagnostic for the event `policy_triggered` (docs/reference/plans.md): the policy that fired, the node, and the action.
    ///
    /// It is informational, so merging it with the diagnostics of a plan rejects nothing.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic<'g> {
        Diagnostic::policy_triggered(
            self.policy_id(),
            self.action.name(),
            self.reason.map(ActionReason::as_str),
            (self.node.node(), self.node.capability()),
        )
    }

    /// `{policyId, action, terminal, reason?}`
    fn write_action(&self, out: &mut String) {
        let mut members = ObjectWriter::open(out);
        members.text("policyId", Some(self.policy_id()));
        members.part("action", |out| self.action.write(out));
        members.flag("terminal", self.action.is_terminal());
        members.text("reason", self.reason.map(ActionReason::as_str));
        members.close();
    }

    /// `{policyId, trigger, action, diagnostic}`, the payload of the event `policy_triggered`, and the extensions of the
    /// guardrail.
    fn write_payload(&self, out: &mut String) {
        let mut members = ObjectWriter::open(out);
        members.text("policyId", Some(self.policy_id()));
        members.part("trigger", |out| self.guardrail.write_trigger(out));
        members.part("action", |out| self.action.write(out));
        members.part("diagnostic", |out| self.diagnostic().write(out));
        members.extensions(self.guardrail.source);
        members.close();
    }
}

/// Returns the guardrails that an event fires, in their order.
///
/// A guardrail asks for human review if its condition, metric or time is unknown, or if its retries are spent.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] when the budget runs out, because no answer does not mean that nothing fires.
pub fn apply<'g>(
    guardrails: &'g [Guardrail<'g>],
    event: &GuardrailEvent<'g>,
    state: &RunState<'_>,
    steps: &mut Steps,
) -> Result<Vec<Firing<'g>>, Error> {
    let mut firings = Vec::new();
    for (index, guardrail) in guardrails.iter().enumerate() {
        let found = guardrail.outcome(event, state, steps);
        let (action, reason) = match found.map_err(|error| error.at(alloc::format!("/{index}")))? {
            TriggerResult::Quiet => continue,
            TriggerResult::Fires => guardrail.counted(state),
            TriggerResult::Undecided(reason) => (guardrail.asking(reason), Some(reason)),
        };
        firings.push(Firing { guardrail, node: event.node.unwrap_or_default(), action, reason });
    }
    Ok(firings)
}

/// The result of matching a guardrail against an event.
enum TriggerResult {
    Quiet,
    Fires,
    Undecided(ActionReason),
}

impl<'a> Guardrail<'a> {
    fn outcome(
        &self,
        event: &GuardrailEvent<'_>,
        state: &RunState<'_>,
        steps: &mut Steps,
    ) -> Result<TriggerResult, Error> {
        let trigger = &self.trigger;
        if !self.enabled || trigger.kind() != event.kind || !trigger.selects(event) {
            return Ok(TriggerResult::Quiet);
        }
        let mut outcome = trigger.reached(event, state);
        // A false condition always decides, so the order of conditions does not matter.
        for condition in self.conditions() {
            outcome = match (outcome, decide(condition, event, steps)?) {
                (_, Some(false)) => TriggerResult::Quiet,
                (TriggerResult::Fires, None) => TriggerResult::Undecided(ActionReason::ConditionUndecided),
                (outcome, _) => outcome,
            };
        }
        Ok(outcome)
    }

    /// The guardrail's own action, unless its retries are spent.
    fn counted(&self, state: &RunState<'_>) -> (Cow<'_, Action<'a>>, Option<ActionReason>) {
        match self.action.attempts() {
            Some(attempts) if state.retries.get(self.id.0).unwrap_or_default() >= attempts => {
                (self.asking(ActionReason::RetriesExhausted), Some(ActionReason::RetriesExhausted))
            }
            _ => (Cow::Borrowed(&self.action), None),
        }
    }

    /// Asks for human review, in the guardrail's own words if that is its action.
    fn asking(&self, reason: ActionReason) -> Cow<'_, Action<'a>> {
        match self.action.asks() {
            true => Cow::Borrowed(&self.action),
            false => Cow::Owned(Action::ask(reason.rationale())),
        }
    }
}

impl Trigger<'_> {
    /// Returns true if the trigger's selector matches the node of the event.
    fn selects(&self, event: &GuardrailEvent<'_>) -> bool {
        match (self.selector(), event.node) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(selector), Some(node)) => selector.matches(node),
        }
    }

    /// Checks the time or the metric against the trigger.
    fn reached(&self, event: &GuardrailEvent<'_>, state: &RunState<'_>) -> TriggerResult {
        let (fires, reason) = match self {
            Self::OnStart { .. }
            | Self::OnNodeComplete { .. }
            | Self::OnValidationFail { .. }
            | Self::OnPostConditionFailed { .. }
            | Self::Manual { .. } => return TriggerResult::Fires,
            Self::OnTimeout { ms: Magnitude(least), .. } => {
                (event.elapsed_ms.map(|Magnitude(elapsed)| elapsed >= *least), ActionReason::ElapsedMissing)
            }
            Self::OnMetricBelow { metric: Id(metric), threshold, .. } => {
                let is_below = |measured: Decimal| measured < *threshold;
                (event.metric(state, metric).map(is_below), ActionReason::MetricMissing)
            }
        };
        match fires {
            Some(true) => TriggerResult::Fires,
            Some(false) => TriggerResult::Quiet,
            None => TriggerResult::Undecided(reason),
        }
    }
}

/// Evaluates a condition on the event's output; `None` if it is unknown or its types do not fit.
fn decide(
    condition: &Condition<'_>,
    event: &GuardrailEvent<'_>,
    steps: &mut Steps,
) -> Result<Option<bool>, Error> {
    let nothing = Value::Unknown;
    let scope: &dyn Scope<'_> = match &event.output {
        Some(output) => output,
        None => &nothing,
    };
    match condition.program.holds(scope, steps) {
        Err(error) if error.code() == codes::INVALID_EXPRESSION => Ok(None),
        decided => decided,
    }
}

/// Applies the guardrails of `{"policies": [...], "event": {...}, "state": {...}}` (docs/reference/guardrails.md).
///
/// # Errors
///
/// The first problem of the text, or else of its fields in document order, with a pointer. [`codes::INVALID_POLICY`] for an
/// action that would change the plan.
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
    let tape = json::read(input, ReadLimits::DOCUMENT)?;
    let call: GuardrailCall<'_> = document::read(tape.root())?;
    let firings = apply(&call.policies, &call.event, &call.state, &mut Steps::default())
        .map_err(|error| error.under("policies"))?;
    bounds::checked(answer(&firings))
}

fn answer(firings: &[Firing<'_>]) -> String {
    let mut out = String::new();
    let mut members = ObjectWriter::open(&mut out);
    members.list("actions", firings, Firing::write_action);
    members.list("payloads", firings, Firing::write_payload);
    members.close();
    out
}
