//! Fields that nodes take and give, and the findings about missing ones.

use serde_json::json;

use crate::plan::calls::{check, edges, suggestions, validate, with};

#[test]
fn facets() {
    let catalog = |topic: &str, outline: &str, copy: &str| {
        json!([
            {"name": "topic", "schema": {"type": "string"}, "direction": topic},
            {"name": "outline", "schema": {"type": "string"}, "direction": outline},
            {"name": "copy", "schema": {"type": "string"}, "direction": copy}
        ])
    };
    check(&[
        ("a catalog", &[("/facets", catalog("input", "bidirectional", "output"))], &[]),
        (
            "an input that is only given",
            &[("/facets", catalog("output", "bidirectional", "output"))],
            &["hard facet_direction brief"],
        ),
        (
            "an output that is only taken",
            &[("/facets", catalog("input", "bidirectional", "input"))],
            &["hard facet_direction write"],
        ),
        (
            "what is said to be given and is only taken",
            &[
                ("/facets", catalog("input", "bidirectional", "output")),
                ("/plan/nodes/0/provides", json!(["topic"])),
            ],
            &["hard facet_direction brief"],
        ),
        (
            "an unknown facet",
            &[
                ("/facets", catalog("input", "bidirectional", "output")),
                ("/plan/nodes/1/outputFacets", json!(["copy", "tone"])),
            ],
            &["hard unknown_facet write"],
        ),
        (
            "an unknown facet that is taken",
            &[
                ("/facets", catalog("input", "bidirectional", "output")),
                ("/plan/nodes/1/inputFacets", json!(["outline", "tone"])),
            ],
            &["hard unknown_facet write"],
        ),
        (
            "an unknown facet that the node's own list replaces",
            &[
                ("/facets", catalog("input", "bidirectional", "output")),
                ("/capabilities/1/outputFacets", json!(["tone"])),
                ("/plan/nodes/1/outputFacets", json!(["copy"])),
            ],
            &[],
        ),
        (
            "a member that is no facet",
            &[
                ("/facets", catalog("input", "bidirectional", "output")),
                ("/plan/nodes/1/provides", json!(["tone"])),
            ],
            &[],
        ),
        ("no catalog", &[("/plan/nodes/1/outputFacets", json!(["copy", "tone"]))], &[]),
    ]);
}

#[test]
fn inputs() {
    let optional = |is_required: bool| {
        json!([
            {"name": "topic", "schema": true, "direction": "input", "requiredByDefault": is_required},
            {"name": "outline", "schema": true, "direction": "bidirectional"},
            {"name": "copy", "schema": true, "direction": "output"}
        ])
    };
    let keyed = json!([
        {"name": "topic", "schema": true, "direction": "input", "propertyKey": "subject"},
        {"name": "outline", "schema": true, "direction": "bidirectional", "propertyKey": "skeleton"},
        {"name": "copy", "schema": true, "direction": "output"}
    ]);
    check(&[
        ("no input", &[("/task/inputs", json!({}))], &["hard unsupplied_input brief"]),
        (
            "no required input",
            &[("/task/inputs", json!({})), ("/facets", optional(true))],
            &["hard unsupplied_input brief"],
        ),
        ("no optional input", &[("/task/inputs", json!({})), ("/facets", optional(false))], &[]),
        (
            "no edge from who gives it",
            &[("/plan/edges/0", json!({"from": "write", "to": "brief"}))],
            &["hard unsupplied_input write"],
        ),
        (
            "members with names of their own",
            &[("/facets", keyed.clone()), ("/task/inputs", json!({"subject": 1}))],
            &[],
        ),
        ("the facet's name is not the member's", &[("/facets", keyed)], &["hard unsupplied_input brief"]),
        (
            "what an input contract requires",
            &[("/capabilities/1/inputContract", json!({"schema": {"required": ["outline", "voice"]}}))],
            &["hard unsupplied_input write"],
        ),
        (
            "what an input contract requires, from the task",
            &[
                (
                    "/capabilities/1/inputContract",
                    json!({"schema": {"required": ["voice"], "properties": {"tone": {}}}}),
                ),
                ("/task/inputs", json!({"topic": "tea", "voice": null})),
            ],
            &[],
        ),
        (
            "from far upstream",
            &[
                (
                    "/plan/nodes",
                    json!([
                        {"nodeId": "z", "capabilityId": "Briefer"},
                        {"nodeId": "m", "capabilityId": "Writer", "inputFacets": []},
                        {"nodeId": "a", "capabilityId": "Writer"}
                    ]),
                ),
                ("/plan/edges", edges(&[("z", "m"), ("m", "a")])),
            ],
            &[],
        ),
    ]);
    let answer = validate(&with(&[("/plan/edges", json!([]))]));
    assert_eq!(
        suggestions(&answer)[..1],
        ["Add an edge from brief to write, or insert Briefer before write."]
    );
}

#[test]
fn outputs() {
    check(&[
        (
            "two are required",
            &[("/task/outputContract/schema/required", json!(["copy", "review"]))],
            &["hard uncovered_output"],
        ),
        (
            "given by a contract",
            &[
                ("/task/outputContract/schema/required", json!(["copy", "review"])),
                ("/plan/nodes/1/contract", json!({"schema": {"properties": {"review": {"type": "object"}}}})),
            ],
            &[],
        ),
        (
            "given by a contract that lets it have no value",
            &[
                ("/task/outputContract/schema/required", json!(["copy", "review"])),
                ("/plan/nodes/1/contract", json!({"schema": {"properties": {"review": false}}})),
            ],
            &["hard uncovered_output"],
        ),
        (
            "given by the capability's contract",
            &[
                ("/task/outputContract/schema/required", json!(["copy", "review"])),
                ("/capabilities/1/outputContract", json!({"schema": {"properties": {"review": {}}}})),
            ],
            &[],
        ),
        (
            "an input of the task is no output",
            &[("/task/outputContract/schema/required", json!(["topic"]))],
            &["hard uncovered_output"],
        ),
    ]);
    let answer = validate(&with(&[("/task/outputContract/schema/required", json!(["review"]))]));
    let expected = json!([{
        "severity": "hard", "status": "unsatisfied", "cause": "missing_producer",
        "suggestion": "Insert Reviewer after write.", "details": {"code": "uncovered_output", "property": "review"}
    }]);
    assert_eq!(answer["payload"]["failures"], expected);
}
