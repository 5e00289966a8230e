//! From configuration, observation and state to the envelope: each case of `fixtures/collect` gives its expected envelope, and the engine
//! accepts it.

use adjudicate_core::{
    Operation,
    document::{self, Document, IntoOwned},
    evaluate::{Outcome, Status},
    json::{self, Node, ReadLimits},
    owned::{Envelope, Evaluation, Revision},
};
use adjudicate_evidence::collect::{
    CollectionState, Configuration, Observation, OwnedCollectionState, OwnedConfiguration,
    OwnedExternalEvidence, OwnedObservation, OwnedStoredBaseline, assemble,
};
use adjudicate_tests::{Case, CaseFile, corpus::read_cases, workspace_root};

use crate::corpus::is_blessed;

/// A case: the input of `assemble`.
pub(crate) struct CollectCase {
    pub(crate) name: String,
    pub(crate) configuration: OwnedConfiguration,
    pub(crate) observation: OwnedObservation,
    pub(crate) state: OwnedCollectionState,
}

fn read<'t, T: Document<'t> + IntoOwned<'t>>(node: Node<'t>, name: &str) -> T::Owned {
    document::read::<T>(node).expect(name).into_owned(node)
}

impl CollectCase {
    pub(crate) fn all() -> Vec<Self> {
        read_cases("collect").expect("the corpus can be read").iter().map(Self::read).collect()
    }

    pub(crate) fn named(name: &str) -> Self {
        Self::all().into_iter().find(|case| case.name == name).expect(name)
    }

    fn read(case: &Case) -> Self {
        let name = case.name.clone();
        let tape = json::read(&case.call, ReadLimits::DOCUMENT).expect("a case is JSON");
        let part = |part| tape.root().member(part);
        let observation: OwnedObservation = read::<Observation<'_>>(part("observation").expect(&name), &name);
        Self {
            configuration: read::<Configuration<'_>>(part("configuration").expect(&name), &name),
            state: part("state").map_or_else(
                || OwnedCollectionState::new(&*observation.run_id),
                |node| read::<CollectionState<'_>>(node, &name),
            ),
            observation,
            name,
        }
    }

    pub(crate) fn envelope(&self) -> Envelope {
        assemble(&self.configuration, &self.observation, &self.state)
    }
}

/// Returns the answer of the engine. `policy` is the text of a policy document.
pub(crate) fn evaluate(envelope: &Envelope, policy: &str) -> Evaluation {
    let call = format!(r#"{{"envelope": {}, "policy": {policy}}}"#, envelope.to_json());
    let answer = Operation::Evaluate.call(call.as_bytes()).expect("the engine accepts the envelope");
    Evaluation::from_json(answer.as_bytes()).expect("the answer is an evaluation")
}

fn refine(envelope: &Envelope, policy: &str) -> Revision {
    let call = format!(r#"{{"envelope": {}, "policy": {policy}}}"#, envelope.to_json());
    let answer = Operation::Refine.call(call.as_bytes()).expect("the engine accepts the envelope");
    Revision::from_json(answer.as_bytes()).expect("the answer is a revision")
}

/// The policy that `init` writes, with protected migrations.
const POLICY: &str = r#"{"policy": "p", "version": "1.0.0", "profile": "oa06.1", "review": "optional",
    "protected_paths": ["db/migrations/**"]}"#;

#[test]
fn each_case_gives_its_expected_envelope() {
    let envelope = |case: &Case| CollectCase::read(case).envelope().to_json();
    let files = CaseFile::read_folder(&workspace_root().join("fixtures/collect"));
    for mut file in files.expect("the corpus can be read") {
        if is_blessed() {
            file.bless(|_| true, envelope).expect("the expected envelopes can be written");
        }
        for case in file.cases().expect("these are cases") {
            assert_eq!(Some(envelope(&case)), case.answer, "{}", case.name);
        }
    }
}

#[test]
fn cases_lead_to_decisions() {
    for (name, status, rules) in [
        ("green-change", Status::Success, &[][..]),
        ("failing-test", Status::Partial, &["validation_failed", "validation_failed"]),
        ("untracked-migration", Status::NeedsHuman, &["approval"]),
        ("failing-lint-beside-green-tests", Status::Partial, &["validation_failed"]),
        ("timeout-with-a-report", Status::Partial, &["validation_failed", "validation_failed"]),
        ("timeout-with-a-cut-report", Status::Partial, &["validation_failed"]),
        ("missing-report", Status::NeedsHuman, &["unknown_evidence", "unknown_evidence"]),
        ("cut-report", Status::NeedsHuman, &["unknown_evidence"]),
        ("incomplete-report", Status::NeedsHuman, &["unknown_evidence"]),
        ("missing-output", Status::NeedsHuman, &["unknown_evidence"]),
        ("unknown-report", Status::NeedsHuman, &["unknown_evidence"]),
        ("git-failed", Status::NeedsHuman, &["unknown_evidence", "unknown_evidence"]),
        ("conflict", Status::NeedsHuman, &["unknown_evidence"]),
        ("killed-host", Status::Success, &[]),
        ("another-run", Status::Success, &[]),
        ("baseline", Status::Partial, &["validation_failed", "validation_failed", "tests_shrunk"]),
        (
            "baseline-with-problems",
            Status::NeedsHuman,
            &["validation_failed", "validation_failed", "tests_shrunk", "unknown_evidence"],
        ),
    ] {
        let evaluation = evaluate(&CollectCase::named(name).envelope(), POLICY);
        let found: Vec<_> = evaluation.findings.iter().map(|finding| finding.rule.as_str()).collect();
        assert_eq!((evaluation.decision.status, &found[..]), (status, rules), "{name}");
    }
}

#[test]
fn a_policy_accepts_the_failures_of_the_baseline() {
    let policy = POLICY.replace('{', r#"{"known_failures": "accept", "#);
    let evaluation = evaluate(&CollectCase::named("baseline").envelope(), &policy);
    let found: Vec<_> = evaluation.findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(found, ["tests_shrunk"]);
    let known: Vec<_> = evaluation.known_failures.iter().flatten().map(|case| case.id.as_str()).collect();
    assert_eq!(known, ["cart/pays"]);
}

#[test]
fn a_suite_with_more_cases_than_an_envelope_lists_is_compared_by_its_sum() {
    let CollectCase { configuration, mut observation, state, .. } = CollectCase::named("green-change");
    let tap = |count: usize| {
        let cases = (1..=count).map(|case| format!("ok {case} - pays {case}\n"));
        format!("1..{count}\n{}", cases.collect::<String>())
    };
    let mut configuration = configuration;
    configuration.validators.truncate(1);
    configuration.validators[0].output = Some("tap".into());
    configuration.validators[0].reports = None;
    let mut run = |count| {
        let runs = observation.validators.as_mut().expect("there are validators");
        runs.truncate(1);
        runs[0].output = Some(tap(count));
        observation.clone()
    };
    for (before, now, status, rules) in [
        (12_000, 12_000, Status::Success, &[][..]),
        (12_000, 15_000, Status::Success, &[]),
        (12_000, 11_999, Status::Partial, &["tests_shrunk"]),
        (12_000, 9_000, Status::Partial, &["tests_shrunk"]),
        (9_000, 12_000, Status::NeedsHuman, &["unknown_evidence"]),
    ] {
        let stored = OwnedStoredBaseline::new("b", "git:b", &configuration, &run(before));
        let observation = OwnedObservation { baseline: stored.ok(), ..run(now) };
        let envelope = assemble(&configuration, &observation, &state);
        let evaluation = evaluate(&envelope, POLICY);
        let found: Vec<_> = evaluation.findings.iter().map(|finding| finding.rule.as_str()).collect();
        assert_eq!((evaluation.decision.status, &found[..]), (status, rules), "{before} {now}");
    }
}

#[test]
fn an_interrupted_run_is_interrupted_and_no_contradiction() {
    for (name, status) in [("interrupted", Status::Partial), ("interrupted-twice", Status::Blocked)] {
        let evaluation = evaluate(&CollectCase::named(name).envelope(), POLICY);
        let found = evaluation.findings.iter().find(|finding| finding.rule == "interrupted").expect(name);
        assert_eq!(found.status, status, "{name}");
        assert_eq!(evaluation.decision.status, Status::NeedsHuman, "{name}");
    }
}

#[test]
fn a_failing_case_has_its_validator_and_its_command() {
    let envelope = CollectCase::named("failing-test").envelope();
    let report = envelope.evidence.harness_report.flatten().expect("there is a report");
    let failed = &report.cases.expect("it has cases")[1];
    assert_eq!((failed.id.as_str(), failed.validator.as_deref()), ("cart/pays it", Some("unit")));
    assert_eq!(failed.repro.as_deref(), Some("npx vitest src/cart.test.js -t 'cart/pays it'"));
}

/// The second failing round escalates, through the state alone.
#[test]
fn a_second_failing_round_escalates() {
    let CollectCase { configuration, observation, mut state, .. } = CollectCase::named("failing-test");
    let mut statuses = Vec::new();
    for _ in 0..2 {
        state.begin();
        let stored =
            OwnedCollectionState::from_json(state.to_json().as_bytes()).expect("a state can be read back");
        assert_eq!(stored, state);
        let mut marked = state.clone();
        marked.running = None;
        let envelope = assemble(&configuration, &observation, &marked);
        let evaluation = evaluate(&envelope, POLICY);
        let revision = refine(&envelope, POLICY);
        statuses.push(evaluation.decision.status);
        state.take(envelope, &evaluation, &revision);
    }
    assert_eq!(statuses, [Status::Partial, Status::NeedsHuman]);
    assert_eq!((state.evaluations(), state.running), (2, None));
}

/// A killed host spends what the collection would have spent: it is an attempt of the run.
#[test]
fn a_killed_host_is_an_attempt() {
    let envelope = CollectCase::named("killed-host").envelope();
    let outcomes: Vec<_> = envelope.provenance_window.iter().map(|entry| entry.outcome).collect();
    assert!(outcomes.contains(&Some(Outcome::KilledTimeout)), "{outcomes:?}");
    let envelope = CollectCase::named("another-run").envelope();
    assert_eq!(envelope.evaluate_history, Some(vec![]));
    assert_eq!(envelope.provenance_window.len(), 1);
}

#[test]
fn configurations_are_checked() {
    let with = |fields: &str| {
        let text = format!(r#"{{"workflow": "w", "next_steps": [], {fields}}}"#);
        OwnedConfiguration::from_json(text.as_bytes()).map(drop).map_err(|error| error.path().to_owned())
    };
    let validator = |fields: &str| with(&format!(r#""validators": [{{{fields}}}]"#));
    assert_eq!(validator(r#""id": "unit-1", "run": "x", "timeout_seconds": 86400"#), Ok(()));
    for (fields, path) in [
        (r#""id": "../unit", "run": "x""#, "/validators/0/id"),
        (r#""id": ".", "run": "x""#, "/validators/0/id"),
        (r#""id": "a", "run": " ""#, "/validators/0/run"),
        (r#""id": "a", "run": []"#, "/validators/0/run"),
        (r#""id": "a", "run": "x", "timeout_seconds": 0"#, "/validators/0/timeout_seconds"),
        (r#""id": "a", "run": "x", "timeout_seconds": 86401"#, "/validators/0/timeout_seconds"),
        (r#""id": "a", "run": "x", "format": "junti""#, "/validators/0/format"),
        (r#""id": "a", "run": "x", "output": 3"#, "/validators/0/output"),
        (r#""id": "a", "run": "x", "reports": ["{"]"#, "/validators/0/reports/0"),
    ] {
        assert_eq!(validator(fields), Err(path.into()), "{fields}");
    }
    for (fields, expected) in [
        (r#"{}"#, Ok(())),
        (r#"{"setup": ["npm", "ci"], "timeout_seconds": 60}"#, Ok(())),
        (r#"{"setup": ""}"#, Err("/baseline/setup")),
        (r#"{"timeout_seconds": 0}"#, Err("/baseline/timeout_seconds")),
        ("true", Err("/baseline")),
    ] {
        let found = with(&format!(r#""validators": [], "baseline": {fields}"#));
        assert_eq!(found, expected.map_err(str::to_owned), "{fields}");
    }
    let twice = r#""validators": [{"id": "a", "run": "x"}, {"id": "a", "run": "y"}]"#;
    assert_eq!(with(twice), Err("/validators/1/id".into()));
}

#[test]
fn external_evidence_is_checked() {
    let found = |text: &str| {
        OwnedExternalEvidence::parse(text.as_bytes()).map(drop).map_err(|error| {
            let paths: Vec<_> = error.all().map(|error| error.path().to_owned()).collect();
            (error.code().as_str(), paths.join(" "))
        })
    };
    for text in [
        "{}",
        r#"{"$schema": 1, "x-ci": null, "approvals": {"required": [], "granted": [], "x-by": 1}, "policy_events": []}"#,
        // A report of coverage goes to another place, `evidence.x-coverage`.
        r#"{"x-coverage": {"lines": 80}, "x-collect": {}}"#,
        r#"{"evidence": {}}"#,
        r#"{"evidence": {"x-deploy": {"tree": 1}, "x-goal": 1}}"#,
    ] {
        assert_eq!(found(text), Ok(()), "{text}");
    }
    for (text, code, paths) in [
        ("", "malformed_json", ""),
        ("{} {}", "malformed_json", ""),
        ("[]", "invalid_value", ""),
        ("null", "invalid_value", ""),
        (r#"{"x-a": 1, "x-a": 2}"#, "duplicate_key", "/x-a"),
        (
            r#"{"approvals": {"required": [], "granted": [], "granted": []}}"#,
            "duplicate_key",
            "/approvals/granted",
        ),
        (r#"{"approvals": null}"#, "invalid_value", "/approvals"),
        (r#"{"approvals": ["a"]}"#, "invalid_value", "/approvals"),
        (r#"{"approvals": {"granted": ["a"]}}"#, "missing_field", "/approvals/required"),
        (
            r#"{"approvals": {"required": [], "granted": [1], "by": ""}}"#,
            "invalid_value",
            "/approvals/granted/0 /approvals/by",
        ),
        (r#"{"policy_events": {"warning": 1}}"#, "invalid_value", "/policy_events"),
        (
            r#"{"evidence": {"tree": "a", "approvals": {}}, "validation": {}, "run_id": ""}"#,
            "unknown_field",
            "/evidence/tree /evidence/approvals /validation /run_id",
        ),
        (r#"{"evidence": null}"#, "invalid_value", "/evidence"),
        (r#"{"evidence": {"x-coverage": {"lines": 100}}}"#, "invalid_value", "/evidence/x-coverage"),
        (r#"{"evidence": {"x-collect": {}}}"#, "invalid_value", "/evidence/x-collect"),
        (r#"{"x-goal": {"minutes": 1}}"#, "invalid_value", "/x-goal"),
    ] {
        assert_eq!(found(text), Err((code, paths.into())), "{text}");
    }
    let message =
        |text: &str| OwnedExternalEvidence::parse(text.as_bytes()).unwrap_err().message().to_owned();
    assert!(message(r#"{"exit_codes": {}}"#).ends_with("`evidence` and fields whose names begin with `x-`"));
    assert!(
        message(r#"{"evidence": {"tree": "a"}}"#)
            .ends_with("so `evidence` of this document has only fields whose names begin with `x-`")
    );
    assert_eq!(message(r#"{"approval": {}}"#), "unknown field `approval`, did you mean `approvals`?");
    assert_eq!(message(r#"{"approvals": {"required": [], "granted": [], "by": ""}}"#), "unknown field `by`");
}
