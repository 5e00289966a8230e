//! Properties of all observations: the engine accepts the envelope, nothing is missing silently, and the decision is never better than the
//! evidence.

use adjudicate_core::evaluate::Status;
use adjudicate_evidence::{
    Format,
    collect::{
        Interruption, OwnedCollectionState, OwnedConfiguration, OwnedMissingEvidence, OwnedObservation,
        OwnedReportFile, OwnedStoredBaseline, OwnedValidatorRun, OwnedWorkspace, assemble,
    },
    detect, read,
};
use proptest::{prelude::*, sample::Index};

use super::{collect::evaluate, corpus::Report};

const POLICY: &str =
    r#"{"policy": "p", "version": "1.0.0", "profile": "oa06.1", "forbidden_paths": ["*.pem"]}"#;

/// Three validators: one with report files, one whose standard output is a report, and one without a report.
fn configuration() -> OwnedConfiguration {
    let text = br#"{"workflow": "w", "next_steps": [{"id": "merge", "role": "forward"}, {"id": "fix", "role": "fix"}], "validators": [
        {"id": "files", "run": "a", "reports": ["out/*"]}, {"id": "output", "run": "b", "output": "tap"}, {"id": "exit", "run": "c"}
    ]}"#;
    OwnedConfiguration::from_json(text).expect("the configuration is valid")
}

fn git_text() -> impl Strategy<Value = Option<String>> {
    let object = "1".repeat(40);
    let pieces = [
        format!(":100644 100644 {object} {object} M\0a.rs\0"),
        format!(":100644 000000 {object} {object} D\0gone.rs\0"),
        format!(":100644 100644 {object} {object} R100\0old.rs\0new.rs\0"),
        format!(":000000 160000 {object} {object} A\0lib\0"),
        "1\t2\ta.rs\0".into(),
        "-\t-\tgone.rs\0".into(),
        "? a.rs\0".into(),
        "? key.pem\0".into(),
        format!("1 R. N... 100644 100644 100644 {object} {object} a.rs\0"),
        format!("u UU N... 100644 100644 100644 100644 {object} {object} {object} a.rs\0"),
        "# branch.head main\0".into(),
        "\0".into(),
        "a b\0".into(),
        "fatal: bad revision".into(),
    ];
    // Each output mostly has entries of one format.
    let run = (0..4_usize, prop::collection::vec(any::<Index>(), 0..4)).prop_map(move |(part, picks)| {
        let range = [0..4, 4..6, 6..11, 0..pieces.len()][part].clone();
        picks.iter().map(|pick| pieces[range.clone()][pick.index(range.len())].as_str()).collect::<String>()
    });
    prop_oneof![12 => run.prop_map(Some), 1 => Just(None)]
}

fn workspace() -> impl Strategy<Value = OwnedWorkspace> {
    (git_text(), git_text(), git_text(), prop::bool::weighted(0.05)).prop_map(
        |(raw, numstat, status, failed)| {
            let uncollected = failed.then(|| "git failed".to_owned());
            OwnedWorkspace { raw, numstat, status, uncollected, ..OwnedWorkspace::default() }
        },
    )
}

/// A report of the corpus, whole or cut.
fn report_text() -> impl Strategy<Value = String> {
    (any::<Index>(), prop::option::weighted(0.3, any::<Index>())).prop_map(|(report, cut)| {
        let reports = Report::all();
        let text = String::from_utf8_lossy(&report.get(&reports).text).into_owned();
        match cut {
            None => text,
            Some(cut) => text.chars().take(cut.index(text.len() + 1)).collect(),
        }
    })
}

fn report() -> impl Strategy<Value = OwnedReportFile> {
    let path = prop::sample::select(vec!["out/a.xml", "out/b", "elsewhere.tap"]);
    (path, prop_oneof![report_text(), Just("1..1\nok 1 - a\n".to_owned())])
        .prop_map(|(path, text)| OwnedReportFile { path: path.into(), text, extra: Default::default() })
}

fn run() -> impl Strategy<Value = OwnedValidatorRun> {
    let id = prop::sample::select(vec!["files", "output", "exit", "unknown"]);
    let exit_code = prop_oneof![6 => Just(Some(0)), 2 => Just(Some(1)), 1 => Just(None)];
    let output =
        prop_oneof![Just(Some("1..1\nok 1 - b\n".to_owned())), Just(None), report_text().prop_map(Some)];
    let end =
        (exit_code, prop::bool::weighted(0.1), prop::option::weighted(0.05, Just("no shell".to_owned())));
    (id, end, output, prop::collection::vec(report(), 0..3), prop::bool::ANY).prop_map(
        |(id, (exit_code, timed_out, not_run), output, reports, has_log)| OwnedValidatorRun {
            id: id.into(),
            exit_code,
            timed_out: timed_out.then_some(true),
            not_run,
            log: has_log.then(|| format!("logs/{id}.log")),
            output,
            reports: Some(reports),
            ..OwnedValidatorRun::default()
        },
    )
}

fn observation() -> impl Strategy<Value = OwnedObservation> {
    let interrupted = prop::option::weighted(
        0.1,
        prop::sample::select(vec![Interruption::KilledTimeout, Interruption::Error]),
    );
    let missing = prop::collection::vec(("[a-z\u{0}]{0,3}", "[a-z\u{0}]{0,3}"), 0..2);
    let claims = prop::option::of(prop::sample::select(vec!["claims: tests_passed", "{", ""]));
    (workspace(), prop::collection::vec(run(), 0..5), interrupted, missing, claims).prop_map(
        |(workspace, validators, interrupted, missing, claims)| OwnedObservation {
            run_id: "r".into(),
            workspace,
            validators: Some(validators),
            interrupted,
            uncollected: Some(
                missing
                    .into_iter()
                    .map(|(what, reason)| OwnedMissingEvidence { what, reason, extra: Default::default() })
                    .collect(),
            ),
            claims: claims.map(Into::into),
            ..OwnedObservation::default()
        },
    )
}

/// Returns the first part of the evidence that is missing, by an independent reading of the observation. A report of a validator that timed
/// out may be missing, because the timeout is a failure.
fn missing_part(observation: &OwnedObservation) -> Option<String> {
    let workspace = &observation.workspace;
    if workspace.uncollected.is_some() || workspace.raw.is_none() || workspace.status.is_none() {
        return Some("workspace".into());
    }
    if observation.uncollected.iter().flatten().next().is_some() {
        return Some("the host's own item".into());
    }
    let runs = observation.validators.as_deref().unwrap_or_default();
    for id in ["files", "output", "exit"] {
        let mut of_id = runs.iter().filter(|run| run.id == id);
        let Some(run) = of_id.next() else { return Some(format!("{id} did not run")) };
        if of_id.next().is_some() {
            return Some(format!("{id} ran twice"));
        }
        if run.timed_out == Some(true) {
            continue;
        }
        if run.not_run.is_some() || run.exit_code.is_none() {
            return Some(format!("{id} has no result"));
        }
        let reports = run.reports.as_deref().unwrap_or_default();
        if id == "files" && !reports.iter().any(|report| report.path.starts_with("out/")) {
            return Some("no report".into());
        }
        if observation.interrupted.is_some() {
            continue;
        }
        let is_complete = |format: Format, text: &str| {
            read(format, text.as_bytes()).is_ok_and(|it| it.incomplete().is_none())
        };
        for report in reports {
            let format = detect(&report.path, report.text.as_bytes());
            if !format.is_some_and(|format| is_complete(format, &report.text)) {
                return Some(format!("report {}", report.path));
            }
        }
        if id == "output" && !run.output.as_deref().is_some_and(|text| is_complete(Format::Tap, text)) {
            return Some("output".into());
        }
    }
    runs.iter().any(|run| run.id == "unknown").then(|| "an unknown validator".into())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_observation_is_better_than_its_evidence(observation in observation()) {
        let envelope = assemble(&configuration(), &observation, &OwnedCollectionState::new("r"));
        let evaluation = evaluate(&envelope, POLICY);
        let status = evaluation.decision.status;
        if let Some(part) = missing_part(&observation) {
            let items = envelope.evidence.uncollected.as_deref().unwrap_or_default();
            prop_assert!(!items.is_empty(), "{part}");
            prop_assert!(status != Status::Success, "{part}");
        }
        let validation = &envelope.evidence.validation;
        for id in ["files", "output", "exit"] {
            let is_passed = validation.exit_codes.get(id) == Some(&0) && !validation.timeouts.iter().any(|late| late == id);
            prop_assert!(is_passed || status != Status::Success, "{id}");
        }
        prop_assert!(observation.interrupted.is_none() || status != Status::Success);
        // An untracked file is never missing in the diff.
        let workspace = &observation.workspace;
        if workspace.status.as_deref().is_some_and(|text| text.contains("? key.pem\0")) {
            let is_opaque = envelope.evidence.diff.is_none() && envelope.evidence.uncollected.is_some();
            prop_assert!(is_opaque || status == Status::Unsafe);
        }
    }

    #[test]
    fn the_same_observation_gives_the_same_envelope(observation in observation()) {
        let written = OwnedObservation::from_json(observation.to_json().as_bytes()).expect("it can be read back");
        prop_assert_eq!(&written, &observation);
        let assembled = || assemble(&configuration(), &observation, &OwnedCollectionState::new("r")).to_json();
        prop_assert_eq!(assembled(), assembled());
    }
}

/// The largest reports still make an envelope that the engine accepts, and no failure is lost in silence.
#[test]
fn large_reports_make_a_valid_envelope() {
    let failing = |count: usize, name: &str| {
        let cases = (1..=count).map(|case| format!("not ok {case} - {}{case}\n", name.repeat(100)));
        format!("1..{count}\n{}", cases.collect::<String>())
    };
    let passing: String = std::iter::once("1..50000\n".into())
        .chain((1..=50_000).map(|case| format!("ok {case} - p{case}\n")))
        .collect();
    let files: String = (0..60_000).map(|file| format!("? a/long/path/to/a/file/{file}\0")).collect();
    for (text, files, is_complete) in [
        (passing.clone(), "", true),
        (failing(30_000, "\\\""), "", false),
        (failing(50, "x"), &*files, false),
        (failing(9_000, "y"), "", true),
    ] {
        let run = |id: &str| OwnedValidatorRun {
            id: id.into(),
            exit_code: Some(0),
            output: Some(text.clone()),
            reports: Some(vec![OwnedReportFile {
                path: "out/a.tap".into(),
                text: "1..1\nok 1\n".into(),
                extra: Default::default(),
            }]),
            ..OwnedValidatorRun::default()
        };
        let observation = OwnedObservation {
            run_id: "r".into(),
            workspace: OwnedWorkspace {
                raw: Some("".into()),
                status: Some(files.into()),
                ..Default::default()
            },
            validators: Some(["files", "output", "exit"].map(run).into()),
            ..OwnedObservation::default()
        };
        let baseline = OwnedStoredBaseline::new("b", "git:b", &configuration(), &observation);
        let observation = OwnedObservation { baseline: baseline.ok(), ..observation };
        let envelope = assemble(&configuration(), &observation, &OwnedCollectionState::new("r"));
        assert!(evaluate(&envelope, POLICY).findings.len() < 20_000);
        assert_eq!(envelope.evidence.uncollected.is_none(), is_complete);
        let cases =
            envelope.evidence.harness_report.flatten().and_then(|report| report.cases).unwrap_or_default();
        assert!(cases.iter().any(|case| case.validator.as_deref() == Some("output")));
        // Cases that are left out are not compared.
        let compared = envelope.evidence.baseline.expect("there is a baseline").cases.unwrap_or_default();
        assert!(compared.is_empty() || compared.len() == cases.len());
    }
}
