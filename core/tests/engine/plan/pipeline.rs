//! The pipeline that the specification is about: brief, copy variants, quality review, publish.

use serde_json::{Value, json};

use crate::plan::calls::{findings, patched, suggestions, validate};

/// The whole pipeline, with every requested part.
fn pipeline() -> Value {
    json!({
        "task": {
            "objective": "Two LinkedIn posts for the launch, reviewed and published",
            "inputs": {"company": {"name": "Acme"}, "toneOfVoice": "professional"},
            "outputContract": {
                "schema": {
                    "$schema": "http://json-schema.org/draft-07/schema#",
                    "type": "object",
                    "required": ["copyVariants", "qaFindings", "publication"],
                    "properties": {
                        "copyVariants": {
                            "type": "array", "minItems": 2, "maxItems": 2,
                            "items": {"type": "object", "required": ["headline", "body", "cta"]}
                        },
                        "qaFindings": {
                            "type": "object", "required": ["overallScore"],
                            "properties": {"overallScore": {"type": "number", "minimum": 0, "maximum": 1}}
                        },
                        "publication": {"type": "object", "required": ["url"]}
                    }
                },
                "hints": {"variantPath": "/copyVariants"},
                "constraints": [
                    {"constraintId": "min_qa", "level": "hard", "expr": {">=": [{"var": "qaFindings.overallScore"}, 0.8]}},
                    {"constraintId": "exact_two", "level": "soft", "expr": {"==": [{"length": [{"var": "copyVariants"}]}, 2]}},
                    {"constraintId": "tone_hint", "level": "informational",
                     "expr": {"!=": [{"var": "toneOfVoice"}, null]}, "rationale": "Planner may prefer 'professional' for B2B."}
                ]
            },
            "policies": {
                "planner": {"topology": {"variantCount": 2}},
                "runtime": [{
                    "id": "qa_runtime_guardrail",
                    "trigger": {"kind": "onNodeComplete", "nodeId": "publish-1"},
                    "condition": {"between": [{"var": "qaFindings.overallScore"}, 0.6, 0.8]},
                    "action": {"type": "hitl", "rationale": "Score between 0.6 and 0.8 requires human review"}
                }]
            }
        },
        "plan": {
            "planVersion": 3,
            "nodes": [
                {"nodeId": "brief-1", "capabilityId": "StrategyManagerAgent.briefing"},
                {"nodeId": "copy-1", "capabilityId": "CopywriterAgent.linkedinVariants", "kind": "branch"},
                {"nodeId": "qa-1", "capabilityId": "QualityAssuranceAgent.contentReview"},
                {"nodeId": "publish-1", "capabilityId": "PublisherAgent.publish", "kind": "execution"}
            ],
            "edges": [
                {"from": "brief-1", "to": "copy-1"},
                {"from": "copy-1", "to": "qa-1", "reason": "review before anybody sees it"},
                {"from": "qa-1", "to": "publish-1"}
            ]
        },
        "capabilities": [
            {"capabilityId": "StrategyManagerAgent.briefing", "inputFacets": ["company"], "outputFacets": ["creative_brief"]},
            {"capabilityId": "CopywriterAgent.linkedinVariants", "status": "active",
             "inputFacets": ["creative_brief", "tone"], "outputFacets": ["copy_variants"],
             "outputContract": {"schema": {
                 "type": "object", "required": ["copyVariants"],
                 "properties": {"copyVariants": {"type": "array", "minItems": 2, "maxItems": 2}}
             }}},
            {"capabilityId": "QualityAssuranceAgent.contentReview", "kind": "validation",
             "inputFacets": ["copy_variants"], "outputFacets": ["qa_findings"]},
            {"capabilityId": "PublisherAgent.publish", "inputFacets": ["copy_variants"], "outputFacets": ["publication"]}
        ],
        "facets": [
            {"name": "company", "schema": {"type": "object"}, "direction": "input"},
            {"name": "tone", "schema": {"type": "string"}, "direction": "input", "propertyKey": "toneOfVoice", "requiredByDefault": false},
            {"name": "creative_brief", "schema": {"type": "object"}, "direction": "bidirectional", "propertyKey": "creativeBrief"},
            {"name": "copy_variants", "schema": {"type": "array"}, "direction": "bidirectional", "propertyKey": "copyVariants"},
            {"name": "qa_findings", "schema": {"type": "object"}, "direction": "output", "propertyKey": "qaFindings"},
            {"name": "publication", "schema": {"type": "object"}, "direction": "output"}
        ]
    })
}

#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
fn without_review() -> Value {
    patched(
        pipeline(),
        &[
            (
                "/plan/nodes",
                json!([
                    pipeline()["plan"]["nodes"][0],
                    pipeline()["plan"]["nodes"][1],
                    pipeline()["plan"]["nodes"][3]
                ]),
            ),
            (
                "/plan/edges",
                json!([{"from": "brief-1", "to": "copy-1"}, {"from": "copy-1", "to": "publish-1"}]),
            ),
        ],
    )
}

#[test]
fn the_whole_pipeline_is_accepted_but_for_advice() {
    let answer = validate(&pipeline());
    assert_eq!(
        answer,
        json!({
            "event": "plan_generated",
            "payload": {
                "planVersion": 3,
                "nodes": [
                    {"nodeId": "brief-1", "capabilityId": "StrategyManagerAgent.briefing", "provides": ["creativeBrief"], "enforces": []},
                    {"nodeId": "copy-1", "capabilityId": "CopywriterAgent.linkedinVariants", "provides": ["copyVariants"], "enforces": ["exact_two"]},
                    {"nodeId": "qa-1", "capabilityId": "QualityAssuranceAgent.contentReview", "provides": ["qaFindings"], "enforces": ["exact_two", "min_qa"]},
                    {"nodeId": "publish-1", "capabilityId": "PublisherAgent.publish", "provides": ["publication"], "enforces": []}
                ],
                "status": "accepted_with_findings",
                "satisfactionScore": 1.0,
                "failures": [],
                "warnings": [],
                "infos": [{
                    "severity": "informational", "status": "unknown",
                    "constraint": "toneOfVoice != null", "constraintId": "tone_hint",
                    "cause": "advisory", "suggestion": "Have the registry offer a capability that gives toneOfVoice, or name toneOfVoice in provides of a node that really gives it.",
                    "details": {"code": "missing_producer", "missing": ["toneOfVoice"], "rationale": "Planner may prefer 'professional' for B2B."}
                }],
                "constraintScores": [
                    {"constraintId": "min_qa", "severity": "hard", "score": 1.0},
                    {"constraintId": "exact_two", "severity": "soft", "score": 1.0},
                    {"constraintId": "tone_hint", "severity": "informational", "score": null}
                ]
            }
        })
    );
}

#[test]
fn the_whole_pipeline_without_advice_is_accepted() {
    let mut call = pipeline();
    call["task"]["outputContract"]["constraints"].as_array_mut().unwrap().pop();
    let answer = validate(&call);
    assert_eq!(answer["payload"]["status"], "accepted");
    assert_eq!(findings(&answer), [""; 0]);
}

#[test]
fn a_soft_constraint_without_an_enforcer_is_a_finding() {
    // Neither the review nor what the copywriter promises has anything to do with the variants.
    let answer = validate(&patched(
        pipeline(),
        &[
            (
                "/capabilities/1/outputContract",
                json!({"schema": {"properties": {"copyVariants": {"type": "array", "minItems": 2}}}}),
            ),
            ("/plan/nodes/2/inputFacets", json!([])),
        ],
    ));
    assert_eq!(answer["event"], "plan_generated");
    assert_eq!(answer["payload"]["status"], "accepted_with_findings");
    assert_eq!(answer["payload"]["satisfactionScore"], 0.666667);
    assert_eq!(
        answer["payload"]["warnings"],
        json!([{
            "severity": "soft", "status": "unsatisfied",
            "constraint": "copyVariants.length == 2", "constraintId": "exact_two",
            "nodeId": "copy-1", "capabilityId": "CopywriterAgent.linkedinVariants", "cause": "unsatisfied_soft",
            "suggestion": "Insert QualityAssuranceAgent.contentReview after copy-1.", "details": {"code": "missing_enforcer"}
        }])
    );
}

#[test]
fn a_pipeline_without_review_is_rejected_as_the_source_prints_it() {
    let answer = validate(&without_review());
    assert_eq!(answer["event"], "plan_rejected");
    assert_eq!(answer["payload"]["status"], "rejected");
    // One hard constraint of weight 1 is not met, one soft one of weight 0.5 is.
    assert_eq!(answer["payload"]["satisfactionScore"], 0.333333);
    assert_eq!(
        answer["payload"]["failures"],
        json!([
            {
                "severity": "hard", "status": "unsatisfied", "cause": "missing_producer",
                "suggestion": "Insert QualityAssuranceAgent.contentReview before publish-1.",
                "details": {"code": "uncovered_output", "property": "qaFindings"}
            },
            {
                "severity": "hard", "status": "unsatisfied",
                "constraint": "qaFindings.overallScore >= 0.8", "constraintId": "min_qa", "cause": "missing_producer",
                "suggestion": "Insert QualityAssuranceAgent.contentReview before publish-1.",
                "details": {"code": "missing_producer", "missing": ["qaFindings"]}
            }
        ])
    );
    assert_eq!(answer["payload"].get("nodes"), None);
}

/// A planner that follows suggestions: it takes the first one, and inserts the node between the last node and those
/// before it.
#[test]
fn the_loop_ends_in_acceptance() {
    let mut call = without_review();
    let answer = validate(&call);
    let line = suggestions(&answer).remove(0);
    let words: Vec<&str> = line.trim_end_matches('.').split(' ').collect();
    let ["Insert", capability, "before", place] = words[..] else { panic!("{line}") };
    let edges = call["plan"]["edges"].as_array_mut().unwrap();
    for edge in edges.iter_mut().filter(|edge| edge["to"] == place) {
        edge["to"] = json!("inserted");
    }
    edges.push(json!({"from": "inserted", "to": place}));
    call["plan"]["nodes"]
        .as_array_mut()
        .unwrap()
        .push(json!({"nodeId": "inserted", "capabilityId": capability}));
    let answer = validate(&call);
    assert_eq!(answer["event"], "plan_generated");
    assert_eq!(findings(&answer), ["informational missing_producer tone_hint"]);
}

#[test]
fn a_variant_count_that_the_schema_does_not_allow_rejects_whatever_else_is_right() {
    let answer =
        validate(&patched(pipeline(), &[("/task/policies/planner/topology/variantCount", json!(3))]));
    assert_eq!(answer["event"], "plan_rejected");
    assert_eq!(
        answer["payload"]["failures"],
        json!([{
            "severity": "hard", "status": "unsatisfied", "cause": "schema_incompatible",
            "suggestion": "Have the task ask for at most 2 variants, or allow 3 in maxItems of its schema.",
            "details": {"bound": "maxItems", "code": "variant_count", "limit": 2, "variantCount": 3}
        }])
    );
    assert_eq!(answer["payload"]["satisfactionScore"], 1.0);
}
