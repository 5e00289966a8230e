//! A tool call as a step that a policy decides on, if only the answers of the policy are known: those of a slot.

use adjudicate_core::{
    Error, RuleCode,
    codes::Status,
    document::{self, Document},
    json::{self, Node, Nullable, OwnedValue, ReadLimits},
    owned::{DiffFile, Envelope},
    policy::RuleMode,
};

use super::{
    call::{CallVerdict, envelope},
    event::HookCall,
    listed, objection,
    place::{lacks_folder, names_in_repositories},
};

/// The field of the envelope with the call.
const CALL_FIELD: &str = "x-call";

/// The built-in rules whose evidence no call has. The end of the turn has it.
const LATER: [RuleCode; 4] =
    [RuleCode::MissingArtifact, RuleCode::HardFailure, RuleCode::Unchecked, RuleCode::Unreviewed];

/// The place of the finding about the tree that is judged, which no call has, either.
const TREE: &str = "/evidence/tree";

/// Returns the verdict on a call that names files from an unknown folder: path lists then miss them, so a human decides.
pub(super) fn of_files_without_folder(call: &HookCall) -> CallVerdict {
    let lost = call.files.iter().filter(|file| lacks_folder(&file.path, &call.folders));
    let hint = "send an absolute path, or an event that names its folder, such as `cwd`";
    let lines = listed(lost, |file| objection("the folder of a path is unknown", Some(&file.path), hint));
    match lines.is_empty() {
        true => CallVerdict::Allow,
        false => CallVerdict::Ask(lines.join("\n")),
    }
}

/// Returns the envelope of a call: its files as the diff, and the call itself as `x-call`.
pub(super) fn step(host: &str, call: &HookCall) -> Envelope {
    let files = call.files.iter().flat_map(|file| {
        let names = names_in_repositories(&file.path, &call.folders);
        names.into_iter().map(|path| DiffFile { path, ..file.clone() })
    });
    let mut envelope = envelope(files.collect());
    envelope.run_id = run_id(&call.session).to_owned();
    let text = OwnedValue::text;
    let fields = [("host", text(host)), ("tool", text(&call.tool)), ("input", call.input.clone())];
    envelope.extra.insert(CALL_FIELD.into(), OwnedValue::object(fields));
    envelope
}

/// Returns the run of a session. By the run, a slot chooses between its canary and its active composition, for all of a session.
fn run_id(session: &str) -> &str {
    if session.is_empty() { "hook" } else { session }
}

/// Returns the JSON text of an envelope at the end of a turn, for a slot that also decides on the calls of the session.
///
/// # Errors
///
/// Those of [`json::read`].
///
/// ```
/// let envelope = adjudicate_collect::hooks::in_session(r#"{"run_id": "run-1"}"#, "s1")?;
/// assert_eq!(envelope, r#"{"run_id":"s1"}"#);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn in_session(envelope: &str, session: &str) -> Result<String, Error> {
    let tape = json::read(envelope.as_bytes(), ReadLimits::DOCUMENT)?;
    let mut envelope = OwnedValue::from(tape.root());
    envelope.set(&["run_id"], OwnedValue::text(run_id(session)));
    Ok(envelope.to_text())
}

/// The answer of `evaluate`, as far as it is used here. A module may leave fields out.
#[derive(Document)]
#[document(carried, expecting = "an evaluation")]
struct StepAnswer<'a> {
    decision: StepDecision,
    #[serde(default)]
    findings: Vec<StepFinding<'a>>,
}

#[derive(Document)]
#[document(carried, expecting = "a decision")]
struct StepDecision {
    status: Status,
}

#[derive(Document)]
#[document(carried, expecting = "a finding")]
struct StepFinding<'a> {
    rule: &'a str,
    status: Status,
    summary: &'a str,
    #[serde(default)]
    evidence_ref: Nullable<&'a str>,
    actual: Option<Node<'a>>,
    resolution: StepResolution<'a>,
    #[serde(default)]
    mode: Nullable<RuleMode>,
}

#[derive(Document)]
#[document(carried, expecting = "a resolution")]
struct StepResolution<'a> {
    hint: &'a str,
}

impl StepFinding<'_> {
    /// Returns true if the finding calls for something.
    fn has_effect(&self) -> bool {
        self.mode.0 != Some(RuleMode::Monitor) && self.status != Status::Success
    }

    /// Returns true if the finding is about evidence that a call cannot have.
    fn is_for_later(&self) -> bool {
        LATER.iter().any(|rule| rule.row().name == self.rule)
            || (self.rule == RuleCode::UnknownEvidence.row().name && self.evidence_ref.0 == Some(TREE))
    }
}

/// Returns the verdict on a call by the answer to its envelope.
///
/// # Errors
///
/// Those of the answer.
pub(super) fn verdict(answer: &str) -> Result<CallVerdict, Error> {
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let StepAnswer { decision: StepDecision { status }, findings } = document::read(tape.root())?;
    let effective: Vec<_> = findings.into_iter().filter(StepFinding::has_effect).collect();
    let explained = of_statuses(effective.iter().map(|finding| finding.status), String::new());
    let counted: Vec<_> = effective.iter().filter(|finding| !finding.is_for_later()).collect();
    let lines = listed(counted.iter(), |finding| {
        let actual = finding.actual.and_then(|actual| actual.as_str());
        objection(finding.summary, actual, finding.resolution.hint)
    });
    let objected = of_statuses(counted.iter().map(|finding| finding.status), lines.join("\n"));
    // A module may decide more strictly than its findings.
    if of_statuses([status], String::new()) > explained {
        return Ok(of_statuses([status], format!("the decision is `{}`", status.as_str())).and(objected));
    }
    Ok(objected)
}

/// Returns the strictest verdict that the statuses call for.
fn of_statuses(statuses: impl IntoIterator<Item = Status>, reason: String) -> CallVerdict {
    let verdicts = statuses.into_iter().map(|status| match status {
        Status::Success => CallVerdict::Allow,
        Status::NeedsHuman => CallVerdict::Ask(reason.clone()),
        Status::Partial | Status::Blocked | Status::Unsafe => CallVerdict::Deny(reason.clone()),
    });
    verdicts.max().unwrap_or(CallVerdict::Allow)
}

#[cfg(test)]
mod tests {
    use adjudicate_core::Operation;

    use super::*;

    /// Returns the verdict of a policy on a call.
    fn by_policy(policy: &str, tool: &str, input: &str, files: &[&str]) -> CallVerdict {
        let tape = json::read(input.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let call = HookCall {
            session: "s1".into(),
            tool: tool.into(),
            input: tape.root().into(),
            files: files
                .iter()
                .map(|file| DiffFile::new(*file, adjudicate_core::evaluate::Change::Modified))
                .collect(),
            folders: Vec::new(),
            can_ask: true,
        };
        let envelope = step("claude-code", &call);
        assert_eq!(envelope.run_id, "s1");
        let policy = format!(r#"{{"policy":"p","version":"1.0.0",{policy}}}"#);
        let input = format!(r#"{{"envelope":{},"policy":{policy}}}"#, envelope.to_json());
        verdict(&Operation::Evaluate.call(input.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn a_policy_for_turns_judges_the_files_of_a_call_alone() {
        let policy = r#""required_validators":["unit"],"required_artifacts":["dist/**"],"review":"required","require_tree":true,
            "forbidden_paths":["secrets/**"],"protected_paths":["db/**"]"#;
        let of = |files: &[&str]| by_policy(policy, "Write", "{}", files);
        assert_eq!(of(&["src/a.js"]), CallVerdict::Allow);
        assert_eq!(of(&[]), CallVerdict::Allow);
        assert!(
            matches!(of(&["src/a.js", "db/1.sql"]), CallVerdict::Ask(reason) if reason.contains("`db/1.sql` is protected"))
        );
        let CallVerdict::Deny(reason) = of(&["secrets/key"]) else { panic!("it is allowed") };
        assert!(reason.contains("secrets/key") && !reason.contains("unit"), "{reason}");
        // The policy says nothing about files outside of the repository, so it asks.
        assert!(matches!(of(&["/etc/passwd"]), CallVerdict::Ask(_)));
    }

    #[test]
    fn a_rule_of_the_policy_sees_the_call() {
        let policy = r#""review":"optional","rules":[{"id":"push","then":{"status":"needs_human","summary":"a human pushes"},
            "when":{"and":[{"==":[{"var":"input.x-call.tool"},"Bash"]},{"in":["git push",{"var":"input.x-call.input.command"}]}]}}]"#;
        let of = |tool, input| by_policy(policy, tool, input, &[]);
        assert!(
            matches!(of("Bash", r#"{"command":"git push -f"}"#), CallVerdict::Ask(reason) if reason.contains("a human pushes"))
        );
        assert_eq!(of("Bash", r#"{"command":"git status"}"#), CallVerdict::Allow);
        assert_eq!(of("Read", r#"{"file_path":"a"}"#), CallVerdict::Allow);
    }

    #[test]
    fn a_decision_without_findings_counts() {
        let of = |status: &str, findings: &str| {
            verdict(&format!(r#"{{"decision":{{"status":"{status}","next_step":null}}{findings}}}"#))
        };
        assert_eq!(of("success", ""), Ok(CallVerdict::Allow));
        for (status, expected) in [
            ("needs_human", CallVerdict::Ask("the decision is `needs_human`".into())),
            ("blocked", CallVerdict::Deny("the decision is `blocked`".into())),
        ] {
            assert_eq!(of(status, ""), Ok(expected.clone()));
            assert_eq!(of(status, r#","findings":[]"#), Ok(expected));
        }
        // The findings explain less than the decision.
        let finding =
            r#"{"rule":"unreviewed","status":"needs_human","summary":"s","resolution":{"hint":"h"}}"#;
        let unexplained = CallVerdict::Deny("the decision is `unsafe`".into());
        assert_eq!(of("unsafe", &format!(r#","findings":[{finding}]"#)), Ok(unexplained));
        assert_eq!(of("needs_human", &format!(r#","findings":[{finding}]"#)), Ok(CallVerdict::Allow));
        assert!(of("odd", "").is_err() && verdict("{}").is_err());
    }
}
