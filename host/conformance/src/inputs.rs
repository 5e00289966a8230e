//! What a module is asked: inputs that are valid, JSON that is none, and garbage.

use adjudicate_core::Operation;

/// An envelope of a step that went well.
const ENVELOPE: &str = r#"{"run_id":"run-7","workflow_id":"release","step_id":"verify","evaluate_prompt":"verify.v1","allowed_next_steps":["publish","fix","escalate"],"provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":" M src/lib.rs\n","validation":{"mechanical_outcome":"completed","exit_codes":{"test":0,"lint":0},"timeouts":[]},"artifacts":[],"policy_events":[]}}"#;

/// A policy that any module that takes policies can take.
pub(super) const POLICY: &str =
    r#"{"policy":"conformance","version":"1.0.0","forbidden_paths":["secrets/**"]}"#;

/// Another one.
pub(super) const OTHER_POLICY: &str = r#"{"policy":"other","version":"2.0.0","forbidden_paths":["src/**"]}"#;

/// A call of `evaluate` and its like.
fn with_policy(envelope: &str, policy: &str) -> String {
    format!(r#"{{"envelope":{envelope},"policy":{policy}}}"#)
}

/// Envelopes: of steps that went well, that failed, that are unclear, and with little to choose from.
fn envelopes() -> Vec<String> {
    let failed = ENVELOPE.replace(r#""test":0"#, r#""test":1"#);
    vec![
        ENVELOPE.to_owned(),
        failed.clone(),
        ENVELOPE.replace(r#""completed""#, r#""killed_timeout""#),
        ENVELOPE.replace(r#"["publish","fix","escalate"]"#, r#"["escalate"]"#),
        ENVELOPE.replace(r#"["publish","fix","escalate"]"#, "[]"),
        ENVELOPE.replace("src/lib.rs", "secrets/\u{e9}\u{1f511}.pem"),
        ENVELOPE.replace(r#"{"test":0,"lint":0}"#, "{}"),
        format!("{} ", failed.replace(':', " :\n\t")),
    ]
}

/// Inputs of an operation that are valid.
pub(super) fn valid(operation: Operation) -> Vec<String> {
    let one = |text: &str| vec![text.to_owned()];
    match operation {
        Operation::Evaluate | Operation::Explain => {
            let mut inputs = envelopes();
            inputs.push(with_policy(ENVELOPE, "null"));
            inputs.push(with_policy(ENVELOPE, POLICY));
            inputs
        }
        Operation::Refine => {
            let wrapped = |envelope: &String| format!(r#"{{"envelope":{envelope}}}"#);
            let mut inputs: Vec<_> = envelopes().iter().map(wrapped).collect();
            inputs.push(with_policy(ENVELOPE, POLICY));
            inputs
        }
        Operation::ValidatePlan => one(
            r#"{"task":{"objective":"o","outputContract":{"schema":{"type":"object","properties":{"score":{"type":"number"}}},"constraints":[{"constraintId":"c","expr":{">":[{"var":"score"},0]},"level":"soft"}]}},"plan":{"nodes":[{"nodeId":"n","capabilityId":"C"}],"edges":[]},"capabilities":[{"capabilityId":"C","outputFacets":["score"]}]}"#,
        ),
        Operation::MergeDiagnostics => one(
            r#"{"diagnostics":[{"severity":"soft","status":"unsatisfied","constraintId":"a","cause":"unsatisfied_soft"}]}"#,
        ),
        Operation::ObserveOutput => {
            one(r#"{"outputContract":{"schema":{"required":["copy","score"]}},"output":{}}"#)
        }
        Operation::ApplyGuardrails => one(
            r#"{"policies":[{"id":"again","trigger":{"kind":"onStart"},"action":{"type":"retry","maxAttempts":2}}],"event":{"kind":"onStart"}}"#,
        ),
        Operation::NormalizePlan => {
            one(r#"{"plan":[{"id":"look","action":"read","target":"a.rs","instruction":"look"}]}"#)
        }
        Operation::VerifyReplay => one(
            r#"{"plan":{"analysis":"","steps":[{"id":"fix","description":"","intent":"modify","target_files":[],"depends_on":[],"max_iterations":2}],"verification_strategy":{"commands":[],"success_criteria":"","max_retries":0},"complexity":"low","confidence":0.5},"events":[{"event":"PlanStart","step_count":1}]}"#,
        ),
        Operation::Deliberate => one(
            r#"{"turns":[{"n":1,"consumed":{"wall_time_ms":400000},"confidence":0.5,"uncertainty":0.5}]}"#,
        ),
        Operation::CheckPolicy => vec![format!(r#"{{"policy":{POLICY}}}"#)],
        // An operation that was added to the table and not here has no input, and so nothing to judge.
        _ => Vec::new(),
    }
}

/// The envelope that a configured module is asked about: alone, with null for a policy, and with one of its own.
pub(super) fn configured() -> [String; 3] {
    [ENVELOPE.to_owned(), with_policy(ENVELOPE, "null"), with_policy(ENVELOPE, OTHER_POLICY)]
}

/// JSON that is no input of any operation.
pub(super) const MEANINGLESS: [&str; 5] =
    ["{}", "[]", "null", "7", r#"{"envelope":7,"plan":7,"policies":7}"#];

/// Bytes that are no JSON.
pub(super) fn garbage() -> Vec<Vec<u8>> {
    let cut = ENVELOPE.len() / 2;
    vec![
        Vec::new(),
        b" ".to_vec(),
        b"{".to_vec(),
        b"nope".to_vec(),
        b"\0".to_vec(),
        vec![0xff; 64],
        b"\xef\xbb\xbf{}".to_vec(),
        br#"{"a":1,"a":2}"#.to_vec(),
        br#"{"run_id":"\ud800"}"#.to_vec(),
        b"1e999".to_vec(),
        b"[".repeat(5_000),
        [b"[".repeat(200), b"]".repeat(200)].concat(),
        b"\"".repeat(1_001),
        ENVELOPE.as_bytes().get(..cut).unwrap_or_default().to_vec(),
        [ENVELOPE.as_bytes(), b"}"].concat(),
    ]
}

/// Numbers of no operation.
pub(super) fn numbers(offered: &[Operation]) -> Vec<i32> {
    let others = Operation::ALL.iter().filter(|operation| !offered.contains(operation));
    [0, -1, 1_000, i32::MAX, i32::MIN].into_iter().chain(others.map(|operation| operation.number())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_answers_what_is_valid_and_nothing_else() {
        for operation in Operation::ALL {
            assert!(!valid(*operation).is_empty(), "{operation:?}");
            for input in valid(*operation) {
                assert!(operation.call(input.as_bytes()).is_ok(), "{operation:?}: {input}");
            }
            for input in MEANINGLESS {
                // A ledger of nothing is one.
                let is_one = operation.call(input.as_bytes()).is_ok();
                assert!(
                    !is_one || (*operation == Operation::Deliberate && input == "{}"),
                    "{operation:?}: {input}"
                );
            }
            for input in garbage() {
                assert!(
                    operation.call(&input).is_err(),
                    "{operation:?}: {}",
                    String::from_utf8_lossy(&input)
                );
            }
        }
        for policy in [POLICY, OTHER_POLICY] {
            adjudicate_core::Policy::parse(policy.as_bytes()).unwrap();
        }
    }
}
