//! The transcripts of agents on this machine.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use adjudicate_collect::hooks::resolved;
use adjudicate_core::Error;

use crate::{codes, environment::Environment, input::Source};

/// For each agent: the environment variable that names its folder, the folder below the home without the variable, and the folders in it
/// that have transcripts.
const PLACES: [(&str, &str, &[&str]); 2] = [
    ("CLAUDE_CONFIG_DIR", ".claude", &["projects"]),
    ("CODEX_HOME", ".codex", &["sessions", "archived_sessions"]),
];

/// Returns the transcripts of the user, in order.
pub(super) fn of_user(env: &Environment) -> Result<Vec<PathBuf>, Error> {
    let home = env.variable("HOME").map(PathBuf::from);
    let mut files = Vec::new();
    for (variable, below_home, folders) in PLACES {
        let named = env.variable(variable).map(|folder| env.path(Path::new(&folder)));
        let Some(base) = named.or_else(|| Some(home.as_ref()?.join(below_home))) else { continue };
        for folder in folders.iter().map(|folder| base.join(folder)).filter(|folder| folder.is_dir()) {
            add(&folder, &mut files)?;
        }
    }
    some(files, env)
}

/// Returns the files, and the transcripts in the folders, in order.
pub(super) fn below(paths: &[PathBuf], env: &Environment) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for given in paths {
        let path = env.path(given);
        match fs::metadata(&path) {
            Ok(about) if about.is_dir() => add(given, &mut files).or_else(|_| add(&path, &mut files))?,
            Ok(_) => files.push(given.clone()),
            Err(error) => return Err(Source::File(given.clone()).unreadable(error)),
        }
    }
    some(files, env)
}

/// Adds the transcripts in a folder. Links are not followed.
fn add(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let unreadable = |error: io::Error| Source::File(folder.to_owned()).unreadable(error);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
        if kind.is_dir() {
            add(&path, files)?;
        } else if kind.is_file() && (has_ending(&path, "jsonl") || is_compressed(&path)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns true for a transcript that Codex compressed.
pub(super) fn is_compressed(path: &Path) -> bool {
    has_ending(path, "zst") && has_ending(&path.with_extension(""), "jsonl")
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension == ending)
}

/// Returns the files, each once, although folders may overlap and links lead to a file again.
fn some(mut files: Vec<PathBuf>, env: &Environment) -> Result<Vec<PathBuf>, Error> {
    let mut known = BTreeSet::new();
    files.retain(|file| known.insert(resolved(&env.path(file))));
    if files.is_empty() {
        let message = "no transcript was found; name one, or a folder with transcripts (`*.jsonl`)";
        return Err(Error::new(codes::UNREADABLE_INPUT, message));
    }
    Ok(files)
}
