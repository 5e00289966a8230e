//! The inputs of the check: valid inputs, other JSON, and garbage.

use adjudicate_core::Operation;

/// An envelope of a successful step.
const ENVELOPE: &str = Operation::Evaluate.example();

/// A policy that every module with policies accepts.
pub(super) const POLICY: &str =
    r#"{"policy":"conformance","version":"1.0.0","forbidden_paths":["secrets/**"]}"#;

/// Another policy.
pub(super) const OTHER_POLICY: &str = r#"{"policy":"other","version":"2.0.0","forbidden_paths":["src/**"]}"#;

/// A call with an envelope and a policy.
fn with_policy(envelope: &str, policy: &str) -> String {
    format!(r#"{{"envelope":{envelope},"policy":{policy}}}"#)
}

/// Envelopes of successful, failed and unclear steps, and with few allowed next steps.
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

/// Valid inputs of an operation.
pub(super) fn valid(operation: Operation) -> Vec<String> {
    if !operation.documents().contains(&"envelope") {
        return vec![operation.example().to_owned()];
    }
    let alone = |envelope: String| match operation.is_bare() {
        true => envelope,
        false => format!(r#"{{"envelope":{envelope}}}"#),
    };
    let mut inputs: Vec<_> = envelopes().into_iter().map(alone).collect();
    if operation.is_bare() {
        inputs.push(with_policy(ENVELOPE, "null"));
    }
    inputs.push(with_policy(ENVELOPE, POLICY));
    inputs
}

/// The inputs for a configured module: an envelope alone, with null as policy, and with a policy of its own.
pub(super) fn configured() -> [String; 3] {
    [ENVELOPE.to_owned(), with_policy(ENVELOPE, "null"), with_policy(ENVELOPE, OTHER_POLICY)]
}

/// JSON that is not an input of any operation.
pub(super) const MEANINGLESS: [&str; 5] =
    ["{}", "[]", "null", "7", r#"{"envelope":7,"plan":7,"policies":7}"#];

/// Bytes that are not JSON.
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

/// Numbers of unknown operations and of operations that the module does not offer.
pub(super) fn numbers(offered: &[Operation]) -> Vec<i32> {
    let others = Operation::ALL.iter().filter(|operation| !offered.contains(operation));
    [0, -1, 1_000, i32::MAX, i32::MIN].into_iter().chain(others.map(|operation| operation.number())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_answers_exactly_the_valid_inputs() {
        for operation in Operation::ALL {
            assert!(!valid(*operation).is_empty(), "{operation:?}");
            for input in valid(*operation) {
                assert!(operation.call(input.as_bytes()).is_ok(), "{operation:?}: {input}");
            }
            for input in MEANINGLESS {
                // An empty ledger is valid.
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
