//! Results of validators: exit codes, timeouts, logs and reports.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use adjudicate_core::{
    Steps,
    evaluate::Outcome,
    json::OwnedValue,
    owned::Validation,
    paths::{Glob, Path, Pattern, normalize},
};

use super::{
    bounds::UncollectedList,
    configuration::{OwnedConfiguration, OwnedValidator},
    observation::{OwnedObservation, OwnedValidatorRun},
    reports::{ReportText, Reports},
};

/// The results of all validators.
pub(super) struct Results {
    pub(super) validation: Validation,
    /// Logs and report files.
    pub(super) artifacts: Vec<String>,
    pub(super) reports: Reports,
    /// The files that changed while a validator ran, by its id.
    pub(super) changed: Vec<(String, OwnedValue)>,
}

/// Reads the results of the configured validators, in their order.
pub(super) fn results(
    configuration: &OwnedConfiguration,
    observation: &OwnedObservation,
    uncollected: &mut UncollectedList,
) -> Results {
    let mut results = Results {
        validation: Validation {
            mechanical_outcome: observation.interrupted.map_or(Outcome::Completed, Into::into),
            ..Validation::default()
        },
        artifacts: Vec::new(),
        reports: Reports::default(),
        changed: Vec::new(),
    };
    let mut runs = runs(observation, uncollected);
    for validator in &configuration.validators {
        match runs.remove(validator.id.as_str()) {
            Some(run) => results.add(validator, run, observation, uncollected),
            None => uncollected.add(&result_of(&validator.id), missing_reason(observation)),
        }
    }
    for id in runs.keys() {
        uncollected.add(&result_of(id), "the configuration has no validator of this id");
    }
    results
}

fn result_of(id: &str) -> String {
    format!("result of `{id}`")
}

fn missing_reason(observation: &OwnedObservation) -> &'static str {
    match observation.interrupted {
        Some(_) => "the run was interrupted before the validator ended",
        None => "the validator did not run",
    }
}

/// Returns the first run of each validator.
fn runs<'a>(
    observation: &'a OwnedObservation,
    uncollected: &mut UncollectedList,
) -> BTreeMap<&'a str, &'a OwnedValidatorRun> {
    let mut runs = BTreeMap::new();
    for run in observation.validators.iter().flatten() {
        if runs.contains_key(run.id.as_str()) {
            uncollected.add(&result_of(&run.id), "the validator has several results");
        } else {
            runs.insert(run.id.as_str(), run);
        }
    }
    runs
}

impl Results {
    fn add(
        &mut self,
        validator: &OwnedValidator,
        run: &OwnedValidatorRun,
        observation: &OwnedObservation,
        uncollected: &mut UncollectedList,
    ) {
        let is_timed_out = run.timed_out == Some(true);
        let has_result = is_timed_out || run.not_run.is_none() && run.exit_code.is_some();
        if let Some(tree) = run.tree.as_ref().filter(|_| has_result) {
            self.validation.trees.get_or_insert_default().insert(validator.id.clone(), tree.clone());
        }
        let changed: Vec<_> = run.changed.iter().flatten().cloned().collect();
        if !changed.is_empty() {
            self.changed.push((validator.id.clone(), OwnedValue::texts(changed)));
        }
        self.artifacts.extend(run.log.clone());
        for problem in run.problems.iter().flatten() {
            uncollected.add(&format!("reports of `{}`", validator.id), problem);
        }
        match (&run.not_run, run.exit_code) {
            _ if is_timed_out => self.validation.timeouts.push(validator.id.clone()),
            (Some(reason), _) => uncollected.add(&result_of(&validator.id), reason),
            (None, Some(code)) => drop(self.validation.exit_codes.insert(validator.id.clone(), code)),
            (None, None) => uncollected.add(&result_of(&validator.id), missing_reason(observation)),
        }
        let is_ended = !is_timed_out && run.not_run.is_none() && run.exit_code.is_some();
        // The harness must not pass while the step did not end: the rules take that for a contradiction.
        let counts_passed = is_ended && observation.interrupted.is_none();
        let root = observation.root.as_deref().unwrap_or_default();
        if let Some(format) = validator.output.as_deref() {
            let artifact = run.log.as_deref().unwrap_or("standard output");
            let report = ReportText {
                validator,
                name: "standard output",
                artifact,
                text: run.output.as_deref().unwrap_or_default(),
                format: Some(format),
                tree: run.tree.as_deref(),
                is_ended: counts_passed,
            };
            match &run.output {
                None if is_ended => {
                    uncollected.add(&format!("output of `{}`", validator.id), "it is missing")
                }
                None => {}
                Some(_) => self.reports.add(&report, root, uncollected),
            }
        }
        for file in run.reports.iter().flatten() {
            self.artifacts.push(file.path.clone());
            let report = ReportText {
                validator,
                name: &file.path,
                artifact: &file.path,
                text: &file.text,
                format: validator.format.as_deref(),
                tree: run.tree.as_deref(),
                is_ended: counts_passed,
            };
            self.reports.add(&report, root, uncollected);
        }
        if is_ended {
            add_missing(validator, run, uncollected);
        }
    }
}

/// Adds the patterns of reports that no report file matches.
fn add_missing(validator: &OwnedValidator, run: &OwnedValidatorRun, uncollected: &mut UncollectedList) {
    let paths: Vec<_> = run.reports.iter().flatten().map(|file| normalize(&file.path)).collect();
    for pattern in validator.reports.iter().flatten() {
        let mut steps = Steps::default();
        let glob = Pattern::new(pattern).ok().and_then(|pattern| Glob::compile(pattern, &mut steps).ok());
        let mut matches = |path: &str| {
            let glob = glob.as_ref();
            glob.is_some_and(|glob| glob.matches(&Path::split(path), &mut steps).unwrap_or(false))
        };
        if !paths.iter().any(|path| matches(path)) {
            let what = format!("reports `{pattern}` of `{}`", validator.id);
            uncollected.add(&what, "the validator wrote no such file in this run");
        }
    }
}
