//! Two of the policies together: the security team's policy restricts the monorepo's for the service that lives in it.

use adjudicate_core::{
    Policy,
    evaluate::{CompositionMode, evaluate_composed},
};

use super::{
    flags, speaking, status,
    suite::{Suite, answer, put},
};
use crate::json::Json;

/// The statuses, each more severe than those before.
const STATUSES: [&str; 5] = ["success", "partial", "blocked", "needs_human", "unsafe"];

/// One envelope under both policies.
struct Scenario {
    /// The values to put into the envelope, by pointer; `-` is the end of a list.
    changes: &'static [(&'static str, &'static str)],
    /// The statuses under the monorepo's policy, under the security team's, and under both.
    statuses: [&'static str; 3],
    /// The next step of the run.
    next_step: &'static str,
}

const SCENARIOS: [Scenario; 7] = [
    Scenario { changes: &[], statuses: ["success"; 3], next_step: "open_pr_for_review" },
    // The security team restricts a change that the monorepo would allow.
    Scenario {
        changes: &[("/evidence/x-scanners/suppressed", "2")],
        statuses: ["success", "needs_human", "needs_human"],
        next_step: "code_owners",
    },
    Scenario {
        changes: &[
            ("/evidence/validation/exit_codes/secret-scan", "1"),
            ("/evidence/artifacts/-", r#""logs/secret-scan.txt""#),
        ],
        statuses: ["partial", "unsafe", "unsafe"],
        next_step: "scrap_branch",
    },
    // The monorepo's rules stay active.
    Scenario {
        changes: &[(
            "/evidence/diff/files/-",
            r#"{"path": "services/storefront/src/cart.ts", "change": "modified"}"#,
        )],
        statuses: ["blocked", "success", "blocked"],
        next_step: "code_owners",
    },
    // The decision asks for the fixes of both policies.
    Scenario {
        changes: &[
            (
                "/evidence/diff/files/-",
                r#"{"path": "services/identity/src/crypto/hkdf.go", "change": "modified"}"#,
            ),
            ("/evidence/approvals", r#"{"required": [], "granted": ["protected_path"]}"#),
            ("/x-branch/behind", "512"),
        ],
        statuses: ["partial"; 3],
        next_step: "patch_change",
    },
    // If one of them asks for a human, a fix is not enough.
    Scenario {
        changes: &[
            ("/x-branch/behind", "512"),
            ("/evidence/approvals", r#"{"required": ["security"], "granted": []}"#),
        ],
        statuses: ["needs_human"; 3],
        next_step: "code_owners",
    },
    Scenario {
        changes: &[
            ("/x-branch/behind", "512"),
            (
                "/evidence/review",
                r#"{"artifact_ref": "reports/review.md", "issues": [{"id": "S1", "severity": "high",
                    "summary": "Tokens are guessable.", "edit": {"target": "services/identity/src/http/login.go",
                    "action": "use the system's randomness", "rationale": "a clock is no secret"}}]}"#,
            ),
        ],
        statuses: ["partial", "needs_human", "needs_human"],
        next_step: "code_owners",
    },
];

/// Evidence that satisfies both policies; its steps are the monorepo's.
fn envelope() -> Json {
    let envelope = r#"{
        "run_id": "mono-80112", "workflow_id": "feature", "step_id": "judge_change",
        "evaluate_prompt": "judge_change.v6", "provenance_window": [],
        "allowed_next_steps": ["open_pr_for_review", "patch_change", "code_owners", "scrap_branch", "STOP"],
        "evidence": {
            "transcript_summary": "intent: implement\nclaims: implemented", "workspace_diff_summary": "",
            "validation": {"mechanical_outcome": "completed", "timeouts": [], "exit_codes": {
                "build": 0, "affected-tests": 0, "unit": 0, "sast": 0, "secret-scan": 0, "dependency-audit": 0}},
            "artifacts": ["reports/affected.json", "reports/sast.sarif", "reports/sbom.cdx.json", "reports/review.md"],
            "policy_events": [], "review": {"artifact_ref": "reports/review.md", "issues": []},
            "diff": {"files": [{"path": "services/identity/src/http/login.go", "change": "modified"}]},
            "x-scanners": {"suppressed": 0}},
        "x-branch": {"behind": 3}}"#;
    Json::parse(envelope.as_bytes()).expect("it is JSON")
}

#[test]
fn the_composition_has_the_more_severe_status_of_both_policies() {
    let (monorepo, identity) = pair();
    for Scenario { changes, statuses, next_step } in SCENARIOS {
        let mut input = envelope();
        for (pointer, value) in changes {
            let value = Json::parse(value.as_bytes()).expect("a change is JSON");
            match pointer.strip_suffix("/-") {
                Some(list) => append(&mut input, list, value),
                None => put(&mut input, pointer, Some(&value)),
            }
        }
        let both = composed(&input, [&monorepo, &identity]);
        let alone = [&monorepo, &identity].map(|policy| answer(&input, policy));
        let found = [&alone[0], &alone[1], &both].map(|answer| status(answer).expect("it has a status"));
        assert_eq!(found, statuses, "{changes:?}: {}", both.to_text());
        let step = both.at(&["decision", "next_step"]).and_then(Json::as_text);
        assert_eq!(step, Some(next_step), "{changes:?}");
        let policy = both.at(&["policy", "name"]).and_then(Json::as_text);
        assert_eq!(policy, Some("monorepo"), "the base gives its name");
    }
}

#[test]
fn the_fix_instructions_have_the_edits_of_both_policies() {
    let (monorepo, identity) = pair();
    let mut input = envelope();
    let file = r#"{"path": "services/identity/src/crypto/hkdf.go", "change": "modified"}"#;
    append(&mut input, "/evidence/diff/files", Json::parse(file.as_bytes()).unwrap());
    let granted = r#"{"required": [], "granted": ["services/identity/src/crypto/hkdf.go"]}"#;
    put(&mut input, "/evidence/approvals", Json::parse(granted.as_bytes()).as_ref());
    put(&mut input, "/x-branch/behind", Some(&Json::Integer(201)));
    let both = composed(&input, [&monorepo, &identity]);
    let edits = both.at(&["decision", "fix_instructions", "edits"]).map(Json::items).unwrap_or_default();
    let targets: Vec<_> =
        edits.iter().filter_map(|edit| edit.member("target").and_then(Json::as_text)).collect();
    assert_eq!(targets, ["the branch", "services/identity/tests/vectors/"]);
    let findings = both.member("findings").map(Json::items).unwrap_or_default();
    let origins: Vec<_> = findings
        .iter()
        .filter(|finding| finding.member("mode").is_none())
        .filter_map(|finding| {
            Some((finding.member("origin")?.as_text()?, finding.member("rule")?.as_text()?))
        })
        .collect();
    assert_eq!(origins, [("monorepo", "branch-far-behind"), ("identity-service", "crypto-without-vectors")]);
}

/// The law of `restrict`, over all cases of both: no finding of either policy is lost, and no status becomes less
/// severe.
#[test]
fn a_restriction_loses_no_finding_and_loosens_no_status() {
    let suites = Suite::all();
    let (monorepo, identity) = pair();
    let is_theirs = |suite: &&Suite| [monorepo.name(), identity.name()].contains(&suite.name.as_str());
    for case in suites.iter().filter(is_theirs).flat_map(|suite| &suite.cases) {
        let alone = [&monorepo, &identity].map(|policy| answer(&case.input, policy));
        for order in [[&monorepo, &identity], [&identity, &monorepo]] {
            let both = composed(&case.input, order);
            let gravest = alone.iter().map(gravity).max();
            assert!(Some(gravity(&both)) >= gravest, "{}: {}", case.name, both.to_text());
            for answer in &alone {
                assert!(flags(answer).is_subset(&flags(&both)), "{} loses a flag", case.name);
                assert!(speaking(answer).is_subset(&speaking(&both)), "{} loses a finding", case.name);
            }
        }
    }
}

/// The base, and the policy that restricts it.
fn pair() -> (Policy, Policy) {
    let mut policies: Vec<Policy> = Suite::all().into_iter().map(|suite| suite.policy).collect();
    let mut take = |name: &str| {
        let place = policies.iter().position(|policy| policy.name() == name);
        policies.remove(place.expect("it is one of the policies"))
    };
    (take("monorepo"), take("identity-service"))
}

fn composed(input: &Json, [base, other]: [&Policy; 2]) -> Json {
    let answer = evaluate_composed(input.to_text().as_bytes(), base, &[other], CompositionMode::Restrict);
    let answer = answer.unwrap_or_else(|error| panic!("{}", error.to_json()));
    Json::parse(answer.as_bytes()).expect("an answer is JSON")
}

fn append(document: &mut Json, list: &str, value: Json) {
    let names: Vec<&str> = list.split('/').skip(1).collect();
    let items = document.at(&names).expect("the list is there").items();
    let items = items.iter().cloned().chain([value]).collect();
    put(document, list, Some(&Json::List(items)));
}

fn gravity(answer: &Json) -> usize {
    let status = status(answer).expect("it has a status");
    STATUSES.iter().position(|known| *known == status).expect("it is one of five")
}
