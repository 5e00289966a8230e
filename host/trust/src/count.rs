//! Counts in sentences.

use std::fmt::Display;

/// Writes a count and its noun. Every count except `1` adds an `s` to the noun.
/// ```
/// use adjudicate_trust::counted;
///
/// assert_eq!(counted(1, "second"), "1 second");
/// assert_eq!(counted(0, "second"), "0 seconds");
/// assert_eq!(counted("12,000", "decision record"), "12,000 decision records");
/// ```
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
