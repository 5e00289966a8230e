//! The files that a tool call changes.

use std::path::Path;

use adjudicate_core::{Error, codes, evaluate::Change, json::OwnedValue, owned::DiffFile};

use super::patch;

/// The tool of Codex that applies a patch.
pub(super) const PATCH: &str = "apply_patch";

/// Parts of the names of tools that change files.
const CHANGING: [&str; 8] = ["write", "edit", "create", "delete", "remove", "move", "rename", "replace"];

/// Words in the names of tools that only read.
const READING: [&str; 14] = [
    "read", "get", "list", "search", "find", "view", "glob", "grep", "ls", "lsp", "fetch", "query", "show",
    "describe",
];

/// Words in the names of tools that run a command, whose changes are unknown.
const RUNNING: [&str; 5] = ["bash", "shell", "powershell", "exec", "terminal"];

/// Parts of the names of fields that name files.
const NAMING: [&str; 9] =
    ["path", "file", "folder", "directory", "uri", "source", "destination", "target", "notebook"];

/// The fields that name the folder of a command.
const WORKING: [&str; 3] = ["workdir", "cwd", "working_directory"];

/// The most bytes of a path that operating systems open.
const MAX_PATH_BYTES: usize = 4096;

/// Returns the files that a call changes. `edits` has the tools that change one file, each with the field that has its path. A tool that is
/// not known changes each file that its input names, unless its name says that it only reads or runs a command.
///
/// # Errors
///
/// [`codes::INVALID_VALUE`] if a tool that is known to change files names none, and for a patch in an unknown folder.
pub(super) fn files(edits: &[(&str, &str)], tool: &str, input: &OwnedValue) -> Result<Vec<DiffFile>, Error> {
    let working = WORKING.into_iter().filter_map(|field| input.lookup(field)?.as_str());
    let folders: Vec<_> = [""].into_iter().chain(working).map(Path::new).collect();
    let mut all = Vec::new();
    texts(input, &any, true, &mut all);
    let mut files = Vec::new();
    for text in all.into_iter().filter(|text| tool == PATCH || patch::is_in(text)) {
        files.extend(patch::files(text, &folders)?);
    }
    let edit = edits.iter().find(|(name, _)| *name == tool);
    if let Some((_, field)) = edit {
        let path = input.lookup(field).and_then(OwnedValue::as_str);
        files.extend(path.map(|path| DiffFile::new(path, Change::Modified)));
    } else if !is_one_of(tool, &READING) && !is_one_of(tool, &RUNNING) {
        let mut named = Vec::new();
        texts(input, &names_file, false, &mut named);
        files.extend(named.into_iter().filter_map(path).map(|path| DiffFile::new(path, Change::Modified)));
    }
    if files.is_empty() && (edit.is_some() || tool == PATCH) {
        let message = format!("the input of the tool `{tool}` names no file");
        return Err(Error::new(codes::INVALID_VALUE, message).at("/tool_input"));
    }
    Ok(files)
}

/// Returns true if the name of a tool says that it only reads.
pub(crate) fn only_reads(tool: &str) -> bool {
    is_one_of(tool, &READING) && !is_one_of(tool, &RUNNING)
}

/// Returns true if the name of a tool has one of these words, and none of a change. The name of an MCP server says nothing about its tools.
fn is_one_of(tool: &str, expected: &[&str]) -> bool {
    let own = match tool.strip_prefix("mcp_") {
        Some(rest) => rest.rsplit_once("__").map_or("", |(_, own)| own),
        None => tool,
    };
    let mut spaced = String::new();
    for letter in own.chars() {
        // `WebFetch` has the words `web` and `fetch`.
        if letter.is_uppercase() && !spaced.ends_with(char::is_uppercase) {
            spaced.push(' ');
        }
        spaced.push(letter);
    }
    let lower = spaced.to_ascii_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| expected.contains(&word)) && !CHANGING.iter().any(|part| lower.contains(part))
}

/// Returns the path that a text names, which may be a URI of a file.
fn path(text: &str) -> Option<&str> {
    let path = text.trim();
    let path = path.strip_prefix("file://").unwrap_or(path);
    (!path.is_empty() && path.len() <= MAX_PATH_BYTES && !path.contains("://")).then_some(path)
}

fn any(_: &str) -> bool {
    true
}

/// Returns true if a field names files.
fn names_file(field: &str) -> bool {
    let field = field.to_ascii_lowercase();
    NAMING.iter().any(|part| field.contains(part))
}

/// Adds the texts of the fields that count, at any depth. `counts` is true if the field with the value itself counts.
fn texts<'a>(
    value: &'a OwnedValue,
    field_counts: &impl Fn(&str) -> bool,
    counts: bool,
    found: &mut Vec<&'a str>,
) {
    match value {
        OwnedValue::Text(text) if counts => found.push(text),
        OwnedValue::List(items) => items.iter().for_each(|item| texts(item, field_counts, counts, found)),
        OwnedValue::Object(fields) => {
            fields.iter().for_each(|(name, value)| texts(value, field_counts, field_counts(name), found));
        }
        _ => {}
    }
}
