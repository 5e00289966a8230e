//! The interceptor of AGENT-HOOKS, alone and in the conformance vectors of the contract.

use std::{env, fs, path::PathBuf};

use adjudicate_collect::hooks::Interceptor;
use serde_json::{Value, json};

use super::scratch::{POLICY, Scratch, configuration, exits};

fn interceptor(scratch: &Scratch, exit_code: i32, guardrails: &Value) -> Interceptor {
    let configuration = configuration(&exits("unit", exit_code));
    let guardrails = Some(guardrails.to_string());
    Interceptor::new(scratch.root().into(), configuration, Some(POLICY.into()), guardrails).unwrap()
}

fn verdict(interceptor: &Interceptor, context: &Value) -> Value {
    let verdict: Value =
        serde_json::from_str(&interceptor.intercept(context.to_string().as_bytes())).unwrap();
    // The verdict of the contract is closed, and the reasons of hosts are reserved.
    let known = ["decision", "reason", "message", "approval", "evidence"];
    assert!(verdict.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())), "{verdict}");
    let is_denial = verdict["decision"] == "deny";
    assert!(is_denial || verdict["decision"] == "allow", "{verdict}");
    for field in ["reason", "message"] {
        assert_eq!(verdict[field].is_string(), is_denial, "{verdict}");
    }
    assert!(!verdict["reason"].to_string().contains("host_error:"), "{verdict}");
    verdict
}

fn at(point: &str) -> Value {
    json!({"spec": "agent-hooks/0.1", "interception_point": point, "sequence": 0, "target": null})
}

fn call(tool: &str, args: &Value) -> Value {
    let mut context = at("pre_tool_call");
    context["target"] = args.clone();
    context["tool_call"] = json!({"id": "1", "name": tool, "args": args});
    context
}

#[test]
fn a_call_is_judged_by_guardrails_and_path_lists() {
    let scratch = Scratch::new();
    let push = json!([{"id": "push", "trigger": {"kind": "onStart", "condition": {"==": [{"var": "tool"}, "push"]}},
        "action": {"type": "fail", "message": "a human pushes"}}]);
    let interceptor = interceptor(&scratch, 0, &push);
    for (tool, args, decision, reason, is_liftable) in [
        ("write_file", json!({"path": "src/cart.js"}), "allow", "", false),
        ("write_file", json!({"path": "db/migrations/1.sql"}), "deny", "adjudicate:needs_human", true),
        (
            "write_file",
            json!({"path": scratch.path("db/migrations/1.sql").to_str()}),
            "deny",
            "adjudicate:needs_human",
            true,
        ),
        ("write_file", json!({"path": "adjudicate.yaml"}), "deny", "adjudicate:needs_human", true),
        ("write_file", json!({"path": ".adjudicate/state.json"}), "deny", "adjudicate:needs_human", true),
        ("read_file", json!({"path": "db/migrations/1.sql"}), "allow", "", false),
        ("push", json!({}), "deny", "adjudicate:blocked", false),
    ] {
        let verdict = verdict(&interceptor, &call(tool, &args));
        let found = (verdict["decision"].as_str().unwrap(), verdict["reason"].as_str().unwrap_or_default());
        assert_eq!(found, (decision, reason), "{tool} {args}");
        assert_eq!(verdict.get("approval").is_some(), is_liftable, "{tool} {args}");
    }
}

#[test]
fn the_output_leaves_only_after_a_success() {
    let empty = json!([]);
    for (exit_code, file, decision, reason, is_liftable) in [
        (1, None, "allow", "", false),
        (0, Some("src/new.js"), "allow", "", false),
        (1, Some("src/new.js"), "deny", "adjudicate:partial", false),
        (0, Some("db/migrations/1.sql"), "deny", "adjudicate:needs_human", true),
    ] {
        let scratch = Scratch::new();
        let interceptor = interceptor(&scratch, exit_code, &empty);
        assert_eq!(verdict(&interceptor, &at("agent_startup")), json!({"decision": "allow"}));
        if let Some(file) = file {
            scratch.write(file, "");
            // A commit after the start is a change.
            scratch.commit();
        }
        let verdict = verdict(&interceptor, &at("output"));
        let found = (verdict["decision"].as_str().unwrap(), verdict["reason"].as_str().unwrap_or_default());
        assert_eq!(found, (decision, reason), "{exit_code} {file:?}");
        assert_eq!(verdict.get("approval").is_some(), is_liftable);
        let evidence = verdict["evidence"]["artefact"].as_str();
        assert_eq!(evidence.is_some_and(|evidence| evidence.starts_with("sha256:")), file.is_some());
    }
}

#[test]
fn every_failure_is_a_denial() {
    let scratch = Scratch::with_change();
    let damaged = interceptor(&scratch, 0, &json!({}));
    let code = |interceptor: &Interceptor, context: &str| {
        let verdict: Value = serde_json::from_str(&interceptor.intercept(context.as_bytes())).unwrap();
        assert_eq!((&verdict["decision"], verdict.get("approval")), (&json!("deny"), None), "{context}");
        verdict["reason"].as_str().unwrap().strip_prefix("runtime_error:").unwrap().to_owned()
    };
    let with = |field: &str, value: Value| {
        let mut context = call("push", &json!({"a": 1}));
        context[field] = value;
        context.to_string()
    };
    for (context, expected) in [
        (String::new(), "malformed_json"),
        ("[]".into(), "invalid_value"),
        ("{}".into(), "missing_field"),
        (with("spec", json!("agent-hooks/0.2")), "invalid_value"),
        (with("interception_point", json!("pre_tool")), "invalid_value"),
        (with("tool_call", json!({"name": "push"})), "missing_field"),
        (with("tool_call", json!(null)), "invalid_value"),
        (with("target", json!({"a": 2})), "invalid_value"),
        (with("x", json!(1)), "invalid_value"),
        // As floats, both numbers are the same.
        (
            call("pay", &json!({"a": {"b": [9_007_199_254_740_992_u64]}}))
                .to_string()
                .replacen("992", "993", 1),
            "invalid_value",
        ),
    ] {
        assert_eq!(code(&damaged, &context), expected, "{context}");
    }
    // The order of fields does not count.
    let context = r#"{"spec": "agent-hooks/0.1", "interception_point": "pre_tool_call", "target": {"a": 1, "b": {"c": "d"}},
        "tool_call": {"name": "push", "args": {"b": {"c": "d"}, "a": 1}}}"#;
    let sound = interceptor(&scratch, 0, &json!([]));
    assert_eq!(sound.intercept(context.as_bytes()), r#"{"decision":"allow"}"#);
    scratch.write(".adjudicate/state.json", "{");
    let output = at("output").to_string();
    assert_eq!(code(&interceptor(&scratch, 0, &json!([])), &output), "malformed_json");
    fs::remove_dir_all(scratch.path(".adjudicate")).unwrap();
    scratch.write(".adjudicate", "");
    assert_eq!(code(&interceptor(&scratch, 0, &json!([])), &output), "fault");
    let configuration = configuration(&exits("unit", 0));
    assert!(Interceptor::new(scratch.root().into(), configuration, Some("{}".into()), None).is_err());
}

/// The vectors that apply: one interceptor, and decisions that this one makes. `docs/reference/agent-hooks.md` has the reasons for the others.
const APPLIES: [&str; 8] = ["001", "002", "003", "010", "012", "031", "032", "040"];

/// Returns the vectors that apply, or nothing if the suite is missing, which is an error in CI.
fn vectors() -> Vec<Value> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    let folder = env::var_os("ADJUDICATE_SUITES").map_or_else(beside, PathBuf::from);
    let folder = folder.join("agent-hooks/conformance/vectors");
    let Ok(files) = fs::read_dir(&folder) else {
        assert_ne!(env::var("CI").as_deref(), Ok("true"), "no suite in {}", folder.display());
        eprintln!("skipped: no suite in {}; set ADJUDICATE_SUITES", folder.display());
        return Vec::new();
    };
    let vectors = files.map(|file| serde_json::from_slice(&fs::read(file.unwrap().path()).unwrap()).unwrap());
    let applies = |vector: &Value| {
        APPLIES.iter().any(|number| vector["id"].as_str().unwrap().ends_with(&format!("-{number}")))
    };
    let vectors: Vec<Value> = vectors.filter(applies).collect();
    assert_eq!(vectors.len(), APPLIES.len());
    vectors
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A small host with one interceptor, a scripted model and scripted tools. It has no approval seam, so each denial stands.
struct Host<'a> {
    interceptor: &'a Interceptor,
    is_enforced: bool,
    points: Vec<String>,
    decisions: Vec<(String, Value)>,
    invoked: Vec<String>,
}

impl Host<'_> {
    /// Returns true if the action may proceed.
    fn proceeds(&mut self, point: &str, target: &Value, fields: Value) -> bool {
        let mut context = fields;
        let common = json!({"spec": "agent-hooks/0.1", "interception_point": point, "timestamp": "2026-01-01T00:00:00Z",
            "sequence": self.points.len(), "agent": {"id": "a", "framework": "test"}, "session": {"id": "s"}, "target": target});
        context.as_object_mut().unwrap().extend(common.as_object().unwrap().clone());
        let verdict = verdict(self.interceptor, &context);
        self.points.push(point.into());
        let is_denied = verdict["decision"] == "deny";
        self.decisions.push((point.into(), verdict));
        !(is_denied && self.is_enforced)
    }

    /// Runs a scenario. Returns the outcome and the final output.
    fn run(&mut self, scenario: &Value) -> (&'static str, Value) {
        let (outcome, output) = self.turns(scenario).unwrap_or(("blocked", Value::Null));
        self.proceeds("agent_shutdown", &Value::Null, json!({"summary": {"reason": outcome}}));
        (outcome, output)
    }

    fn turns(&mut self, scenario: &Value) -> Option<(&'static str, Value)> {
        let input = &scenario["input"];
        let init = json!({"tools_registered": []});
        self.proceeds("agent_startup", &init, json!({"agent_init": init})).then_some(())?;
        self.proceeds("input", input, json!({"input": input})).then_some(())?;
        for turn in list(scenario, "model_script") {
            let response = &turn["respond"];
            self.proceeds("pre_model_call", &json!([]), json!({"messages": []})).then_some(())?;
            self.proceeds("post_model_call", response, json!({"response": response})).then_some(())?;
            for call in list(response, "tool_calls") {
                if self.proceeds("pre_tool_call", &call["args"], json!({"tool_call": call})) {
                    self.invoked.push(call["name"].as_str().unwrap().into());
                    let result = json!({"tool_call": call, "tool_result": {"value": "r", "is_error": false}});
                    self.proceeds("post_tool_call", &json!("r"), result).then_some(())?;
                }
            }
            if list(response, "tool_calls").is_empty() {
                let output = json!({"content": response["content"]});
                self.proceeds("output", &output, json!({"output": output})).then_some(())?;
                return Some(("completed", response["content"].clone()));
            }
        }
        Some(("error", Value::Null))
    }
}

/// Returns guardrails that deny the calls that the script of a vector denies.
fn guardrails(script: &[Value]) -> Value {
    let denials = script.iter().filter(|rule| rule["at"] == "pre_tool_call");
    let guardrails = denials.enumerate().map(|(index, rule)| {
        let action = match rule["return"].get("approval") {
            Some(_) => json!({"type": "hitl", "rationale": "ask"}),
            None => json!({"type": "fail", "message": "no"}),
        };
        let mut trigger = json!({"kind": "onStart"});
        if let Some(tool) = rule["match"].get("tool_call.name") {
            trigger["condition"] = json!({"==": [{"var": "tool"}, tool]});
        }
        json!({"id": format!("rule-{index}"), "trigger": trigger, "action": action})
    });
    guardrails.collect()
}

#[test]
fn the_vectors_for_one_interceptor_hold() {
    for vector in vectors() {
        let (id, expect, script) = (&vector["id"], &vector["expect"], list(&vector, "interceptor_script"));
        let denies_output = script.iter().any(|rule| rule["at"] == "output");
        let scratch = if denies_output { Scratch::with_change() } else { Scratch::new() };
        let interceptor = interceptor(&scratch, i32::from(denies_output), &guardrails(script));
        let is_enforced = vector["mode"] != "evaluate_only";
        let mut host = Host {
            interceptor: &interceptor,
            is_enforced,
            points: vec![],
            decisions: vec![],
            invoked: vec![],
        };
        let (outcome, output) = host.run(&vector["scenario"]);
        assert_eq!(outcome, expect["run_outcome"], "{id}");
        if let Some(expected) = expect.get("final_output") {
            assert_eq!(&output, expected, "{id}");
        }
        for tool in list(expect, "tool_not_invoked") {
            assert!(!host.invoked.iter().any(|name| tool == name), "{id}: {:?}", host.invoked);
        }
        for point in list(expect, "interceptions_absent") {
            assert!(!host.points.iter().any(|found| point == found), "{id}: {:?}", host.points);
        }
        let mut rest = host.points.iter();
        for interception in list(expect, "interceptions") {
            assert!(
                rest.any(|point| interception["interception_point"] == **point),
                "{id}: {:?}",
                host.points
            );
        }
        // Each denial of the script is one, and no other.
        for (point, verdict) in &host.decisions {
            let rule = script.iter().find(|rule| rule["at"] == **point);
            let denial = rule.filter(|_| verdict["decision"] == "deny").map(|rule| &rule["return"]);
            assert_eq!(verdict["decision"] == "deny", denial.is_some(), "{id} {point}: {verdict}");
            if point == "pre_tool_call"
                && let Some(denial) = denial
            {
                assert_eq!(verdict.get("approval").is_some(), denial.get("approval").is_some(), "{id}");
            }
        }
        let denied = host.decisions.iter().filter(|(_, verdict)| verdict["decision"] == "deny").count();
        assert_eq!(denied, script.iter().filter(|rule| rule["return"]["decision"] == "deny").count(), "{id}");
    }
}
