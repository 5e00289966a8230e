//! Calls as large as a document may be, in one way each: what comes of them is known, and none of them takes for ever.

use adjudicate_core::plan::validate_text;
use serde_json::Value;

use super::{findings, suggestions};

/// A call made of its parts as text.
#[derive(Clone, Default)]
struct Call {
    schema: String,
    constraints: Vec<String>,
    nodes: Vec<String>,
    edges: Vec<String>,
    capabilities: Vec<String>,
    facets: Option<Vec<String>>,
}

impl Call {
    fn text(&self) -> String {
        let list = |items: &[String]| format!("[{}]", items.join(","));
        let schema = if self.schema.is_empty() { "true" } else { &self.schema };
        let facets = self.facets.as_ref().map(|facets| format!(r#","facets":{}"#, list(facets)));
        format!(
            r#"{{"task":{{"objective":"o","outputContract":{{"schema":{schema},"constraints":{}}}}},"plan":{{"nodes":{},"edges":{}}},"capabilities":{}{}}}"#,
            list(&self.constraints),
            list(&self.nodes),
            list(&self.edges),
            list(&self.capabilities),
            facets.unwrap_or_default()
        )
    }

    #[expect(clippy::unwrap_used, reason = "the tests make calls that have answers")]
    fn answer(&self) -> Value {
        serde_json::from_str(&validate_text(self.text().as_bytes()).unwrap()).unwrap()
    }

    #[expect(clippy::unwrap_used, reason = "the tests make calls that have none")]
    fn refusal(&self) -> (&'static str, String) {
        let error = validate_text(self.text().as_bytes()).unwrap_err();
        (error.code().as_str(), error.path().to_owned())
    }
}

fn many(count: usize, one: impl Fn(usize) -> String) -> Vec<String> {
    (0..count).map(one).collect()
}

fn node(at: usize) -> String {
    format!(r#"{{"nodeId":"n{at}","capabilityId":"C"}}"#)
}

fn edge(from: usize, to: usize) -> String {
    format!(r#"{{"from":"n{from}","to":"n{to}"}}"#)
}

/// One capability, `C`, that gives `m`.
fn plain() -> Call {
    Call { capabilities: vec![r#"{"capabilityId":"C","outputFacets":["m"]}"#.into()], ..Call::default() }
}

#[test]
fn a_hundred_thousand_nodes_in_a_row() {
    let call = Call {
        nodes: many(100_000, node),
        edges: many(99_999, |at| edge(at, at + 1)),
        constraints: vec![r#"{"constraintId":"c","level":"hard","expr":{"var":"m"}}"#.into()],
        ..plain()
    };
    let answer = call.answer();
    assert_eq!(findings(&answer), ["hard missing_enforcer c"]);
    assert_eq!(
        suggestions(&answer),
        [
            "Have the registry offer a validation capability that checks c, or give a node at or after n0 a contract that implies c, or declare c in enforces of a node at or after n0 that really checks it."
        ]
    );
}

#[test]
fn a_cycle_of_a_hundred_thousand_nodes() {
    let call = Call {
        nodes: many(100_000, node),
        edges: many(100_000, |at| edge(at, (at + 1) % 100_000)),
        ..plain()
    };
    let answer = call.answer();
    assert_eq!(findings(&answer), ["hard cycle n0"]);
    let path = answer.pointer("/payload/failures/0/details/path").and_then(Value::as_array);
    assert_eq!(path.map(Vec::len), Some(100_001));
}

#[test]
fn a_hundred_thousand_parallel_edges_that_lead_nowhere() {
    let call = Call { nodes: many(2, node), edges: vec![edge(0, 7); 100_000], ..plain() };
    let answer = call.answer();
    // All of them say the same.
    assert_eq!(findings(&answer), ["hard unknown_edge_end n0", "soft isolated_node n1"]);
}

#[test]
fn many_findings_are_an_answer_and_too_many_are_none() {
    let call = Call { nodes: many(20_000, node), ..plain() };
    assert_eq!(findings(&call.answer()).len(), 20_000);
    let wrong =
        |at: usize| format!(r#"{{"nodeId":"n{at}","capabilityId":"Cc","outputFacets":["m","m{at}"]}}"#);
    let call = Call { nodes: many(120_000, wrong), ..plain() };
    assert_eq!(call.refusal(), ("limit_exceeded", String::new()));
}

#[test]
fn a_name_a_hundred_thousand_times() {
    let names = vec![r#""m""#; 100_000].join(",");
    for member in ["provides", "enforces", "inputFacets", "outputFacets"] {
        let node = format!(r#"{{"nodeId":"n0","capabilityId":"C","{member}":[{names}]}}"#);
        let constraints = vec![r#"{"constraintId":"m","level":"soft","expr":{"var":"m"}}"#.into()];
        let answer = Call { nodes: vec![node], constraints, ..plain() }.answer();
        let expected: &[&str] = match member {
            "inputFacets" => &["hard unsupplied_input n0", "soft missing_producer m"],
            "enforces" => &[],
            _ => &["soft missing_enforcer m"],
        };
        assert_eq!(findings(&answer), expected, "{member}");
    }
}

#[test]
fn a_registry_of_fifty_thousand_capabilities() {
    let capability = |at: usize| {
        format!(
            r#"{{"capabilityId":"Agent.number{at:05}","inputFacets":["a{at}"],"outputFacets":["m","b{at}"]}}"#
        )
    };
    let call = Call {
        schema: r#"{"required":["m"]}"#.into(),
        nodes: many(1_000, |at| format!(r#"{{"nodeId":"n{at:03}","capabilityId":"Agent.nmuber{at:05}"}}"#)),
        capabilities: many(50_000, capability),
        ..Call::default()
    };
    let observed = suggestions(&call.answer());
    // A typing error in the common beginning of all ids, one at the end, and an unknown name. The result lacks the
    // fields of the first node, or those of another one.
    assert_eq!(observed[..2], ["Use Agent.number00000 in n000."; 2]);
    for (id, expected) in [
        ("Agent.number{}x", ["Use Agent.number00000 in n000."; 2]),
        (
            "Poet{}",
            [
                "Insert Agent.number00000, Agent.number00001, Agent.number00002, Agent.number00003 or Agent.number00004 before n000.",
                "Use a capability of the registry in n000.",
            ],
        ),
    ] {
        let node = |at: usize| {
            let id = id.replace("{}", &format!("{at:05}"));
            format!(r#"{{"nodeId":"n{at:03}","capabilityId":"{id}"}}"#)
        };
        let call = Call { nodes: many(1_000, node), ..call.clone() };
        assert_eq!(suggestions(&call.answer())[..2], expected);
    }
}

#[test]
fn a_catalog_of_fifty_thousand_facets() {
    let facet = |at: usize| format!(r#"{{"name":"facet-{at:05}","schema":{{}},"direction":"output"}}"#);
    let taken = many(1_000, |at| format!(r#""facet-{at:05}""#)).join(",");
    let call = Call {
        nodes: vec![format!(
            r#"{{"nodeId":"n","capabilityId":"C","inputFacets":[{taken}],"outputFacets":[]}}"#
        )],
        facets: Some(many(50_000, facet)),
        ..Call { capabilities: vec![r#"{"capabilityId":"C"}"#.into()], ..Call::default() }
    };
    assert_eq!(findings(&call.answer()).len(), 2_000);
}

#[test]
fn ten_thousand_constraints() {
    let constraint = |at: usize| {
        format!(r#"{{"constraintId":"k{at:04}","level":"hard","expr":{{">":[{{"var":"m"}},{at}]}}}}"#)
    };
    let call = Call { nodes: many(1, node), constraints: many(10_000, constraint), ..plain() };
    let found = findings(&call.answer());
    assert_eq!((found.len(), &*found[0]), (10_000, "hard missing_enforcer k0000"));
    // A node that enforces them all.
    let ids = many(10_000, |at| format!(r#""k{at:04}""#)).join(",");
    let call =
        Call { nodes: vec![format!(r#"{{"nodeId":"n","capabilityId":"C","enforces":[{ids}]}}"#)], ..call };
    assert_eq!(findings(&call.answer()), [""; 0]);
}

#[test]
fn constraints_about_everything() {
    let outputs = many(5_000, |at| format!(r#""m{at}":{{}}"#)).join(",");
    let computed = |at: usize| {
        format!(r#"{{"constraintId":"k{at}","level":"soft","expr":{{"==":[{{"var":{{"var":"m"}}}},{at}]}}}}"#)
    };
    let call = Call {
        schema: format!(r#"{{"properties":{{{outputs}}}}}"#),
        nodes: many(1, node),
        constraints: many(10, computed),
        ..plain()
    };
    assert_eq!(findings(&call.answer()).len(), 10);
    let call = Call { constraints: many(5_000, computed), ..call };
    assert_eq!(call.refusal(), ("limit_exceeded", String::new()));
}

/// As deep as a document may be, and one deeper.
#[test]
fn expressions_to_the_bottom() {
    let nested = |depth: usize| Call {
        constraints: vec![format!(
            r#"{{"level":"hard","expr":{}{{"var":"m"}}{}}}"#,
            r#"{"!":"#.repeat(depth),
            "}".repeat(depth)
        )],
        nodes: many(1, node),
        ..plain()
    };
    let found = nested(122).answer();
    assert_eq!(findings(&found).len(), 1);
    let (code, path) = nested(123).refusal();
    assert_eq!((code, path.matches("/!").count()), ("limit_exceeded", 123));
    let listed = |depth: usize| {
        let mut call = nested(0);
        call.constraints = vec![format!(
            r#"{{"level":"hard","expr":{}{{"var":"m"}}{}}}"#,
            r#"{"and":["#.repeat(depth),
            "]}".repeat(depth)
        )];
        call
    };
    assert_eq!(findings(&listed(61).answer()).len(), 1);
    assert_eq!(listed(62).refusal().0, "limit_exceeded");
}
