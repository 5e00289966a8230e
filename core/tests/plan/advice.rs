//! What would help: capabilities of the registry and places in the plan, a line each, in a stable order.

use serde_json::{Value, json};

use crate::calls::{constraint, edges, findings, nodes, suggestions, validate, with};

/// One call after the other, and all lines of its answer; those of one diagnostic stand in one text.
#[expect(clippy::type_complexity, reason = "a table")]
fn told(table: &[(&str, &[(&str, Value)], &[&str])]) {
    for (case, patches, expected) in table {
        let answer = validate(&with(patches));
        let expected: Vec<&str> = expected.iter().flat_map(|lines| lines.lines()).collect();
        assert_eq!(suggestions(&answer), expected, "{case}: {:?}", findings(&answer));
    }
}

#[test]
fn of_constraints() {
    let constraints = "/task/outputContract/constraints";
    let about = |path: &str| (constraints, json!([constraint("c", "hard", json!({"var": path}))]));
    let auditor = ("/capabilities/-", json!({"capabilityId": "Auditor", "outputFacets": ["review"]}));
    let asleep = json!({"capabilityId": "Asleep", "outputFacets": ["review"], "status": "off"});
    told(&[
        // Whoever takes what the last node alone gives comes after it.
        (
            "several would do",
            &[about("review.done"), auditor, ("/capabilities/-", asleep)],
            &["Insert Auditor before write.", "Insert Reviewer after write."],
        ),
        ("nobody enforces it", &[about("copy.done")], &["Insert Reviewer after write."]),
        (
            "nobody could enforce it",
            &[about("outline")],
            &["Declare c in enforces of a node at or after brief."],
        ),
        ("nobody could give it", &[about("gone")], &["Have nodes give gone."]),
        (
            "who gives it lacks an input",
            &[about("copy"), ("/plan/edges", json!([])), ("/plan/nodes/1/enforces", json!(["c"]))],
            &[
                "Add an edge from brief to write.",
                "Insert Briefer before write.",
                "Supply the inputs of write.",
                "Add an edge from brief to write.",
                "Add an edge from brief to write.",
            ],
        ),
    ]);
}

#[test]
fn of_nodes() {
    let twice = json!({"nodeId": "write", "capabilityId": "Writer"});
    told(&[
        (
            "no nodes",
            &[("/plan/nodes", json!([])), ("/plan/edges", json!([]))],
            &["Add a node of Writer.", "Add a node of Writer."],
        ),
        (
            "no nodes, and nothing is asked for",
            &[
                ("/plan", json!({"nodes": [], "edges": []})),
                ("/task/outputContract/schema", json!(true)),
                ("/capabilities/0/status", json!("off")),
            ],
            &["Add a node of Reviewer.\nAdd a node of Writer."],
        ),
        (
            "no nodes, and no capabilities",
            &[
                ("/plan", json!({"nodes": [], "edges": []})),
                ("/task/outputContract/schema", json!(true)),
                ("/capabilities", json!([])),
            ],
            &["Add a capability that can be used, and a node of it."],
        ),
        ("an id twice", &[("/plan/nodes/-", twice)], &["Rename all but one of the nodes write."]),
        (
            "an id that is close to one",
            &[("/plan/nodes/1/capabilityId", json!("Wirter")), ("/plan/nodes/1/provides", json!(["copy"]))],
            &["Use Writer in write."],
        ),
        (
            "what a node gives, whoever does it",
            &[("/plan/nodes/1/capabilityId", json!("Poet")), ("/plan/nodes/1/provides", json!(["copy"]))],
            &["Use Writer in write."],
        ),
        (
            "one that is close, and one that gives it",
            &[("/plan/nodes/1/capabilityId", json!("Briefr")), ("/plan/nodes/1/provides", json!(["copy"]))],
            &["Use Briefer in write.\nUse Writer in write."],
        ),
        (
            "one that is close cannot be used",
            &[
                ("/plan/nodes/1/capabilityId", json!("Revewer")),
                ("/plan/nodes/1/provides", json!(["copy", "more"])),
                ("/capabilities/2/status", json!("off")),
            ],
            &["Name a capability of the registry in write."],
        ),
        (
            "no capability",
            &[("/plan/nodes/1", json!({"nodeId": "write", "provides": ["copy"]}))],
            &["Use Writer in write."],
        ),
        (
            "another that could do the same",
            &[
                ("/capabilities/1/status", json!("off")),
                ("/capabilities/-", json!({"capabilityId": "Author", "outputFacets": ["copy"]})),
            ],
            &["Use Author in write."],
        ),
        (
            "no other",
            &[("/capabilities/1/status", json!("off"))],
            &["Use another capability than Writer in write, or make it active."],
        ),
    ]);
}

#[test]
fn of_edges() {
    let node = |id: &str, takes: Value, gives: Value| json!({"nodeId": id, "capabilityId": "Writer", "inputFacets": takes, "outputFacets": gives});
    told(&[
        (
            "an end that is close to a node",
            &[("/plan/edges/-", json!({"from": "brif", "to": "write"}))],
            &[
                "Add a node brif, or remove the edge from brif to write.\nUse brief in place of brif in the edge from brif to write.",
            ],
        ),
        // A name cannot break a line.
        (
            "an end that is no word",
            &[("/plan/edges/-", json!({"from": "a\nb", "to": "write"}))],
            &[r#"Add a node "a\nb", or remove the edge from "a\nb" to write."#],
        ),
        (
            "a cycle",
            &[
                ("/plan/nodes", nodes(&["d", "c", "b", "a"])),
                ("/plan/edges", edges(&[("d", "b"), ("b", "c"), ("c", "b"), ("a", "b")])),
            ],
            &["Remove the edge from c to b, or another one of the cycle."],
        ),
        (
            "a node before itself",
            &[("/plan/edges/-", json!({"from": "write", "to": "write"}))],
            &["Remove the edge from write to write."],
        ),
        (
            "a node apart that takes and gives",
            &[("/plan/nodes/-", node("polish", json!(["copy"]), json!(["outline"])))],
            &[
                "Add an edge from write to polish.\nInsert Writer before polish.",
                "Add an edge from polish to write.\nAdd an edge from write to polish.",
            ],
        ),
        (
            "a node apart that has nothing to do with anybody",
            &[("/plan/nodes/-", node("alone", json!([]), json!([])))],
            &["Remove alone, or add an edge that leads to it or away from it."],
        ),
    ]);
}

#[test]
fn of_facets_and_outputs() {
    let catalog = |outline: &str| {
        json!([
            {"name": "topic", "schema": true, "direction": "input"},
            {"name": "outline", "schema": true, "direction": outline},
            {"name": "copy", "schema": true, "direction": "output"}
        ])
    };
    told(&[
        (
            "an unknown facet of the capability",
            &[
                ("/facets", catalog("bidirectional")),
                ("/capabilities/1/outputFacets", json!(["copy", "outlyne"])),
            ],
            &[
                "Remove outlyne from outputFacets of Writer, or add it to the catalog.\nUse the facet outline in place of outlyne in Writer.",
            ],
        ),
        (
            "an unknown facet of the node",
            &[
                ("/facets", catalog("bidirectional")),
                ("/plan/nodes/0/outputFacets", json!(["outline", "mood"])),
            ],
            &["Remove mood from outputFacets of brief, or add it to the catalog."],
        ),
        (
            "a facet the wrong way",
            &[("/facets", catalog("input"))],
            &["Remove outline from outputFacets of Briefer, or let it go both ways."],
        ),
        (
            "a facet that is promised the wrong way",
            &[("/facets", catalog("bidirectional")), ("/plan/nodes/1/provides", json!(["topic"]))],
            &["Remove topic from provides of write, or let it go both ways."],
        ),
        (
            "an input that nobody gives",
            &[("/task/inputs", json!({}))],
            &["Give topic as an input of the task, or have a node before brief give it."],
        ),
        (
            "an output that nobody gives",
            &[("/task/outputContract/schema/required", json!(["copy", "mood"]))],
            &["Add a capability that gives mood, or have a node declare mood in provides."],
        ),
        (
            "a schema",
            &[("/plan/nodes/1/contract", json!({"schema": {"properties": {"copy": {"type": "txt"}}}}))],
            &["Correct /properties/copy/type in contract of write."],
        ),
    ]);
}

#[test]
fn of_variants() {
    let asks = ("/task/policies", json!({"planner": {"variantCount": 3}}));
    let lists = |path: &str| json!({"copy": {"type": "string"}, path: {"type": "array", "maxItems": 2}, "more": {"type": "array"}});
    told(&[
        (
            "several lists",
            &[asks.clone(), ("/task/outputContract/schema/properties", lists("a/b"))],
            &["Set hints.variantPath to /a~1b.\nSet hints.variantPath to /more."],
        ),
        (
            "no list",
            core::slice::from_ref(&asks),
            &["Set hints.variantPath to the list that the variants are."],
        ),
        (
            "too many",
            &[
                asks.clone(),
                ("/task/outputContract/schema/properties", lists("a")),
                ("/task/outputContract/hints", json!({"variantPath": "/a"})),
            ],
            &["Ask for at most 2 variants, or have maxItems of the schema allow 3."],
        ),
    ]);
}
