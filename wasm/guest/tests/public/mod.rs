//! What a crate makes public, as its source says it. Included by the tests of other crates, too.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The files of a folder and of those in it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Whether a line declares something that users name.
fn is_public(line: &str) -> bool {
    let Some(declared) = line.trim_start().strip_prefix("pub ") else { return false };
    ["fn ", "const fn ", "struct ", "enum ", "trait ", "type "].iter().any(|kind| declared.starts_with(kind))
}

/// Whether a line belongs to what stands above a declaration.
fn is_above(line: &str) -> bool {
    ["//", "#[", "$(#["].iter().any(|begin| line.trim_start().starts_with(begin))
}

/// How many public items the files of a folder declare, and those that have no example; files of some names are left out.
pub(crate) fn without_example(folder: &Path, left_out: &[&str]) -> (usize, Vec<String>) {
    let mut count = 0;
    let mut without = Vec::new();
    for path in sources(folder).into_iter().filter(|path| !left_out.iter().any(|name| path.ends_with(name))) {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| is_public(line)) {
            let above: Vec<_> = lines.iter().take(number).rev().take_while(|line| is_above(line)).collect();
            let has = |what: &str| above.iter().any(|line| line.contains(what));
            if has("doc(hidden)") {
                continue;
            }
            count += 1;
            if !has("/// ```") {
                without.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    (count, without)
}
