//! What the help of each verb ends with: examples, and the statuses that it may end with.

/// The end of a verb's help: an example, and the statuses of a verb that answers.
macro_rules! help {
    ($example:literal, $more:literal) => {
        concat!(
            $example,
            "\
Exit status:
  0   answered
  2   the input or the policy is invalid, or cannot be read
  3   a module failed or was refused, the slot is empty, or the store or the cluster cannot be used
  64  wrong usage, or a slot, module or version that there is not
  74  the answer could not be written
  141 whoever read the answer went away
",
            $more,
            "Errors are one line on standard error: {\"error\": {\"code\", \"message\", \"path\"}}"
        )
    };
}

// They use the macro, which is known from here on.
mod hosts;
mod modules;
mod operations;
mod reports;

#[cfg(feature = "serve")]
pub(crate) use hosts::SERVE_HELP;
pub(crate) use hosts::{RECORDS_HELP, REEVALUATION_HELP, TOKEN_HELP};
pub(crate) use modules::{BUILD_HELP, KEYGEN_HELP, NEW_HELP, PACK_HELP, SIGN_HELP, VERIFY_HELP};
#[cfg(feature = "oci")]
pub(crate) use modules::{PULL_HELP, PUSH_HELP};
pub(crate) use operations::{
    DELIBERATE_HELP, EVALUATE_HELP, GUARDRAILS_HELP, MERGE_HELP, NORMALIZE_HELP, OBSERVE_HELP, PLAN_HELP,
    REPLAY_HELP, SCHEMA_HELP,
};
pub(crate) use reports::{CHECK_HELP, CONFORMANCE_HELP, TEST_HELP};

/// The statuses of verbs that answer and have nothing more to say.
pub(crate) const HELP: &str = help!("", "");
