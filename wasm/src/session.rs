//! A call through the module interface, from bytes to the text of the reply.
//!
//! Owns what the interface adds to the core: operations by number, and a policy that is configured once. It knows
//! nothing of addresses; those are `abi`'s.

use adjudicate_core::{Error, Operation, Policy, codes, reply};
use alloc::{format, string::String};

/// Runs one operation under the configured policy, if there is one.
pub(crate) fn call(number: i32, input: &[u8], configured: Option<&Policy>) -> String {
    reply(match Operation::from_number(number) {
        Some(operation) => operation.call_with(input, configured),
        None => Err(Error::new(
            codes::UNSUPPORTED_OPERATION,
            format!("this module has no operation number {number}"),
        )),
    })
}

/// The reply of a module that took a policy document.
pub(crate) const CONFIGURED: &str = r#"{"ok":null}"#;

/// Parses the policy document for all later calls.
///
/// Once only: a module that carries its policy must not be given another from outside. A document that is refused
/// leaves the module as it was.
pub(crate) fn policy(document: &[u8], is_configured: bool) -> Result<Policy, Error> {
    match is_configured {
        true => Err(Error::new(codes::INVALID_VALUE, "this module is configured already")),
        false => Policy::parse(document),
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::reply;

    use super::{CONFIGURED, call, policy};

    const EVALUATE: i32 = 1;
    const REFINE: i32 = 2;
    const POLICY: &[u8] =
        br#"{"policy": "house", "version": "1.2.3", "profile": "oa06.1", "review": "optional"}"#;
    const ENVELOPE: &str = adjudicate_tests::envelope! { steps: r#"["go"]"#, };

    #[test]
    fn operations_go_by_number() {
        assert!(
            call(EVALUATE, ENVELOPE.as_bytes(), None).starts_with(r#"{"ok":{"decision":{"status":"success""#)
        );
        assert!(
            call(REFINE, format!(r#"{{"envelope": {ENVELOPE}}}"#).as_bytes(), None)
                .starts_with(r#"{"ok":{"package":null,"reason":"success","events":["#)
        );
        let next = i32::try_from(adjudicate_core::Operation::ALL.len()).unwrap() + 1;
        for unknown in [i32::MIN, -1, 0, next, i32::MAX] {
            let reply = call(unknown, ENVELOPE.as_bytes(), None);
            assert!(reply.starts_with(r#"{"error":{"code":"unsupported_operation""#), "{unknown}: {reply}");
        }
    }

    #[test]
    fn a_configured_policy_serves_later_calls_and_takes_no_rival() {
        let configured = policy(POLICY, false).unwrap();
        let bare = call(EVALUATE, ENVELOPE.as_bytes(), Some(&configured));
        assert!(bare.ends_with(r#""policy":{"name":"house","version":"1.2.3"}}}"#), "{bare}");
        let spent = ENVELOPE.replacen('{', r#"{"refinement": {"spent": 1},"#, 1);
        let refined = call(REFINE, format!(r#"{{"envelope": {spent}}}"#).as_bytes(), Some(&configured));
        assert!(refined.contains(r#"{"event":"refinement_spent","spent":1,"cap":1}"#), "{refined}");

        let rival =
            format!(r#"{{"envelope": {ENVELOPE}, "policy": {{"policy": "other", "version": "2.0.0"}}}}"#);
        for operation in [EVALUATE, REFINE] {
            let refused = call(operation, rival.as_bytes(), Some(&configured));
            assert!(refused.starts_with(r#"{"error":{"code":"invalid_value""#), "{refused}");
            assert!(refused.ends_with(r#""path":"/policy"}}"#), "{refused}");
        }
    }

    #[test]
    fn configuring_twice_is_refused_and_a_refused_document_can_be_tried_again() {
        for (document, code) in [
            (&b""[..], "malformed_json"),
            (b"\x00asm", "malformed_json"),
            (b"{}", "missing_field"),
            (b"null", "invalid_value"),
        ] {
            assert_eq!(policy(document, false).unwrap_err().code().as_str(), code);
        }
        assert!(policy(POLICY, false).is_ok());
        for document in [POLICY, b"{}"] {
            let error = policy(document, true).unwrap_err();
            assert_eq!(
                (error.code().as_str(), error.message()),
                ("invalid_value", "this module is configured already")
            );
        }
        assert_eq!(reply(Ok("null".into())), CONFIGURED);
    }
}
