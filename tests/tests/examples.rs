//! Every public item of the guest SDK and of the cluster has an example. Examples run as tests of the documentation; those
//! that need a server are only compiled.

use std::{
    fs,
    path::{Path, PathBuf},
};

use adjudicate_tests::workspace_root;

#[test]
fn every_public_item_has_an_example() {
    for (folder, left_out, least) in
        [("wasm/guest/src", &["module.rs", "views.rs"][..], 80), ("host/cluster/src", &[], 25)]
    {
        let (count, without) = without_example(&workspace_root().join(folder), left_out);
        assert!(count > least, "{folder}: {count}");
        assert!(without.is_empty(), "{without:#?}");
    }
}

#[test]
fn no_example_is_ignored() {
    for path in ["core", "wasm", "host"].iter().flat_map(|folder| sources(&workspace_root().join(folder))) {
        let text = fs::read(&path).expect("sources can be read");
        let is_ignored = path.extension().is_some_and(|extension| extension == "rs")
            && String::from_utf8_lossy(&text).contains("```ignore");
        assert!(!is_ignored, "{}", path.display());
    }
}

/// The files of a folder and of its folders.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .expect("sources can be read")
        .map(|entry| entry.expect("sources can be read").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Returns whether a line declares a named item.
fn is_public(line: &str) -> bool {
    let Some(declared) = line.trim_start().strip_prefix("pub ") else { return false };
    ["fn ", "const fn ", "struct ", "enum ", "trait ", "type "].iter().any(|kind| declared.starts_with(kind))
}

/// Returns whether a line is a comment or an attribute above a declaration.
fn is_above(line: &str) -> bool {
    ["//", "#[", "$(#["].iter().any(|begin| line.trim_start().starts_with(begin))
}

/// Returns the number of public items in the files of a folder, and the items without an example. Files with a name in
/// `left_out` are skipped.
fn without_example(folder: &Path, left_out: &[&str]) -> (usize, Vec<String>) {
    let mut count = 0;
    let mut without = Vec::new();
    for path in sources(folder).into_iter().filter(|path| !left_out.iter().any(|name| path.ends_with(name))) {
        let text = fs::read_to_string(&path).expect("sources can be read");
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
