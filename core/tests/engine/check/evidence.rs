//! Envelopes in which all facts vary.

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

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
