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

/// The beginning of such a patch, which may also stand in a command of a shell.
const PATCH_BEGINS: &str = "*** Begin Patch";

/// Parts of the names of further tools that change files, and the fields in which they name them.
const CHANGING: [&str; 8] = ["write", "edit", "create", "delete", "remove", "move", "rename", "replace"];
const NAMING: [&str; 8] =
    ["path", "file_path", "filePath", "notebook_path", "target_file", "source", "destination", "new_path"];

/// Returns the files that a call changes; none for a tool that is not known to change files.
///
/// # Errors
///
/// [`codes::INVALID_VALUE`] if a tool that changes files names none.
pub(super) fn files(agent: Agent, tool: &str, input: &OwnedValue) -> Result<Vec<DiffFile>, Error> {
    let texts = texts(input);
    let patches = texts.iter().filter(|text| tool == PATCH || text.contains(PATCH_BEGINS));
    let mut files: Vec<DiffFile> = patches.flat_map(|text| text.lines()).filter_map(patched).collect();
    let named = |field: &str| input.lookup(field).and_then(OwnedValue::as_str);
    let edit = agent.row().edits.iter().find(|(name, _)| *name == tool);
    if let Some((_, field)) = edit {
        files.extend(named(field).map(|path| file(path, Change::Modified)));
    } else if CHANGING.iter().any(|part| tool.to_ascii_lowercase().contains(part)) {
        files.extend(NAMING.into_iter().filter_map(named).map(|path| file(path, Change::Modified)));
    }
    if files.is_empty() && (edit.is_some() || tool == PATCH) {
        let message = format!("the input of the tool `{tool}` names no file");
        return Err(Error::new(codes::INVALID_VALUE, message).at("/tool_input"));
    }
    Ok(files)
}

fn patched(line: &str) -> Option<DiffFile> {
    PATCHED.iter().find_map(|(prefix, change)| Some(file(line.trim().strip_prefix(prefix)?.trim(), *change)))
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
