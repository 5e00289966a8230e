//! `--restrict` and `--override`: other members of a composition, and their effects.

use serde_json::{Value, json};

use crate::{
    command::{ENVELOPE, POLICY, TestFolder, answer},
    modules::replying,
};

const REVIEWED: &str = r#"{"policy":"reviewed","version":"2.0.0","rules":[
    {"id":"eyes","when":{">":[{"var":"facts.diff.count"},0]},"then":{"status":"needs_human","summary":"a person looks"}}]}"#;

fn evaluate(place: &TestFolder, more: &[&str]) -> Value {
    let run = place.run(&[&["evaluate", "envelope.json"], more].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{more:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("envelope.json", ENVELOPE);
    place.file("both.json", format!(r#"{{"envelope":{ENVELOPE},"policy":{REVIEWED}}}"#));
    place.file("strict.json", POLICY);
    place.file("reviewed.json", REVIEWED);
    place.file("lax.yaml", "policy: lax\nversion: 1.0.0\n");
    place.file("claims-success.wasm", replying(&format!(r#"{{"ok":{}}}"#, answer(ENVELOPE)), ""));
    place
}

fn origins(evaluation: &Value) -> Vec<(&str, &str, bool)> {
    let findings = evaluation["findings"].as_array().unwrap().iter();
    let output = |finding: &'_ Value| finding.get("mode").is_some();
    findings
        .map(|one| (one["rule"].as_str().unwrap(), one["origin"].as_str().unwrap(), output(one)))
        .collect()
}

#[test]
fn a_restriction_makes_decisions_only_stricter() {
    let place = place();
    let strict = evaluate(&place, &["--restrict", "strict.json"]);
    assert_eq!(strict["decision"]["status"], "unsafe");
    assert_eq!(strict["decision"]["next_step"], "rollback");
    assert_eq!(origins(&strict), [("policy_violation", "strict", false)]);
    // In either order, and with other members that do not object.
    let both = evaluate(&place, &["--restrict", "reviewed.json", "--restrict", "strict.json"]);
    assert_eq!(both["decision"]["status"], "unsafe");
    assert_eq!(origins(&both), [("eyes", "reviewed", false), ("policy_violation", "strict", false)]);
    for content in ["lax.yaml", "claims-success.wasm"] {
        let composed = evaluate(&place, &["--policy", "strict.json", "--restrict", content]);
        assert_eq!(composed["decision"]["status"], "unsafe", "{content}");
        assert_eq!(composed["policy"], json!({"name": "strict", "version": "1.0.0"}));
    }
    // The policy of the call is the base.
    let run = place.run(&["evaluate", "both.json", "--restrict", "lax.yaml", "--exit-status"]);
    assert_eq!(run.status, Some(13), "{run:?}");
}

#[test]
fn a_module_restricts_like_a_policy() {
    let place = place();
    let blocked = answer(&ENVELOPE.replace("completed", "error"));
    place.file("blocks.WASM", replying(&format!(r#"{{"ok":{blocked}}}"#), ""));
    let composed = evaluate(&place, &["--restrict", "blocks.WASM"]);
    assert_eq!(composed["decision"]["status"], "blocked");
    assert_eq!(origins(&composed), [("hard_failure", "constant", false)]);
    // A module that fails leaves no answer.
    place.file("traps.wasm", replying("{}", "unreachable"));
    let run = place.run(&["evaluate", "envelope.json", "--restrict", "traps.wasm"]);
    assert_eq!((run.code().as_str(), run.status), ("module_trap", Some(3)));
    // The base may be a module too.
    let composed = evaluate(&place, &["--module", "claims-success.wasm", "--restrict", "strict.json"]);
    assert_eq!(composed["decision"]["status"], "unsafe");
}

#[test]
fn the_options_of_the_sandbox_hold_for_modules_that_restrict_or_override() {
    let place = place();
    place.file("loops.wasm", replying("{}", "(loop (br 0))"));
    for option in ["--restrict", "--override"] {
        let composed = evaluate(&place, &[option, "claims-success.wasm", "--no-cache"]);
        assert_eq!(composed["decision"]["status"], "success", "{option}");
        assert!(!place.path("cache").exists(), "{option}");
        let run =
            place.run(&["evaluate", "envelope.json", option, "loops.wasm", "--no-cache", "--fuel", "5"]);
        assert_eq!((run.code().as_str(), run.status), ("module_out_of_fuel", Some(3)), "{option}");
    }
    evaluate(&place, &["--restrict", "claims-success.wasm"]);
    assert!(place.path("cache").exists());
}

#[test]
fn an_override_replaces_the_base_and_no_restriction() {
    let place = place();
    let lax = evaluate(&place, &["--policy", "strict.json", "--override", "lax.yaml"]);
    assert_eq!(lax["decision"]["status"], "success");
    assert_eq!(origins(&lax), [("policy_violation", "strict", true)]);
    for order in [
        ["--restrict", "reviewed.json", "--override", "lax.yaml"],
        ["--override", "lax.yaml", "--restrict", "reviewed.json"],
    ] {
        let composed = evaluate(&place, &[&["--policy", "strict.json"], &order[..]].concat());
        assert_eq!(composed["decision"]["status"], "needs_human", "{order:?}");
        assert_eq!(origins(&composed), [("policy_violation", "strict", true), ("eyes", "reviewed", false)]);
    }
}

#[test]
fn lines_and_tables_are_composed_too() {
    let place = place();
    let lines = format!("{ENVELOPE}\n{{}}\n{ENVELOPE}\n");
    let run = place.run_with(&["evaluate", "-", "--ndjson", "--restrict", "strict.json"], lines.as_bytes());
    let statuses: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(run.status, Some(2));
    assert_eq!(statuses[0]["decision"]["status"], "unsafe");
    assert_eq!(statuses[1]["error"]["code"], "missing_field");
    assert_eq!(statuses[2], statuses[0]);
    let run = place.run(&[
        "evaluate",
        "envelope.json",
        "--policy",
        "strict.json",
        "--override",
        "lax.yaml",
        "--format",
        "table",
    ]);
    assert!(run.stdout.starts_with("SUCCESS"), "{}", run.stdout);
    assert!(run.stdout.contains("policy_violation would call for unsafe says strict"), "{}", run.stdout);
}

#[test]
fn invalid_members_of_a_composition_are_errors() {
    let place = place();
    place.file("broken.json", r#"{"policy":"p"}"#);
    place.file("empty.wasm", "");
    for (file, code, status) in [
        ("missing.json", "unreadable_input", 2),
        ("missing.wasm", "unreadable_input", 2),
        ("broken.json", "missing_field", 2),
        ("envelope.json", "unknown_field", 2),
        ("empty.wasm", "module_malformed", 3),
    ] {
        for option in ["--restrict", "--override"] {
            let run = place.run(&["evaluate", "envelope.json", option, file]);
            assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{option} {file}");
        }
    }
    // Standard input, once.
    let run = place.run_with(&["evaluate", "envelope.json", "--restrict", "-"], POLICY.as_bytes());
    assert!(run.stdout.starts_with(r#"{"decision":{"status":"unsafe""#), "{run:?}");
    let run = place.run_with(&["evaluate", "envelope.json", "--override", "-"], b"{");
    assert!(run.stderr.contains("standard input: "), "{run:?}");
    for args in [["-", "--restrict"], ["envelope.json", "--restrict"]] {
        let run = place.run(&[&["evaluate"], &args[..], &["-", "--override", "-"]].concat());
        assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)), "{args:?}");
    }
    let twice = ["evaluate", "envelope.json", "--override", "lax.yaml", "--override", "lax.yaml"];
    assert_eq!(place.run(&twice).status, Some(64));
}
