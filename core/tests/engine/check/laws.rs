//! Every finding is true, for any policy and evidence, over envelopes in which all facts vary.

use adjudicate_core::check::CheckWitness;
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{answer, atoms::atoms, check, policy, rule, rules_of};

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

fn diffs() -> impl Strategy<Value = (Value, Option<Value>)> {
    let text = select(vec!["", " M a.rs\n", " M a.rs\n?? infra/b.tf\n", " D a.rs\n", "changed a few things"]);
    let file = (
        select(vec!["a.rs", "infra/b.tf", "./a.rs"]),
        select(vec!["modified", "deleted", "added"]),
        option::of(0..3_u64),
    )
        .prop_map(|(path, change, lines)| {
            let mut file = json!({"path": path, "change": change});
            if let Some(lines) = lines {
                file["insertions"] = json!(lines);
                file["deletions"] = json!(0);
            }
            file
        });
    (text.prop_map(|text| json!(text)), option::of(vec(file, 0..3).prop_map(|files| json!({"files": files}))))
}

fn harnesses() -> impl Strategy<Value = Value> {
    let case = (select(vec!["unit", "x"]), select(vec!["passed", "failed", "skipped", "flaky"]))
        .prop_map(|(id, status)| json!({"id": id, "status": status, "repro": "run"}));
    let ux = vec(select(vec!["low", "medium", "high"]), 0..2);
    (vec(case, 0..3), 0..3_u64, 0..2_u64, option::of(0..2_u64), ux, any::<bool>()).prop_map(
        |(cases, passed, failed, flaky, ux, goldens)| {
            let ux: Vec<_> = ux.iter().map(|severity| json!({"severity": severity, "area": "a", "description": "d"})).collect();
            let mut summary = json!({"passed": passed, "failed": failed});
            if let Some(flaky) = flaky {
                summary["flaky"] = json!(flaky);
            }
            let goldens = if goldens { json!(["unit"]) } else { json!([]) };
            json!({"suite_id": "s", "cases": cases, "summary": summary, "ux_flags": ux, "proposed_goldens": goldens})
        },
    )
}

fn entries() -> impl Strategy<Value = Vec<Value>> {
    let status = select(vec!["partial", "partial", "blocked", "success"]);
    let evaluated = (status, option::of(0..2_u64), select(vec!["", " M a.rs\n"])).prop_map(|(status, failures, diff)| {
        let mut entry = json!({"step_id": "e", "opcode": "EVALUATE", "status": status, "diff_summary": diff,
            "risk_flags": ["info"], "blocker_codes": []});
        if let Some(failures) = failures {
            entry["failures"] = json!(failures);
        }
        entry
    });
    let other =
        Just(json!({"step_id": "a", "opcode": "RUN_AGENT", "outcome": "completed", "diff_summary": "",
        "risk_flags": ["release"], "blocker_codes": []}));
    vec(prop_oneof![3 => evaluated, 1 => other], 0..4)
}

/// Envelopes in which all facts vary.
pub(super) fn envelopes() -> impl Strategy<Value = Value> {
    let checks = (
        select(vec!["completed", "error", "killed_timeout", "killed_policy"]),
        select(vec![
            json!({}),
            json!({"unit": 0}),
            json!({"unit": 1, "lint": 0}),
            json!({"unit": 1, "lint": 2}),
        ]),
        select(vec![json!([]), json!(["unit"]), json!(["slow"])]),
        option::of(harnesses()),
        option::of(vec(select(vec!["low", "medium", "high"]), 0..3)),
    );
    let claims = select(vec![
        None,
        Some(json!([])),
        Some(json!(["implemented"])),
        Some(json!(["tests_passed", "error_reported"])),
    ]);
    let reported = (
        option::of(select(vec!["fix", "implement", "review", "other"])),
        claims,
        select(vec!["", "claims: fixed"]),
    );
    let asked = (
        select(vec![json!([]), json!(["a.rs"])]),
        select(vec![json!([]), json!(["unit"]), json!(["lint", "extra"])]),
        option::of(Just(json!({"required": ["release", "info"], "granted": ["info"]}))),
        vec(
            select(vec!["info:x", "warning", "network_violation", "approval_required:release", "release"]),
            0..3,
        ),
        option::of((option::of(0..3_u64), 0..3_u64)),
    );
    (diffs(), checks, reported, asked, entries(), any::<(bool, bool)>()).prop_map(
        |(
            (text, diff),
            (outcome, exits, timeouts, harness, review),
            (intent, claims, transcript),
            asked,
            entries,
            (in_history, team),
        )| {
            let (artifacts, validators, approvals, events, refinement) = asked;
            let mut envelope = json!({
                "run_id": "r", "workflow_id": "release", "step_id": "e", "evaluate_prompt": "p.v1",
                "allowed_next_steps": ["publish", "fix", "gate", "rollback", "STOP"], "provenance_window": [],
                "evidence": {
                    "transcript_summary": transcript, "workspace_diff_summary": text,
                    "validation": {"mechanical_outcome": outcome, "exit_codes": exits, "timeouts": timeouts},
                    "artifacts": ["unit.log"], "policy_events": events,
                    "required_artifacts": artifacts, "required_validators": validators
                }
            });
            let evidence = &mut envelope["evidence"];
            let issues = |severities: Vec<&str>| {
                let issue = |severity: &&str| json!({"id": "i", "summary": "s", "severity": severity});
                json!({"artifact_ref": "r", "issues": severities.iter().map(issue).collect::<Vec<_>>()})
            };
            let parts = [
                ("diff", diff),
                ("harness_report", harness),
                ("review", review.map(issues)),
                ("approvals", approvals),
                ("step_intent", intent.map(|intent| json!(intent))),
                ("claims", claims),
                ("x-team", team.then(|| json!("core"))),
            ];
            for (name, part) in parts {
                if let Some(part) = part {
                    evidence[name] = part;
                }
            }
            if let Some((cap, spent)) = refinement {
                envelope["refinement"] = json!({"spent": spent});
                if let Some(cap) = cap {
                    envelope["refinement"]["cap"] = json!(cap);
                }
            }
            envelope[if in_history { "evaluate_history" } else { "provenance_window" }] = json!(entries);
            envelope
        },
    )
}
