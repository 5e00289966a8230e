//! The evidence that policies read.

use adjudicate_core::check::{EvidenceKind, EvidenceNeed, Needs};
use serde_json::{Value, json};

use super::{answer, policy, rule, rules_of};

fn needs(policy: &Value) -> Vec<EvidenceNeed> {
    let mut needs = Needs::default();
    needs.add(policy.to_string().as_bytes()).unwrap();
    needs.into_list()
}

/// Returns kind and name of the evidence that a condition reads.
fn read_by(when: Value) -> Vec<(EvidenceKind, Option<String>)> {
    let found = needs(&policy(&[rule("asks", "blocked", when)]));
    found.into_iter().map(|need| (need.kind, need.name)).collect()
}

#[test]
fn conditions_name_the_evidence_that_they_read() {
    use EvidenceKind as Kind;
    let passing = json!({"var": "facts.validators.passing"});
    let exit = json!({"missing": ["input.evidence.validation.exit_codes.lint", "input.x-build.id"]});
    for (when, expected) in [
        (json!({"in": ["unit", passing]}), vec![(Kind::Validator, Some("unit"))]),
        (
            json!({"==": [passing, ["a", "b"]]}),
            vec![(Kind::Validator, Some("a")), (Kind::Validator, Some("b"))],
        ),
        (
            json!({"some": [{"filter": [passing, {"!=": [{"var": ""}, "a"]}]}, {"in": [{"var": ""}, ["b", "c"]]}]}),
            vec![(Kind::Validator, Some("a")), (Kind::Validator, Some("b")), (Kind::Validator, Some("c"))],
        ),
        (
            json!({"in": ["e2e", {"merge": [passing, {"filter": [{"var": "facts.artifacts.missing"}, true]}]}]}),
            vec![(Kind::Validator, Some("e2e")), (Kind::Artifact, Some("e2e"))],
        ),
        (json!({">": [{"length": passing}, 2]}), vec![(Kind::Validator, None)]),
        (
            json!({"!=": [exit, []]}),
            vec![(Kind::Validator, Some("lint")), (Kind::Extension, Some("/x-build/id"))],
        ),
        (
            json!({"<": [{"var": "input.evidence.x-coverage.lines"}, 80]}),
            vec![(Kind::Extension, Some("/evidence/x-coverage/lines"))],
        ),
        (
            json!({">": [{"var": "facts.harness.failed"}, {"var": "parameters.refinement_cap"}]}),
            vec![(Kind::Report, None)],
        ),
        (
            json!({"in": ["security", {"var": "facts.approvals.granted"}]}),
            vec![(Kind::Approval, Some("security"))],
        ),
        (json!({"in": ["budget", {"var": "facts.events.classes"}]}), vec![(Kind::Event, Some("budget"))]),
        (json!({"==": [{"var": "input.workflow_id"}, "w"]}), vec![(Kind::Field, Some("/workflow_id"))]),
        (json!({"==": [{"var": {"cat": ["input.", "run_id"]}}, "r"]}), vec![(Kind::Computed, None)]),
        (json!({"in": ["unsupported_claim", {"var": "facts.contradictions"}]}), vec![]),
    ] {
        let expected: Vec<_> =
            expected.into_iter().map(|(kind, name)| (kind, name.map(String::from))).collect();
        assert_eq!(read_by(when.clone()), expected, "{when}");
    }
}

#[test]
fn fields_of_a_policy_name_evidence_and_their_place() {
    let mut document =
        policy(&[rule("coverage", "blocked", json!({"<": [{"var": "input.x-coverage.lines"}, 80]}))]);
    document["required_validators"] = json!(["unit"]);
    document["required_artifacts"] = json!(["site/"]);
    document["protected_paths"] = json!(["infra/**"]);
    document["require_tree"] = json!(true);
    document["review"] = json!("required");
    let lines = json!({"type": "object", "properties": {"lines": {"type": "number"}}});
    document["inputs"] = json!({"properties": {"x-coverage": lines}, "required": ["x-coverage"]});
    let found: Vec<_> = needs(&document)
        .into_iter()
        .flat_map(|need| need.read_by.into_iter().map(move |place| (need.kind, need.name.clone(), place)))
        .map(|(kind, name, place)| {
            assert_eq!(place.policy, "checked");
            (kind, name.unwrap_or_default(), place.path, place.expected)
        })
        .collect();
    let row = |kind, name: &str, path: &str| (kind, name.to_owned(), path.to_owned(), None);
    let mut lines = row(EvidenceKind::Extension, "/x-coverage/lines", "/rules/0/when/</0");
    lines.3 = Some("a number".to_owned());
    assert_eq!(
        found,
        [
            row(EvidenceKind::Validator, "unit", "/required_validators/0"),
            row(EvidenceKind::Artifact, "site/", "/required_artifacts/0"),
            row(EvidenceKind::Approval, "infra/**", "/protected_paths/0"),
            row(EvidenceKind::Review, "", "/review"),
            row(EvidenceKind::Diff, "", "/protected_paths"),
            row(EvidenceKind::Tree, "", "/require_tree"),
            row(EvidenceKind::Extension, "/x-coverage", "/inputs/required/0"),
            lines,
        ]
    );
    document["review"] = json!(null);
    document.as_object_mut().unwrap().remove("review");
    document["profile"] = json!("oa06.1");
    let review = needs(&document).into_iter().find(|need| need.kind == EvidenceKind::Review).unwrap();
    assert_eq!(review.read_by[0].path, "/profile");
}

#[test]
fn policies_are_united() {
    let mut needs = Needs::default();
    for name in ["a", "b"] {
        let document = json!({"policy": name, "version": "1.0.0", "required_validators": ["unit"]});
        needs.add(document.to_string().as_bytes()).unwrap();
    }
    let list = needs.clone().into_list();
    let policies: Vec<_> = list[0].read_by.iter().map(|place| &*place.policy).collect();
    assert_eq!((list.len(), policies), (1, vec!["a", "b"]));
    let error =
        needs.add(br#"{"policy": "c", "version": "1.0.0", "rules": [{"id": "r", "when": 1}]}"#).unwrap_err();
    assert_eq!(error.path(), "/rules/0/then");
    assert_eq!(needs.into_list(), list);
}

/// Each fact that is unknown without evidence is named: a rule on it asks for evidence that the list has.
#[test]
fn every_unknown_fact_is_named() {
    use adjudicate_core::policy::Fact;
    for fact in Fact::ALL {
        let when = json!({"==": [[{"var": fact.row().variable}], []]});
        let document = policy(&[rule("asks", "blocked", when)]);
        let named = needs(&document);
        assert_eq!(named.is_empty(), *fact == Fact::Contradictions, "{}", fact.row().name);
        let answer = answer(
            r#"{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1","allowed_next_steps":["human_gate"],
                "provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":"",
                "validation":{"mechanical_outcome":"completed","exit_codes":{"unit":0},"timeouts":[]},"artifacts":[],"policy_events":[]}}"#,
            &document,
        );
        if rules_of(&answer.unwrap()).contains(&"unknown_evidence") {
            assert_eq!(named.len(), 1, "{}", fact.row().name);
            assert_eq!(named[0].read_by[0].variable.as_deref(), Some(fact.row().variable));
        }
    }
}
