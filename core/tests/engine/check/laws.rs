//! Every finding is true, for any policy and evidence.

use adjudicate_core::check::CheckWitness;
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use crate::check::{answer, atoms::atoms, check, evidence::envelopes, policy, rule, rules_of};

/// A policy with or without paths and parameters of its own.
fn policies() -> impl Strategy<Value = Value> {
    (any::<[bool; 4]>()).prop_map(|[forbidden, protected, bounded, capped]| {
        let mut policy = policy(&[]);
        if forbidden {
            policy["forbidden_paths"] = json!(["infra/**"]);
        }
        if protected {
            policy["protected_paths"] = json!(["a.rs"]);
        }
        if bounded {
            policy["profile"] = json!("oa06.1");
        }
        if capped {
            policy["parameters"] = json!({"refinement_cap": 1});
        }
        policy
    })
}

/// The atoms that hold in an envelope, and those that are unknown.
fn verdicts(atoms: &[Value], envelope: &Value, base: &Value) -> (Vec<Value>, Vec<Value>) {
    let watch = |on_unknown: &str| {
        let rules = atoms.iter().enumerate().map(|(index, atom)| {
            let mut rule = rule(&format!("{index}"), "partial", atom.clone());
            rule["mode"] = json!("monitor");
            rule["on_unknown"] = json!(on_unknown);
            rule
        });
        let mut policy = base.clone();
        policy["rules"] = rules.collect();
        let answer = answer(&envelope.to_string(), &policy).unwrap();
        rules_of(&answer).iter().filter_map(|rule| rule.parse::<usize>().ok()).collect::<Vec<_>>()
    };
    let (holds, not_false) = (watch("ignore"), watch("fire"));
    let unknown = not_false.iter().filter(|index| !holds.contains(index));
    (
        holds.iter().map(|index| atoms[*index].clone()).collect(),
        unknown.map(|index| atoms[*index].clone()).collect(),
    )
}

/// Returns true if a finding with this code excludes that its rule fires.
fn excludes(code: &str) -> bool {
    ["dead_rule", "excluded_evidence", "never_holds"].contains(&code)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Conditions that hold in one envelope can hold at once, so no finding may report the opposite.
    #[test]
    fn conditions_that_hold_are_never_reported_as_impossible(
        envelope in envelopes(),
        base in policies(),
        seed in vec(any::<prop::sample::Index>(), 1..6),
        third in 0..3_usize,
    ) {
        let atoms: Vec<Value> = atoms().into_iter().skip(third).step_by(3).collect();
        let (holds, unknown) = verdicts(&atoms, &envelope, &base);
        let some: Vec<&Value> = seed.iter().map(|index| index.get(&holds)).collect();
        let either = json!({"or": [{"and": some.clone()}, false]});
        let mut rules = vec![
            rule("all", "blocked", json!({"and": holds})),
            rule("some", "blocked", json!({"and": some})),
            rule("either", "blocked", json!({"!": [{"!": [either]}]})),
        ];
        rules.iter_mut().for_each(|rule| rule["on_unknown"] = json!("ignore"));
        if !unknown.is_empty() {
            // A condition with an unknown part is unknown, so it may escalate.
            let mut both = holds.clone();
            both.extend(seed.iter().map(|index| index.get(&unknown).clone()));
            rules.push(rule("unknown", "blocked", json!({"and": both})));
        }
        let mut policy = base;
        policy["rules"] = json!(rules);
        for finding in check(&policy) {
            let code = finding.code.as_str();
            let is_wrong = match finding.rule.as_deref() {
                Some("unknown") => code == "dead_rule",
                Some(_) => excludes(code),
                None => false,
            };
            prop_assert!(!is_wrong, "{code} {} in {envelope}\n{policy}", finding.path);
        }
    }

    /// Findings about random rules are true in random envelopes.
    #[test]
    fn findings_are_so(
        envelopes in vec(envelopes(), 1..6),
        base in policies(),
        conditions in vec((vec(select(atoms()), 1..4), any::<bool>(), select(vec!["escalate", "fire", "ignore"]),
            select(vec!["partial", "blocked", "needs_human", "unsafe"])), 1..6),
    ) {
        let rules: Vec<Value> = conditions.iter().enumerate().map(|(index, (atoms, all, on_unknown, status))| {
            let mut rule = rule(&format!("r{index}"), status, json!({(if *all { "and" } else { "or" }): atoms}));
            rule["on_unknown"] = json!(on_unknown);
            rule
        }).collect();
        let mut policy = base;
        policy["rules"] = json!(rules);
        let findings = check(&policy);
        for finding in &findings {
            // Every witness is what it says.
            if let Some(witness) = finding.witness.as_ref().and_then(CheckWitness::envelope) {
                match answer(&witness.envelope_text(), &policy) {
                    Ok(answer) => {
                        prop_assert_eq!(json!(witness.status), answer["decision"]["status"].clone());
                        prop_assert!(witness.rules.iter().all(|rule| rules_of(&answer).contains(&rule.as_str())));
                    }
                    Err(error) => {
                        prop_assert_eq!(&json!(witness.error)["path"], &error["error"]["path"]);
                    }
                }
            }
        }
        for envelope in &envelopes {
            let Ok(answer) = answer(&envelope.to_string(), &policy) else { continue };
            let fired = rules_of(&answer);
            let status = answer["decision"]["status"].as_str().unwrap();
            for finding in &findings {
                let rule = finding.rule.as_deref().unwrap_or_default();
                let fires = fired.contains(&rule);
                let index = rule.trim_start_matches('r').parse::<usize>().ok();
                let on_unknown = index.map(|index| conditions[index].2);
                let is_so = match finding.code.as_str() {
                    "dead_rule" => !fires,
                    "excluded_evidence" | "never_holds" => !fires || on_unknown == Some("fire"),
                    "always_fires" => fires,
                    "shadowed_rule" => !fires || status != index.map_or("", |index| conditions[index].3),
                    "unreachable_status" => !finding.message.starts_with(&format!("nothing leads to `{status}`")),
                    _ => true,
                };
                prop_assert!(is_so, "{} of `{rule}` in {envelope}\n{policy}", finding.code.as_str());
            }
        }
    }
}
