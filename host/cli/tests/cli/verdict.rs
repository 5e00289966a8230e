//! `verdict make` and `verdict verify`: changed verdicts, and redacted texts. `fixtures/commands` has signatures and modules.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::command::TestFolder;

const CLAIM: &str = include_str!("../../../../docs/examples/claim.json");
const POLICY: &str = r#"{"policy": "house", "version": "1.0.0", "required_validators": ["unit-tests"]}"#;

/// A folder with an envelope, a policy and a key pair.
fn folder() -> TestFolder {
    let place = TestFolder::new();
    place.file("claim.json", CLAIM);
    place.file("policy.json", POLICY);
    assert_eq!(place.run(&["keygen", "--out", "a"]).status, Some(0));
    place
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
    let place = folder();
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
        let run = place.run(&[&["verdict", "verify", "changed.json"], key].concat());
        if let Some(error) = error {
            assert_eq!((run.status, run.code()), (Some(2), error), "{name}");
            continue;
        }
        let [outcome, reason, path] = report.unwrap();
        let is_good = outcome.as_deref() == Some("same_bytes") && signature.as_deref() != Some("broken");
        let expected = json!([outcome, reason, path, signature.as_deref().unwrap_or("none")]);
        let report = run.json();
        let found = json!([
            report["outcome"],
            report["reason"],
            report["difference"]["path"],
            report["signature"]["state"]
        ]);
        assert_eq!((run.status, found), (Some(if is_good { 0 } else { 1 }), expected), "{name}");
    }
}

#[test]
fn a_redacted_text_of_the_answer_is_quoted_nowhere() {
    let place = folder();
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
fn documents_that_allow_no_verdict_are_errors() {
    let place = folder();
    place.file("later.json", r#"{"verdict":2}"#);
    let with = |field: &str| CLAIM.replacen('{', &format!("{{{field},"), 1);
    place.file("large.json", with(&format!(r#""x-large":"{}""#, "a".repeat(8_387_000))));
    let deep = with(&format!(r#""x-deep":{}{}"#, "[".repeat(127), "]".repeat(127)));
    place.file("deep.json", format!(r#"{{"envelope":{deep}}}"#));
    for (args, code) in [
        (&["make", "claim.json", "--redact", "/evidence/nothing"][..], "invalid_value"),
        (&["make", "claim.json", "--operation", "deliberate", "--policy", "policy.json"], "invalid_value"),
        (&["make", "claim.json", "--policy", "policy.json", "--redact", "/**"], "invalid_value"),
        (&["make", "large.json"], "limit_exceeded"),
        (&["make", "deep.json"], "limit_exceeded"),
        (&["make", "policy.json"], "unknown_field"),
        (&["verify", "claim.json"], "unknown_field"),
        (&["verify", "later.json"], "invalid_value"),
    ] {
        let run = place.run(&[&["verdict"], args].concat());
        assert_eq!((run.status, run.code().as_str()), (Some(2), code), "{args:?} {}", run.stderr);
    }
}
