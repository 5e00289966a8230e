//! A row for each sentence of section 9 that this operation answers for.

use adjudicate_core::{
    ir::{PlanIr, source_text},
    json::{self as text, Limits},
};
use serde_json::{Value, json};

use crate::ir::{answered, fault, normalized};

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

/// The plan with an extension in the object at a pointer.
fn extended(pointer: &str) -> Value {
    let mut plan = plan();
    plan.pointer_mut(pointer).unwrap()["x-team"] = json!({"a": [1]});
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
fn a_named_format_requires_its_fields() {
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
            &["0", "1", "0.0", "1.0", "-0", "-0.0", "1e-5", "1.00000000000000001"],
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
    // A number below the range of 32-bit floats becomes 0.
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
fn kept_fields_are_outside_the_hash() {
    for (one, other) in [
        (json!([{"action": "edit", "effort": 1}]), json!([{"action": "edit", "risk": [2]}])),
        (json!({"implementation_steps": ["a"], "risk_factors": 1}), json!({"implementation_steps": ["a"]})),
        (
            json!({"nodes": [{"nodeId": "a", "label": "", "capabilityId": "c"}], "edges": [], "planVersion": 1}),
            json!({"nodes": [{"nodeId": "a", "label": ""}], "edges": []}),
        ),
        (extended(""), plan()),
        (extended("/steps/0"), plan()),
        (extended("/verification_strategy"), plan()),
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
        // No other step has the id that a step gets.
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
        (r#"{"plan": {"x-a": 1, "b": 1}}"#, "missing_field /plan/analysis"),
    ] {
        assert_eq!(fault(call), expected, "{call}");
    }
    let call = r#"{"more": 1, "plan": {"nodes": [{"label": 1}, 2], "edges": [{"to": "a"}]}, "hash_mode": 1, "others": 1}"#;
    let error = crate::ir::answer(call).unwrap_err();
    let paths: Vec<_> = error.all().map(adjudicate_core::Error::path).collect();
    let expected =
        ["/more", "/plan/nodes/0/label", "/plan/nodes/1", "/plan/edges/0/from", "/hash_mode", "/others"];
    assert_eq!(paths, expected);
}

#[test]
fn analysis_and_confidence_of_planners_are_those_of_the_plan() {
    let autopilot = |more: Value| {
        let mut source = json!({"implementation_steps": ["a"]});
        source.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
        source
    };
    let told = normalized(&autopilot(json!({"analysis": "why", "confidence": 0.4})));
    assert_eq!((&told["plan"]["analysis"], &told["plan"]["confidence"]), (&json!("why"), &json!(0.4)));
    assert!(told["plan"].get("x-source").is_none(), "{told}");
    let adjutant = |confidence: Value| json!({"subtasks": [{"action": "edit"}], "confidence": confidence});
    assert_eq!(normalized(&adjutant(json!(0.25)))["plan"]["confidence"], 0.25);
    // Others are kept, and so are those of a step.
    let kept = normalized(&json!({"subtasks": [{"action": "edit", "confidence": 7}], "analysis": 1}));
    assert_eq!((&kept["plan"]["confidence"], &kept["plan"]["analysis"]), (&json!(0.0), &json!("")));
    assert_eq!(kept["plan"]["x-source"], json!({"analysis": 1}));
    assert_eq!(kept["plan"]["steps"][0]["x-source"], json!({"confidence": 7}));
    for (one, other) in [
        (autopilot(json!({"analysis": "why"})), autopilot(json!({"analysis": "how"}))),
        (autopilot(json!({"confidence": 0.4})), autopilot(json!({"confidence": 0.5}))),
        (adjutant(json!(0.4)), adjutant(json!(0.5))),
    ] {
        assert_ne!(normalized(&one)["plan_hash"], normalized(&other)["plan_hash"], "{one}");
    }
    for confidence in [json!(-0.1), json!(1.1), json!(2), json!("0.5"), json!(null), json!([0.5])] {
        let expected = "invalid_value /plan/confidence";
        assert_eq!(fault_of(&autopilot(json!({ "confidence": confidence }))), expected, "{confidence}");
        assert_eq!(fault_of(&adjutant(confidence.clone())), expected, "{confidence}");
    }
    assert_eq!(fault_of(&autopilot(json!({"analysis": ["why"]}))), "invalid_value /plan/analysis");
}

#[test]
fn subtasks_may_be_written_as_json_in_a_text() {
    let list = json!([{"id": "a", "action": "Bash", "target": "make", "instruction": "r\u{fc}n\n", "effort": 1},
        {"id": "a", "action": "edit", "target": "b\tc"}]);
    let (of_list, of_text) =
        (normalized(&json!({ "subtasks": list })), normalized(&json!({"subtasks": format!(" {list}\n")})));
    assert_eq!(of_text["plan_hash"], of_list["plan_hash"]);
    let mut steps = of_list["plan"]["steps"].clone();
    steps
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(|step| drop(step.as_object_mut().unwrap().remove("x-source")));
    assert_eq!(of_text["plan"]["steps"], steps);
    assert_eq!(of_text["plan"]["x-source"], json!({"subtasks": format!(" {list}\n")}));
    assert_eq!(of_text["adapter"]["kept"], json!([{"path": "/x-source/subtasks", "source": "/subtasks"}]));
    // A pointer does not lead into the text, but the report still has the words in it.
    let mut inferred = of_list["adapter"]["inferred"].clone();
    inferred
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(|one| drop(one.as_object_mut().unwrap().remove("source")));
    assert_eq!(of_text["adapter"]["inferred"], inferred);
    assert_eq!(normalized(&json!({"subtasks": "[]"}))["plan"]["steps"], json!([]));
    for (text, message) in [
        ("", "expected a list or its JSON as text: "),
        ("- a\n- b", "expected a list or its JSON as text: "),
        ("{}", "expected a list or its JSON as text: expected a list, found an object"),
        ("[1]", "expected a list or its JSON as text: expected an object, found `1`, at `/0` in the text"),
        (
            r#"[{"action": "edit"}, {}]"#,
            "expected a list or its JSON as text: missing field `action`, at `/1/action` in the text",
        ),
        (r#"[{"action": "edit", "action": "edit"}]"#, "expected a list or its JSON as text: "),
    ] {
        let call = json!({"plan": {"subtasks": text}}).to_string();
        assert_eq!(fault(&call), "invalid_value /plan/subtasks", "{text}");
        let error = crate::ir::answer(&call).unwrap_err();
        assert!(error.message().starts_with(message), "{text}: {}", error.message());
    }
    let many = format!("[{}]", vec![r#"{"action":"read"}"#; 100_001].join(","));
    assert_eq!(fault_of(&json!({ "subtasks": many })), "limit_exceeded /plan/subtasks");
    // The list alone is no source as a text.
    assert_eq!(fault_of(&json!("[]")), "invalid_value /plan");
}

#[test]
fn undeclared_members_of_planir_are_carried_by_every_conversion_and_misspelt_ones_are_missing() {
    let mut plan = plan();
    plan["owner"] = json!({"team": [1.5, null]});
    plan["analysys"] = json!("close to a declared one");
    plan["steps"][0]["max_iteration"] = json!(7);
    plan["verification_strategy"]["shell"] = json!("bash");
    let answer = normalized(&plan);
    assert_eq!(answer["plan"], plan);
    assert_eq!(answer["adapter"]["kept"], json!([]));
    assert_eq!(answer["plan_hash"], normalized(&self::plan())["plan_hash"]);
    let (call, answer) = (plan.to_string(), answer.to_string());
    let (tape, answer) =
        (text::read(call.as_bytes(), Limits::DOCUMENT), text::read(answer.as_bytes(), Limits::DOCUMENT));
    let (tape, answer) = (tape.unwrap(), answer.unwrap());
    let back: Value = serde_json::from_str(&source_text(answer.root()).unwrap()).unwrap();
    assert_eq!(back, plan);
    let graph: Value = serde_json::from_str(&PlanIr::read(tape.root()).unwrap().to_plan_graph()).unwrap();
    assert_eq!(
        (&graph["x-planir"]["owner"], &graph["x-planir"]["analysys"]),
        (&plan["owner"], &plan["analysys"])
    );
    assert_eq!(graph["nodes"][0]["x-planir"]["max_iteration"], json!(7));
    assert_eq!(graph["x-planir"]["verification_strategy"]["shell"], json!("bash"));
    for (from, to, path) in [
        ("analysis", "analysys", "/plan/analysis"),
        ("depends_on", "dependsOn", "/plan/steps/0/depends_on"),
        ("max_retries", "max_retry", "/plan/verification_strategy/max_retries"),
    ] {
        let plan = self::plan().to_string().replace(from, to);
        assert_eq!(fault(&format!(r#"{{"plan":{plan}}}"#)), format!("missing_field {path}"));
    }
}

#[test]
fn the_form_of_rlm_plans_is_not_published() {
    for format in ["rlm", "frlm"] {
        let call = json!({"plan": {"more": 1}, "format": format}).to_string();
        assert_eq!(fault(&call), "invalid_value /format");
        assert!(crate::ir::answer(&call).unwrap_err().message().contains("is not published"), "{format}");
    }
    // Any other word gets the list of forms.
    let error = crate::ir::answer(r#"{"plan": [], "format": "rml"}"#).unwrap_err();
    assert!(error.message().contains("`adjutant`"), "{error}");
}

#[test]
fn a_plan_graph_carries_the_other_fields_of_the_plan() {
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
