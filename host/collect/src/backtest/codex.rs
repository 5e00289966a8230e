//! Transcripts of Codex: `sessions/**/rollout-*.jsonl`.

use adjudicate_core::json::{Kind, Node, OwnedValue};

use super::{CallEnd, Entry, content, id, text};
use crate::hooks::object_in;

/// The line after the header of an output.
const OUTPUT: &str = "Output:";

/// The beginnings of the lines of a header that have the exit code.
const CODES: [&str; 2] = ["Exit code: ", "Process exited with code "];

/// The beginning of the line of a header that names the process of a command that runs on.
const RUNNING: &str = "Process running with session ID ";

/// The headings of the files in a patch.
const ADD: &str = "Add File";
const DELETE: &str = "Delete File";
const UPDATE: &str = "Update File";

/// Returns the entries of a line with this payload.
pub(super) fn entries(line: Node<'_>, payload: Node<'_>) -> Vec<Entry> {
    match (text(line, "type"), text(payload, "type")) {
        (Some("session_meta"), _) => session(payload),
        (Some("turn_context"), _) => id(payload, "cwd").map(Entry::Folder).into_iter().collect(),
        (Some("event_msg"), Some("item_completed")) => payload.member("item").map_or_else(Vec::new, item),
        (Some("event_msg"), Some("exec_command_end")) => command(payload, "call_id"),
        (Some("event_msg"), Some("patch_apply_end")) => patch(payload, "call_id"),
        (Some("event_msg"), Some(kind)) => mark(kind, payload).into_iter().collect(),
        (Some("response_item"), Some(kind)) => response(kind, payload).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn session(meta: Node<'_>) -> Vec<Entry> {
    let subagent = meta.member("source").and_then(|source| source.member("subagent"));
    let is_itemized = text(meta, "history_mode") == Some("paginated");
    let entries = [
        id(meta, "id").map(Entry::Session),
        subagent.map(|_| Entry::Subagent),
        is_itemized.then_some(Entry::Itemized),
        id(meta, "cwd").map(Entry::Folder),
    ];
    entries.into_iter().flatten().collect()
}

/// Returns the beginning or the end of a turn.
fn mark(kind: &str, event: Node<'_>) -> Option<Entry> {
    Some(match kind {
        "task_started" | "turn_started" => Entry::Start { id: id(event, "turn_id") },
        "user_message" => Entry::Prompt { id: None, text: id(event, "message") },
        "task_complete" | "turn_complete" => Entry::End,
        "turn_aborted" => Entry::Aborted,
        _ => return None,
    })
}

/// Returns the entries of an item that is complete. The call of an item may be an entry before.
fn item(item: Node<'_>) -> Vec<Entry> {
    match text(item, "type") {
        Some("UserMessage") => {
            let text = item.member("content").and_then(content).map(ToOwned::to_owned);
            vec![Entry::Prompt { id: None, text }]
        }
        Some("CommandExecution") => command(item, "id"),
        Some("FileChange") => patch(item, "id"),
        Some("McpToolCall") => {
            let name = |field| text(item, field).unwrap_or_default();
            let tool = format!("mcp__{}__{}", name("server"), name("tool"));
            whole(item, "id", &tool, OwnedValue::object([]), CallEnd::Unknown)
        }
        _ => Vec::new(),
    }
}

fn command(event: Node<'_>, id: &str) -> Vec<Entry> {
    let fields =
        ["command", "cwd"].into_iter().filter_map(|name| Some((name, OwnedValue::from(event.member(name)?))));
    let input = OwnedValue::Object(fields.map(|(name, value)| (name.to_owned(), value)).collect());
    let code =
        ["exit_code", "exitCode"].into_iter().find_map(|name| event.member(name)?.as_number()?.parse().ok());
    let end = match text(event, "status") {
        Some("declined") => CallEnd::Failed,
        _ => code.map_or(CallEnd::Unknown, CallEnd::exited),
    };
    whole(event, id, "shell", input, end)
}

/// The changes of an event become a patch, as the hook of Codex reads it.
fn patch(event: Node<'_>, id: &str) -> Vec<Entry> {
    let mut patch = String::from("*** Begin Patch\n");
    for (path, change) in event.member("changes").into_iter().flat_map(Node::members) {
        let heading = match text(change, "type") {
            Some("add") => ADD,
            Some("delete") => DELETE,
            _ => UPDATE,
        };
        patch += &format!("*** {heading}: {path}\n");
        patch += &text(change, "move_path").map_or_else(String::new, |path| format!("*** Move to: {path}\n"));
    }
    let is_done = event.member("success").map(Node::kind).map(|kind| kind == Kind::Bool(true));
    let is_done = is_done.or_else(|| text(event, "status").map(|status| status == "completed"));
    let end = match is_done {
        Some(true) => CallEnd::Done,
        Some(false) => CallEnd::Failed,
        None => CallEnd::Unknown,
    };
    whole(event, id, "apply_patch", OwnedValue::Text(patch), end)
}

/// Returns a call with its end.
fn whole(event: Node<'_>, name: &str, tool: &str, input: OwnedValue, end: CallEnd) -> Vec<Entry> {
    let Some(id) = id(event, name) else { return vec![Entry::Damaged] };
    vec![Entry::Call { id: id.clone(), tool: tool.into(), input }, Entry::Result { id, end }]
}

/// Returns the entry of an item as the model sees it.
fn response(kind: &str, item: Node<'_>) -> Option<Entry> {
    let tool = text(item, "name");
    let entry = match kind {
        "function_call" => {
            let input = text(item, "arguments").and_then(object_in);
            let process = input.as_ref().and_then(|input| input.lookup("session_id"));
            match (tool, process) {
                (Some("write_stdin"), Some(OwnedValue::Number(process))) => {
                    id(item, "call_id").map(|id| Entry::Wait { id, process: process.to_string() })
                }
                _ => call(item, tool, input),
            }
        }
        "custom_tool_call" if tool == Some("exec") => Some(Entry::Code),
        "custom_tool_call" => call(item, tool, text(item, "input").map(OwnedValue::text)),
        "local_shell_call" => call(item, Some("local_shell"), item.member("action").map(OwnedValue::from)),
        "function_call_output" | "custom_tool_call_output" => id(item, "call_id").map(|id| {
            let output = item.member("output");
            // Some versions wrap the output in an object.
            let output = output.and_then(|output| content(output).or_else(|| text(output, "content")));
            Entry::Result { id, end: output.map_or(CallEnd::Unknown, end) }
        }),
        _ => return None,
    };
    Some(entry.unwrap_or(Entry::Damaged))
}

fn call(item: Node<'_>, tool: Option<&str>, input: Option<OwnedValue>) -> Option<Entry> {
    Some(Entry::Call { id: id(item, "call_id")?, tool: tool?.to_owned(), input: input? })
}

/// The exit code is in the metadata, or in the header before the output.
fn end(output: &str) -> CallEnd {
    let code = match object_in(output) {
        Some(object) => match object.lookup("metadata").and_then(|metadata| metadata.lookup("exit_code")) {
            Some(OwnedValue::Number(code)) => code.parse().ok(),
            _ => None,
        },
        None => {
            let header: Vec<_> = output.lines().take_while(|line| *line != OUTPUT).collect();
            if header.len() == output.lines().count() {
                return CallEnd::Unknown;
            }
            let value = |name: &str| header.iter().find_map(|line| line.strip_prefix(name));
            if let Some(process) = value(RUNNING) {
                return CallEnd::Running(process.trim().to_owned());
            }
            CODES.into_iter().find_map(value).and_then(|code| code.trim().parse().ok())
        }
    };
    code.map_or(CallEnd::Unknown, CallEnd::exited)
}
