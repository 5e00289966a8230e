//! The configuration and the policy of a goal.

use std::path::Path;

use adjudicate_core::{
    Error, Policy,
    json::{OwnedValue, write},
};
use adjudicate_evidence::collect::{GOAL_FIELD, OwnedBaselineSettings, OwnedConfiguration, OwnedValidator};

use super::sentences::{Draft, invalid, read};
use crate::init::{HEAD, validators};

/// The policy of a goal in a repository that has none.
const POLICY: &str = r#"{"policy":"goal","version":"1.0.0","profile":"oa06.1","review":"optional"}"#;

/// The review of a goal in a repository whose configuration names none. Agents cannot change files in this folder.
const REVIEW: &str = ".adjudicate/review.json";

/// The documents of the repository. A goal adds to them.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The configuration.
    pub configuration: Option<OwnedConfiguration>,
    /// The JSON text of the policy.
    pub policy: Option<String>,
}

/// The documents of a goal.
#[derive(Clone, Debug)]
pub struct GoalDocuments {
    /// The configuration.
    pub configuration: OwnedConfiguration,
    /// The JSON text of the policy.
    pub policy: String,
}

/// Returns the documents of a goal. Every check of the repository stays.
///
/// # Errors
///
/// `invalid_value` with the reason. A sentence has no form, a validator is unknown, or nothing of the goal can be checked. Or the policy of
/// the repository and the goal contradict each other.
pub fn draft(text: &str, root: &Path, given: &Given) -> Result<GoalDocuments, Error> {
    let draft = read(text)?;
    let configuration = configuration(&draft, root, given)?;
    let policy = policy(&draft, given.policy.as_deref().unwrap_or(POLICY))?;
    Policy::parse(policy.as_bytes())?;
    Ok(GoalDocuments { configuration, policy })
}

fn configuration(draft: &Draft, root: &Path, given: &Given) -> Result<OwnedConfiguration, Error> {
    let json = adjudicate_yaml::to_json(format!("{HEAD}{}", validators(root)).as_bytes())?;
    let known = OwnedConfiguration::from_json(json.as_bytes())?;
    let mut configuration = match &given.configuration {
        Some(configuration) => configuration.clone(),
        None => OwnedConfiguration { validators: Vec::new(), ..known.clone() },
    };
    for name in &draft.validators {
        if configuration.validators.iter().any(|own| own.id == *name) {
            continue;
        }
        let Some(validator) = known.validators.iter().find(|validator| validator.id == *name) else {
            let names =
                configuration.validators.iter().chain(&known.validators).map(|one| format!("`{}`", one.id));
            let names = names.collect::<Vec<_>>().join(", ");
            let listed = if names.is_empty() { "none".to_owned() } else { names };
            return Err(invalid(format!(
                "there is no validator `{name}`; those of this repository: {listed}; to name a command: `run COMMAND as {name}`"
            )));
        };
        configuration.validators.push(validator.clone());
    }
    for (name, command) in &draft.commands {
        if configuration.validators.iter().any(|own| own.id == *name) {
            return Err(invalid(format!(
                "`run {command}`: another validator has the name `{name}`; add `as NAME`"
            )));
        }
        let fields = [("id", OwnedValue::text(name)), ("run", OwnedValue::text(command))];
        let validator = OwnedValidator::from_json(write(&OwnedValue::object(fields)).as_bytes());
        configuration
            .validators
            .push(validator.map_err(|error| invalid(format!("`run {command}`: {}", error.message())))?);
    }
    if !draft.artifacts.is_empty() {
        configuration.artifacts.get_or_insert_default().extend(draft.artifacts.iter().cloned());
    }
    if draft.keeps_tests || draft.accepts_known_failures {
        let has_cases = |one: &OwnedValidator| {
            one.output.is_some() || one.reports.as_ref().is_some_and(|reports| !reports.is_empty())
        };
        if !configuration.validators.iter().any(has_cases) {
            return Err(invalid(
                "no validator has `reports` or `output`, so lost tests and known failures cannot be seen; add a report to `adjudicate.yaml`".into(),
            ));
        }
        configuration.baseline.get_or_insert_with(OwnedBaselineSettings::default);
    }
    if draft.is_reviewed {
        configuration.review.get_or_insert_with(|| REVIEW.into());
    }
    Ok(configuration)
}

fn policy(draft: &Draft, given: &str) -> Result<String, Error> {
    let mut policy = OwnedValue::from_json(given);
    let has = |name: &str| policy.lookup(name).is_some_and(|value| !value.is_null());
    if !draft.allowed.is_empty() && has("allowed_paths") {
        return Err(invalid(
            "`only change`: the policy of the repository has `allowed_paths` already".into(),
        ));
    }
    let refuses = policy.lookup("known_failures").and_then(OwnedValue::as_str) == Some("refuse");
    if draft.accepts_known_failures && refuses {
        return Err(invalid(
            "`known failures are accepted`: the policy of the repository refuses them".into(),
        ));
    }
    let given_parameters = policy.lookup("parameters").cloned().unwrap_or(OwnedValue::Null);
    for (field, patterns) in [
        ("allowed_paths", &draft.allowed),
        ("forbidden_paths", &draft.forbidden),
        ("protected_paths", &draft.protected),
        ("required_artifacts", &draft.artifacts),
    ] {
        patterns.iter().for_each(|pattern| policy.add(&[field], OwnedValue::text(pattern)));
    }
    if draft.accepts_known_failures {
        policy.set(&["known_failures"], OwnedValue::text("accept"));
    }
    if draft.is_reviewed {
        policy.set(&["review"], OwnedValue::text("required"));
    }
    if let Some(rounds) = draft.rounds {
        // A refinement lies between two rounds. The other counters may not end the goal before.
        for (name, value) in
            [("refinement_cap", rounds - 1), ("partial_threshold", rounds), ("blocker_repeat", rounds.max(2))]
        {
            if given_parameters.lookup(name).is_none() {
                policy.set(&["parameters", name], OwnedValue::count(value));
            }
        }
    }
    if let Some(minutes) = draft.minutes {
        let rule = format!(
            r#"{{"id":"goal_time","when":{{">=":[{{"var":"input.{GOAL_FIELD}.minutes"}},{minutes}]}},"then":{{"status":"needs_human","summary":"the {minutes} minutes of the goal are over"}}}}"#
        );
        policy.add(&["rules"], OwnedValue::from_json(&rule));
    }
    Ok(policy.to_text())
}
