//! Checks that the YAML parser does not make: characters that YAML does not allow (YAML 1.2.2, section 5.1), and directives for other
//! versions.

use adjudicate_core::Error;

use crate::codes;

/// Checks a text before it is parsed.
pub(super) fn check(text: &str) -> Result<(), Error> {
    check_characters(text)?;
    check_version(text)
}

/// Returns true for a character that is allowed outside of quotes.
pub(super) const fn is_printable(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}'
    )
}

/// Rejects the control characters that are not allowed anywhere, not even in quotes.
fn check_characters(text: &str) -> Result<(), Error> {
    let Some(at) = text.find(|c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r')) else { return Ok(()) };
    let (before, rest) = text.split_at_checked(at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    let c = rest.chars().next().unwrap_or_default().escape_unicode();
    malformed(format!("the control character {c} must be written as an escape, line {line} column {column}"))
}

/// Rejects a directive for another version than 1.2. The parser would read any version as 1.2.
fn check_version(text: &str) -> Result<(), Error> {
    let is_before_content =
        |line: &&str| line.trim().is_empty() || line.starts_with(['#', '%']) || line.starts_with("...");
    let directives = text.lines().take_while(is_before_content);
    for (number, line) in (1..).zip(directives) {
        let mut words = line.split_whitespace();
        if words.next() == Some("%YAML") && words.next() != Some("1.2") {
            return malformed(format!(
                "only YAML 1.2 is read, not `{}`, line {number} column 1",
                line.trim()
            ));
        }
    }
    Ok(())
}

fn malformed(message: String) -> Result<(), Error> {
    Err(Error::new(codes::MALFORMED_YAML, message))
}
