//! The examples of the book (`docs`) run, and print what its pages show.
//!
//! A file that an example reads stands before it, behind a line with its name: `` `envelope.json`: ``. `...` in an output stands for any
//! text. After a change of an answer, `ADJUDICATE_BLESS=1` writes the pages' outputs; read what changed. Programs for Node run in
//! the tests of the npm package. `$REPOSITORY` is the folder of this repository.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::command::TestFolder;

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

/// The folders whose pages run, each page in a folder of its own.
const FOLDERS: [&str; 7] = ["start", "concepts", "reference", "cookbook", "migrate", "operate", "security"];

#[test]
fn examples_print_what_the_pages_show() {
    let entries = FOLDERS.iter().flat_map(|folder| fs::read_dir(Path::new(BOOK).join(folder)).unwrap());
    let stories: Vec<_> = entries.map(|entry| vec![entry.unwrap().path()]).collect();
    assert!(examples(&stories) > 150);
}

#[test]
fn the_pages_of_the_tutorial_are_one_story() {
    let folder = Path::new(BOOK).join("tutorial");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = index.lines().filter_map(|line| line.strip_prefix("| [")?.split_once("](")?.1.split_once(')'));
    let pages: Vec<_> = ["README.md"].into_iter().chain(rows.map(|(page, _)| page)).collect();
    assert_eq!(pages.len(), fs::read_dir(&folder).unwrap().count(), "{pages:?}");
    let story = pages.iter().map(|page| folder.join(page)).collect();
    assert!(examples(&[story]) > 40);
}

/// Runs the commands of each story, one page after the other in one folder. Returns the number of commands.
fn examples(stories: &[Vec<PathBuf>]) -> usize {
    let (mut examples, mut different) = (0, Vec::new());
    for story in stories {
        let mut shell = Shell::new();
        for path in story {
            let page = fs::read_to_string(path).unwrap();
            let run = shell.run_page(&page);
            if run != page {
                if env::var_os("ADJUDICATE_BLESS").is_some() {
                    fs::write(path, &run).unwrap();
                }
                let mut lines = page.lines().zip(run.lines()).enumerate();
                let first = lines.find(|(_, (shown, printed))| shown != printed);
                different.push(format!("{}: {first:?}", path.display()));
            }
        }
        examples += shell.examples;
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    examples
}

/// A shell in a folder of its own.
struct Shell {
    home: TestFolder,
    folder: PathBuf,
    examples: usize,
}

impl Shell {
    fn new() -> Self {
        let home = TestFolder::new();
        let folder = home.path("");
        Self { home, folder, examples: 0 }
    }

    /// Returns the page with what its commands print, run one after the other.
    fn run_page(&mut self, page: &str) -> String {
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
            if language == "console" && !block.iter().any(|line| line.starts_with("$ node ")) {
                for example in block.chunk_by(|_, next| !next.starts_with("$ ")) {
                    written.push_str(&self.run_example(example));
                }
            } else {
                let text = format!("{}\n", block.join("\n"));
                if let Some(name) = caption.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:")) {
                    fs::write(self.folder.join(name), &text).unwrap();
                }
                written.push_str(&text);
            }
            written.push_str("```\n");
            caption = "";
        }
        written
    }

    /// Returns a command with the shown output if the command prints it, otherwise with the printed one.
    fn run_example(&mut self, example: &[&str]) -> String {
        let (command, shown) = example.split_first().unwrap();
        let line = command.strip_prefix("$ ").unwrap_or_else(|| panic!("no command: {command}"));
        self.examples += 1;
        let output = match line.strip_prefix("cd ") {
            Some(folder) => {
                self.folder.push(folder);
                String::new()
            }
            None => self.output(line),
        };
        let printed: Vec<&str> = output.lines().map(str::trim_end).collect();
        let is_shown = shown.len() == printed.len()
            && shown.iter().zip(&printed).all(|(shown, printed)| matches(shown, printed));
        let output = if is_shown { shown } else { printed.as_slice() };
        [&[*command], output].concat().iter().map(|line| format!("{line}\n")).collect()
    }

    /// Returns the output of a line, with errors.
    fn output(&self, line: &str) -> String {
        let binary = Path::new(env!("CARGO_BIN_EXE_adjudicate")).parent().unwrap();
        let search = env::join_paths(
            [binary.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())),
        );
        let output = std::process::Command::new("bash")
            .args(["-c", &format!("{{ {line}\n}} 2>&1")])
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", search.unwrap())
            .env("HOME", self.home.path(""))
            .env("COLUMNS", "100")
            .env("ADJUDICATE_ENGINE", adjudicate_tests::artifacts::engine())
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env("REPOSITORY", Path::new(BOOK).join(".."))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Returns whether a line is the shown line, in which `...` stands for any text.
fn matches(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split("...");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[test]
fn three_dots_stand_for_any_text() {
    for (shown, printed, is_match) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("at ..., done", "at 9, done", true),
        ("at ..., done", "at 9, do", false),
        ("... and ...", "one and two", true),
        ("... and ...", "one or two", false),
        ("...", "", true),
    ] {
        assert_eq!(matches(shown, printed), is_match, "{shown} {printed}");
    }
}
