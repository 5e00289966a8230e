//! The files that a tool call changes.

use adjudicate_core::{Error, codes, evaluate::Change, json::OwnedValue, owned::DiffFile};

use super::agent::Agent;

/// The tool of Codex that applies a patch in a form of its own.
const PATCH: &str = "apply_patch";

/// The lines of such a patch that name a file, each with the change.
const PATCHED: [(&str, Change); 4] = [
    ("*** Add File: ", Change::Added),
    ("*** Update File: ", Change::Modified),
    ("*** Delete File: ", Change::Deleted),
    ("*** Move to: ", Change::Added),
];

/// Returns the files that a call changes; none for a tool that is not known to change files.
///
/// # Errors
///
/// [`codes::INVALID_VALUE`] if a tool that changes files names none.
pub(super) fn files(agent: Agent, tool: &str, input: &OwnedValue) -> Result<Vec<DiffFile>, Error> {
    let files: Vec<DiffFile> = if tool == PATCH {
        let texts = texts(input);
        texts.iter().flat_map(|text| text.lines()).filter_map(patched).collect()
    } else if let Some((_, field)) = agent.row().edits.iter().find(|(name, _)| *name == tool) {
        let path = input.lookup(field).and_then(OwnedValue::as_str);
        path.map(|path| file(path, Change::Modified)).into_iter().collect()
    } else {
        return Ok(Vec::new());
    };
    if files.is_empty() {
        let message = format!("the input of the tool `{tool}` names no file");
        return Err(Error::new(codes::INVALID_VALUE, message).at("/tool_input"));
    }
    Ok(files)
}

fn patched(line: &str) -> Option<DiffFile> {
    PATCHED.iter().find_map(|(prefix, change)| Some(file(line.trim_start().strip_prefix(prefix)?, *change)))
}

fn file(path: &str, change: Change) -> DiffFile {
    DiffFile {
        path: path.to_owned(),
        change,
        from: None,
        kind: None,
        insertions: None,
        deletions: None,
        extra: Default::default(),
    }
}

/// All texts in a value.
fn texts(value: &OwnedValue) -> Vec<&str> {
    match value {
        OwnedValue::Text(text) => vec![text],
        OwnedValue::List(items) => items.iter().flat_map(texts).collect(),
        OwnedValue::Object(fields) => fields.iter().flat_map(|(_, value)| texts(value)).collect(),
        _ => Vec::new(),
    }
}
