//! Checking ends for every policy, and finds the same in a large policy as in a small one.

use adjudicate_core::{
    Policy,
    check::{CheckCode, CheckWitness, check_policy},
};
use serde_json::{Value, json};

use crate::check::{answer, check, found, policy, rule, rules_of};

fn var(path: &str) -> Value {
    json!({"var": path})
}

/// Rules as a large organisation would have them: each for a workflow of its own.
fn many(count: usize) -> Vec<Value> {
    let statuses = ["partial", "blocked", "needs_human", "unsafe"];
    let rule = |index: usize| {
        let when = json!({"and": [
            {"==": [var("input.workflow_id"), format!("workflow-{}", index / 4)]},
            {">": [var("facts.failures"), index % 7]},
            {"some": [var("facts.diff.paths"), {"glob": [var(""), format!("src/{}/**", index % 50)]}]}
        ]});
        rule(&format!("rule-{index}"), statuses[index % 4], when)
    };
    (0..count).map(rule).collect()
}

#[test]
fn among_many_rules_the_same_is_found() {
    let mut rules = many(300);
    assert_eq!(found(&policy(&rules)), []);
    rules.insert(100, rule("dead", "blocked", json!({"<": [var("facts.failures"), 0]})));
    let narrow =
        json!({"and": [{"==": [var("input.workflow_id"), "workflow-3"]}, {">": [var("facts.failures"), 9]}]});
    rules.push(rule("wide", "unsafe", json!({"==": [var("input.workflow_id"), "workflow-3"]})));
    rules.push(rule("narrow", "partial", narrow));
    let all = check(&policy(&rules));
    let has = |code: CheckCode, rule: &str| {
        all.iter().any(|finding| finding.code == code && finding.rule.as_deref() == Some(rule))
    };
    assert!(has(CheckCode::DeadRule, "dead") && has(CheckCode::ShadowedRule, "narrow"));
}

#[test]
fn hostile_conditions_end() {
    let or = |index: usize| {
        json!({"or": [{"==": [var("input.run_id"), format!("a{index}")]}, {">": [var("facts.failures"), index]},
            {"<": [var("facts.diff.count"), index]}]})
    };
    let wide = json!({"and": (0..200).map(or).collect::<Vec<_>>()});
    let deep = (0..60).fold(json!(true), |inner, index| {
        json!({"if": [{">": [var("facts.failures"), index]}, inner, {"!": [{"<": [var("facts.diff.count"), index]}]}]})
    });
    let lists = (0..40).fold(json!(true), |inner, _| json!({"some": [var("input.x-lists"), inner]}));
    let nested = (0..14).fold(json!(true), |inner, _| json!({"some": [var(""), {"none": [var(""), inner]}]}));
    let nested = json!({"some": [var("input.x-lists"), nested]});
    let names: Vec<String> = (0..3_000).map(|index| format!("name-{index}")).collect();
    let among =
        json!({"and": [{"in": [var("input.run_id"), names]}, {"!": [{"in": [var("input.run_id"), names]}]}]});
    let patterns = json!({"and": (0..40).map(|index| json!({"regex": [var("input.run_id"), format!("(a|b)*{index}$")]})).collect::<Vec<_>>()});
    for when in [wide, deep, lists, nested, among.clone(), patterns] {
        check(&policy(&[rule("hostile", "blocked", when)]));
    }
    assert_eq!(
        found(&policy(&[rule("among", "blocked", among)])),
        [("dead_rule".into(), "/rules/0/when".into())]
    );
}

#[test]
fn hostile_patterns_end() {
    let patterns: Vec<String> = (0..300).map(|index| format!("folder-{index}/**")).collect();
    let mut policy = policy(&[]);
    policy["forbidden_paths"] = json!(patterns);
    policy["protected_paths"] = json!(patterns);
    let found = check(&policy);
    assert_eq!(found.len(), patterns.len());
}

#[test]
fn witnesses_of_routes_are_paid_for_as_all_others() {
    let count = 600;
    let always = json!({"==": [1, 1]});
    let rules: Vec<Value> =
        (0..count).map(|index| rule(&format!("rule-{index}"), "partial", always.clone())).collect();
    let mut policy = policy(&rules);
    policy["routes"] = json!({"fix": vec!["repair"; count]});
    let findings = check(&policy);
    let of_routes = findings.iter().filter(|finding| finding.code == CheckCode::IllegalRoutePattern);
    assert_eq!(of_routes.count(), count - 1);
    // A witness costs what 600 rules may find, so that there is one for about 650 of 1,800 findings.
    let shown = findings.iter().filter(|finding| finding.witness.is_some()).count();
    assert!((1..=700).contains(&shown), "{shown}");
}

/// The envelope in which a rule is shown to fire: a fix that is never used is shown by one.
fn fires_in(when: &Value, on_unknown: &str) -> Option<String> {
    let mut rule = rule("it", "blocked", when.clone());
    rule["then"]["fix"] = json!({"target": "it", "action": "mend", "rationale": "it fires"});
    rule["on_unknown"] = json!(on_unknown);
    let policy = policy(&[rule]);
    let unused = check(&policy).into_iter().find(|finding| finding.code == CheckCode::UnusedFix).unwrap();
    let envelope = unused.witness.as_ref()?.envelope()?.envelope_text();
    assert!(rules_of(&answer(&envelope, &policy).unwrap()).contains(&"it"), "{when}");
    Some(envelope)
}

#[test]
fn most_live_rules_have_an_envelope_in_which_they_fire() {
    for when in [
        json!({">": [var("facts.failures"), 3]}),
        json!({"and": [{"!": [var("facts.harness.passes")]}, {">": [var("facts.harness.flaky"), 2]}]}),
        json!({"some": [var("facts.diff.files"), {"and": [{"==": [var("change"), "deleted"]}, {"glob": [var("path"), "src/**/*.rs"]}]}]}),
        json!({"all": [var("facts.diff.paths"), {"starts_with": [var(""), "docs/"]}]}),
        json!({"and": [{">": [var("facts.diff.insertions"), 400]}, {"==": [var("facts.intent"), "review"]}]}),
        json!({"some": [var("input.evidence.review.issues"), {"and": [{"==": [var("severity"), "high"]}, {"==": [var("edit.target"), "api"]}]}]}),
        json!({"==": [var("input.evidence.x-team.name"), "payments"]}),
        json!({"and": [{"in": ["unit", var("facts.validators.timed_out")]}, {"==": [var("facts.failures"), 2]}]}),
        json!({"and": [{">=": [var("facts.history.partials"), 2]}, {"!": [var("facts.diff.improved")]}]}),
        json!({"in": ["unsupported_claim", var("facts.contradictions")]}),
        json!({"regex": [var("input.workflow_id"), "^nightly-[0-9]+$"]}),
        json!({"and": [{"in": ["flagged", var("facts.history.flags")]}, {">": [var("facts.refinement.spent"), 3]}]}),
        json!({"and": [{">": [{"length": [var("facts.events.warnings")]}, 1]}, {"in": ["lint", var("facts.validators.missing")]}]}),
    ] {
        assert!(fires_in(&when, "escalate").is_some(), "{when}");
    }
}

#[test]
fn the_same_policy_has_the_same_findings() {
    let mut rules = many(20);
    rules.push(rule("odd", "partial", json!({">": [var("facts.intent"), 3]})));
    let text = policy(&rules).to_string();
    let answer = || serde_json::to_string(&check_policy(&Policy::parse(text.as_bytes()).unwrap())).unwrap();
    assert_eq!(answer(), answer());
}

#[test]
fn rules_about_paths_and_contradictions_have_an_envelope_in_which_they_fire() {
    let forbidden = var("facts.diff.forbidden");
    let some = |body: Value| json!({"some": [forbidden, body]});
    let all = |body: Value| json!({"all": [forbidden, body]});
    for when in [
        some(json!({"!=": [var(""), "infra/x"]})),
        some(json!({"!": [{"starts_with": [var(""), "infra/x"]}]})),
        some(json!({"regex": [var(""), "\\.tf$"]})),
        some(json!({"glob": [var(""), "*.tf"]})),
        some(json!({"starts_with": [var(""), "infra/prod"]})),
        some(json!({"ends_with": [var(""), "/key.pem"]})),
        all(json!({"regex": [var(""), "^infra/"]})),
        json!({"and": [all(json!({"ends_with": [var(""), ".tf"]})), {">": [{"length": [forbidden]}, 1]}]}),
    ] {
        let mut rule = rule("it", "blocked", when.clone());
        rule["then"]["fix"] = json!({"target": "it", "action": "mend", "rationale": "it fires"});
        let mut policy = policy(&[rule]);
        policy["forbidden_paths"] = json!(["infra/**", "*.pem"]);
        let findings = check(&policy);
        let unused = findings.iter().find(|finding| finding.code == CheckCode::UnusedFix).unwrap();
        let witness =
            unused.witness.as_ref().and_then(CheckWitness::envelope).unwrap_or_else(|| panic!("{when}"));
        assert!(rules_of(&answer(&witness.envelope_text(), &policy).unwrap()).contains(&"it"), "{when}");
    }
    let rules = [
        "report_mismatch",
        "transcript_mismatch",
        "error_but_changed",
        "missing_artifact",
        "unsupported_claim",
    ];
    for set in 1..32_u32 {
        let listed: Vec<&str> = rules
            .iter()
            .enumerate()
            .filter(|(bit, _)| set & (1 << bit) != 0)
            .map(|(_, rule)| *rule)
            .collect();
        // A diff is empty or not; tests are claimed with results or without.
        let excluded =
            [["transcript_mismatch", "error_but_changed"], ["report_mismatch", "unsupported_claim"]];
        if excluded.iter().any(|pair| pair.iter().all(|rule| listed.contains(rule))) {
            continue;
        }
        let when = json!({"==": [var("facts.contradictions"), listed]});
        assert!(fires_in(&when, "escalate").is_some(), "{when}");
    }
}

#[test]
fn rules_that_fire_where_evidence_is_missing_are_shown_without_it() {
    for when in [
        json!({"some": [var("facts.diff.files"), {"==": [var("change"), "renamed"]}]}),
        json!({"all": [var("facts.diff.files"), {"==": [var("change"), "deleted"]}]}),
        json!({"and": [{">": [var("facts.diff.count"), 3]}, {"<": [var("facts.diff.count"), 2]}]}),
        json!({"and": [{"some": [var("facts.diff.files"), {"==": [var("change"), "added"]}]},
            {"none": [var("facts.diff.files"), {"==": [var("change"), "added"]}]}]}),
    ] {
        assert!(fires_in(&when, "fire").is_some(), "{when}");
    }
}

#[test]
fn long_lists_of_patterns_end() {
    let patterns: Vec<String> = (0..12_000).map(|index| format!("folder-{index}/**")).collect();
    let mut policy = policy(&[]);
    policy["forbidden_paths"] = json!(patterns);
    policy["required_artifacts"] = json!(patterns);
    policy["routes"] = json!({"forward": ["open-pr"], "fix": patterns});
    // None of the patterns compared within the budget covers another.
    assert_eq!(found(&policy), []);
}
