//! `verdict make` and `verdict verify`.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    command::{ENVELOPE, TestFolder},
    modules::good,
};

const CLAIM: &str = include_str!("../../../../docs/examples/claim.json");
const POLICY: &str = r#"{"policy": "house", "version": "1.0.0", "required_validators": ["unit-tests"]}"#;

/// A folder with an envelope, a policy, a module, two key pairs, and verdicts in the files of these names.
fn folder(verdicts: &[(&str, &[&str])]) -> TestFolder {
    let place = TestFolder::new();
    place.file("claim.json", CLAIM);
    place.file("policy.json", POLICY);
    place.file("gate.wasm", good());
    for name in ["a", "b"] {
        assert_eq!(place.run(&["keygen", "--out", name]).status, Some(0));
    }
    for (file, options) in verdicts {
        let run = place.run(&[&["verdict", "make", "claim.json"], *options].concat());
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{file}");
        place.file(file, &run.stdout);
    }
    place
}

/// The exit status of `verify`, the outcome, the reason, the pointer of the first difference, and the state of the signature.
fn verified(place: &TestFolder, file: &str, options: &[&str]) -> (Option<i32>, Value) {
    let run = place.run(&[&["verdict", "verify", file], options].concat());
    let report = run.json();
    let found = json!([
        report["outcome"],
        report["reason"],
        report["difference"]["path"],
        report["signature"]["state"]
    ]);
    (run.status, found)
}

/// A change of a verdict, and the report of `verify`. The tests of the npm package have the same table.
#[derive(Deserialize)]
struct Change {
    name: String,
    /// True for the verdict with a policy.
    #[serde(default)]
    policy: bool,
    /// The text of further fields of the input.
    #[serde(default)]
    with: String,
    /// The state of the signature, for a verdict that is signed.
    signature: Option<String>,
    /// The text that is replaced, where it stands first.
    from: String,
    to: String,
    /// The outcome, the reason, and the pointer of the first difference.
    report: Option<[Option<String>; 3]>,
    /// The code of the error, for a verdict that cannot be read.
    error: Option<String>,
}

#[test]
fn a_verdict_is_the_same_bytes_until_something_is_changed() {
    let changes: Vec<Change> =
        serde_json::from_str(include_str!("../../../../fixtures/verdicts/changes.json")).unwrap();
    let place = folder(&[]);
    for Change { name, policy, with, signature, from, to, report, error } in changes {
        place.file("input.json", CLAIM.replacen('{', &format!("{{{with}"), 1));
        let options = [
            policy.then_some(&["--policy", "policy.json"][..]),
            signature.is_some().then_some(&["--key", "a.key"]),
        ];
        let options = options.into_iter().flatten().flatten().copied();
        let words: Vec<_> = ["verdict", "make", "input.json"].into_iter().chain(options).collect();
        let text = place.run(&words).stdout;
        assert!(text.contains(&from), "{name}");
        place.file("changed.json", text.replacen(&from, &to, 1));
        let key = if signature.is_some() { &["--key", "a.pub"][..] } else { &[] };
        if let Some(error) = error {
            let run = place.run(&[&["verdict", "verify", "changed.json"], key].concat());
            assert_eq!((run.status, run.code()), (Some(2), error), "{name}");
            continue;
        }
        let [outcome, reason, path] = report.unwrap();
        let is_good = outcome.as_deref() == Some("same_bytes") && signature.as_deref() != Some("broken");
        let expected = json!([outcome, reason, path, signature.as_deref().unwrap_or("none")]);
        assert_eq!(
            verified(&place, "changed.json", key),
            (Some(if is_good { 0 } else { 1 }), expected),
            "{name}"
        );
    }
}

#[test]
fn a_module_decides_its_verdicts_again() {
    let place = folder(&[("plain.json", &[])]);
    let envelope = place.file("envelope.json", ENVELOPE);
    let run = place.run(&["verdict", "make", &envelope, "--module", "gate.wasm"]);
    place.file("module.json", &run.stdout);
    let with_module = &["--module", "gate.wasm"][..];
    for (file, options, status, expected) in [
        ("module.json", with_module, 0, json!(["same_bytes", null, null, "none"])),
        ("module.json", &[], 1, json!(["cannot_be_decided_here", "unknown_module", null, "none"])),
        ("plain.json", with_module, 1, json!(["cannot_be_decided_here", "unknown_module", null, "none"])),
    ] {
        assert_eq!(verified(&place, file, options), (Some(status), expected), "{file} {options:?}");
    }
}

#[test]
fn a_signature_is_by_a_trusted_key_or_it_fails() {
    let place = folder(&[("plain.json", &[]), ("signed.json", &["--key", "a.key"])]);
    let signed = std::fs::read_to_string(place.path("signed.json")).unwrap();
    let digit = signed.rfind(r#""}}"#).unwrap() - 1;
    let other = if signed.as_bytes()[digit] == b'0' { "1" } else { "0" };
    let mut broken = signed.clone();
    broken.replace_range(digit..=digit, other);
    place.file("broken.json", broken);
    // The digests are signed, so the digest of another input is not.
    let start = signed.find(r#""input":"sha256:"#).unwrap() + r#""input":"sha256:"#.len();
    let mut forged = signed.clone();
    let other = if &forged[start..=start] == "0" { "1" } else { "0" };
    forged.replace_range(start..=start, other);
    place.file("forged.json", forged);
    let key: Value = place.run(&["keygen", "--out", "c"]).json()["key"].clone();
    place.file("trust.json", json!({"keys": [key]}).to_string());
    for (file, options, status, state) in [
        ("plain.json", &[][..], 0, "none"),
        ("plain.json", &["--key", "a.pub"], 1, "none"),
        ("signed.json", &[], 0, "untrusted"),
        ("signed.json", &["--key", "a.pub"], 0, "trusted"),
        ("signed.json", &["--key", "b.pub"], 1, "untrusted"),
        ("signed.json", &["--trust", "trust.json"], 1, "untrusted"),
        ("broken.json", &["--key", "a.pub"], 1, "broken"),
        ("broken.json", &[], 1, "broken"),
        ("forged.json", &[], 1, "broken"),
    ] {
        let (found, report) = verified(&place, file, options);
        assert_eq!((found, report[3].as_str()), (Some(status), Some(state)), "{file} {options:?}");
    }
}

#[test]
fn a_redacted_verdict_keeps_its_signature_and_no_redacted_text() {
    let place = folder(&[(
        "shared.json",
        &["--policy", "policy.json", "--redact", "/evidence/validation/exit_codes", "--key", "a.key"],
    )]);
    let text = std::fs::read_to_string(place.path("shared.json")).unwrap();
    assert!(!text.contains("`unit-tests` exited 1"), "{text}");
    let run = place.run(&["verdict", "verify", "shared.json", "--key", "a.pub"]);
    let report = run.json();
    assert_eq!(run.status, Some(1));
    assert_eq!(report["outcome"], "cannot_be_decided_here");
    assert_eq!(report["reason"], "redacted");
    assert_eq!(report["digests"], json!({"input": "redacted", "policy": "matches", "answer": "redacted"}));
    assert_eq!(report["signature"]["state"], "trusted");
    let table = place.run(&["verdict", "verify", "shared.json", "--format", "table"]);
    assert!(table.stdout.starts_with("CANNOT BE DECIDED HERE"), "{}", table.stdout);
}

#[test]
fn a_redacted_text_of_the_answer_is_quoted_nowhere() {
    let place = folder(&[]);
    let rule = r#""rules":[{"id":"r","when":{"==":[{"var":"facts.diff.count"},1]},"then":{"status":"blocked","summary":"the swordfish"}}],"#;
    place.file("ruled.json", POLICY.replacen('{', &format!("{{{rule}"), 1));
    let made = |patterns: &[&str]| {
        let redact = patterns.iter().flat_map(|pattern| ["--redact", pattern]);
        let words: Vec<_> =
            ["verdict", "make", "claim.json", "--policy", "ruled.json"].into_iter().chain(redact).collect();
        place.run(&words)
    };
    // The blockers have the summaries of the findings.
    let run = made(&["/findings/0/summary"]);
    assert!(run.status == Some(0) && !run.stdout.contains("exited 1"), "{run:?}");
    // A short text and a word of the format stay.
    let run = made(&["/findings/0/actual", "/decision/status"]);
    assert!(run.status == Some(0) && run.stdout.contains("exited 1"), "{run:?}");
    let run = made(&["/findings/*/summary"]);
    let error: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(
        (run.code().as_str(), &error["error"]["path"]),
        ("invalid_value", &json!("/policy/rules/0/then/summary"))
    );
    let run = made(&["/findings/*/summary", "/rules/0/then/summary"]);
    assert!(run.status == Some(0) && !run.stdout.contains("swordfish"), "{run:?}");
}

#[test]
fn a_statement_is_about_the_digests_and_has_no_input() {
    let place = folder(&[
        ("verdict.json", &["--policy", "policy.json"]),
        ("statement.json", &["--policy", "policy.json", "--statement"]),
    ]);
    let read = |file: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(place.path(file)).unwrap()).unwrap()
    };
    let (mut verdict, statement) = (read("verdict.json"), read("statement.json"));
    verdict.as_object_mut().unwrap().remove("input");
    assert_eq!(statement["predicate"], verdict);
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    for subject in statement["subject"].as_array().unwrap() {
        let digest = format!("sha256:{}", subject["digest"]["sha256"].as_str().unwrap());
        assert_eq!(verdict["digests"][subject["name"].as_str().unwrap()], digest);
    }
}

#[test]
fn wrong_arguments_and_documents_are_errors() {
    let place = folder(&[]);
    place.file("later.json", r#"{"verdict":2}"#);
    let with = |field: &str| CLAIM.replacen('{', &format!("{{{field},"), 1);
    place.file("large.json", with(&format!(r#""x-large":"{}""#, "a".repeat(8_387_000))));
    let deep = with(&format!(r#""x-deep":{}{}"#, "[".repeat(127), "]".repeat(127)));
    place.file("deep.json", format!(r#"{{"envelope":{deep}}}"#));
    for (args, status, code) in [
        (&["make", "claim.json", "--slot", "s"][..], 64, "wrong_usage"),
        (&["make", "claim.json", "--operation", "guess"], 64, "wrong_usage"),
        (&["make", "claim.json", "--redact", "evidence"], 64, "wrong_usage"),
        (&["make", "claim.json", "--link", "ftp://example.org"], 64, "wrong_usage"),
        (&["make", "claim.json", "--link", "https://example.org/#a"], 64, "wrong_usage"),
        (&["make", "claim.json", "--link", "https://example.org", "--statement"], 64, "wrong_usage"),
        (&["make", "claim.json", "--redact", "/evidence/nothing"], 2, "invalid_value"),
        (&["make", "claim.json", "--operation", "deliberate", "--policy", "policy.json"], 2, "invalid_value"),
        (&["make", "claim.json", "--policy", "policy.json", "--redact", "/**"], 2, "invalid_value"),
        (&["make", "large.json"], 2, "limit_exceeded"),
        (&["make", "deep.json"], 2, "limit_exceeded"),
        (&["make", "policy.json"], 2, "unknown_field"),
        (&["verify", "claim.json"], 2, "unknown_field"),
        (&["verify", "later.json"], 2, "invalid_value"),
    ] {
        let run = place.run(&[&["verdict"], args].concat());
        assert_eq!((run.status, run.code().as_str()), (Some(status), code), "{args:?} {}", run.stderr);
    }
}
