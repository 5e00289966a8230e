//! Tests of a policy as tests of a module: the same calls, where they mean the same.

use adjudicate_core::{Error, json};

use crate::{carried::Carried, codes, trial::MAX_TESTS};

/// Refuses tests that a module cannot bring, or not as they are meant.
///
/// A policy's test is an envelope. A module's is a call of `evaluate`, which is an envelope too, unless it has a member
/// `envelope`: then that is the envelope. So a test which shows that such a thing is refused would be another test.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] for too many; [`codes::INVALID_POLICY`] for one that means something else, or cannot fail.
pub(super) fn check(document: &Carried) -> Result<(), Error> {
    let tests = document.policy().tests();
    if tests.len() > MAX_TESTS {
        let message = format!(
            "the policy brings {} tests, a module at most {MAX_TESTS}; keep more in a file of cases",
            tests.len()
        );
        return Err(Error::new(codes::LIMIT_EXCEEDED, message).at("/tests"));
    }
    for (place, test) in tests.iter().enumerate() {
        let refusal = |message: &'static str, member: &str| {
            Err(Error::new(codes::INVALID_POLICY, message).at(format!("/tests/{place}/{member}")))
        };
        if test.expects_nothing() {
            return refusal("an empty `expect` accepts any answer, so this test cannot fail", "expect");
        }
        let input = json::read(test.input().as_bytes(), json::Limits::DOCUMENT)?;
        if input.root().member("envelope").is_some() {
            let message = "a module would take this for a call with its envelope inside, which is another test; \
                           leave it to a file of cases";
            return refusal(message, "input/envelope");
        }
    }
    Ok(())
}
