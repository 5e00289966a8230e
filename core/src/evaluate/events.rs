//! Policy events: `class` or `class:detail` (docs/reference/text-formats.md).

/// The meaning of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventClass<'a> {
    /// The step did something forbidden. Every unknown class is a violation.
    Violation,
    /// A human must approve something, which the detail names.
    ApprovalRequired(Option<&'a str>),
    /// Information only.
    Info,
    /// A warning.
    Warning,
}

/// Classifies an event; classes are compared exactly.
pub(super) fn classify(event: &str) -> EventClass<'_> {
    let (class, detail) = match event.split_once(':') {
        Some((class, detail)) => (class, Some(detail)),
        None => (event, None),
    };
    match class {
        "approval_required" => EventClass::ApprovalRequired(detail.filter(|what| !what.is_empty())),
        "info" => EventClass::Info,
        "warning" => EventClass::Warning,
        // `policy_violation`, `native_policy_block`, `forbidden_path`, `forbidden_operation`, `interactive_prompt_violation`,
        // `network_violation`, `protected_branch_violation`, `untrusted_state`, and every unknown class: an unknown class must
        // never be permissive.
        _ => EventClass::Violation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        for (event, expected) in [
            ("network_violation:example.org", EventClass::Violation),
            ("untrusted_state", EventClass::Violation),
            ("approval_required:deploy:prod", EventClass::ApprovalRequired(Some("deploy:prod"))),
            ("approval_required", EventClass::ApprovalRequired(None)),
            ("approval_required:", EventClass::ApprovalRequired(None)),
            ("info:cache warmed", EventClass::Info),
            ("warning", EventClass::Warning),
            ("Info:x", EventClass::Violation),
            ("info ", EventClass::Violation),
            ("", EventClass::Violation),
        ] {
            assert_eq!(classify(event), expected, "{event}");
        }
    }
}
