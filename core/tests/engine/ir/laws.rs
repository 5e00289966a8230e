//! Laws on random plans: nothing is lost, nothing changes twice, and a hash is of what a plan says.

use std::collections::BTreeSet;

use adjudicate_core::{
    ir::{HashMode, PlanFormat, PlanIr, check_normalized, source_text},
    json::{self, ReadLimits},
    plan::validate_text,
};
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use serde_json::{Value, json};

use crate::ir::{
    answer, normalized,
    random::{KNOWN, planir, source},
};

/// Compares values; numbers are the same if they are the same floats, for `1` is given back as `1.0` where it is a confidence.
pub(crate) fn assert_same(one: &Value, other: &Value, what: &str) {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => assert_eq!(one.as_f64(), other.as_f64(), "{what}"),
        (Value::Array(one), Value::Array(other)) => {
            assert_eq!(one.len(), other.len(), "{what}");
            one.iter().zip(other).for_each(|(one, other)| assert_same(one, other, what));
        }
        (Value::Object(one), Value::Object(other)) => {
            let names =
                |object: &serde_json::Map<String, Value>| object.keys().cloned().collect::<BTreeSet<_>>();
            assert_eq!(names(one), names(other), "{what}");
            one.iter().for_each(|(name, one)| assert_same(one, &other[name], what));
        }
        _ => assert_eq!(one, other, "{what}"),
    }
}

/// The scalars in a value, and the names of its fields, as texts.
fn leaves(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| leaves(item, all)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            all.insert(format!("name {name}"));
            leaves(member, all);
        }),
        scalar => {
            all.insert(scalar.to_string());
        }
    }
}

/// Words that stand for others in PlanIR.
const WORDS: [&str; 2] = ["\"bash\"", "\"validation\""];

/// A value written with its fields in the reverse order, and with spaces.
fn scattered(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[ {} ]", items.iter().map(scattered).collect::<Vec<_>>().join("\n,\t"))
        }
        Value::Object(members) => {
            let members =
                members.iter().rev().map(|(name, member)| format!("{} : {}", json!(name), scattered(member)));
            format!("{{\r\n{}}}", members.collect::<Vec<_>>().join(" ,"))
        }
        scalar => scalar.to_string(),
    }
}

/// The hashes of a plan in canonical form.
#[expect(clippy::unwrap_used, reason = "random plans are in it")]
fn hashes(plan: &str) -> [String; 2] {
    let tape = json::read(plan.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let plan = PlanIr::read(tape.root()).unwrap();
    [HashMode::Canonical, HashMode::SerdeF32Compat].map(|mode| plan.plan_hash(mode))
}

#[test]
fn sources_of_every_form_are_generated() {
    let mut runner = TestRunner::deterministic();
    let found: BTreeSet<String> = (0..200)
        .map(|_| {
            let source = source().new_tree(&mut runner).unwrap().current();
            normalized(&source)["adapter"]["format"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(PlanFormat::WORDS.iter().all(|format| found.contains(*format)), "{found:?}");
}

proptest! {
    #[test]
    fn everything_in_a_source_is_in_the_answer(source in source()) {
        let answer = normalized(&source);
        let (mut given, mut found) = (BTreeSet::new(), BTreeSet::new());
        leaves(&source, &mut given);
        leaves(&answer, &mut found);
        // Steps of lines are parts of a text, and that is kept.
        let lost: Vec<_> = given.difference(&found).filter(|lost| !KNOWN.contains(&&***lost) && !WORDS.contains(&&***lost)).collect();
        // A confidence is a float, so `1` becomes `1.0`.
        prop_assert!(lost.iter().all(|lost| lost.parse().ok() == source["confidence"].as_f64()), "{:?}", lost);
        for kept in answer["adapter"]["kept"].as_array().unwrap() {
            let [path, at] = ["path", "source"].map(|name| kept[name].as_str().unwrap());
            prop_assert_eq!(answer["plan"].pointer(path), source.pointer(at), "{} {}", path, at);
        }
        for inferred in answer["adapter"]["inferred"].as_array().unwrap() {
            let path = inferred["path"].as_str().unwrap();
            prop_assert_eq!(answer["plan"].pointer(path), Some(&inferred["value"]), "{}", path);
            if let Some(at) = inferred["source"].as_str() {
                prop_assert_eq!(source.pointer(at), Some(&inferred["given"]), "{}", at);
            }
        }
    }

    #[test]
    fn values_that_the_source_lacks_are_listed_as_inferred(source in source()) {
        let answer = normalized(&source);
        let inferred: BTreeSet<_> = answer["adapter"]["inferred"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap().to_owned()).collect();
        prop_assert_eq!(inferred.len(), answer["adapter"]["inferred"].as_array().unwrap().len());
        let format = answer["adapter"]["format"].as_str().unwrap();
        if format != "planir" {
            for path in ["/verification_strategy/commands", "/verification_strategy/max_retries"] {
                prop_assert!(inferred.contains(path), "{}", path);
            }
            for (name, formats, default) in
                [("analysis", &["autopilot"][..], json!("")), ("confidence", &["autopilot", "adjutant"], json!(0.0))]
            {
                let reported = source.get(name).filter(|_| formats.contains(&format));
                prop_assert_eq!(inferred.contains(&format!("/{name}")), reported.is_none(), "{}", name);
                assert_same(&answer["plan"][name], reported.unwrap_or(&default), name);
                // A field with a place of its own is not kept aside.
                prop_assert!(reported.is_none() || answer["plan"]["x-source"].get(name).is_none(), "{}", name);
            }
            for step in 0..answer["plan"]["steps"].as_array().unwrap().len() {
                let path = format!("/steps/{step}/max_iterations");
                prop_assert!(inferred.contains(&path), "{}", path);
            }
        }
    }

    #[test]
    fn an_answer_gives_back_its_source(source in source()) {
        let text = answer(&json!({ "plan": source }).to_string()).unwrap();
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let back: Value = serde_json::from_str(&source_text(tape.root()).unwrap()).unwrap();
        assert_same(&back, &source, &text);
    }

    #[test]
    fn normalising_a_normalised_plan_changes_nothing(source in source()) {
        let once = normalized(&source);
        let twice = normalized(&once["plan"]);
        prop_assert_eq!(&twice["plan"], &once["plan"]);
        prop_assert_eq!(&twice["plan_hash"], &once["plan_hash"]);
        let nothing = json!({"format": "planir", "detected": true, "items": "/steps", "inferred": [], "kept": []});
        prop_assert_eq!(&twice["adapter"], &nothing);
    }

    #[test]
    fn a_plan_read_written_and_read_is_the_same(plan in planir(false)) {
        let text = plan.to_string();
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let plan = PlanIr::read(tape.root()).unwrap();
        let written = plan.to_json();
        assert_same(&serde_json::from_str(&written).unwrap(), &serde_json::from_str(&text).unwrap(), &text);
        let tape = json::read(written.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let again = PlanIr::read(tape.root()).unwrap();
        prop_assert_eq!(&again.to_json(), &written);
        prop_assert_eq!(again.confidence().to_bits(), plan.confidence().to_bits());
        for (one, other) in plan.steps().iter().zip(again.steps()) {
            prop_assert_eq!((one.id(), one.max_iterations(), one.intent()), (other.id(), other.max_iterations(), other.intent()));
            prop_assert!(plan.depends_on(one).eq(again.depends_on(other)));
        }
    }

    #[test]
    fn a_hash_does_not_depend_on_how_a_plan_is_written(plan in planir(false), note in any::<bool>()) {
        let expected = hashes(&plan.to_string());
        prop_assert_eq!(&hashes(&scattered(&plan)), &expected);
        let mut other = plan;
        other["x-more"] = note.into();
        other["verification_strategy"]["owner"] = json!({"note": note});
        other["steps"].as_array_mut().unwrap().iter_mut().for_each(|step| step["owner"] = note.into());
        prop_assert_eq!(&hashes(&other.to_string()), &expected);
    }

    #[test]
    fn a_hash_depends_on_every_normative_member(plan in planir(false)) {
        let expected = hashes(&plan.to_string());
        let steps = plan["steps"].as_array().unwrap();
        let last = steps.len().saturating_sub(1);
        // No step depends on the last one, so its id can change.
        let of_step = ["id", "description", "intent", "target_files", "max_iterations"].map(|name| format!("/steps/{last}/{name}"));
        let of_plan = ["analysis", "complexity", "confidence", "verification_strategy/commands",
            "verification_strategy/success_criteria", "verification_strategy/max_retries"].map(|name| format!("/{name}"));
        for pointer in of_plan.iter().chain(of_step.iter().filter(|_| !steps.is_empty())) {
            let mut other = plan.clone();
            let place = other.pointer_mut(pointer).unwrap();
            *place = match (&*place, pointer.rsplit('/').next()) {
                (Value::Array(_), _) => json!(["changed"]),
                (Value::Number(number), Some("confidence")) => json!(if number.as_f64() == Some(0.5) { 0.25 } else { 0.5 }),
                (Value::Number(number), _) => json!(if number.as_u64() == Some(1) { 2 } else { 1 }),
                (word, Some("intent")) => json!(if word == "verify" { "modify" } else { "verify" }),
                (word, Some("complexity")) => json!(if word == "low" { "high" } else { "low" }),
                _ => json!("changed"),
            };
            let [canonical, compat] = hashes(&other.to_string());
            prop_assert!(canonical != expected[0] && compat != expected[1], "{}", pointer);
        }
        if let Some(first) = steps.first().filter(|_| last > 0) {
            let mut other = plan.clone();
            let on = other["steps"][last]["depends_on"].as_array_mut().unwrap();
            on.push(first["id"].clone());
            prop_assert_ne!(hashes(&other.to_string()), expected);
        }
    }

    #[test]
    fn a_plan_graph_of_a_plan_is_read_and_has_its_steps(plan in planir(false)) {
        let text = plan.to_string();
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let plan = PlanIr::read(tape.root()).unwrap();
        let graph: Value = serde_json::from_str(&plan.to_plan_graph()).unwrap();
        let call = json!({"task": {"objective": "o", "outputContract": {"schema": true}}, "plan": graph, "capabilities": []});
        let judged: Value = serde_json::from_str(&validate_text(call.to_string().as_bytes()).unwrap()).unwrap();
        let codes = judged.to_string();
        // The graph has no capabilities, so findings about them are expected. Findings about its structure are not.
        for code in ["cycle", "duplicate_node", "unknown_edge"] {
            prop_assert!(!codes.contains(code), "{}", codes);
        }
        let again = normalized(&graph);
        prop_assert_eq!(&again["adapter"]["format"], "plan_graph");
        for (step, found) in plan.steps().iter().zip(again["plan"]["steps"].as_array().unwrap()) {
            prop_assert_eq!(step.id(), found["id"].as_str().unwrap());
            prop_assert_eq!(step.description(), found["description"].as_str().unwrap());
            let on: BTreeSet<_> = plan.depends_on(step).collect();
            let again: BTreeSet<_> = found["depends_on"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
            prop_assert_eq!(on, again);
            prop_assert_eq!(step.intent().as_str() == "verify", found["intent"] == "verify");
        }
    }

    #[test]
    fn a_changed_answer_breaks_the_contract(source in source(), at in any::<prop::sample::Index>()) {
        let call = json!({ "plan": source }).to_string();
        let text = answer(&call).unwrap();
        let input = json::read(call.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        prop_assert_eq!(check_normalized(input.root(), tape.root()), Ok(()));
        let mut other: Value = serde_json::from_str(&text).unwrap();
        match at.index(9) {
            0 => other["plan"]["analysis"] = json!("changed"),
            1 => other["plan"]["confidence"] = json!(0.123),
            2 => other["plan_hash"] = json!("sha256:0"),
            3 => other["adapter"]["detected"] = json!(false),
            4 => other["adapter"]["inferred"].as_array_mut().unwrap().push(json!({"path": "/steps", "value": 1, "reason": "default"})),
            5 => drop(other["adapter"].as_object_mut().unwrap().remove("kept")),
            6 => other["plan_start"]["step_count"] = json!(99),
            7 => other["quality"]["longest_path"] = json!(99),
            _ => drop(other.as_object_mut().unwrap().remove("quality")),
        }
        let other = other.to_string();
        let tape = json::read(other.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let error = check_normalized(input.root(), tape.root()).unwrap_err();
        prop_assert_eq!(error.code().as_str(), "module_invalid_decision");
    }

    #[test]
    fn every_word_of_a_report_is_part_of_the_contract(source in source(), at in any::<prop::sample::Index>()) {
        let call = json!({ "plan": source }).to_string();
        let text = answer(&call).unwrap();
        let input = json::read(call.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let mut other: Value = serde_json::from_str(&text).unwrap();
        let lists = [("inferred", ["path", "value", "reason", "source", "given"].as_slice()), ("kept", &["path", "source"])];
        let mut places = Vec::new();
        for (list, names) in lists {
            for place in 0..other["adapter"][list].as_array().unwrap().len() {
                places.extend(names.iter().map(|name| (list, place, *name)));
            }
        }
        prop_assume!(!places.is_empty());
        let (list, place, name) = *at.get(&places);
        let item = other["adapter"][list][place].as_object_mut().unwrap();
        let is_alias = item.get(name) == Some(&json!("alias"));
        match item.remove(name) {
            // Optional fields are removed, and others replaced by another value of their kind.
            Some(_) if name == "source" || name == "given" => {}
            Some(_) => drop(item.insert(name.into(), json!(if is_alias { "derived" } else { "alias" }))),
            None => drop(item.insert(name.into(), json!("/x"))),
        }
        let other = other.to_string();
        let tape = json::read(other.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let error = check_normalized(input.root(), tape.root()).unwrap_err();
        prop_assert_eq!(error.code().as_str(), "module_invalid_decision");
        prop_assert!(error.path().starts_with(&format!("/adapter/{list}/{place}")), "{}", error.path());
    }

    #[test]
    fn no_call_makes_it_panic(text in "[\\[\\]{}\":,0-9a-z_ -]{0,60}", plan in "[\\[\\]{}\":,0-9a-z_ -]{0,60}") {
        let _ = answer(&text);
        let _ = answer(&format!(r#"{{"plan":{plan}}}"#));
    }
}

#[test]
fn a_plan_graph_carries_the_other_fields_of_the_plan() {
    let step = json!({"id": "a", "description": "", "intent": "verify", "target_files": [], "depends_on": [],
        "max_iterations": 1, "x-step": {"a": [1]}});
    let plan = json!({"analysis": "", "steps": [step], "complexity": "low", "confidence": 0.5, "owner": {"team": null},
        "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0, "shell": "bash"}});
    let text = plan.to_string();
    let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let graph: Value = serde_json::from_str(&PlanIr::read(tape.root()).unwrap().to_plan_graph()).unwrap();
    assert_eq!(graph["x-planir"]["owner"], plan["owner"]);
    assert_eq!(graph["x-planir"]["verification_strategy"]["shell"], "bash");
    assert_eq!(graph["nodes"][0]["x-planir"]["x-step"], plan["steps"][0]["x-step"]);
}
