//! Any text in the formatted text fields of an envelope: no text makes an envelope malformed.
#![no_main]

use adjudicate_core::{codes, Operation};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut parts = text.split('\0').map(quoted);
    let mut next = || parts.next().unwrap_or_else(|| quoted(""));
    let (diff, transcript, event) = (next(), next(), next());
    let call = format!(
        r#"{{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1","allowed_next_steps":["go"],
        "provenance_window":[],"evidence":{{"transcript_summary":{transcript},"workspace_diff_summary":{diff},
        "validation":{{"mechanical_outcome":"completed","exit_codes":{{}},"timeouts":[]}},"artifacts":[],
        "policy_events":[{event}]}}}}"#
    );
    if let Err(error) = Operation::Evaluate.call(call.as_bytes()) {
        assert_eq!(error.code(), codes::LIMIT_EXCEEDED, "text can only cost too much: {error}");
    }
});

/// The text as a JSON string.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|character| match character {
        '"' | '\\' => format!("\\{character}"),
        '\0'..='\x1f' => format!("\\u{:04x}", u32::from(character)),
        _ => character.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}
