//! The smallest envelope.

/// Expands to the text of the smallest envelope: run `r`, workflow `w`, step `s`, and no evidence except a check `test` that passed.
///
/// To change a field, pass a literal with its JSON text. Pass fields in this order:
///
/// | field | JSON text of | default |
/// | --- | --- | --- |
/// | `steps` | `allowed_next_steps` | `["publish","fix"]` |
/// | `diff` | `workspace_diff_summary` | `""` |
/// | `exit_codes` | `exit_codes` | `{"test":0}` |
/// | `artifacts` | `artifacts` | `[]` |
/// | `policy_events` | `policy_events` | `[]` |
/// | `evidence` | further fields of `evidence`, without braces | none |
///
/// ```
/// use adjudicate_core::Operation;
/// const ENVELOPE: &str = adjudicate_tests::envelope! {
///     steps: r#"["ship", "fix"]"#,
///     exit_codes: r#"{"test": 1}"#,
///     artifacts: r#"["test.log"]"#,
/// };
/// let answer = Operation::Evaluate.call(ENVELOPE.as_bytes())?;
/// assert!(answer.starts_with(r#"{"decision":{"status":"partial","next_step":"fix""#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[macro_export]
macro_rules! envelope {
    (
        $(steps: $steps:literal,)?
        $(diff: $diff:literal,)?
        $(exit_codes: $exit_codes:literal,)?
        $(artifacts: $artifacts:literal,)?
        $(policy_events: $policy_events:literal,)?
        $(evidence: $evidence:literal,)?
    ) => {
        concat!(
            r#"{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1","allowed_next_steps":"#,
            $crate::or_default!($($steps)?, r#"["publish","fix"]"#),
            r#","provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":"#,
            $crate::or_default!($($diff)?, r#""""#),
            r#","validation":{"mechanical_outcome":"completed","exit_codes":"#,
            $crate::or_default!($($exit_codes)?, r#"{"test":0}"#),
            r#","timeouts":[]},"artifacts":"#,
            $crate::or_default!($($artifacts)?, "[]"),
            r#","policy_events":"#,
            $crate::or_default!($($policy_events)?, "[]"),
            $(",", $evidence,)?
            "}}"
        )
    };
}

/// Expands to the value, or to the default without one.
#[doc(hidden)]
#[macro_export]
macro_rules! or_default {
    (, $default:literal) => {
        $default
    };
    ($value:literal, $default:literal) => {
        $value
    };
}
