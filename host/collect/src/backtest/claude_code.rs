//! Transcripts of Claude Code: `projects/**/*.jsonl`.

use adjudicate_core::json::{Kind, Node, OwnedValue};

use super::entry::{CallEnd, Entry, id, text};

/// The beginning of the text that stands in place of a prompt when the user interrupted the turn.
const INTERRUPTED: &str = "[Request interrupted by user";

/// The beginning of the output of a local command, which starts no turn.
const LOCAL_OUTPUT: &str = "<local-command-";

/// The fields of the result of a command whose exit code is not known: it runs on, or its code has a meaning of its own.
const NO_CODE: [&str; 2] = ["backgroundTaskId", "returnCodeInterpretation"];

/// Returns the entries of a line.
pub(super) fn entries(line: Node<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    entries.extend(id(line, "sessionId").map(Entry::Session));
    entries.extend(id(line, "cwd").map(Entry::Folder));
    let content = line.member("message").and_then(|message| message.member("content"));
    match (text(line, "type"), content) {
        (Some("assistant"), Some(content)) => {
            let calls = content.items().filter(|block| text(*block, "type") == Some("tool_use"));
            entries.extend(calls.map(|block| call(block).unwrap_or(Entry::Damaged)));
        }
        (Some("user"), Some(content)) => user(line, content, &mut entries),
        _ => {}
    }
    entries
}

fn call(block: Node<'_>) -> Option<Entry> {
    let input = block.member("input").filter(|input| input.kind() == Kind::Object)?;
    Some(Entry::Call { id: id(block, "id")?, tool: id(block, "name")?, input: OwnedValue::from(input) })
}

fn user(line: Node<'_>, content: Node<'_>, entries: &mut Vec<Entry>) {
    let before = entries.len();
    for block in content.items().filter(|block| text(*block, "type") == Some("tool_result")) {
        let result = id(block, "tool_use_id").map(|id| Entry::Result { id, end: end(line, block) });
        entries.push(result.unwrap_or(Entry::Damaged));
    }
    let is_set = |name| line.member(name).is_some_and(|flag| flag.kind() == Kind::Bool(true));
    if entries.len() > before || ["isMeta", "isSidechain", "isCompactSummary"].into_iter().any(is_set) {
        return;
    }
    let prompt = content.as_str().or_else(|| content.items().find_map(|block| text(block, "text")));
    match prompt {
        Some(prompt) if prompt.starts_with(INTERRUPTED) => entries.push(Entry::Aborted),
        Some(prompt) if prompt.starts_with(LOCAL_OUTPUT) => {}
        prompt => entries.push(Entry::Prompt(prompt.map(ToOwned::to_owned))),
    }
}

/// A failed command has its exit code in the first line. One that succeeded has none, but a typed result.
fn end(line: Node<'_>, block: Node<'_>) -> CallEnd {
    if block.member("is_error").is_some_and(|flag| flag.kind() == Kind::Bool(true)) {
        let content = block.member("content");
        let output = content.and_then(|content| {
            content.as_str().or_else(|| content.items().find_map(|block| text(block, "text")))
        });
        let first = output.and_then(|output| output.lines().next()).unwrap_or_default();
        let code = first.strip_prefix("Error: ").unwrap_or(first).strip_prefix("Exit code ");
        return code.and_then(|code| code.trim().parse().ok()).map_or(CallEnd::Failed, CallEnd::exited);
    }
    let Some(result) = line.member("toolUseResult").filter(|result| result.kind() == Kind::Object) else {
        return CallEnd::Unknown;
    };
    let is_interrupted = result.member("interrupted").is_some_and(|flag| flag.kind() != Kind::Bool(false));
    let has_no_code =
        NO_CODE.into_iter().filter_map(|name| result.member(name)).any(|value| value.kind() != Kind::Null);
    if is_interrupted || has_no_code { CallEnd::Unknown } else { CallEnd::Done }
}
