//! The verdict on a turn of the past.

use std::path::{Path, PathBuf};

use adjudicate_core::{
    Error, Operation,
    codes::Status,
    owned::{Diff, Evaluation},
};
use adjudicate_evidence::collect::{
    OwnedConfiguration, OwnedObservation, OwnedState, OwnedValidatorRun, OwnedWorkspace, assemble,
};

use super::turn::{Turn, TurnStop};
use crate::hooks::Rules;

/// The verdict of the policy at the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The agent would have had to continue.
    Held,
    /// A human would have been called.
    NeedsHuman,
    /// Nothing known objects, but evidence is unknown.
    Unknown,
    /// The turn would have ended.
    Released,
    /// The transcript does not have the end of the turn.
    Unjudged,
}

/// A finding about a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnFinding {
    /// The rule.
    pub rule: String,
    /// The path or the id at fault.
    pub item: String,
}

/// The decision on a turn.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// The findings that count.
    pub findings: Vec<TurnFinding>,
}

/// Judges turns by one policy.
pub struct Judge<'a> {
    pub(super) rules: Rules<'a>,
    configuration: OwnedConfiguration,
    policy: &'a str,
    /// The validators: the id, the command and the folder below the root.
    pub(super) commands: Vec<(String, String, String)>,
    absent: Vec<String>,
}

impl<'a> Judge<'a> {
    /// `policy` is the JSON text of a policy that was checked, and `guardrails` that of a list of guardrails. Sessions in other folders than
    /// `root` have a root of their own.
    #[must_use]
    pub fn new(
        root: &'a Path,
        configuration: &OwnedConfiguration,
        policy: &'a str,
        guardrails: Option<&'a str>,
    ) -> Self {
        let mut configuration = configuration.clone();
        let mut absent = Vec::new();
        for validator in &mut configuration.validators {
            // No report is in a transcript, so none can be missing.
            let reports = validator.reports.take().is_some_and(|reports| !reports.is_empty());
            if validator.output.take().is_some() || reports {
                absent.push(format!("reports of `{}`", validator.id));
            }
        }
        let has_artifacts =
            configuration.required_artifacts.take().is_some_and(|artifacts| !artifacts.is_empty());
        for (is_absent, name) in [
            (has_artifacts, "artifacts"),
            (configuration.review.is_some(), "review"),
            (configuration.claims.is_some(), "claims"),
            (configuration.baseline.is_some(), "baseline"),
        ] {
            absent.extend(is_absent.then(|| name.to_owned()));
        }
        let commands = configuration.validators.iter().map(|validator| {
            let folder = validator.folder.clone().unwrap_or_default();
            (validator.id.clone(), validator.command().to_line(), folder)
        });
        Self {
            rules: Rules { root, policy: Some(policy), guardrails, own_paths: &[], own_outside: &[] },
            commands: commands.collect(),
            configuration,
            policy,
            absent,
        }
    }

    /// Returns the evidence that the configuration names, and that no transcript has.
    #[must_use]
    pub fn absent(&self) -> &[String] {
        &self.absent
    }

    /// Returns the root of a session in a folder.
    pub(super) fn root_of(&self, folder: &Path) -> PathBuf {
        if folder.starts_with(self.rules.root) { self.rules.root.to_owned() } else { folder.to_owned() }
    }

    /// Judges a turn.
    ///
    /// # Errors
    ///
    /// Those of `evaluate`.
    pub fn judge(&self, turn: &Turn) -> Result<Judged, Error> {
        let is_unknown = turn.unknown.is_any();
        let open = if is_unknown { Verdict::Unknown } else { Verdict::Released };
        let judged = |verdict| Ok(Judged { verdict, findings: Vec::new() });
        match turn.stop {
            TurnStop::Ended if turn.files.is_empty() => return judged(open),
            TurnStop::Ended => {}
            TurnStop::Aborted | TurnStop::Cut => return judged(Verdict::Unjudged),
        }
        let envelope = self.envelope(turn);
        let input = format!(r#"{{"envelope":{},"policy":{}}}"#, envelope.to_json(), self.policy);
        let answer = Evaluation::from_json(Operation::Evaluate.call(input.as_bytes())?.as_bytes())?;
        let verdict = match answer.decision.status {
            Status::Success if self.absent.is_empty() => open,
            Status::Success => Verdict::Unknown,
            Status::Partial => Verdict::Held,
            Status::NeedsHuman | Status::Blocked | Status::Unsafe => Verdict::NeedsHuman,
        };
        let counted = answer.findings.iter().filter(|finding| finding.mode.is_none());
        let findings = counted.map(|finding| {
            let actual = finding.actual.as_ref().and_then(|actual| actual.as_str());
            let path = actual.filter(|actual| turn.files.contains_key(*actual));
            let place = finding.evidence_ref.as_deref().and_then(|place| place.rsplit('/').next());
            let place = place.unwrap_or_default();
            let item = path.map_or_else(|| place.replace("~1", "/").replace("~0", "~"), ToOwned::to_owned);
            TurnFinding { rule: finding.rule.clone(), item }
        });
        Ok(Judged { verdict, findings: findings.collect() })
    }

    fn envelope(&self, turn: &Turn) -> adjudicate_core::owned::Envelope {
        let tree = |edits: u64| Some(format!("edits:{edits}"));
        let runs = turn.runs.iter().map(|(id, end)| OwnedValidatorRun {
            id: id.clone(),
            exit_code: end.exit_code,
            not_run: end.exit_code.is_none().then(|| "the transcript does not have its exit code".into()),
            tree: tree(end.edits),
            ..OwnedValidatorRun::default()
        });
        let observation = OwnedObservation {
            run_id: turn.session.clone().unwrap_or_else(|| "backtest".into()),
            workspace: OwnedWorkspace {
                raw: Some(String::new()),
                status: Some(String::new()),
                tree: tree(turn.edits),
                ..OwnedWorkspace::default()
            },
            validators: Some(runs.collect()),
            ..OwnedObservation::default()
        };
        let state = OwnedState::new(observation.run_id.clone());
        let mut envelope = assemble(&self.configuration, &observation, &state);
        let files = turn.files.values().cloned().collect();
        envelope.evidence.diff = Some(Diff { files, extra: Default::default() });
        envelope
    }
}
