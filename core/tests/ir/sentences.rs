//! A row for each sentence of section 9 that this operation answers for.

use adjudicate_core::{
    ir::PlanIr,
    json::{self as text, Limits},
};
use serde_json::{Value, json};

use crate::{answered, fault, normalized};

/// A plan in canonical form with one step.
fn plan() -> Value {
    json!({
        "analysis": "", "steps": [{"id": "a", "description": "", "intent": "verify", "target_files": [],
            "depends_on": [], "max_iterations": 1}],
        "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0},
        "complexity": "low", "confidence": 0.5
    })
}

/// The plan with another value somewhere.
#[expect(clippy::unwrap_used, reason = "the tests know the plan")]
fn with(pointer: &str, value: Value) -> Value {
    let mut plan = plan();
    *plan.pointer_mut(pointer).unwrap() = value;
    plan
}

fn fault_of(plan: &Value) -> String {
    fault(&json!({ "plan": plan }).to_string())
}

#[test]
fn words_are_taken_in_any_case_and_with_any_underscores_and_written_in_snake_case() {
    for (given, expected) in [
        ("investigate", "investigate"),
        ("Investigate", "investigate"),
        ("MODIFY", "modify"),
        ("ver_ify_", "verify"),
        ("_SyntheSize", "synthesize"),
    ] {
        assert_eq!(
            normalized(&with("/steps/0/intent", given.into()))["plan"]["steps"][0]["intent"],
            expected
        );
    }
    for (given, expected) in [
        ("low", "low"),
        ("Medium", "medium"),
        ("HIGH", "high"),
        ("very_high", "very_high"),
        ("VeryHigh", "very_high"),
        ("very__high", "very_high"),
        ("simple", "low"),
        ("Easy", "low"),
        ("com_plex", "high"),
        ("HARD", "high"),
    ] {
        assert_eq!(normalized(&with("/complexity", given.into()))["plan"]["complexity"], expected);
        let autopilot = json!({"implementation_steps": [], "estimated_complexity": given});
        assert_eq!(normalized(&autopilot)["plan"]["complexity"], expected);
    }
    for (given, expected) in
        [("read", "investigate"), ("Edit", "modify"), ("BASH", "verify"), ("b_ash", "verify")]
    {
        assert_eq!(normalized(&json!([{ "action": given }]))["plan"]["steps"][0]["intent"], expected);
    }
    for word in ["", "_", "very-high", "very high", "lowest", "trivial", "read"] {
        assert_eq!(fault_of(&with("/complexity", word.into())), "invalid_value /plan/complexity", "{word}");
        assert_eq!(fault_of(&with("/steps/0/intent", word.into())), "invalid_value /plan/steps/0/intent");
    }
    assert_eq!(fault_of(&json!([{"action": "verify"}])), "invalid_value /plan/0/action");
}

#[test]
fn formats_are_detected_in_their_order() {
    for (plan, format) in [
        (json!([]), "adjutant"),
        (json!({"subtasks": [], "implementation_steps": 1, "nodes": 1, "steps": 1}), "adjutant"),
        (json!({"implementation_steps": [], "nodes": 1, "steps": 1}), "autopilot"),
        (json!({"nodes": [], "edges": [], "steps": 1}), "plan_graph"),
        (plan(), "planir"),
    ] {
        let detected = normalized(&plan);
        assert_eq!(
            (&detected["adapter"]["format"], &detected["adapter"]["detected"]),
            (&json!(format), &json!(true))
        );
        let named = answered(&json!({"plan": plan, "format": format}).to_string());
        assert_eq!(named["adapter"]["detected"], false);
        assert_eq!((&named["plan"], &named["plan_hash"]), (&detected["plan"], &detected["plan_hash"]));
    }
    for plan in [json!(null), json!(1), json!("x"), json!(true)] {
        assert_eq!(fault_of(&plan), "invalid_value /plan");
    }
}

#[test]
fn what_a_named_form_needs() {
    for (format, plan, expected) in [
        ("adjutant", json!({}), "missing_field /plan/subtasks"),
        ("adjutant", json!(1), "invalid_value /plan"),
        ("autopilot", json!({}), "missing_field /plan/implementation_steps"),
        ("autopilot", json!([]), "invalid_value /plan"),
        ("plan_graph", json!({"edges": []}), "missing_field /plan/nodes"),
        ("plan_graph", json!({"nodes": []}), "missing_field /plan/edges"),
        ("planir", json!([]), "invalid_value /plan"),
        ("planir", json!({}), "missing_field /plan/analysis"),
    ] {
        let call = json!({"plan": plan, "format": format}).to_string();
        assert_eq!(fault(&call), expected, "{call}");
    }
}

#[test]
fn limits_of_numbers() {
    for (pointer, good, bad) in [
        (
            "/steps/0/max_iterations",
            &["1", "255"][..],
            &["0", "256", "-1", "-0", "1.0", "1e1", "\"1\"", "null"][..],
        ),
        ("/verification_strategy/max_retries", &["0", "255"], &["256", "-1", "-0", "0.0", "true"]),
        (
            "/confidence",
            &["0", "1", "0.0", "1.0", "-0", "-0.0", "1e-5", "-1e-400", "1.00000000000000001"],
            &["-0.1", "1.1", "2", "-5e-324", "1.0000000000000002", "\"0.5\"", "null", "[]"],
        ),
    ] {
        let call = |number: &str| {
            let plan = with(pointer, json!("HERE")).to_string().replace("\"HERE\"", number);
            format!(r#"{{"plan":{plan}}}"#)
        };
        good.iter().for_each(|number| assert!(answered(&call(number))["plan"].is_object(), "{number}"));
        for number in bad {
            assert_eq!(fault(&call(number)), format!("invalid_value /plan{pointer}"), "{number}");
        }
    }
}

#[test]
fn confidence_is_a_float_in_hash_and_plan() {
    let hash = |number: &str, mode: &str| {
        let plan = with("/confidence", json!("HERE")).to_string().replace("\"HERE\"", number);
        answered(&format!(r#"{{"plan":{plan},"hash_mode":"{mode}"}}"#))
    };
    for (one, other) in [("1", "1.0"), ("0", "0.0"), ("0.5", "5e-1"), ("-0", "-0.0"), ("0.7", "0.70")] {
        assert_eq!(hash(one, "canonical"), hash(other, "canonical"), "{one}");
    }
    assert_ne!(hash("-0", "canonical")["plan_hash"], hash("0", "canonical")["plan_hash"]);
    // Halves are the same in 32 bits, tenths are not.
    assert_eq!(hash("0.5", "serde_f32_compat"), hash("0.5", "canonical"));
    let compat = hash("0.1", "serde_f32_compat");
    assert_ne!(compat["plan_hash"], hash("0.1", "canonical")["plan_hash"]);
    assert_eq!(compat["plan_hash"], hash("0.10000000149011612", "canonical")["plan_hash"]);
    assert_eq!(compat["plan"], hash("0.1", "canonical")["plan"]);
    // What is too small for 32 bits is nothing there.
    assert_eq!(hash("1e-46", "serde_f32_compat")["plan_hash"], hash("0", "canonical")["plan_hash"]);
    assert_eq!(
        hash("1e-45", "serde_f32_compat")["plan_hash"],
        hash("1.401298464324817e-45", "canonical")["plan_hash"]
    );
    // 0.99999999 is nearer to 1.
    assert_eq!(hash("0.99999999", "serde_f32_compat")["plan_hash"], hash("1", "canonical")["plan_hash"]);
    // No mode is the canonical one.
    let call = json!({ "plan": with("/confidence", json!(0.1)) }).to_string();
    assert_eq!(answered(&call), hash("0.1", "canonical"));
    let plan = answered(&json!({ "plan": with("/confidence", json!(1)) }).to_string());
    assert_eq!(plan["plan"]["confidence"].to_string(), "1.0");
}

#[test]
fn defaults_of_adapters() {
    for source in [
        json!([{"action": "edit"}]),
        json!({"implementation_steps": [""]}),
        json!({"nodes": [{"nodeId": "step-1"}], "edges": []}),
    ] {
        let expected = json!({
            "analysis": "",
            "steps": [{"id": "step-1", "description": "", "intent": "modify", "target_files": [], "depends_on": [],
                "max_iterations": 3}],
            "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0},
            "complexity": "medium", "confidence": 0.0
        });
        assert_eq!(normalized(&source)["plan"], expected, "{source}");
    }
}

#[test]
fn steps_of_autopilot_modify_and_files_are_kept_aside() {
    let source = json!({"implementation_steps": ["run the tests"], "files_to_modify": ["a"], "risk_factors": "none",
        "test_strategy": "all pass"});
    let plan = &normalized(&source)["plan"];
    assert_eq!(
        (&plan["steps"][0]["intent"], &plan["steps"][0]["target_files"]),
        (&json!("modify"), &json!([]))
    );
    assert_eq!(plan["x-source"], json!({"files_to_modify": ["a"], "risk_factors": "none"}));
    assert_eq!(plan["verification_strategy"]["success_criteria"], "all pass");
    assert_eq!(plan["verification_strategy"]["commands"], json!([]));
}

#[test]
fn nodes_are_steps() {
    let edges = json!([{"from": "c", "to": "a"}, {"from": "b", "to": "a"}, {"from": "c", "to": "a"}]);
    let nodes =
        json!([{"nodeId": "a", "kind": "validation"}, {"nodeId": "b", "kind": "execution"}, {"nodeId": "c"}]);
    let plan = &normalized(&json!({"nodes": nodes, "edges": edges}))["plan"];
    assert_eq!(plan["steps"][0]["depends_on"], json!(["b", "c"]));
    let intents = [0, 1, 2].map(|at: usize| plan["steps"][at]["intent"].clone());
    assert_eq!(intents, [json!("verify"), json!("modify"), json!("modify")]);
    assert_eq!(plan["x-source"]["edges"], edges);
    assert_eq!(plan["steps"][1]["x-source"], json!({"kind": "execution"}));
}

#[test]
fn a_node_is_described_by_its_label_else_its_rationale_else_its_capability() {
    for (node, description, kept) in [
        (
            json!({"capabilityId": "c", "rationale": "r", "label": "l"}),
            "l",
            json!(["capabilityId", "rationale"]),
        ),
        (json!({"capabilityId": "c", "rationale": "r"}), "r", json!(["capabilityId", "rationale"])),
        (json!({"capabilityId": "c"}), "c", json!(["capabilityId"])),
        (json!({"label": "", "rationale": "r"}), "", json!(["rationale"])),
    ] {
        let step = &normalized(&json!({"nodes": [node], "edges": []}))["plan"]["steps"][0];
        assert_eq!(step["description"], description, "{node}");
        let source = step["x-source"].as_object().unwrap();
        let mut names: Vec<_> = source.keys().collect();
        names.sort();
        assert_eq!(json!(names), kept, "{node}");
    }
}

#[test]
fn a_target_is_a_file_but_for_bash_and_commands_are_never_guessed() {
    for (action, files) in [("read", json!(["t"])), ("edit", json!(["t"])), ("bash", json!([]))] {
        let plan = &normalized(&json!([{"action": action, "target": "t", "instruction": "run `t`"}]))["plan"];
        assert_eq!(plan["steps"][0]["target_files"], files, "{action}");
        assert_eq!(plan["steps"][0]["x-source"]["target"] == "t", action == "bash", "{plan}");
        assert_eq!(plan["verification_strategy"]["commands"], json!([]), "{action}");
    }
}

#[test]
fn n_is_the_place_among_kept_items() {
    let steps = |plan: Value| normalized(&plan)["plan"]["steps"].clone();
    let of_lines = steps(json!({"implementation_steps": "a\n\n - \n- b"}));
    assert_eq!([&of_lines[0]["id"], &of_lines[1]["id"]], ["step-1", "step-2"]);
    let of_items = steps(json!([{"action": "read", "id": "ok"}, {"action": "read", "id": "not ok"}]));
    assert_eq!([&of_items[0]["id"], &of_items[1]["id"]], ["ok", "step-2"]);
}

#[test]
fn what_is_kept_aside_is_outside_the_hash() {
    for (one, other) in [
        (json!([{"action": "edit", "effort": 1}]), json!([{"action": "edit", "risk": [2]}])),
        (json!({"implementation_steps": ["a"], "risk_factors": 1}), json!({"implementation_steps": ["a"]})),
        (
            json!({"nodes": [{"nodeId": "a", "label": "", "capabilityId": "c"}], "edges": [], "planVersion": 1}),
            json!({"nodes": [{"nodeId": "a", "label": ""}], "edges": []}),
        ),
    ] {
        assert_eq!(normalized(&one)["plan_hash"], normalized(&other)["plan_hash"], "{one}");
    }
}

#[test]
fn a_repeated_id_means_its_first_holder_and_dependencies_follow_ids() {
    let nodes = json!([{"nodeId": "a"}, {"nodeId": "a"}, {"nodeId": "b b"}]);
    let edges = json!([{"from": "a", "to": "b b"}]);
    let steps = normalized(&json!({"nodes": nodes, "edges": edges}))["plan"]["steps"].clone();
    assert_eq!(steps[2]["depends_on"], json!(["a"]));
    assert_eq!((&steps[1]["id"], &steps[2]["id"]), (&json!("step-2"), &json!("step-3")));
    let nodes = json!([{"nodeId": "b b"}, {"nodeId": "a"}]);
    let edges = json!([{"from": "b b", "to": "a"}]);
    let steps = normalized(&json!({"nodes": nodes, "edges": edges}))["plan"]["steps"].clone();
    assert_eq!(steps[1]["depends_on"], json!(["step-1"]));
}

#[test]
fn ids_that_repeat_are_an_error_in_planir_alone() {
    let step = plan()["steps"][0].clone();
    assert_eq!(fault_of(&with("/steps", json!([step, step]))), "invalid_value /plan/steps/1/id");
    let twice = json!([{"id": "a", "action": "read"}, {"id": "a", "action": "read"}]);
    assert_eq!(normalized(&twice)["plan"]["steps"][1]["id"], "step-2");
}

#[test]
fn dependencies_exist_and_go_in_no_circle() {
    let step = |id: &str, on: &[&str]| {
        let mut step = plan()["steps"][0].clone();
        (step["id"], step["depends_on"]) = (json!(id), json!(on));
        step
    };
    for (steps, expected) in [
        (json!([step("a", &["b"])]), "invalid_value /plan/steps/0/depends_on/0"),
        // An id that a step is given is nobody's name.
        (json!([step("a b", &[]), step("c", &["step-1"])]), "invalid_value /plan/steps/1/depends_on/0"),
        (json!([step("a", &["b"]), step("b", &["a"])]), "invalid_value /plan/steps/0/depends_on/0"),
        (
            json!([step("a", &[]), step("b", &["a", "c"]), step("c", &["b"])]),
            "invalid_value /plan/steps/1/depends_on/1",
        ),
        // First what there is not.
        (json!([step("a", &["a"]), step("b", &["c"])]), "invalid_value /plan/steps/1/depends_on/0"),
    ] {
        assert_eq!(fault_of(&with("/steps", steps.clone())), expected, "{steps}");
    }
    let steps = json!([step("a", &["b", "b"]), step("b", &[])]);
    assert_eq!(normalized(&with("/steps", steps))["plan"]["steps"][0]["depends_on"], json!(["b", "b"]));
}

#[test]
fn errors_come_in_document_order_and_the_format_first() {
    for (call, expected) in [
        (r#"{"hash_mode": 1, "plan": 1, "format": 1}"#, "invalid_value /format"),
        (r#"{"hash_mode": 1, "plan": 1}"#, "invalid_value /hash_mode"),
        (r#"{"plan": 1, "hash_mode": 1}"#, "invalid_value /plan"),
        (r#"{"more": 1, "plan": 1}"#, "unknown_field /more"),
        (r#"{"plan": {"edges": [1], "nodes": 1}}"#, "invalid_value /plan/edges/0"),
        (r#"{"plan": {"nodes": 1, "edges": [1]}}"#, "invalid_value /plan/nodes"),
        (r#"{"plan": [{"action": "wait", "id": 1}]}"#, "invalid_value /plan/0/action"),
        (r#"{"plan": [{"id": 1, "action": "wait"}]}"#, "invalid_value /plan/0/id"),
        (r#"{"plan": {"nodes": [], "edges": [{"to": "a", "from": 1}]}}"#, "invalid_value /plan/edges/0/from"),
        (
            r#"{"plan": {"nodes": [], "edges": [{"to": "a", "from": "b"}]}}"#,
            "invalid_value /plan/edges/0/from",
        ),
        (r#"{"plan": {}}"#, "missing_field /plan/analysis"),
        (r#"{"plan": {"x-a": 1, "b": 1}}"#, "unknown_field /plan/b"),
    ] {
        assert_eq!(fault(call), expected, "{call}");
    }
}

#[test]
fn a_plan_graph_has_what_the_plan_has_besides() {
    let mut plan = plan();
    plan["x-run"] = json!(7);
    plan["steps"][0]["x-planir"] = json!({"a": [1]});
    plan["verification_strategy"]["x-source"] = json!(null);
    let plan = plan.to_string();
    let tape = text::read(plan.as_bytes(), Limits::DOCUMENT).unwrap();
    let graph: Value = serde_json::from_str(&PlanIr::read(tape.root()).unwrap().to_plan_graph()).unwrap();
    assert_eq!(graph["x-planir"]["x-run"], json!(7));
    assert_eq!(graph["nodes"][0]["x-planir"]["x-planir"], json!({"a": [1]}));
    assert_eq!(graph["x-planir"]["verification_strategy"].get("x-source"), Some(&Value::Null));
}
