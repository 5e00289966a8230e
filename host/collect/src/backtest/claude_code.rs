//! Transcripts of Claude Code: `projects/**/*.jsonl`.

use adjudicate_core::json::{Kind, Node, OwnedValue};

use super::{CallEnd, Entry, content, id, is_set, text};

/// The beginning of the text that stands in place of a prompt after the user interrupted the turn.
const INTERRUPTED: &str = "[Request interrupted by user";

/// The fields of a line from the user that is no prompt.
const NO_PROMPT: [&str; 3] = ["isMeta", "isSidechain", "isCompactSummary"];

/// The fields of a result without a known exit code: the command runs on, or its code has a meaning of its own.
const NO_CODE: [&str; 2] = ["backgroundTaskId", "returnCodeInterpretation"];

/// Returns the entries of a line. Those of a subagent belong to the open turn.
pub(super) fn entries(line: Node<'_>, has_turn: bool) -> Vec<Entry> {
    let mut entries = Vec::new();
    entries.extend(id(line, "sessionId").map(Entry::Session));
    entries.extend(id(line, "cwd").map(Entry::Folder));
    let blocks = line.member("message").and_then(|message| message.member("content"));
    let Some(blocks) = blocks.filter(|_| has_turn || !is_set(line, "isSidechain")) else { return entries };
    match text(line, "type") {
        Some("assistant") => {
            let calls = blocks.items().filter(|block| text(*block, "type") == Some("tool_use"));
            entries.push(Entry::Work);
            entries.extend(calls.map(|block| call(block).unwrap_or(Entry::Damaged)));
        }
        Some("user") => {
            let results = blocks.items().filter(|block| text(*block, "type") == Some("tool_result"));
            let results: Vec<_> =
                results.map(|block| result(line, block).unwrap_or(Entry::Damaged)).collect();
            let is_prompt = results.is_empty() && !NO_PROMPT.into_iter().any(|name| is_set(line, name));
            entries.extend(results);
            entries.extend(is_prompt.then(|| match content(blocks) {
                Some(text) if text.starts_with(INTERRUPTED) => Entry::Aborted,
                text => Entry::Prompt { id: id(line, "uuid"), text: text.map(ToOwned::to_owned) },
            }));
        }
        _ => {}
    }
    entries
}

fn call(block: Node<'_>) -> Option<Entry> {
    let input = block.member("input").filter(|input| input.kind() == Kind::Object)?;
    Some(Entry::Call { id: id(block, "id")?, tool: id(block, "name")?, input: OwnedValue::from(input) })
}

fn result(line: Node<'_>, block: Node<'_>) -> Option<Entry> {
    Some(Entry::Result { id: id(block, "tool_use_id")?, end: end(line, block) })
}

/// The first line of a failed command has the exit code. A command that succeeded has a typed result instead.
fn end(line: Node<'_>, block: Node<'_>) -> CallEnd {
    if is_set(block, "is_error") {
        let output = block.member("content").and_then(content).unwrap_or_default();
        let code = output.lines().next().and_then(|line| line.strip_prefix("Exit code "));
        return code.and_then(|code| code.trim().parse().ok()).map_or(CallEnd::Failed, CallEnd::exited);
    }
    let Some(result) = line.member("toolUseResult").filter(|result| result.kind() == Kind::Object) else {
        return CallEnd::Unknown;
    };
    let is_given = |name: &&str| result.member(name).is_some_and(|value| value.kind() != Kind::Null);
    match is_set(result, "interrupted") || NO_CODE.iter().any(is_given) {
        true => CallEnd::Unknown,
        false => CallEnd::Done,
    }
}
