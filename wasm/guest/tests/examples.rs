//! Every public item of the guest SDK has an example, which runs as a test of the documentation.
#![expect(clippy::unwrap_used, reason = "to panic is how a test fails")]

use std::{fs, path::Path};

/// The files of a folder and of those in it.
fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
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

#[test]
fn every_public_item_has_an_example() {
    let mut count = 0;
    let mut without = Vec::new();
    for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| is_public(line)) {
            let above: Vec<_> = lines[..number].iter().rev().take_while(|line| is_above(line)).collect();
            let has = |what: &str| above.iter().any(|line| line.contains(what));
            if has("doc(hidden)") || path.ends_with("module.rs") {
                continue;
            }
            count += 1;
            if !has("/// ```") {
                without.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(count > 100, "{count}");
    assert!(without.is_empty(), "{without:#?}");
}
