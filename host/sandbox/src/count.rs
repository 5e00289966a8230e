//! Numbers of things, as sentences say them.

use std::fmt::Display;

/// A number and what there are so many of. The noun is one that gets an `s` where there is not one of them.
///
/// ```
/// use adjudicate_sandbox::counted;
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
