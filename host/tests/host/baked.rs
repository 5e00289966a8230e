//! Modules in a slot: baked policies, modules with tests of their own, and envelopes of realistic sizes.

use adjudicate_core::{
    Operation, Policy,
    evaluate::{AnswerText, ComposedCall, CompositionMember},
};
use adjudicate_host::{
    ChangeReason, Composition, DecidedBy, InstallOptions, SlotSettings, Slots, Store, codes,
};
use adjudicate_sandbox::{Digest, ModuleLabel};

use crate::{
    engines::{engine, host},
    guests::{ENVELOPE, Parts, with_tests},
    slots::{Bed, alone, bed},
};

/// A policy with routes of its own.
const POLICY: &str = r#"{"policy": "house", "version": "1.2.0", "forbidden_paths": ["infra/**"],
    "routes": {"rollback": ["clear-*"], "forward": ["publish"]}}"#;

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_composition_is_routed_by_the_policy_of_its_base() {
    let steps = r#"["fix", "clear-all", "publish"]"#;
    let envelope = ENVELOPE.replace(r#"["publish","fix"]"#, steps);
    let baked = host(&[]).bake(engine(), POLICY.as_bytes(), &ModuleLabel::default()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store")).unwrap();
    let bed = Bed { slots: Slots::open(store, host(&[])).unwrap(), directory };
    // The restriction finds it unsafe.
    let strict = Policy::parse(br#"{"policy":"strict","version":"1.0.0","forbidden_paths":["**"]}"#).unwrap();
    let changed = envelope.replace(r#""workspace_diff_summary":"""#, r#""workspace_diff_summary":" M a\n""#);
    let verdict = Operation::Evaluate.call_with(changed.as_bytes(), Some(&strict)).unwrap();
    assert!(verdict.contains(r#""status":"unsafe""#), "{verdict}");
    let restrictions = Parts { reply: format!(r#"{{"ok":{verdict}}}"#).into_bytes(), ..Parts::default() };
    let [base, restrictions] = [bed.install(&baked), bed.install(&restrictions.build())];
    let slot = bed.slot("{}");
    let composition = Composition::new(base).restricted_by(restrictions).unsigned();
    slot.activate(composition, &ChangeReason::default()).unwrap();
    let decided = slot.call(Operation::Evaluate, changed.as_bytes()).unwrap();

    let house = Policy::parse(POLICY.as_bytes()).unwrap();
    let own = Operation::Evaluate.call_with(changed.as_bytes(), Some(&house)).unwrap();
    let member = |origin, answer| AnswerText { origin, answer };
    let panel = |policy| ComposedCall {
        policy,
        answer: Some(member("house", own.as_bytes())),
        restrictions: vec![CompositionMember::Answer(member("test", verdict.as_bytes()))],
        ..ComposedCall::default()
    };
    assert_eq!(decided.text, panel(Some(&house)).evaluate(changed.as_bytes()).unwrap());
    assert!(decided.text.contains(r#""next_step":"clear-all""#), "{}", decided.text);
    let blind = panel(None).evaluate(changed.as_bytes()).unwrap();
    assert!(!blind.contains(r#""next_step":"clear-all""#), "the routes are the policy's own: {blind}");
}

/// A list of one test with this input and expectation.
fn test(input: &str, expect: &str) -> String {
    format!(r#"[{{"name":"one","input":{input},"expect":{expect}}}]"#)
}

#[test]
fn modules_with_failing_tests_are_not_installed() {
    let bed = bed();
    bed.slot(r#"{"limits": {"output_bytes": 10}}"#);
    let anywhere = InstallOptions { unsigned: true, ..InstallOptions::default() };
    let narrow = InstallOptions { slot: Some("release".to_owned()), ..anywhere.clone() };
    let passing = with_tests(&test(ENVELOPE, r#"{"policy":null}"#)).build();
    let failing = with_tests(&test(ENVELOPE, r#"{"policy":{}}"#)).build();
    let malformed = with_tests("{}").build();
    for (module, terms) in [(&failing, &anywhere), (&malformed, &anywhere), (&passing, &narrow)] {
        assert_eq!(bed.slots.install(module, terms).unwrap_err().code(), codes::MODULE_TESTS);
        let kept = bed.slots.store().module(Digest::sha256(module));
        assert_eq!(kept.unwrap_err().code(), codes::UNKNOWN_MODULE);
    }
    assert_eq!(bed.slots.install(&passing, &anywhere).unwrap().tests, 1);
}

/// Lists of paths as in a repository with several services.
const PATHS: &str = r#"{"policy":"paths","version":"1.0.0",
    "forbidden_paths":["infra/**","**/*.{pem,key,p12}",".github/workflows/**","**/migrations/**","vendor/**","third_party/**",
        "**/node_modules/**","secrets/**","**/.env*","deploy/**/production/**"],
    "protected_paths":["services/billing/src/store/**","**/Cargo.lock","**/*.proto","docs/adr/**","api/**"]}"#;

/// The paths of this many changed files.
fn paths(count: usize) -> impl Iterator<Item = String> {
    let (services, parts) =
        (["billing", "identity", "search", "gateway"], ["api", "store", "domain", "jobs"]);
    (0..count).map(move |number| {
        let (service, part) = (services[number % 4], parts[number / 4 % 4]);
        format!("services/{service}/src/{part}/component_{number:04}/handler.rs")
    })
}

fn envelope(summary: &str, typed: &str) -> String {
    let diff = ENVELOPE.replacen(
        r#""workspace_diff_summary":"""#,
        &format!(r#""workspace_diff_summary":"{summary}"{typed}"#),
        1,
    );
    assert_ne!(diff, ENVELOPE);
    diff
}

/// A diff of 2,000 files under a policy of path lists: as a summary, with a typed list, and as a patch. In one case every file is a
/// violation.
#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_diff_of_two_thousand_files_is_decided_by_a_slot_with_default_settings() {
    let summary: String = paths(2000).map(|path| format!(r" M {path}\n")).collect();
    let typed: Vec<_> =
        paths(2000).map(|path| format!(r#"{{"path":"{path}","change":"modified"}}"#)).collect();
    let typed = format!(r#","diff":{{"files":[{}]}}"#, typed.join(","));
    let hunk = r"@@ -1,3 +1,3 @@\n use crate::types;\n-pub fn old() {}\n+pub fn new() {}\n // end\n";
    let patch: String = paths(2000)
        .map(|path| {
            format!(r"diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n{hunk}")
        })
        .collect();
    let strict = PATHS.replacen("infra/**", "services/**", 1);
    let directory = tempfile::tempdir().unwrap();
    let slots = Slots::open(Store::open(&directory.path().join("store")).unwrap(), host(&[])).unwrap();
    for (name, policy) in [("release", PATHS), ("strict", &strict)] {
        let module = host(&[]).bake(engine(), policy.as_bytes(), &ModuleLabel::default()).unwrap();
        let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
        let digest = slots.install(&module, &terms).unwrap().module.digest;
        let slot = slots.create(name, SlotSettings::default(), &ChangeReason::default()).unwrap();
        slot.activate(alone(digest), &ChangeReason::default()).unwrap();
        let policy = Policy::parse(policy.as_bytes()).unwrap();
        for (form, input) in [
            ("summary", envelope(&summary, "")),
            ("typed list", envelope(&summary, &typed)),
            ("patch", envelope(&patch, "")),
        ] {
            let decided = slot.call(Operation::Evaluate, input.as_bytes());
            let decided = decided.unwrap_or_else(|error| panic!("{name}, {form}: {error}"));
            assert_eq!((decided.by, decided.fault), (DecidedBy::Active, None), "{name}, {form}");
            let native = Operation::Evaluate.call_with(input.as_bytes(), Some(&policy)).unwrap();
            assert!(decided.text == native, "{name}, {form}");
        }
    }
}
