//! Constraints, who produces what they are about, and who enforces them.

use serde_json::{Value, json};

use crate::plan::calls::{check, constraint, diagnostics, edges, validate, with};

#[test]
fn producers() {
    let reads = |path: &str| json!([constraint("c", "hard", json!({">=": [{"var": path}, 1]}))]);
    let constraints = "/task/outputContract/constraints";
    let declared = ("/plan/nodes/1/enforces", json!(["c"]));
    check(&[
        ("a root that a node gives", &[(constraints, reads("copy.score")), declared.clone()], &[]),
        (
            "a root that no node gives",
            &[(constraints, reads("review.score")), declared.clone()],
            &["hard missing_producer c"],
        ),
        ("both are missing", &[(constraints, reads("review.score"))], &["hard missing_producer c"]),
        (
            "the producer lacks its inputs",
            &[(constraints, reads("copy.score")), declared.clone(), ("/plan/edges", json!([]))],
            &[
                "hard unsupplied_input write",
                "hard missing_producer c",
                "soft isolated_node brief",
                "soft isolated_node write",
            ],
        ),
        (
            "roots with producers of their own",
            &[
                (
                    constraints,
                    json!([constraint(
                        "c",
                        "hard",
                        json!({"!=": [{"var": "outline"}, {"var": "copy.text"}]})
                    )]),
                ),
                declared.clone(),
            ],
            &[],
        ),
        (
            "operands of missing",
            &[
                (
                    constraints,
                    json!([constraint("c", "hard", json!({"==": [{"missing": ["copy.a", "gone.b"]}, []]}))]),
                ),
                declared.clone(),
            ],
            &["hard missing_producer c"],
        ),
        (
            "bodies of iterations do not count",
            &[
                (
                    constraints,
                    json!([constraint(
                        "c",
                        "hard",
                        json!({"all": [{"var": "copy"}, {"==": [{"var": "gone"}, 1]}]})
                    )]),
                ),
                declared.clone(),
            ],
            &[],
        ),
        (
            "no variables",
            &[(constraints, json!([constraint("c", "hard", json!({"==": [1, 1]}))])), declared.clone()],
            &[],
        ),
        (
            "no variables, no enforcer",
            &[(constraints, json!([constraint("c", "hard", json!({"==": [1, 1]}))]))],
            &["hard missing_enforcer c"],
        ),
        (
            "computed, and all outputs are given",
            &[
                (constraints, json!([constraint("c", "hard", json!({"var": {"var": "copy"}}))])),
                declared.clone(),
            ],
            &[],
        ),
        (
            "empty, and an output is not given",
            &[
                (constraints, json!([constraint("c", "hard", json!({"!=": [{"var": ""}, 1]}))])),
                ("/task/outputContract/schema/properties/extra", json!({})),
                declared.clone(),
            ],
            &["hard undecided_variable c"],
        ),
        (
            "computed, and what it names is not given either",
            &[
                (constraints, json!([constraint("c", "hard", json!({"var": {"var": "gone"}}))])),
                ("/task/outputContract/schema/properties/extra", json!({})),
                declared.clone(),
            ],
            &["hard missing_producer c"],
        ),
        (
            "computed, and nobody knows the outputs",
            &[
                (constraints, json!([constraint("c", "hard", json!({"var": {"var": "copy"}}))])),
                ("/task/outputContract/schema", json!({})),
                declared,
            ],
            &["hard undecided_variable c"],
        ),
    ]);
}

#[test]
fn levels() {
    let constraints = "/task/outputContract/constraints";
    let of = |level: &str, root: &str| (constraints, json!([constraint("c", level, json!({"var": root}))]));
    for (level, root, enforces, expected, score) in [
        ("hard", "gone", "c", json!(["hard", "unsatisfied", "missing_producer"]), 0.0),
        ("hard", "copy", "", json!(["hard", "unsatisfied", "missing_enforcer"]), 0.0),
        ("soft", "gone", "c", json!(["soft", "unsatisfied", "unsatisfied_soft"]), 0.0),
        ("soft", "copy", "", json!(["soft", "unsatisfied", "unsatisfied_soft"]), 0.0),
        ("informational", "gone", "c", json!(["informational", "unknown", "advisory"]), 1.0),
        ("informational", "copy", "", json!(["informational", "unknown", "advisory"]), 1.0),
    ] {
        let answer =
            validate(&with(&[of(level, root), ("/plan/nodes/1/enforces", json!([format!("{enforces}!")]))]));
        let [one] = diagnostics(&answer)[..] else { panic!("{answer}") };
        assert_eq!(json!([one["severity"], one["status"], one["cause"]]), expected);
        assert_eq!(one["constraintId"], "c");
        assert_eq!(one["constraint"], root);
        assert_eq!(answer["payload"]["satisfactionScore"], score, "{level} {root}");
        // Met ones are not shown, and count.
        let met = validate(&with(&[of(level, "copy"), ("/plan/nodes/1/enforces", json!(["c"]))]));
        assert_eq!((diagnostics(&met).len(), &met["payload"]["satisfactionScore"]), (0, &json!(1.0)));
        assert_eq!(met["payload"]["nodes"][1]["enforces"], json!(["c"]));
    }
}

#[test]
fn enforcers() {
    let constraints = "/task/outputContract/constraints";
    let score = json!({">=": [{"var": "copy.score"}, 0.8]});
    let hard = (constraints, json!([constraint("c", "hard", score.clone())]));
    let reviewer = |edge: (&str, &str)| {
        [
            ("/plan/nodes/-", json!({"nodeId": "review", "capabilityId": "Reviewer"})),
            ("/plan/edges/-", edges(&[edge])[0].clone()),
        ]
    };
    let schema = |bounds: Value| {
        let copy = json!({"type": "object", "required": ["score"], "properties": {"score": bounds}});
        json!({"schema": {"type": "object", "required": ["copy"], "properties": {"copy": copy}}})
    };
    let [after, edge] = reviewer(("write", "review"));
    let [_, before] = reviewer(("brief", "review"));
    let missing: &[&str] = &["hard missing_enforcer c"];
    check(&[
        ("nobody", core::slice::from_ref(&hard), missing),
        ("a declaration at the producer", &[hard.clone(), ("/plan/nodes/1/enforces", json!(["c"]))], &[]),
        (
            "a declaration before the producer",
            &[hard.clone(), ("/plan/nodes/0/enforces", json!(["c"]))],
            missing,
        ),
        (
            "a declaration of something else",
            &[hard.clone(), ("/plan/nodes/1/enforces", json!(["d", "C"]))],
            missing,
        ),
        ("a validation after the producer", &[hard.clone(), after.clone(), edge.clone()], &[]),
        (
            "a validation that is not after the producer",
            &[hard.clone(), after.clone(), before],
            &["hard unsupplied_input review", "hard missing_enforcer c"],
        ),
        (
            "a validation that does not touch the root",
            &[hard.clone(), after.clone(), edge.clone(), ("/plan/nodes/2/inputFacets", json!(["outline"]))],
            missing,
        ),
        (
            "no validation, though the capability is one",
            &[hard.clone(), after.clone(), edge, ("/plan/nodes/2/kind", json!("execution"))],
            missing,
        ),
        (
            "the producer itself is a validation",
            &[hard.clone(), ("/plan/nodes/1/kind", json!("validation"))],
            &[],
        ),
        (
            "the same post-condition",
            &[hard.clone(), ("/capabilities/1/postConditions", json!([{"expr": score}]))],
            &[],
        ),
        (
            "the same post-condition, alone",
            &[hard.clone(), ("/capabilities/1/postConditions", json!([score]))],
            &[],
        ),
        (
            "the same post-condition in other words",
            &[
                hard.clone(),
                ("/capabilities/1/postConditions", json!([{"<=": [0.8, {"var": "copy.score"}]}])),
            ],
            missing,
        ),
        (
            "a soft post-condition",
            &[hard.clone(), ("/capabilities/1/postConditions", json!([{"expr": score, "level": "soft"}]))],
            missing,
        ),
        (
            "the same constraint of a contract",
            &[
                hard.clone(),
                (
                    "/plan/nodes/1/contract",
                    json!({"schema": true, "constraints": [{"expr": score, "level": "hard"}]}),
                ),
            ],
            &[],
        ),
        (
            "a schema",
            &[hard.clone(), ("/plan/nodes/1/contract", schema(json!({"type": "number", "minimum": 0.8})))],
            &[],
        ),
        (
            "a schema of the capability",
            &[
                hard.clone(),
                ("/capabilities/1/outputContract", schema(json!({"type": "number", "minimum": 0.8}))),
            ],
            &[],
        ),
        (
            "a schema that allows less",
            &[hard.clone(), ("/plan/nodes/1/contract", schema(json!({"type": "number", "minimum": 0.79})))],
            missing,
        ),
    ]);
}

#[test]
fn constraints_without_ids_are_known_by_their_expression() {
    let constraints = "/task/outputContract/constraints";
    let anonymous = json!([{"expr": {">": [{"var": "copy"}, ""]}, "level": "hard"}]);
    let answer = validate(&with(&[(constraints, anonymous.clone())]));
    let one = answer["payload"]["failures"][0].clone();
    assert_eq!(one["constraint"], "copy > \"\"");
    let id = one["constraintId"].as_str().unwrap();
    assert!(id.len() == 18 && id.starts_with("c-"), "{id}");
    // Other white space and other digits are the same expression.
    let enforced = validate(&with(&[(constraints, anonymous), ("/plan/nodes/1/enforces", json!([id]))]));
    assert_eq!(enforced["event"], "plan_generated");
}
