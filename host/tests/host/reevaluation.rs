//! Re-evaluation: the comparison, the counts, and the cases that are left out.

use adjudicate_core::{Error, Operation, Policy};
use adjudicate_host::{
    CallObservation, ChangeReason, Composition, DecidedBy, InstallOptions, RecordRange, RecordSettings,
    Recorder, SlotSettings, Slots, Store,
    reevaluation::{
        CandidateVersion, Line, OutcomeChange, Reevaluation, ReevaluationCase, ReevaluationReport,
        SourceItem, read_line,
    },
};
use adjudicate_sandbox::{CallError, Digest, Host, HostSettings, Module};
use tempfile::TempDir;

use crate::guests::{ENVELOPE, good};

fn policy(text: &str) -> CandidateVersion {
    CandidateVersion::Policy(Box::new(Policy::parse(text.as_bytes()).unwrap()))
}

fn strict() -> CandidateVersion {
    policy(r#"{"policy":"strict","version":"2.0.0","forbidden_paths":["secret/**"]}"#)
}

fn reevaluation(after: CandidateVersion) -> Reevaluation {
    Reevaluation {
        before: None,
        unrecorded: CandidateVersion::Engine,
        after,
        threads: 2,
        samples: 3,
        expectations: Vec::new(),
        least: 1,
    }
}

fn steps(lines: &[String]) -> impl Iterator<Item = Result<SourceItem, Error>> {
    lines.iter().zip(1..).map(|(line, number)| {
        Ok(match read_line(number, line.as_bytes(), Operation::Evaluate) {
            Ok(line) => SourceItem::Line(line),
            Err(error) => SourceItem::Bad(number, error),
        })
    })
}

/// An envelope of this run that changes this file.
fn envelope(run: &str, path: &str) -> String {
    let run = serde_json::to_string(run).unwrap();
    adjudicate_tests::envelope! { steps: r#"["publish","fix","rollback"]"#, diff: r#"" M PATH\n""#, }
        .replacen(r#""run_id":"r""#, &format!(r#""run_id":{run}"#), 1)
        .replacen("PATH", path, 1)
}

fn calls(count: usize) -> Vec<String> {
    let path = |number| if number % 10 == 3 { "secret/key" } else { "src/lib.rs" };
    (0..count).map(|number| envelope(&format!("run-{number}"), path(number))).collect()
}

fn json(report: &ReevaluationReport) -> serde_json::Value {
    serde_json::to_value(report).unwrap()
}

#[test]
fn changes_are_counted_and_sampled() {
    let mut lines = calls(100);
    lines.push("{broken".to_owned());
    lines.push("[]".to_owned());
    let mut again = reevaluation(strict());
    again.expectations = vec!["success->unsafe".parse().unwrap(), "*->error".parse().unwrap()];
    let mut observed = Vec::new();
    let report = again.run(steps(&lines), |read| observed.push(read)).unwrap();
    assert_eq!(observed, [102]);
    assert_eq!(
        (report.read(), report.compared(), report.bad_lines(), report.not_replayable()),
        (102, 101, 1, 0)
    );
    let transitions: Vec<_> =
        report.transitions().map(|(from, to, count)| (from.as_str(), to.as_str(), count)).collect();
    assert_eq!(transitions, [("success", "success", 90), ("success", "unsafe", 10), ("error", "error", 1)]);
    // The policy's name is in every answer and changes no decision.
    assert_eq!(
        [OutcomeChange::Wording, OutcomeChange::Decision, OutcomeChange::Status]
            .map(|least| report.changed(least)),
        [100, 10, 10]
    );
    assert_eq!(report.expectations().collect::<Vec<_>>(), [("success->unsafe", 10), ("*->error", 0)]);
    assert!(report.is_failed());
    let moved: Vec<_> = report.moved().filter(|(_, name, ..)| *name == "policy_violation").collect();
    assert_eq!(moved, ["flag", "blocker", "finding"].map(|kind| (kind, "policy_violation", 10, 0)));
    let shown: Vec<_> =
        report.samples().iter().map(|sample| (sample.number, sample.run_id.as_deref())).collect();
    assert_eq!(shown, [(4, Some("run-3")), (14, Some("run-13")), (24, Some("run-23"))]);
    let sample = &json(&report)["samples"][0];
    assert_eq!(sample["before"]["next_step"], "publish");
    assert_eq!(sample["after"]["next_step"], "rollback");
    assert!(
        sample["appeared"][0].as_str().unwrap().starts_with("policy_violation at /evidence/"),
        "{sample}"
    );
    assert_eq!(
        report.first_bad_lines().map(|(line, code, _)| (line, code)).collect::<Vec<_>>(),
        [(101, "malformed_json")]
    );
}

#[test]
fn threads_and_chunks_make_no_difference() {
    // More than one chunk.
    let lines = calls(1500);
    let mut reports = [1, 2, 7].map(|threads| {
        let again = Reevaluation { threads, ..reevaluation(strict()) };
        json(&again.run(steps(&lines), |_| {}).unwrap())
    });
    assert_eq!(reports[0]["compared"], 1500);
    let first = reports[0].take();
    assert!(reports[1..].iter().all(|report| *report == first));
}

#[test]
fn a_policy_replaces_the_policy_of_a_call() {
    let lenient = r#"{"policy":"lenient","version":"1.0.0"}"#;
    let call = format!(r#"{{"envelope":{},"policy":{lenient},"x-note":1e0}}"#, envelope("r", "secret/key"));
    let report = reevaluation(strict()).run(steps(&[call]), |_| {}).unwrap();
    assert_eq!(
        report.transitions().map(|(from, to, _)| (from.as_str(), to.as_str())).collect::<Vec<_>>(),
        [("success", "unsafe")]
    );
    // Operations without a policy are not affected.
    let diagnostics = r#"{"diagnostics":[]}"#.to_owned();
    let step = read_line(1, diagnostics.as_bytes(), Operation::MergeDiagnostics).unwrap();
    let report = reevaluation(strict()).run([Ok(SourceItem::Line(step))].into_iter(), |_| {}).unwrap();
    assert_eq!(report.changed(OutcomeChange::Wording), 0);
}

#[test]
fn an_error_of_the_source_ends_it() {
    let error = Error::new(adjudicate_host::codes::STORE_FAULT, "gone");
    let steps =
        [Ok(SourceItem::Line(Line::Obstacle(1, adjudicate_host::reevaluation::Obstacle::InputNotKept)))];
    let steps = steps.into_iter().chain([Err(error.clone())]);
    assert_eq!(reevaluation(strict()).run(steps, |_| {}).map(drop), Err(error));
}

/// A slot with a module and records of calls.
struct Place {
    _directory: TempDir,
    store: Store,
    entry: i64,
    module: Module,
    modules: [Digest; 1],
    answer: String,
}

impl Place {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let slots = Slots::open(store.clone(), host()).unwrap();
        let bytes = good();
        let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
        let installed = slots.install(&bytes, &terms).unwrap();
        let slot = slots.create("s", SlotSettings::default(), &ChangeReason::default()).unwrap();
        let composition = Composition::new(installed.module.digest).unsigned();
        let entry = slot.activate(composition, &ChangeReason::default()).unwrap().id;
        let module = host().load(&bytes).unwrap();
        let answer = module.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap();
        Self { _directory: directory, store, entry, modules: [module.digest()], module, answer }
    }

    fn record<'a>(&'a self, settings: &'a RecordSettings, change: impl FnOnce(&mut CallObservation<'a>)) {
        let mut call = CallObservation {
            slot: "s",
            settings,
            at: 1,
            operation: Operation::Evaluate,
            input: ENVELOPE.as_bytes(),
            outcome: Ok(&self.answer),
            by: DecidedBy::Active,
            entry: self.entry,
            modules: &self.modules,
            fault: None,
            microseconds: 1,
        };
        change(&mut call);
        Recorder::new(self.store.clone()).record(&call).unwrap();
    }

    fn replay(&self, after: CandidateVersion) -> ReevaluationReport {
        let mut steps = Vec::new();
        let read = self.store.read_records("s", RecordRange::default(), |record| {
            steps.push(Ok(SourceItem::Line(ReevaluationCase::of_record(record)?)));
            Ok::<_, Error>(())
        });
        read.unwrap();
        reevaluation(after).run(steps.into_iter(), |_| {}).unwrap()
    }

    fn recorded(&self) -> CandidateVersion {
        CandidateVersion::recorded(self.store.clone(), host(), "s")
    }
}

pub(crate) fn host() -> Host {
    Host::new(HostSettings { instances: 4, ..HostSettings::default() }).unwrap()
}

#[test]
fn the_recorded_version_reproduces_every_byte() {
    let place = Place::new();
    let settings = RecordSettings::default();
    for _ in 0..20 {
        place.record(&settings, |_| {});
    }
    let error = CallError::Fault(Operation::Evaluate.call(b"{").unwrap_err());
    place.record(&settings, |call| (call.input, call.outcome) = (b"{", Err(&error)));
    let report = place.replay(place.recorded());
    assert_eq!(
        (report.compared(), report.changed(OutcomeChange::Wording), report.is_failed()),
        (21, 0, false)
    );
    // An additional space in an answer counts as a difference.
    let answer = place.answer.replacen('{', "{ ", 1);
    place.record(&settings, |call| call.outcome = Ok(&answer));
    let report = place.replay(place.recorded());
    assert_eq!(
        (report.changed(OutcomeChange::Wording), report.changed(OutcomeChange::Decision), report.is_failed()),
        (1, 0, true)
    );
    assert_eq!(report.samples().iter().map(|sample| sample.number).collect::<Vec<_>>(), [22]);
}

#[test]
fn cases_that_cannot_be_replayed_are_counted_by_reason() {
    let place = Place::new();
    let whole = RecordSettings::default();
    let parse = |text: &str| SlotSettings::parse(text.as_bytes()).unwrap().records.unwrap();
    place.record(&whole, |_| {});
    place.record(&parse(r#"{"records":{"inputs":false}}"#), |_| {});
    place.record(&parse(r#"{"records":{"redact":["/run_id"]}}"#), |_| {});
    place.record(&parse(r#"{"records":{"redact":["/decision/next_step"]}}"#), |_| {});
    let unsigned = Error::new(adjudicate_host::codes::MODULE_UNSIGNED, "the module has no signature");
    place.record(&whole, |call| (call.by, call.fault) = (DecidedBy::FailClosed, Some(&unsigned)));
    let late = Error::new(adjudicate_host::codes::MODULE_DEADLINE, "it used up its computing time");
    place.record(&whole, |call| (call.by, call.fault) = (DecidedBy::LastGood, Some(&late)));
    place.record(&whole, |call| call.entry = 999);
    place.record(&whole, |call| call.by = DecidedBy::Canary);
    let overloaded: CallError =
        Error::new(adjudicate_host::codes::HOST_OVERLOADED, "no instance was free").into();
    place.record(&whole, |call| call.outcome = Err(&overloaded));
    let obstacles = |report: &ReevaluationReport| -> Vec<(String, u64, Vec<u64>)> {
        let observed = report.obstacles();
        observed
            .map(|(obstacle, count, first)| (obstacle.as_str().to_owned(), count, first.to_vec()))
            .collect()
    };
    let report = place.replay(place.recorded());
    assert_eq!((report.read(), report.compared()), (9, 1));
    assert_eq!(
        obstacles(&report),
        [
            ("input_not_kept".to_owned(), 1, vec![2]),
            ("input_redacted".to_owned(), 1, vec![3]),
            ("answer_redacted".to_owned(), 1, vec![4]),
            ("not_loaded".to_owned(), 1, vec![5]),
            ("host_failed".to_owned(), 2, vec![6, 9]),
            ("module_missing".to_owned(), 2, vec![7, 8]),
        ]
    );
    // The part that answered then does not matter for another version.
    let report = place.replay(CandidateVersion::Module(place.module.clone()));
    assert_eq!((report.read(), report.compared()), (9, 6));
    let entry = place.store.entry("s", place.entry).unwrap();
    let report = place.replay(CandidateVersion::of_entry(&place.store, &host(), &entry).unwrap());
    assert_eq!(report.compared(), 6);
}

#[test]
fn a_line_with_a_record_must_match_its_hash() {
    let place = Place::new();
    place.record(&RecordSettings::default(), |_| {});
    let mut lines = Vec::new();
    let export = place.store.export_records("s", RecordRange::default(), |line| {
        lines.push(line.to_owned());
        Ok::<_, Error>(())
    });
    export.unwrap();
    lines.push(lines[0].replace(r#""at":1"#, r#""at":2"#));
    let report =
        reevaluation(CandidateVersion::Module(place.module.clone())).run(steps(&lines), |_| {}).unwrap();
    assert_eq!((report.compared(), report.recorded(), report.changed(OutcomeChange::Wording)), (1, 1, 0));
    assert_eq!(
        report.first_bad_lines().map(|(line, code, _)| (line, code)).collect::<Vec<_>>(),
        [(2, "broken_chain")]
    );
}
