//! `cargo xtask lines`: the lines, files and words of each area of the repository, as a table.

use std::{collections::BTreeMap, process::ExitCode};

use crate::{Failure, workspace::Workspace};

/// Parts of paths that are tests and tools.
const TESTS: [&str; 8] = [
    "/tests/",
    "/tests.rs",
    "/js/test/",
    "/playground/test/",
    "/benches/",
    "/browser/",
    "/scripts/",
    "/examples/",
];

/// Prints the table: lines of code that ships, lines of tests and tools, all files, and words of Markdown, without the lines of
/// tables.
pub(crate) fn print(workspace: &Workspace) -> Result<ExitCode, Failure> {
    let listed = workspace.git(&["ls-files"])?;
    let is_test = |path: &str| TESTS.iter().any(|part| format!("/{path}/").contains(part));
    let folders = listed.lines().filter_map(|path| path.strip_suffix("/Cargo.toml"));
    let folders: Vec<_> = folders.filter(|folder| !is_test(folder)).chain(["js/playground"]).collect();
    let mut areas = BTreeMap::<&str, [usize; 4]>::new();
    for path in listed.lines() {
        let holds = |folder: &&&str| path.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/'));
        let area = folders.iter().filter(holds).max_by_key(|folder| folder.len()).copied();
        let area = area.or_else(|| Some(path.split_once('/')?.0)).unwrap_or(".");
        let [ships, tests, files, words] = areas.entry(area).or_default();
        *files += 1;
        let text = workspace.read(path).unwrap_or_default();
        match path.rsplit('.').next() {
            Some("md") => {
                *words += text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
            }
            Some("rs" | "ts" | "mjs" | "js" | "py" | "sh" | "css" | "html") => {
                let code = text.split("\n#[cfg(test)]\nmod ").next().filter(|_| !is_test(path));
                let shipped = code.map_or(0, |code| code.lines().count());
                *ships += shipped;
                *tests += text.lines().count() - shipped;
            }
            _ => {}
        }
    }
    let mut total = [0; 4];
    areas.values().for_each(|area| total.iter_mut().zip(area).for_each(|(sum, count)| *sum += count));
    println!("| area | production | tests and tools | files | words |\n| --- | --- | --- | --- | --- |");
    for (area, [ships, tests, files, words]) in areas.into_iter().chain([("all", total)]) {
        println!("| `{area}` | {ships} | {tests} | {files} | {words} |");
    }
    Ok(ExitCode::SUCCESS)
}
