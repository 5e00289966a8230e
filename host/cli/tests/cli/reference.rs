//! The examples of the reference pages (`docs/reference`) run, and print what the pages show.
//!
//! A file that an example reads stands before it, behind a line with its name: `` `envelope.json`: ``. After a change of an answer,
//! `ADJUDICATE_BLESS=1` writes the pages' outputs; read what changed.

use std::{env, fs, path::Path, process::Stdio};

use crate::command::TestFolder;

#[test]
fn examples_print_what_the_pages_show() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let mut examples = 0;
    let mut different = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let page = fs::read_to_string(&path).unwrap();
        let run = run(&page, &mut examples);
        if run != page {
            if env::var_os("ADJUDICATE_BLESS").is_some() {
                fs::write(&path, &run).unwrap();
            }
            let mut lines = page.lines().zip(run.lines()).enumerate();
            let first = lines.find(|(_, (shown, printed))| shown != printed);
            different.push(format!("{}: {first:?}", path.display()));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(examples > 40, "{examples}");
}

/// The page with what its commands print, run one after the other in a folder of their own.
fn run(page: &str, examples: &mut usize) -> String {
    let place = TestFolder::new();
    let mut written = String::new();
    let mut caption = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        written.push_str(line);
        written.push('\n');
        let Some(language) = line.strip_prefix("```") else {
            caption = if line.is_empty() { caption } else { line };
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if language == "console" {
            for line in block.iter().filter(|line| line.starts_with("$ ")) {
                written.push_str(&format!("{line}\n{}", printed(&place, &line[2..])));
                *examples += 1;
            }
        } else {
            let text = format!("{}\n", block.join("\n"));
            if let Some(name) = caption.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:")) {
                place.file(name, &text);
            }
            written.push_str(&text);
        }
        written.push_str("```\n");
        caption = "";
    }
    written
}

/// The output of a line of a shell, with errors, without the space at the end of its lines.
fn printed(place: &TestFolder, line: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_adjudicate")).parent().unwrap();
    let search = env::join_paths(
        [binary.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())),
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &format!("{{ {line}\n}} 2>&1")])
        .current_dir(place.path("."))
        .env_clear()
        .env("PATH", search.unwrap())
        .env("HOME", place.path("."))
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
