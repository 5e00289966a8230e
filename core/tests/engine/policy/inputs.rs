//! Declared inputs: an envelope is judged as if it had only the `x-` fields that its policy declares and that do not break the
//! schema, and `check_policy` knows their types. The model of the schema is written by hand.

use adjudicate_core::{
    Policy,
    check::{CheckFinding, check_policy},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{answer, envelopes, policy};

fn inputs() -> Value {
    json!({"properties": {
        "x-coverage": {
            "type": "object",
            "properties": {"lines": {"type": "number", "minimum": 0, "maximum": 100}, "branches": {"type": "integer"}},
            "required": ["lines"]
        },
        "x-kind": {"enum": ["hotfix", "feature"]},
        "x-steps": {
            "type": "array", "maxItems": 2,
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "ok": {"type": "boolean"}}}
        }
    }})
}

/// The model: whether a field is as the schema says.
fn is_valid(name: &str, value: &Value) -> bool {
    let lines = |value: &Value| value.as_f64().is_some_and(|lines| (0.0..=100.0).contains(&lines));
    let whole = |value: &Value| value.as_f64().is_some_and(|value| value.fract() == 0.0);
    match name {
        "x-coverage" => {
            let branches = value.get("branches");
            value.get("lines").is_some_and(lines) && branches.is_none_or(whole)
        }
        "x-kind" => value == "hotfix" || value == "feature",
        "x-steps" => value.as_array().is_some_and(|steps| {
            let is_step = |step: &Value| {
                step.is_object()
                    && step.get("name").is_none_or(Value::is_string)
                    && step.get("ok").is_none_or(Value::is_boolean)
            };
            steps.len() <= 2 && steps.iter().all(is_step)
        }),
        _ => false,
    }
}

/// The model: an envelope without the fields that are hidden from conditions.
fn visible(envelope: &Value, requires_kind: bool) -> Value {
    let mut fields = envelope.as_object().unwrap().clone();
    let breaks = requires_kind && !fields.contains_key("x-kind");
    fields.retain(|name, value| !name.starts_with("x-") || (!breaks && is_valid(name, value)));
    if let Some(coverage) = fields.get_mut("x-coverage").and_then(Value::as_object_mut) {
        coverage.retain(|name, _| name == "lines" || name == "branches");
    }
    Value::Object(fields)
}

/// Envelopes with `x-` fields: some are declared, and some of these break the schema.
fn evidence() -> impl Strategy<Value = Value> {
    let coverage = select(vec![
        json!({"lines": 50}),
        json!({"lines": 0, "branches": 3.0}),
        json!({"lines": 100, "lnes": 7}),
        json!({"lines": 101}),
        json!({"lines": "50"}),
        json!({"lines": 10, "branches": 1.5}),
        json!({"branches": 2}),
        json!(7),
        json!(null),
    ]);
    let kind = select(vec![json!("hotfix"), json!("feature"), json!("hot"), json!(1)]);
    let steps = select(vec![
        json!([]),
        json!([{"name": "a", "ok": true}]),
        json!([{"name": "b"}, {"ok": false}]),
        json!([{"name": 1}]),
        json!([{}, {}, {}]),
        json!({"0": {"name": "a"}}),
    ]);
    let fields = (option::of(coverage), option::of(kind), option::of(steps), option::of(Just(json!(1))));
    (envelopes(), fields).prop_map(|(mut envelope, (coverage, kind, steps, other))| {
        for (name, value) in
            [("x-coverage", coverage), ("x-kind", kind), ("x-steps", steps), ("x-other", other)]
        {
            if let Some(value) = value {
                envelope[name] = value;
            }
        }
        envelope
    })
}

/// Conditions over declared, misspelt and undeclared fields.
fn leaves() -> Vec<Value> {
    let lines = json!({"var": "input.x-coverage.lines"});
    let kind = json!({"var": "input.x-kind"});
    let steps = json!({"var": "input.x-steps"});
    vec![
        json!({"<": [lines, 80]}),
        json!({"<": [lines, 0]}),
        json!({">=": [lines, 0]}),
        json!({"<": [{"var": ["input.x-coverage.lines", 100]}, 80]}),
        json!({"<": [{"var": "input.x-coverage.lnes"}, 80]}),
        json!({"==": [{"var": "input.x-coverage.branches"}, 3]}),
        json!({"<": [{"var": "input.x-coverage.branches"}, lines]}),
        json!({"==": [{"var": {"cat": ["input.x-", "kind"]}}, "hotfix"]}),
        json!({"==": [{"var": {"cat": ["input.x-", "other"]}}, 1]}),
        json!({"==": [kind, "hotfix"]}),
        json!({"==": [kind, "hotfx"]}),
        json!({"in": [kind, ["hotfix", "feature"]]}),
        json!({"starts_with": [kind, "hot"]}),
        json!({"some": [steps, {"==": [{"var": "name"}, "a"]}]}),
        json!({"all": [steps, {"var": "ok"}]}),
        json!({"==": [{"var": "input.x-steps.0.name"}, "a"]}),
        json!({"==": [{"var": "input.x-steps.7.name"}, "a"]}),
        json!({">": [{"length": [steps]}, 2]}),
        json!({"==": [{"var": "input.x-other"}, 1]}),
        json!({"==": [{"missing": ["input.x-kind", "input.x-coverage"]}, ["input.x-coverage"]]}),
        json!({">": [{"var": "facts.diff.count"}, 0]}),
    ]
}

fn conditions() -> impl Strategy<Value = Value> {
    let joined = |operator: &'static str| {
        vec(select(leaves()), 1..4).prop_map(move |operands: Vec<Value>| json!({operator: operands}))
    };
    prop_oneof![
        select(leaves()),
        joined("and"),
        joined("or"),
        joined("!").prop_map(|negated| json!({"!": [negated["!"][0]]}))
    ]
}

fn rule(index: usize, when: &Value, on_unknown: &str) -> Value {
    json!({"id": format!("r{index}"), "when": when, "on_unknown": on_unknown,
        "then": {"status": "partial", "summary": "s"}})
}

fn with_inputs(rules: &[Value], requires_kind: bool) -> Value {
    let mut policy = policy(rules);
    policy["inputs"] = inputs();
    if requires_kind {
        policy["inputs"]["required"] = json!(["x-kind"]);
    }
    policy
}

fn check(policy: &Value) -> Vec<CheckFinding> {
    check_policy(&Policy::parse(policy.to_string().as_bytes()).unwrap())
}

/// The names of the rules that find something in an answer.
fn fired(answer: &Value) -> Vec<&str> {
    answer["findings"].as_array().unwrap().iter().filter_map(|finding| finding["rule"].as_str()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn fields_that_break_the_schema_are_as_if_absent_and_ask_for_a_human(
        envelope in evidence(), conditions in vec((conditions(), select(vec!["escalate", "fire", "ignore"])), 1..4),
        requires_kind in any::<bool>(),
    ) {
        let rules = conditions.iter().enumerate();
        let rules: Vec<Value> = rules.map(|(index, (when, word))| rule(index, when, word)).collect();
        let declared = answer(&envelope, &with_inputs(&rules, requires_kind));
        let visible = answer(&visible(&envelope, requires_kind), &policy(&rules));
        let (Ok(declared), Ok(visible)) = (&declared, &visible) else {
            prop_assert_eq!(declared, visible);
            return Ok(());
        };
        let all = declared["findings"].as_array().unwrap();
        let is_of_inputs = |finding: &&Value| finding["summary"] == "the policy's `inputs` do not allow this value";
        let (of_inputs, others): (Vec<_>, Vec<_>) = all.iter().partition(is_of_inputs);
        // `unchecked` and `unreviewed` run only if all other findings lead to `success`.
        let asks = |finding: &&Value| of_inputs.is_empty() || !["unchecked", "unreviewed"].iter().any(|rule| finding["rule"] == *rule);
        let expected: Vec<_> = visible["findings"].as_array().unwrap().iter().filter(asks).collect();
        prop_assert_eq!(others, expected);
        if of_inputs.is_empty() {
            prop_assert_eq!(declared, visible);
        } else {
            let status = declared["decision"]["status"].as_str().unwrap();
            prop_assert!(["needs_human", "unsafe"].contains(&status), "{}", status);
        }
    }

    #[test]
    fn findings_about_declared_inputs_are_so(
        envelopes in vec(evidence(), 6), when in conditions(), word in select(vec!["escalate", "fire", "ignore"]),
        requires_kind in any::<bool>(),
    ) {
        let policy = with_inputs(&[rule(0, &when, word)], requires_kind);
        let findings = check(&policy);
        let watch = with_inputs(&[rule(0, &when, "ignore")], requires_kind);
        for envelope in &envelopes {
            let (answered, holds) = (answer(envelope, &policy), answer(envelope, &watch));
            for finding in &findings {
                let code = finding.code.as_str();
                if let (true, Ok(answer)) = (["dead_rule", "never_holds", "excluded_evidence"].contains(&code), &holds) {
                    prop_assert!(!fired(answer).contains(&"r0"), "{} {}", when, envelope);
                }
                if let (true, Ok(answer)) = (code == "dead_rule", &answered) {
                    prop_assert!(!fired(answer).contains(&"r0"), "{} {}", when, envelope);
                }
                if code == "always_fires" {
                    prop_assert!(fired(answered.as_ref().unwrap()).contains(&"r0"), "{} {}", when, envelope);
                }
            }
        }
        for witness in findings.iter().filter_map(|finding| finding.witness.as_ref()?.envelope()) {
            let envelope: Value = serde_json::from_str(&witness.envelope_text()).unwrap();
            let mut fields = envelope.as_object().unwrap().iter().filter(|(name, _)| name.starts_with("x-"));
            prop_assert!(fields.all(|(name, value)| is_valid(name, value)), "{}", envelope);
            prop_assert!(!requires_kind || envelope.get("x-kind").is_some(), "{}", envelope);
        }
    }
}

/// The findings about a condition: the code, the path in the condition, the message and the hint.
fn found(when: &Value) -> Vec<(String, String, String)> {
    let findings = check(&with_inputs(&[rule(0, when, "escalate")], false)).into_iter();
    let about = findings.filter(|finding| finding.path.starts_with("/rules/0/when"));
    about
        .map(|finding| {
            let reported = format!("{}; {}", finding.message, finding.hint.unwrap_or_default());
            (finding.code.as_str().into(), finding.path["/rules/0/when".len()..].into(), reported)
        })
        .collect()
}

#[test]
fn conditions_are_held_against_the_schema() {
    let table = [
        (
            json!({"<": [{"var": "input.x-coverage.lnes"}, 80]}),
            "unknown_variable",
            "/</0",
            "`input.x-coverage.lnes` never has a value: unknown field `lnes`; did you mean `lines`?",
        ),
        (
            json!({"<": [{"var": "input.x-coverge.lines"}, 80]}),
            "unknown_variable",
            "/</0",
            "`input.x-coverge.lines` never has a value: unknown field `x-coverge`; did you mean `x-coverage`?",
        ),
        (
            json!({"==": [{"var": "input.x-coverage.lines.0"}, 1]}),
            "unknown_variable",
            "/==/0",
            "`input.x-coverage.lines.0` never has a value: the schema of `inputs` allows no value there; ",
        ),
        (
            json!({"some": [{"var": "input.x-steps"}, {"==": [{"var": "nam"}, "a"]}]}),
            "unknown_variable",
            "/some/1/==/0",
            "`nam` never has a value: unknown field `nam`; did you mean `name`?",
        ),
        (
            json!({"==": [{"missing": ["input.x-kid"]}, []]}),
            "unknown_variable",
            "/==/0",
            "`input.x-kid` never has a value: unknown field `x-kid`; did you mean `x-kind`?",
        ),
        (
            json!({"<": [{"var": "input.x-coverage"}, 80]}),
            "type_error",
            "/</0",
            "`<` takes a number or a string, and `input.x-coverage` is an object; ",
        ),
        (
            json!({"some": [{"var": "input.x-steps"}, {"<": [{"var": "ok"}, 1]}]}),
            "type_error",
            "/some/1/</0",
            "`<` takes a number or a string, and `ok` is a boolean; ",
        ),
        (
            json!({"==": [{"var": "input.x-kind"}, "hotfx"]}),
            "never_equal",
            "/==/1",
            "`input.x-kind` is never `hotfx`: unknown word `hotfx`; did you mean `hotfix`?",
        ),
        (
            json!({"==": [{"var": "input.x-coverage.lines"}, 101]}),
            "never_equal",
            "/==/1",
            "`input.x-coverage.lines` is never `101`; ",
        ),
        (
            json!({"<": [{"var": "input.x-coverage.lines"}, 0]}),
            "never_holds",
            "",
            "the condition of `r0` never holds: it only asks a human if evidence is missing; ",
        ),
        (
            json!({"and": [{">": [{"var": "input.x-coverage.branches"}, 1]}, {"<": [{"var": "input.x-coverage.branches"}, 2]}]}),
            "never_holds",
            "",
            "the condition of `r0` never holds: it only asks a human if evidence is missing; ",
        ),
        (
            json!({">": [{"length": [{"var": "input.x-steps"}]}, 2]}),
            "never_holds",
            "",
            "the condition of `r0` never holds: it only asks a human if evidence is missing; ",
        ),
    ];
    for (when, code, path, reported) in table {
        let found = found(&when);
        assert!(found.contains(&(code.into(), path.into(), reported.into())), "{when}: {found:?}");
    }
    for when in leaves() {
        let unknown = found(&when).into_iter().any(|(code, ..)| code == "unknown_variable");
        let text = when.to_string();
        let is_misspelt = text.contains("lnes") || text.contains("x-other\"") || text.contains("x-steps.7");
        assert_eq!(unknown, is_misspelt, "{when}");
    }
}

#[test]
fn an_open_schema_declares_more() {
    let open = |schema: Value, name: &str| {
        let mut policy = policy(&[rule(0, &json!({"==": [{"var": name}, 1]}), "escalate")]);
        policy["inputs"] = schema;
        !check(&policy).iter().any(|finding| finding.code.as_str() == "unknown_variable")
    };
    let below = |schema: Value| {
        let draft = "https://json-schema.org/draft/2020-12/schema";
        open(json!({"$schema": draft, "properties": {"x-a": schema}}), "input.x-a.b")
    };
    assert!(!open(json!({}), "input.x-a"));
    assert!(open(json!({"patternProperties": {"^x-team-": {}}}), "input.x-team-a"));
    assert!(!open(json!({"patternProperties": {"^x-team-": {}}}), "input.x-a"));
    assert!(open(json!({"additionalProperties": true}), "input.x-a.b.c"));
    assert!(below(json!({})));
    assert!(below(json!({"type": "object"})));
    assert!(!below(json!({"properties": {"c": {}}})));
    assert!(!below(json!({"additionalProperties": false})));
    assert!(below(json!({"properties": {"c": {}}, "additionalProperties": {"type": "number"}})));
    assert!(below(json!({"properties": {"c": {}}, "required": ["b"]})));
    assert!(below(json!({"allOf": [{"properties": {"c": {}}}, {"properties": {"b": {}}}]})));
    assert!(below(json!({"anyOf": [{"type": "null"}, {"properties": {"b": {}}}]})));
    assert!(!below(json!({"anyOf": [{"type": "null"}, {"properties": {"c": {}}}]})));
    assert!(below(
        json!({"properties": {"c": {}}, "if": {"required": ["c"]}, "then": {"properties": {"b": {}}}})
    ));
    assert!(!below(json!({"allOf": [{"properties": {"c": {}}}], "unevaluatedProperties": false})));
    assert!(below(
        json!({"allOf": [{"properties": {"c": {}}}], "unevaluatedProperties": {"type": "number"}})
    ));
}

#[test]
fn the_whole_envelope_is_unknown_if_a_field_breaks_the_schema() {
    let rules = [rule(0, &json!({"some": [[{"var": "input"}], {"==": [{"var": "x-kind"}, 1]}]}), "ignore")];
    let mut envelope: Value = serde_json::from_str(adjudicate_tests::envelope!()).unwrap();
    envelope["x-kind"] = json!(1);
    assert!(fired(&answer(&envelope, &policy(&rules)).unwrap()).contains(&"r0"));
    assert!(!fired(&answer(&envelope, &with_inputs(&rules, false)).unwrap()).contains(&"r0"));
    envelope["x-kind"] = json!("hotfix");
    let is_hotfix = json!({"some": [[{"var": "input"}], {"==": [{"var": "x-kind"}, "hotfix"]}]});
    let rules = [rule(0, &is_hotfix, "ignore")];
    assert!(fired(&answer(&envelope, &with_inputs(&rules, false)).unwrap()).contains(&"r0"));
}

#[test]
fn more_breaches_than_can_be_listed_hide_every_field() {
    let mut policy = policy(&[]);
    policy["inputs"] = json!({"properties": {"x-list": {"items": {"type": "string"}}}});
    let numbers: Vec<usize> = (0..300_000).collect();
    let envelope = json!({
        "run_id": "r", "workflow_id": "w", "step_id": "s", "evaluate_prompt": "p.v1", "allowed_next_steps": ["gate"],
        "provenance_window": [], "x-list": numbers, "evidence": {
            "transcript_summary": "", "workspace_diff_summary": "", "artifacts": [], "policy_events": [],
            "validation": {"mechanical_outcome": "completed", "exit_codes": {"test": 0}, "timeouts": []}
        }
    });
    let answer = answer(&envelope, &policy).unwrap();
    assert_eq!(fired(&answer), ["unknown_evidence"]);
    assert_eq!(answer["findings"][0]["expected"], "fields that the schema of the policy's `inputs` allows");
}
