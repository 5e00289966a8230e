//! The message of a panic in the output of a Rust test. Its first line has the id of a thread, which differs from run to run.

use alloc::string::String;

use crate::{Location, text::one_line};

/// A panic: `thread 'NAME' (ID) panicked at FILE:LINE:COLUMN:`, and the message in the next line.
pub(crate) struct PanicText {
    pub message: Option<String>,
    pub location: Option<Location>,
}

impl PanicText {
    /// Finds the first panic in the output of a test.
    pub(crate) fn find(output: &str) -> Option<Self> {
        let mut lines = output.lines().skip_while(|line| !is_head(line));
        let (_, place) = lines.next()?.split_once("panicked at ")?;
        let message = lines.next().map(one_line).filter(|message| !message.is_empty());
        Some(Self { message, location: Location::parse(place.trim_end_matches(':')) })
    }
}

fn is_head(line: &str) -> bool {
    line.starts_with("thread '") && line.contains("panicked at ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_panic_has_a_place_and_a_message() {
        let output = "before\n\nthread 'tests::a' (26896) panicked at src/lib.rs:11:41:\nassertion failed: a\nnote: ...";
        let panic = PanicText::find(output).unwrap();
        assert_eq!(panic.message.unwrap(), "assertion failed: a");
        assert_eq!(panic.location.unwrap().to_string(), "src/lib.rs:11");
        assert!(PanicText::find("he panicked at once").is_none());
    }
}
