//! A decision as workflow commands of GitHub Actions, which annotate the changed files.

use std::fmt::Write as _;

use super::{
    annotation::{Level, annotations},
    reported::Reported,
};

/// Returns a command for each finding.
pub(super) fn commands(reported: &Reported<'_>) -> String {
    let mut text = String::new();
    for annotation in annotations(reported) {
        let command = match annotation.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let mut properties = String::new();
        if let Some(place) = &annotation.place {
            // Writing to a string cannot fail.
            let _ = write!(properties, "file={},", property(&place.path));
            let _ = place.line.map(|line| write!(properties, "line={line},"));
        }
        let title = property(&format!("adjudicate: {}", annotation.finding.rule));
        let _ = writeln!(text, "::{command} {properties}title={title}::{}", data(&annotation.message()));
    }
    text
}

/// Escapes the text of a command. Without its line breaks it cannot begin another command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_a_command_or_a_property() {
        assert_eq!(data("50 %\r\n::error::x"), "50 %25%0D%0A::error::x");
        assert_eq!(property("a:b,c\n"), "a%3Ab%2Cc%0A");
    }
}
