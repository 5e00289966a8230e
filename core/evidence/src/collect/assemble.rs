//! The envelope of one collection.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::String,
    vec::Vec,
};

use adjudicate_core::{
    Run,
    document::Extra,
    evaluate::{Opcode, Outcome},
    json::{self, OwnedValue},
    owned::{Entry, Envelope, Evidence, StepInfo},
};

use super::{
    bounds::{Budget, MAX_ARTIFACT_BYTES, MAX_CLAIMS_BYTES, MAX_ITEMS, UncollectedList},
    configuration::OwnedConfiguration,
    external::{COVERAGE_FIELD, NOTES_FIELD, OwnedExternalEvidence},
    observation::OwnedObservation,
    state::OwnedCollectionState,
    validators::results,
    workspace::changes,
};

/// The id of the EVALUATE step.
const EVALUATE: &str = "evaluate";

/// The id of the step in which validators run.
const VALIDATE: &str = "validate";

/// Returns the envelope of one collection. It continues the run of `state`, if that is the run of the observation.
///
/// Every validator of the configuration is required. Evidence that is missing, damaged or ambiguous becomes an item of
/// `evidence.uncollected`, so the decision is never `success`.
///
/// # Interrupted runs
///
/// An interrupted observation has the outcome of its interruption, and the rule `interrupted` reports it. Its passed cases are left
/// out, because passed cases and an interrupted step contradict each other.
///
/// A [mark](OwnedCollectionState::running) that is still in the state is that of a collection whose host was killed. The killed
/// collection becomes a `RUN_VALIDATION` entry of the window with the outcome `killed_timeout`. The decision then follows from the
/// evidence of the new, complete collection. So killing a host never gives a better decision.
#[must_use]
pub fn assemble(
    configuration: &OwnedConfiguration,
    observation: &OwnedObservation,
    state: &OwnedCollectionState,
) -> Envelope {
    let evidence = evidence(configuration, observation);
    let mut run = run(configuration, observation, state);
    run.record(Entry::ran(VALIDATE, Opcode::RunValidation, evidence.validation.mechanical_outcome));
    run.envelope(evidence)
}

fn run(
    configuration: &OwnedConfiguration,
    observation: &OwnedObservation,
    state: &OwnedCollectionState,
) -> Run {
    let is_continued = state.run_id == observation.run_id;
    let earlier = state.envelope.clone().filter(|_| is_continued).unwrap_or_default();
    let steps = configuration.next_steps.iter();
    let role = |role| StepInfo { opcode: None, role: Some(role), extra: Extra::new() };
    let mut run = Run::new(Envelope {
        run_id: observation.run_id.clone(),
        workflow_id: configuration.workflow.clone(),
        step_id: EVALUATE.into(),
        evaluate_prompt: configuration.prompt(),
        allowed_next_steps: steps.clone().map(|step| step.id.clone()).collect(),
        steps: Some(steps.map(|step| (step.id.clone(), role(step.role))).collect::<BTreeMap<_, _>>()),
        // Those of an earlier collection do not count.
        extra: observation.external.as_ref().map(OwnedExternalEvidence::fields).unwrap_or_default(),
        ..earlier
    });
    if is_continued && state.running.is_some() {
        run.record(Entry::ran(VALIDATE, Opcode::RunValidation, Outcome::KilledTimeout));
    }
    // An evaluation is recorded with its answer, never by an observation.
    if let Some(agent) = observation.agent.clone().filter(|entry| entry.opcode != Opcode::Evaluate) {
        run.record(agent);
    }
    run
}

fn evidence(configuration: &OwnedConfiguration, observation: &OwnedObservation) -> Evidence {
    let mut uncollected = UncollectedList::default();
    for missing in observation.uncollected.iter().flatten() {
        uncollected.add(&missing.what, &missing.reason);
    }
    let (workspace_diff_summary, diff) = changes(&observation.workspace, &mut uncollected);
    let mut results = results(configuration, observation, &mut uncollected);
    let mut artifacts = results.artifacts;
    if let Some(file) = &observation.review {
        let root = observation.root.as_deref().unwrap_or_default();
        results.reports.reviews.add_file(file, root, &mut uncollected);
        artifacts.push(file.path.clone());
    }
    artifacts.extend(observation.artifacts.iter().flatten().cloned());
    let (harness_report, coverage, reviews, left_out) = results.reports.into_parts(&mut uncollected);
    let external = observation.external.as_ref();
    let mut extra = external.map(OwnedExternalEvidence::evidence_fields).unwrap_or_default();
    extra.extend(coverage.map(|coverage| (COVERAGE_FIELD.into(), coverage)));
    let mut notes = Vec::new();
    if left_out.all > 0 {
        notes.push(("cases_left_out".into(), OwnedValue::count(left_out.all)));
    }
    if !results.changed.is_empty() {
        notes.push(("changed_by".into(), OwnedValue::Object(results.changed)));
    }
    notes.extend(
        observation.workspace.no_tree.as_ref().map(|reason| ("no_tree".into(), OwnedValue::text(reason))),
    );
    if !notes.is_empty() {
        extra.insert(NOTES_FIELD.into(), OwnedValue::Object(notes));
    }
    let baseline = observation.baseline.clone();
    let baseline = baseline.map(|baseline| baseline.into_evidence(left_out, &mut uncollected));
    // Without a list, the rule `unchecked` asks a human. With an empty one, a step that nothing checked would succeed.
    let validators: Vec<_> = configuration.validators.iter().map(|one| one.id.clone()).collect();
    Evidence {
        transcript_summary: claims(observation, &mut uncollected),
        workspace_diff_summary,
        diff,
        validation: results.validation,
        harness_report: harness_report.map(Some),
        review: reviews.into_review(&mut uncollected),
        artifacts: listed_artifacts(artifacts, &mut uncollected),
        policy_events: external.and_then(|external| external.policy_events.clone()).unwrap_or_default(),
        required_artifacts: configuration.required_artifacts.clone(),
        required_validators: Some(validators).filter(|validators| !validators.is_empty()),
        approvals: external.and_then(|external| external.approvals.clone()),
        uncollected: uncollected.into_items(),
        tree: observation.workspace.tree.clone(),
        baseline,
        extra,
        ..Evidence::default()
    }
}

fn claims(observation: &OwnedObservation, uncollected: &mut UncollectedList) -> String {
    let claims = observation.claims.clone().unwrap_or_default();
    if claims.len() <= MAX_CLAIMS_BYTES {
        return claims;
    }
    let reason = format!("the claims have {} bytes; the limit is {MAX_CLAIMS_BYTES}", claims.len());
    uncollected.add("claims of the agent", &reason);
    String::new()
}

/// Returns each artifact once.
fn listed_artifacts(artifacts: Vec<String>, uncollected: &mut UncollectedList) -> Vec<String> {
    let mut known = BTreeSet::new();
    let mut budget = Budget::new(MAX_ITEMS, MAX_ARTIFACT_BYTES);
    let mut left_out = 0_usize;
    let mut listed = Vec::new();
    for artifact in artifacts {
        if !known.insert(artifact.clone()) {
            continue;
        }
        match budget.take(json::write(&artifact).len()) {
            true => listed.push(artifact),
            false => left_out += 1,
        }
    }
    if left_out > 0 {
        uncollected.add("artifacts", &format!("an envelope cannot list {left_out} more artifacts"));
    }
    listed
}
