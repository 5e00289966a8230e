//! The frame of the replies of our own engine. The core reads all other replies ([`adjudicate_core::module`]).

/// Returns the answer in a reply of our own engine, or `None` if the reply has no answer. The engine writes well-formed JSON, so
/// this function only removes the frame.
pub(crate) fn framed(reply: &str) -> Option<&str> {
    reply.strip_prefix(r#"{"ok":"#)?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_replies_have_one_frame() {
        assert_eq!(framed(r#"{"ok":{}}"#), Some("{}"));
        assert_eq!(framed(r#"{"error":{}}"#), None);
    }
}
