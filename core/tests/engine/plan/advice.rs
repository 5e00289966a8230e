//! Suggestions: one line for each thing to do, with capabilities of the registry and places in the plan, in a stable order.

use serde_json::{Value, json};

use crate::plan::{
    advice_applied::following_it_helps,
    calls::{constraint, edges, findings, nodes, suggestions, validate, with},
};

/// One call after the other, and all lines of its answer; those of one diagnostic stand in one text.
#[expect(clippy::type_complexity, reason = "a table")]
fn told(table: &[(&str, &[(&str, Value)], &[&str])]) {
    for (case, patches, expected) in table {
        let call = with(patches);
        let answer = validate(&call);
        let expected: Vec<&str> = expected.iter().flat_map(|lines| lines.lines()).collect();
        assert_eq!(suggestions(&answer), expected, "{case}: {:?}", findings(&answer));
        following_it_helps(case, &call, false);
    }
}

#[test]
fn of_constraints() {
    let constraints = "/task/outputContract/constraints";
    let about = |path: &str| (constraints, json!([constraint("c", "hard", json!({"var": path}))]));
    let auditor = ("/capabilities/-", json!({"capabilityId": "Auditor", "outputFacets": ["review"]}));
    let asleep = json!({"capabilityId": "Asleep", "outputFacets": ["review"], "status": "off"});
    told(&[
        // A capability that takes a field that only the last node gives comes after that node.
        (
            "several would do",
            &[about("review.done"), auditor, ("/capabilities/-", asleep)],
            &["Insert Auditor before write, or insert Reviewer after write."],
        ),
        ("nobody enforces it", &[about("copy.done")], &["Insert Reviewer after write."]),
        (
            "nobody could enforce it",
            &[about("outline")],
            &[
                "Have the registry offer a validation capability that checks c, or give a node at or after brief a contract that implies c, or declare c in enforces of a node at or after brief that really checks it.",
            ],
        ),
        (
            "nobody could give it",
            &[about("gone")],
            &[
                "Have the registry offer a capability that gives gone, or name gone in provides of a node that really gives it.",
            ],
        ),
        (
            "all members are needed, each of several ways",
            &[
                (
                    constraints,
                    json!([constraint("c", "hard", json!({"==": [{"var": "review"}, {"var": "title"}]}))]),
                ),
                ("/capabilities/-", json!({"capabilityId": "Editor", "outputFacets": ["title", "review"]})),
            ],
            &[
                "For review: insert Editor before write, or insert Reviewer after write.\nFor title: insert Editor before write.",
            ],
        ),
        (
            "a node means it, and names it wrong",
            &[
                (constraints, json!([constraint("min_qa", "hard", json!({"var": "copy.done"}))])),
                ("/plan/nodes/1/enforces", json!(["min_qaa"])),
            ],
            &["Use min_qa in place of min_qaa in enforces of write, or insert Reviewer after write."],
        ),
        (
            "a node that stands before the producer does not enforce it by any name",
            &[
                (constraints, json!([constraint("min_qa", "hard", json!({"var": "copy.done"}))])),
                ("/plan/nodes/0/enforces", json!(["min_qaa"])),
            ],
            &["Insert Reviewer after write."],
        ),
        (
            "a name that is that of another constraint is no mistake",
            &[
                (
                    constraints,
                    json!([
                        constraint("min_qa", "hard", json!({"var": "copy.done"})),
                        constraint("min_qb", "hard", json!({"var": "copy.good"}))
                    ]),
                ),
                ("/plan/nodes/1/enforces", json!(["min_qb"])),
            ],
            &["Insert Reviewer after write."],
        ),
        (
            "it is about nothing",
            &[(constraints, json!([constraint("c", "hard", json!({"==": [1, 1]}))]))],
            &["Insert Reviewer after write."],
        ),
        (
            "the schema names no member",
            &[
                ("/task/outputContract/schema", json!({})),
                (constraints, json!([constraint("c", "hard", json!({"var": {"var": "copy"}}))])),
            ],
            &["Have the task name the fields of the result in properties of its schema."],
        ),
        (
            "who gives it lacks an input",
            &[about("copy"), ("/plan/edges", json!([])), ("/plan/nodes/1/enforces", json!(["c"]))],
            &[
                "Add an edge from brief to write, or insert Briefer before write.",
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
            &["Add a node of Reviewer or Writer."],
        ),
        (
            "no nodes, and no capabilities",
            &[
                ("/plan", json!({"nodes": [], "edges": []})),
                ("/task/outputContract/schema", json!(true)),
                ("/capabilities", json!([])),
            ],
            &["Have the registry offer a capability that can be used."],
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
            &["Use Briefer or Writer in write."],
        ),
        (
            "one that is close cannot be used",
            &[
                ("/plan/nodes/1/capabilityId", json!("Revewer")),
                ("/plan/nodes/1/provides", json!(["copy", "more"])),
                ("/capabilities/2/status", json!("off")),
            ],
            &["Use a capability of the registry in write."],
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
            "misspelt, and others lack what it would give",
            &[("/plan/nodes/0/capabilityId", json!("Breifer"))],
            &["Use Briefer in brief.", "Use Briefer in brief."],
        ),
        (
            "misspelt, and the result lacks what it would give",
            &[("/plan/nodes/1/capabilityId", json!("Wirter"))],
            &["Use Writer in write.", "Use Writer in write."],
        ),
        (
            "no other",
            &[("/capabilities/1/status", json!("off"))],
            &["Use another capability than Writer in write, or have the registry make Writer active."],
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
                "Use brief in place of brif in the edge from brif to write, or remove the edge from brif to write, or add a node brif.",
            ],
        ),
        (
            "an end that is close to the other end alone",
            &[("/plan/edges/-", json!({"from": "wirte", "to": "write"}))],
            &["Remove the edge from wirte to write, or add a node wirte."],
        ),
        (
            "an end that is close to a node which comes after the other end",
            &[("/plan/edges/-", json!({"from": "wirte", "to": "brief"}))],
            &["Remove the edge from wirte to brief, or add a node wirte."],
        ),
        // A name cannot break a line.
        (
            "an end that is no word",
            &[("/plan/edges/-", json!({"from": "a\nb", "to": "write"}))],
            &[r"Remove the edge from `a\nb` to write, or add a node `a\nb`."],
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
                "Add an edge from write to polish, or insert Writer before polish.",
                "Add an edge from write to polish.",
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
                "Give write outputFacets of its own with outline in place of outlyne, or give write outputFacets of its own without outlyne, or have the registry add it to the catalog.",
            ],
        ),
        (
            "one that is close goes the other way",
            &[
                ("/facets", catalog("bidirectional")),
                ("/plan/nodes/1/outputFacets", json!(["copy", "topik"])),
            ],
            &["Remove topik from outputFacets of write, or have the registry add it to the catalog."],
        ),
        (
            "an unknown facet of the node",
            &[
                ("/facets", catalog("bidirectional")),
                ("/plan/nodes/0/outputFacets", json!(["outline", "mood"])),
            ],
            &["Remove mood from outputFacets of brief, or have the registry add it to the catalog."],
        ),
        (
            "a facet the wrong way",
            &[("/facets", catalog("input"))],
            &[
                "Give brief outputFacets of its own without outline, or have the registry let it go both ways.",
            ],
        ),
        (
            "a facet that is promised the wrong way",
            &[("/facets", catalog("bidirectional")), ("/plan/nodes/1/provides", json!(["topic"]))],
            &["Remove topic from provides of write, or have the registry let it go both ways."],
        ),
        (
            "an input that nobody gives",
            &[("/task/inputs", json!({}))],
            &[
                "Have the task give topic as an input, or have the registry offer a capability that gives topic, or name topic in provides of a node before brief that really gives it.",
            ],
        ),
        (
            "an output that nobody gives",
            &[("/task/outputContract/schema/required", json!(["copy", "mood"]))],
            &[
                "Have the registry offer a capability that gives mood, or name mood in provides of a node that really gives it.",
            ],
        ),
        (
            "a schema",
            &[("/plan/nodes/1/contract", json!({"schema": {"properties": {"copy": {"type": "txt"}}}}))],
            &["Correct `/properties/copy/type` in contract of write."],
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
            &["Have the task set hints.variantPath to `/a~1b` or `/more`."],
        ),
        (
            "no list",
            core::slice::from_ref(&asks),
            &["Have the task set hints.variantPath to the list that the variants are."],
        ),
        (
            "too many",
            &[
                asks.clone(),
                ("/task/outputContract/schema/properties", lists("a")),
                ("/task/outputContract/hints", json!({"variantPath": "/a"})),
            ],
            &["Have the task ask for at most 2 variants, or allow 3 in maxItems of its schema."],
        ),
    ]);
}
