//! Transcripts of Codex: `sessions/**/rollout-*.jsonl`.

use adjudicate_core::json::{Kind, Node, OwnedValue};

use super::entry::{CallEnd, Entry, id, text};
use crate::hooks::object_in;

/// The line after the header of an output.
const OUTPUT: &str = "Output:";

/// The beginnings of the lines of a header that have the exit code.
const CODES: [&str; 2] = ["Exit code: ", "Process exited with code "];

/// Returns the entries of a line with this payload.
pub(super) fn entries(line: Node<'_>, payload: Node<'_>) -> Vec<Entry> {
    let entry = match (text(line, "type"), text(payload, "type")) {
        (Some("session_meta"), _) => {
            let folder = id(payload, "cwd").map(Entry::Folder);
            return id(payload, "id").map(Entry::Session).into_iter().chain(folder).collect();
        }
        (Some("turn_context"), _) => id(payload, "cwd").map(Entry::Folder),
        (Some("event_msg"), Some(kind)) => event(kind, payload),
        (Some("response_item"), Some(kind)) => item(kind, payload),
        _ => None,
    };
    entry.into_iter().collect()
}

fn event(kind: &str, payload: Node<'_>) -> Option<Entry> {
    Some(match kind {
        "task_started" | "turn_started" => Entry::Start,
        "user_message" => Entry::Prompt(text(payload, "message").map(ToOwned::to_owned)),
        "task_complete" | "turn_complete" => Entry::End,
        "turn_aborted" => Entry::Aborted,
        "exec_command_end" => {
            let code = payload.member("exit_code").and_then(|code| code.as_number()?.parse().ok());
            let end = code.map_or(CallEnd::Unknown, CallEnd::exited);
            id(payload, "call_id").map_or(Entry::Damaged, |id| Entry::Result { id, end })
        }
        "patch_apply_end" => {
            let end = match payload.member("success").map(Node::kind) {
                Some(Kind::Bool(true)) => CallEnd::Done,
                Some(Kind::Bool(false)) => CallEnd::Failed,
                _ => CallEnd::Unknown,
            };
            id(payload, "call_id").map_or(Entry::Damaged, |id| Entry::Result { id, end })
        }
        _ => return None,
    })
}

fn item(kind: &str, payload: Node<'_>) -> Option<Entry> {
    let entry = match kind {
        "function_call" => {
            call(payload, text(payload, "name"), text(payload, "arguments").and_then(object_in))
        }
        "custom_tool_call" => {
            call(payload, text(payload, "name"), text(payload, "input").map(OwnedValue::text))
        }
        "local_shell_call" => {
            call(payload, Some("local_shell"), payload.member("action").map(OwnedValue::from))
        }
        "function_call_output" | "custom_tool_call_output" => id(payload, "call_id").map(|id| {
            let output = payload.member("output");
            // Some versions wrap the output in an object.
            let output = output.and_then(|output| output.as_str().or_else(|| text(output, "content")));
            Entry::Result { id, end: output.map_or(CallEnd::Unknown, end) }
        }),
        _ => return None,
    };
    Some(entry.unwrap_or(Entry::Damaged))
}

fn call(payload: Node<'_>, tool: Option<&str>, input: Option<OwnedValue>) -> Option<Entry> {
    Some(Entry::Call { id: id(payload, "call_id")?, tool: tool?.to_owned(), input: input? })
}

/// The exit code is in the metadata, or in the header before the output.
fn end(output: &str) -> CallEnd {
    let code = match object_in(output) {
        Some(object) => match object.lookup("metadata").and_then(|metadata| metadata.lookup("exit_code")) {
            Some(OwnedValue::Number(code)) => code.parse().ok(),
            _ => None,
        },
        None => {
            let header = output.lines().take_while(|line| *line != OUTPUT);
            let mut codes =
                header.filter_map(|line| CODES.into_iter().find_map(|code| line.strip_prefix(code)));
            output.lines().any(|line| line == OUTPUT).then(|| codes.next()?.trim().parse().ok()).flatten()
        }
    };
    code.map_or(CallEnd::Unknown, CallEnd::exited)
}
