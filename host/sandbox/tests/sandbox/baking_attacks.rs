//! Policies that are too large for baking, or just small enough: they are rejected with a path, or decide like the policy.

use adjudicate_core::{Operation, Policy};
use adjudicate_sandbox::ModuleLabel;
use serde_json::{Value, json};

use super::{
    baking::refused,
    engines::{engine, host},
    guests::ENVELOPE,
};

/// The longest document.
const LONGEST: usize = 8 << 20;

fn rule(id: &str, when: &Value) -> Value {
    json!({"id": id, "when": when, "then": {"status": "blocked", "summary": "a rule"}})
}

/// A condition that is true for this step.
fn is_step(id: &str) -> Value {
    json!({"==": [{"var": "input.step_id"}, id]})
}

/// The condition inside of this many negations.
fn negated(condition: Value, times: usize) -> Value {
    (0..times).fold(condition, |condition, _| json!({"!": [condition]}))
}

fn test(name: &str) -> Value {
    json!({"name": name, "input": {}, "expect": {"error": {"code": "missing_field"}}})
}

fn policy(members: &Value) -> String {
    let mut policy = json!({"policy": "p", "version": "1.0.0"});
    policy.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    policy.to_string()
}

/// A policy of this size, most of it in one field.
fn long(member: &str, bytes: usize) -> String {
    let make = |filler: usize| {
        let text = "x".repeat(filler);
        match member {
            "summary" => {
                let mut one = rule("r", &is_step("s"));
                one["then"]["summary"] = text.into();
                policy(&json!({"rules": [one]}))
            }
            _ => policy(&json!({member: text})),
        }
    };
    make(bytes - make(0).len())
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn policies_that_are_too_large_are_rejected_with_a_path() {
    let rules = |count: usize, name: &dyn Fn(usize) -> String| {
        let rules: Vec<_> = (0..count).map(|at| rule(&name(at), &is_step(&name(at)))).collect();
        policy(&json!({ "rules": rules }))
    };
    let tests: Vec<_> = (0..1_001).map(|at| test(&at.to_string())).collect();
    let deep = |times| policy(&json!({"rules": [rule("r", &negated(is_step("s"), times))]}));
    for (document, code, path) in [
        // More than the memory of the engine while it reads.
        (rules(10_000, &|at| format!("r{at}")), "module_memory", ""),
        (long("summary", LONGEST), "module_memory", ""),
        (long("summary", LONGEST + 1), "limit_exceeded", ""),
        // More than a manifest can hold.
        (rules(2_000, &|at| format!("{at}{}", "r".repeat(200))), "limit_exceeded", "/rules"),
        (long("description", LONGEST), "limit_exceeded", "/description"),
        (policy(&json!({ "tests": tests })), "limit_exceeded", "/tests"),
        (policy(&json!({"policy": "soft\u{ad}hyphen"})), "wrong_usage", "/policy"),
        (policy(&json!({"policy": "line\nbreak"})), "wrong_usage", "/policy"),
        (policy(&json!({"policy": "tag\u{e0041}"})), "wrong_usage", "/policy"),
        (policy(&json!({"policy": " "})), "wrong_usage", "/policy"),
        (policy(&json!({"policy": "x".repeat(257)})), "wrong_usage", "/policy"),
    ] {
        let found = refused(engine(), &document);
        assert_eq!((found.0.as_str(), found.1.as_str()), (code, path), "{} bytes", document.len());
    }
    let (code, path) = refused(engine(), &deep(DEEPEST + 1));
    assert!(code == "limit_exceeded" && path.starts_with("/rules/0/when/!/0/!/0"), "{code} at {path}");
}

/// The largest number of negations around a comparison in a policy's only rule.
const DEEPEST: usize = 61;

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn the_largest_policies_decide_like_the_policy() {
    // Names are text, also those with a special meaning in other places.
    let names = ["../x", "a\"b", "<script>", "`rm`", "é🙂", "-o", "a/b", "\u{d7ff}", "x-tests", "\\"];
    let name = |at: usize| format!("{}{at}", names[at % names.len()]);
    let rules: Vec<_> = (0..500)
        .map(|at| match at {
            0 => rule(&name(0), &negated(is_step("deep"), DEEPEST)),
            // Some rules are found by their step, and some are checked for each call.
            _ if at % 2 == 0 => rule(&name(at), &is_step(&name(at))),
            _ => rule(&name(at), &json!({"in": [name(at), {"var": "input.step_id"}]})),
        })
        .collect();
    let tests: Vec<_> = (0..1_000).map(|at| test(&name(at))).collect();
    let document = policy(&json!({"policy": "`../<é🙂>\"", "rules": rules, "tests": tests}));
    let host = host(&[engine()]);
    let baked = host.bake(engine(), document.as_bytes(), &ModuleLabel::default()).unwrap();
    let module = host.load(&baked).unwrap();
    assert!(module.is_known());
    let manifest = module.manifest();
    assert_eq!((&*manifest.name, manifest.tests().unwrap().len()), ("`../<é🙂>\"", 1_000));
    let native = Policy::parse(document.as_bytes()).unwrap();
    for step in ["s", "deep", &name(2), &name(499), "\u{0}"] {
        let mut envelope: Value = serde_json::from_str(ENVELOPE).unwrap();
        envelope["step_id"] = step.into();
        let input = envelope.to_string();
        let expected = Operation::Evaluate.call_with(input.as_bytes(), Some(&native));
        assert_eq!(module.call(Operation::Evaluate, input.as_bytes()).ok(), expected.ok(), "{step}");
    }
}
