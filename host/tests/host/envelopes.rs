//! Envelopes of realistic sizes in slots with default settings.

use adjudicate_core::{Operation, Policy};
use adjudicate_host::{ChangeReason, DecidedBy, InstallOptions, SlotSettings, Slots, Store};
use adjudicate_sandbox::ModuleLabel;

use super::{
    engines::{engine, host},
    guests::ENVELOPE,
    slots::alone,
};

/// Lists of paths as in a repository with several services.
const POLICY: &str = r#"{"policy":"paths","version":"1.0.0",
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
    let strict = POLICY.replacen("infra/**", "services/**", 1);
    let directory = tempfile::tempdir().unwrap();
    let slots = Slots::open(Store::open(&directory.path().join("store")).unwrap(), host(&[])).unwrap();
    for (name, policy) in [("release", POLICY), ("strict", &strict)] {
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
