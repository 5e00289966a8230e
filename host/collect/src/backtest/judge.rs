//! The verdict on a turn of the past.

use std::path::{Path, PathBuf};

use adjudicate_core::{
    Error, Operation,
    codes::Status,
    json::OwnedValue,
    owned::{Diff, Envelope, Evaluation, Finding},
};
use adjudicate_evidence::collect::{
    OwnedCollectionState, OwnedConfiguration, OwnedObservation, OwnedValidatorRun, OwnedWorkspace, assemble,
};

use super::{
    StopCause, TranscriptTurn, TurnStop,
    command::{self, Share},
};
use crate::hooks::{CallVerdict, HookCall, Rules, judge_call, other_worktree, place::PathResolver, resolved};

/// The verdict of the policy at the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PastVerdict {
    /// The agent would have had to continue.
    Held,
    /// A human would have been called.
    NeedsHuman,
    /// Nothing known objects, but evidence is missing.
    Unknown,
    /// The turn would have ended.
    Released,
    /// No hook ran, or the transcript does not have the end of the turn.
    Unjudged,
}

impl PastVerdict {
    /// All verdicts.
    pub const ALL: [Self; 5] = [Self::Held, Self::NeedsHuman, Self::Unknown, Self::Released, Self::Unjudged];

    /// Returns the word of a report.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::NeedsHuman => "needs_human",
            Self::Unknown => "unknown",
            Self::Released => "released",
            Self::Unjudged => "unjudged",
        }
    }
}

/// Judges turns by one policy.
pub struct Judge<'a> {
    rules: Rules<'a>,
    configuration: OwnedConfiguration,
    /// The validators: the id, the command and the folder below the root.
    commands: Vec<(String, String, String)>,
    not_recorded: Vec<String>,
}

impl<'a> Judge<'a> {
    /// `rules` are those of the hook. Sessions in other folders than their root have a root of their own.
    ///
    /// # Errors
    ///
    /// Those of [`Rules::check`].
    pub fn new(rules: Rules<'a>, configuration: &OwnedConfiguration) -> Result<Self, Error> {
        rules.check()?;
        let mut configuration = configuration.clone();
        let mut not_recorded = Vec::new();
        for validator in &mut configuration.validators {
            // No report is in a transcript, so none can be missing.
            let reports = validator.reports.take().is_some_and(|reports| !reports.is_empty());
            if validator.output.take().is_some() || reports {
                not_recorded.push(format!("reports of `{}`", validator.id));
            }
        }
        let artifacts = configuration.required_artifacts.take().unwrap_or_default();
        for (is_configured, name) in [
            (!artifacts.is_empty(), "artifacts"),
            (configuration.review.is_some(), "review"),
            (configuration.claims.is_some(), "claims"),
            (configuration.baseline.is_some(), "baseline"),
        ] {
            not_recorded.extend(is_configured.then(|| name.to_owned()));
        }
        let commands = configuration.validators.iter().map(|validator| {
            let folder = validator.folder.clone().unwrap_or_default();
            (validator.id.clone(), validator.command().to_line(), folder)
        });
        Ok(Self { rules, commands: commands.collect(), configuration, not_recorded })
    }

    /// Returns the evidence that the configuration names, and that no transcript has.
    #[must_use]
    pub fn not_recorded(&self) -> &[String] {
        &self.not_recorded
    }

    /// Returns the root of the repository.
    pub(super) const fn root(&self) -> &Path {
        self.rules.root
    }

    /// Returns the root of a session in a folder, and true if it is a working tree of the repository.
    pub(super) fn root_of(&self, folder: &Path) -> (PathBuf, bool) {
        let (root, folder) = (self.rules.root, resolved(folder));
        match other_worktree(root, &folder) {
            Some(other) => (other, true),
            None if folder.starts_with(root) => (root.to_owned(), true),
            None => (folder, false),
        }
    }

    /// Returns the validators that a command runs, by id.
    pub(super) fn validators(&self, command: &str, start: &Path, root: &Path) -> Vec<(String, Share)> {
        let shares = self.commands.iter().filter_map(|(id, line, folder)| {
            Some((id.clone(), command::share(command, start, line, &root.join(folder))?))
        });
        shares.collect()
    }

    /// Returns the causes for which the hook would have refused a call: the files, if `names_files`, or else `fallback`, the command or
    /// the tool.
    pub(super) fn refusals(
        &self,
        root: &Path,
        call: Result<HookCall, Error>,
        fallback: &str,
        names_files: bool,
        line: u64,
    ) -> Vec<StopCause> {
        let rules = Rules { root, ..self.rules };
        // A call that cannot be judged must not run.
        let judged = |rules: &Rules<'_>, call: &HookCall| match judge_call(rules, call) {
            Ok(CallVerdict::Allow) => None,
            Ok(CallVerdict::Ask(_)) if call.can_ask => Some("ask"),
            _ => Some("deny"),
        };
        let cause = |rule: &str, item| StopCause { rule: rule.into(), item, line };
        let Ok(call) = call else { return vec![cause("deny", fallback.into())] };
        let Some(rule) = judged(&rules, &call) else { return Vec::new() };
        let resolver = PathResolver::new(root, &call.folders);
        let alone = |files| HookCall { input: OwnedValue::object([]), files, ..call.clone() };
        let by_paths = Rules { guardrails: None, ..rules };
        let files = call.files.iter().filter(|_| names_files);
        let at_fault = files.filter(|file| judged(&by_paths, &alone(vec![(*file).clone()])) == Some(rule));
        let mut causes: Vec<_> = at_fault
            .map(|file| resolver.names(&file.path).inside.into_iter().next().unwrap_or(file.path.clone()))
            .map(|item| cause(rule, item))
            .collect();
        let by_guardrails = judged(&rules, &HookCall { files: Vec::new(), ..call.clone() });
        if causes.is_empty() || by_guardrails == Some(rule) {
            causes.insert(0, cause(rule, fallback.into()));
        }
        causes
    }

    /// Judges a turn. The causes are those of its calls, and the findings at its end.
    ///
    /// # Errors
    ///
    /// Those of `evaluate`.
    pub fn judge(&self, turn: &TranscriptTurn) -> Result<(PastVerdict, Vec<StopCause>), Error> {
        let mut causes = turn.refused.clone();
        let is_known = turn.missing.is_empty();
        let open = if is_known { PastVerdict::Released } else { PastVerdict::Unknown };
        if turn.stop != TurnStop::Ended {
            return Ok((PastVerdict::Unjudged, causes));
        }
        // A hook does not judge work without a change.
        if turn.files.is_empty() {
            return Ok((open, causes));
        }
        let policy = self.rules.policy.map_or_else(String::new, |policy| format!(r#","policy":{policy}"#));
        let input = format!(r#"{{"envelope":{}{policy}}}"#, self.envelope(turn).to_json());
        let answer = Evaluation::from_json(Operation::Evaluate.call(input.as_bytes())?.as_bytes())?;
        let findings = answer.findings.iter().filter(|finding| finding.mode.is_none());
        causes.extend(findings.map(|finding| cause(finding, turn)));
        let verdict = match answer.decision.status {
            Status::Success if self.not_recorded.is_empty() => open,
            Status::Success => PastVerdict::Unknown,
            Status::Partial => PastVerdict::Held,
            Status::NeedsHuman | Status::Blocked | Status::Unsafe => PastVerdict::NeedsHuman,
        };
        Ok((verdict, causes))
    }

    fn envelope(&self, turn: &TranscriptTurn) -> Envelope {
        let tree = |is_current: bool| Some(if is_current { "end" } else { "before" }.to_owned());
        let runs = turn.runs.iter().map(|(id, run)| OwnedValidatorRun {
            id: id.clone(),
            exit_code: run.exit_code,
            not_run: run.exit_code.is_none().then(|| "the transcript does not have its exit code".into()),
            // The hook keeps the log of each run, which a fix needs.
            log: Some(format!(".adjudicate/logs/{id}.log")),
            tree: tree(run.call > turn.last_edit),
            ..OwnedValidatorRun::default()
        });
        let observation = OwnedObservation {
            run_id: turn.session.clone().unwrap_or_else(|| "backtest".into()),
            workspace: OwnedWorkspace {
                raw: Some(String::new()),
                status: Some(String::new()),
                tree: tree(true),
                ..OwnedWorkspace::default()
            },
            validators: Some(runs.collect()),
            ..OwnedObservation::default()
        };
        let state = OwnedCollectionState::new(observation.run_id.clone());
        let mut envelope = assemble(&self.configuration, &observation, &state);
        let files = turn.files.values().cloned().collect();
        envelope.evidence.diff = Some(Diff { files, extra: Default::default() });
        envelope
    }
}

/// Returns the cause in a finding: the changed file that it is about, or else the name of its evidence. An item of a list has only a number
/// in its place, and is what the finding expects.
fn cause(finding: &Finding, turn: &TranscriptTurn) -> StopCause {
    let place = finding.evidence_ref.as_deref().unwrap_or_default();
    let file =
        place.strip_prefix("/evidence/diff/files/").and_then(|file| file.split('/').next()?.parse().ok());
    let item = file.and_then(|index| turn.files.keys().nth(index).cloned()).unwrap_or_else(|| {
        let name = place.rsplit('/').next().unwrap_or_default();
        let expected = finding.expected.as_ref().and_then(OwnedValue::as_str);
        match expected.filter(|_| name.parse::<usize>().is_ok()) {
            Some(expected) => expected.to_owned(),
            None => name.replace("~1", "/").replace("~0", "~"),
        }
    });
    StopCause { rule: finding.rule.clone(), item, line: turn.line }
}
