//! Checks whether a policy's tests have the same meaning as tests of a module.

use adjudicate_core::{Error, json};

use crate::{codes, embedded_policy::EmbeddedPolicy, manifest::MAX_TESTS};

/// Rejects tests that cannot be tests of a module.
///
/// The input of a policy's test is an envelope. The input of a module's test is a call of `evaluate`: an envelope, or an object
/// with the field `envelope`. So a policy's test with an input that has this field would have another meaning.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] for too many tests; [`codes::INVALID_POLICY`] for a test with another meaning, or one that cannot
/// fail.
pub(super) fn check(document: &EmbeddedPolicy) -> Result<(), Error> {
    let tests = document.policy().tests();
    if tests.len() > MAX_TESTS {
        let message = format!(
            "the policy has {} tests, the limit for a module is {MAX_TESTS}; move further tests to a file of cases",
            tests.len()
        );
        return Err(Error::new(codes::LIMIT_EXCEEDED, message).at("/tests"));
    }
    for (place, test) in tests.iter().enumerate() {
        let refusal = |message: &'static str, member: &str| {
            Err(Error::new(codes::INVALID_POLICY, message).at(format!("/tests/{place}/{member}")))
        };
        if test.expects_nothing() {
            return refusal(
                "an `expect` of empty objects accepts any answer, so this test cannot fail",
                "expect",
            );
        }
        let input = json::read(test.input().as_bytes(), json::ReadLimits::DOCUMENT)?;
        if input.root().member("envelope").is_some() {
            let message = "a module would take this for a call with its envelope inside, which is another test; \
                           leave it to a file of cases";
            return refusal(message, "input/envelope");
        }
    }
    Ok(())
}
