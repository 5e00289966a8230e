//! Generates an envelope from an abstract state: the inverse of the facts.
//!
//! Envelopes are heuristic: each is evaluated before it is reported, and dropped if it does not show the finding.

mod checks;
mod diff;
mod past;

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{Steps, json::OwnedValue, logic::Types, order};

use super::{
    abstract_state::AbstractState,
    candidates::{Samples, glob_example},
    domain::Domain,
    inputs::Checked,
    model_values::{self, count, items},
    scope::Key,
    shape::ENVELOPE,
};
use crate::{
    documents::policy::ReviewRequirement,
    policy::{Fact, Policy, Root},
};

/// Spare capacity of a long list, because growing it would hold it twice.
const SPARE: usize = 16;

const EVIDENCE: &str = "evidence";
const EXIT_CODES: [&str; 3] = [EVIDENCE, "validation", "exit_codes"];

/// An envelope without any problem, if no policy requires more.
const CLEAN: &str = r#"{"run_id":"run-1","workflow_id":"workflow","step_id":"evaluate",
"evaluate_prompt":"evaluate.v1","allowed_next_steps":["continue","fix","gate","rollback","STOP"],
"provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":"",
"validation":{"mechanical_outcome":"completed","exit_codes":{},"timeouts":[]},"artifacts":[],"policy_events":[],
"required_validators":[]}}"#;

/// An envelope without any problem under a policy.
pub(super) fn clean(policy: &Policy) -> OwnedValue {
    let mut envelope = unreviewed(policy);
    if policy.review() != ReviewRequirement::Optional {
        past::add_review(&mut envelope);
    }
    add_trees(&mut envelope, policy);
    envelope
}

/// Gives every result the tree that is judged, if the policy asks for it.
fn add_trees(envelope: &mut OwnedValue, policy: &Policy) {
    if !policy.requires_tree() {
        return;
    }
    let tree = || OwnedValue::text("tree");
    let validation = envelope.lookup(EVIDENCE).and_then(|evidence| evidence.lookup("validation"));
    let mut ids: Vec<String> = Vec::new();
    if let Some(OwnedValue::Object(exits)) = validation.and_then(|validation| validation.lookup("exit_codes"))
    {
        ids.extend(exits.iter().map(|(id, _)| id.clone()));
    }
    if let Some(OwnedValue::List(timeouts)) = validation.and_then(|validation| validation.lookup("timeouts"))
    {
        ids.extend(timeouts.iter().filter_map(OwnedValue::as_str).map(String::from));
    }
    let ids = order::without_repeats(ids, Ord::cmp);
    let trees = OwnedValue::Object(ids.into_iter().map(|id| (id, tree())).collect());
    envelope.set(&[EVIDENCE, "validation", "trees"], trees);
    for part in ["harness_report", "review"] {
        if envelope.lookup(EVIDENCE).is_some_and(|evidence| evidence.lookup(part).is_some()) {
            envelope.set(&[EVIDENCE, part, "tree"], tree());
        }
    }
    envelope.set(&[EVIDENCE, "tree"], tree());
}

/// The same without a review.
fn unreviewed(policy: &Policy) -> OwnedValue {
    let mut envelope = OwnedValue::from_json(CLEAN);
    // All at once, because adding one at a time would search the list each time.
    let ids = policy.required_validators().iter().map(|id| &**id).collect();
    let ids: Vec<&str> = order::without_repeats(ids, Ord::cmp);
    let mut exits = Vec::with_capacity(ids.len() + SPARE);
    exits.extend(ids.into_iter().map(|id| (id.into(), OwnedValue::count(0))));
    envelope.set(&EXIT_CODES, OwnedValue::Object(exits));
    let mut artifacts = Vec::with_capacity(policy.required_artifacts().len() + SPARE);
    artifacts
        .extend(policy.required_artifacts().iter().map(|glob| OwnedValue::Text(glob_example(glob.text()))));
    envelope.set(&[EVIDENCE, "artifacts"], OwnedValue::List(artifacts));
    envelope
}

fn set_exit(envelope: &mut OwnedValue, validator: &str, code: u64) {
    let [evidence, validation, exit_codes] = EXIT_CODES;
    envelope.set(&[evidence, validation, exit_codes, validator], OwnedValue::count(code));
}

/// An envelope for one abstract state; `None` if some value cannot be generated.
pub(super) fn envelope<'p>(
    checked: Checked<'p>,
    state: &AbstractState<'p>,
    steps: &mut Steps,
) -> Option<OwnedValue> {
    let policy = checked.policy;
    let mut model = EnvelopeModel { policy, state, envelope: unreviewed(policy), steps };
    model.words();
    model.diff()?;
    model.validators()?;
    model.harness()?;
    model.lists()?;
    model.review();
    model.history()?;
    model.parts()?;
    if let Some(inputs) = checked.inputs
        && let OwnedValue::Object(fields) = inputs.sample(state, model.steps)?
    {
        fields.into_iter().for_each(|(name, value)| model.set(&[&*name], value));
    }
    add_trees(&mut model.envelope, policy);
    Some(model.envelope)
}

struct EnvelopeModel<'d, 'p> {
    policy: &'d Policy,
    state: &'d AbstractState<'p>,
    envelope: OwnedValue,
    steps: &'d mut Steps,
}

impl<'d, 'p> EnvelopeModel<'d, 'p> {
    /// The domain of a fact, if it is restricted.
    fn fact(&self, fact: Fact) -> Option<&'d Domain<'p>> {
        self.state.restricted(Key::Fact(fact))
    }

    /// The domain of a fact, if it must be known.
    fn known(&self, fact: Fact) -> Option<&'d Domain<'p>> {
        self.fact(fact).filter(|domain| !domain.unknown)
    }

    /// The lower bound of a fact; 0 if it is not restricted.
    #[inline(never)]
    fn least(&self, fact: Fact) -> u64 {
        self.known(fact).map_or(0, |domain| count(&domain.range))
    }

    fn set(&mut self, names: &[&str], value: OwnedValue) {
        self.envelope.set(names, value);
    }

    /// Stores the items of a list at a path, if there are any.
    #[inline(never)]
    fn set_texts(&mut self, names: &[&str], fact: Fact) -> Option<()> {
        let texts = self.texts(fact, &[])?;
        if !texts.is_empty() {
            self.set(names, OwnedValue::texts(texts));
        }
        Some(())
    }

    fn texts(&mut self, fact: Fact, samples: &[&str]) -> Option<Vec<String>> {
        self.texts_of(fact, Samples::Texts(samples))
    }

    #[inline(never)]
    fn texts_of(&mut self, fact: Fact, samples: Samples<'_>) -> Option<Vec<String>> {
        let Some(domain) = self.known(fact) else { return Some(Vec::new()) };
        let text = |item| match item {
            OwnedValue::Text(text) => Some(text),
            _ => None,
        };
        Some(items(domain, samples, self.steps)?.into_iter().filter_map(text).collect())
    }

    fn truth(&self, fact: Fact) -> Option<bool> {
        self.fact(fact).and_then(Domain::truth)
    }

    fn words(&mut self) {
        for (fact, path) in [
            (Fact::Intent, &[EVIDENCE, "step_intent"][..]),
            (Fact::Outcome, &[EVIDENCE, "validation", "mechanical_outcome"]),
        ] {
            if let Some(only) = self.known(fact).and_then(|domain| domain.texts.only.as_ref())
                && let Some(first) = only.first()
            {
                self.set(path, OwnedValue::text(first));
            }
        }
    }

    /// Lists that the envelope has in the same form.
    fn lists(&mut self) -> Option<()> {
        if self.known(Fact::Claims).is_some() {
            let claims = self.texts(Fact::Claims, &[])?;
            self.set(&[EVIDENCE, "claims"], OwnedValue::texts(claims));
        }
        self.contradictions();
        self.set_texts(&[EVIDENCE, "required_artifacts"], Fact::ArtifactsMissing)?;
        let required = self.texts(Fact::ApprovalsMissing, &[])?;
        let granted = self.texts(Fact::ApprovalsGranted, &[])?;
        if !(required.is_empty() && granted.is_empty()) {
            self.set(&[EVIDENCE, "approvals", "required"], OwnedValue::texts(required));
            self.set(&[EVIDENCE, "approvals", "granted"], OwnedValue::texts(granted));
        }
        let mut events = self.texts(Fact::EventsViolations, &["forbidden_operation", "network_violation"])?;
        events.extend(self.texts(Fact::EventsWarnings, &["warning", "warning:x", "warning:y"])?);
        for class in self.texts(Fact::EventsClasses, &["info", "warning", "forbidden_operation"])? {
            let is_there = |event: &String| event.split(':').next() == Some(&*class);
            if !events.iter().any(is_there) {
                events.push(class);
            }
        }
        self.set(&[EVIDENCE, "policy_events"], OwnedValue::texts(events));
        Some(())
    }

    /// Adds contradictions, beyond those that relations between facts already require.
    fn contradictions(&mut self) {
        let Some(known) = self.known(Fact::Contradictions) else { return };
        let claims = [EVIDENCE, "claims"];
        let has = |rule: &str| known.list.has.contains(&rule);
        if has("transcript_mismatch") {
            self.envelope.add(&claims, OwnedValue::text("implemented"));
        }
        let exits = self.envelope.at(&EXIT_CODES);
        let has_exits = exits.is_some_and(|exits| *exits != OwnedValue::Object(Vec::new()));
        if has("report_mismatch") {
            self.envelope.add(&claims, OwnedValue::text("tests_passed"));
            set_exit(&mut self.envelope, "contradicted", 1);
        } else if has("missing_artifact")
            && !has_exits
            && !has("transcript_mismatch")
            && !has("unsupported_claim")
        {
            // Everything succeeded, but the artifact is missing.
            set_exit(&mut self.envelope, "check", 0);
        }
    }

    /// Parts of the envelope that conditions use directly.
    fn parts(&mut self) -> Option<()> {
        for (key, domain) in &self.state.variables {
            let Key::Path(path) = key else { continue };
            let variable = self.policy.variable(path).filter(|variable| variable.root() == Root::Input);
            let Some(variable) = variable else { continue };
            let is_input = self.state.scope.names(path).is_some();
            if is_input || domain.unknown || domain.types == Types::NONE {
                continue;
            }
            let value = model_values::value(domain, self.state.scope, *key, self.steps)?;
            model_values::put(&mut self.envelope, ENVELOPE, variable.rest(), value)?;
        }
        Some(())
    }
}
