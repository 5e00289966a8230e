//! Structural findings of small plans, and their absence in sound plans.

use serde_json::{Value, json};

use crate::plan::calls::{check, constraint, edges, findings, nodes, suggestions, validate, with};

#[test]
fn structure() {
    check(&[
        ("nothing", &[], &[]),
        (
            "no nodes",
            &[("/plan/nodes", json!([])), ("/plan/edges", json!([]))],
            &["hard uncovered_output", "hard empty_plan"],
        ),
        (
            "an id twice",
            &[("/plan/nodes/-", json!({"nodeId": "write", "capabilityId": "Writer"}))],
            &["hard duplicate_node write"],
        ),
        (
            "an id three times, once more",
            &[("/plan/nodes", nodes(&["a", "b", "b", "b"])), ("/plan/edges", edges(&[("a", "b")]))],
            &["hard duplicate_node b"],
        ),
        (
            "an edge from nowhere",
            &[("/plan/edges/-", json!({"from": "wirte", "to": "write"}))],
            &["hard unknown_edge_end write"],
        ),
        (
            "an edge between nowheres",
            &[("/plan/edges/-", json!({"from": "x", "to": "y"}))],
            &["hard unknown_edge_end", "hard unknown_edge_end"],
        ),
        ("the same edge twice", &[("/plan/edges/-", json!({"from": "brief", "to": "write"}))], &[]),
        (
            "a node before itself",
            &[("/plan/edges/-", json!({"from": "write", "to": "write"}))],
            &["hard cycle write"],
        ),
        (
            "two nodes before each other",
            &[("/plan/edges/-", json!({"from": "write", "to": "brief"}))],
            &["hard cycle brief"],
        ),
        (
            "no capability",
            &[("/plan/nodes/1", json!({"nodeId": "write", "provides": ["copy"]}))],
            &["hard incomplete_node write"],
        ),
        (
            "an unknown capability",
            &[("/plan/nodes/0/capabilityId", json!("Breifer"))],
            &["hard unknown_capability brief", "hard unsupplied_input write"],
        ),
        (
            "an inactive capability",
            &[("/capabilities/1/status", json!("retired"))],
            &["hard inactive_capability write"],
        ),
        ("an active capability", &[("/capabilities/1/status", json!("active"))], &[]),
        (
            "a node without edges",
            &[("/plan/nodes/-", json!({"nodeId": "alone", "capabilityId": "Writer", "inputFacets": []}))],
            &["soft isolated_node alone"],
        ),
        ("the only node", &[("/plan/nodes", nodes(&["a"])), ("/plan/edges", json!([]))], &[]),
        (
            "two parts that have nothing to do with each other",
            &[
                ("/plan/nodes", nodes(&["a", "b", "c", "d"])),
                ("/plan/edges", edges(&[("a", "b"), ("d", "c")])),
            ],
            &[],
        ),
    ]);
}

#[test]
fn after_a_broken_structure_only_policies_are_checked() {
    let broken = [
        ("/plan/edges/-", json!({"from": "write", "to": "brief"})),
        ("/plan/nodes/-", json!({"nodeId": "write", "capabilityId": "Writer"})),
        ("/plan/edges/-", json!({"from": "write", "to": "gone"})),
    ];
    for one in broken {
        let answer = validate(&with(&[
            one,
            ("/capabilities/1/inputFacets", json!(["nothing_gives_it"])),
            ("/task/outputContract/constraints", json!([constraint("c", "hard", json!({"var": "gone"}))])),
            ("/task/policies", json!({"planner": {"variantCount": 3}})),
            (
                "/task/outputContract/schema/properties",
                json!({"copy": {"type": "string"}, "variants": {"type": "array", "maxItems": 2}}),
            ),
        ]));
        let found = findings(&answer);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.contains(&"hard variant_count".into()), "{found:?}");
        // The constraint was not judged.
        assert_eq!(answer["payload"]["satisfactionScore"], 0.0);
        let unjudged = json!([{"constraintId": "c", "severity": "hard", "score": 0.0}]);
        assert_eq!(answer["payload"]["constraintScores"], unjudged);
    }
}

#[test]
fn a_cycle_is_shown_with_its_path() {
    let answer = validate(&with(&[
        ("/plan/nodes", nodes(&["d", "c", "b", "a"])),
        ("/plan/edges", edges(&[("d", "b"), ("b", "c"), ("c", "d"), ("a", "b"), ("c", "b"), ("d", "c")])),
    ]));
    assert_eq!(
        answer["payload"]["failures"][0]["details"],
        json!({"code": "cycle", "path": ["b", "c", "b"]})
    );
    assert_eq!(suggestions(&answer), ["Remove the edge from c to b, or another one of the cycle."]);
}

#[test]
fn variant_counts() {
    let lists = |copies: Value| {
        ("/task/outputContract/schema/properties", json!({"copy": {"type": "string"}, "copies": copies}))
    };
    let two = || json!({"type": "array", "minItems": 2, "maxItems": 2.0});
    let asks = |count: u64| ("/task/policies", json!({"planner": {"topology": {"variantCount": count}}}));
    let path = |path: &str| ("/task/outputContract/hints", json!({"variantPath": path}));
    let nested = (
        "/task/outputContract/schema/properties/deep",
        json!({
            "type": "object", "properties": {"a/b": {"type": "array", "items": {"type": "array", "minItems": 5}}}
        }),
    );
    check(&[
        ("as many as allowed", &[asks(2), lists(two())], &[]),
        ("too many", &[asks(3), lists(two())], &["hard variant_count"]),
        ("too few", &[asks(1), lists(two())], &["hard variant_count"]),
        ("no bounds", &[asks(3), lists(json!({"type": "array"}))], &[]),
        ("no list", &[asks(3)], &["informational unchecked_variant_count"]),
        (
            "a list, and what may be one",
            &[
                asks(3),
                lists(two()),
                ("/task/outputContract/schema/properties/others", json!({"type": ["array", "null"]})),
            ],
            &["informational unchecked_variant_count"],
        ),
        (
            "a list, and what is said elsewhere",
            &[
                asks(3),
                lists(two()),
                ("/task/outputContract/schema/properties/others", json!({"$ref": "#/x"})),
            ],
            &["hard variant_count", "hard invalid_schema"],
        ),
        (
            "a list, and what says no type",
            &[asks(3), lists(two()), ("/task/outputContract/schema/properties/others", json!({}))],
            &["hard variant_count"],
        ),
        (
            "two lists",
            &[asks(3), lists(two()), ("/task/outputContract/schema/properties/others", two())],
            &["informational unchecked_variant_count"],
        ),
        (
            "two lists, and a path to one",
            &[
                asks(3),
                lists(two()),
                ("/task/outputContract/schema/properties/others", two()),
                path("/others"),
            ],
            &["hard variant_count"],
        ),
        (
            "a path to a list in a list",
            &[asks(3), nested.clone(), path("/deep/a~1b/0")],
            &["hard variant_count"],
        ),
        ("a path to the list around it", &[asks(3), nested, path("/deep/a~1b")], &[]),
        (
            "a path that leads nowhere",
            &[asks(3), lists(two()), path("/gone")],
            &["informational unchecked_variant_count"],
        ),
        (
            "a path to no list",
            &[asks(3), lists(two()), path("/copy")],
            &["informational unchecked_variant_count"],
        ),
        (
            "twice the same",
            &[
                ("/task/policies", json!({"planner": {"variantCount": 3, "topology": {"variantCount": 3}}})),
                lists(two()),
            ],
            &["hard variant_count"],
        ),
        (
            "twice and not the same",
            &[
                ("/task/policies", json!({"planner": {"variantCount": 3, "topology": {"variantCount": 1}}})),
                lists(two()),
            ],
            &["hard variant_count", "hard variant_count"],
        ),
    ]);
}

#[test]
fn schemas_that_mean_nothing_are_found_wherever_they_are() {
    let bad = json!({"type": "strnig"});
    check(&[
        (
            "of the task",
            &[("/task/outputContract/schema/properties", json!({"copy": bad.clone()}))],
            &["hard invalid_schema"],
        ),
        (
            "of a node",
            &[("/plan/nodes/1/contract", json!({"schema": bad.clone()}))],
            &["hard invalid_schema write"],
        ),
        (
            "of a capability",
            &[("/capabilities/0/inputContract", json!({"schema": bad.clone()}))],
            &["hard invalid_schema"],
        ),
        (
            "of a facet",
            &[("/facets", json!([{"name": "spare", "schema": bad, "direction": "input"}]))],
            &[
                "hard invalid_schema",
                "hard unknown_facet brief",
                "hard unknown_facet brief",
                "hard unknown_facet write",
                "hard unknown_facet write",
            ],
        ),
        (
            "that leads back to itself",
            &[("/plan/nodes/1/contract", json!({"schema": {"allOf": [{"$ref": "#"}]}}))],
            &["hard invalid_schema write"],
        ),
        (
            "that refers to what is not there",
            &[("/plan/nodes/1/contract", json!({"schema": {"$ref": "https://example.org/other.json"}}))],
            &["hard invalid_schema write"],
        ),
    ]);
}
