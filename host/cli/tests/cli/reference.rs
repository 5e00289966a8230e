//! The examples of the book (`docs`) run, and print what its pages show.
//!
//! A file that an example reads stands before it, behind a line with its name: `` `envelope.json`: ``. `...` in an output stands for any
//! text. After a change of an answer, `ADJUDICATE_BLESS=1` writes the pages' outputs; read what changed. Programs for Node run in
//! the tests of the npm package, and in the first hour, which also runs blocks of `sh`. `$REPOSITORY` is the folder of this repository.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Instant,
};

use adjudicate_tests::workspace_root;

use crate::{command::TestFolder, shell::Shell};

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

/// The folders whose pages run, each page in a folder of its own.
const FOLDERS: [&str; 7] = ["start", "concepts", "reference", "cookbook", "migrate", "operate", "security"];

#[test]
fn examples_print_what_the_pages_show() {
    let stories: Vec<_> = FOLDERS.iter().flat_map(|folder| pages(folder)).map(|page| vec![page]).collect();
    assert!(examples(&stories) > 150);
}

#[test]
fn the_pages_of_the_tutorial_are_one_story() {
    let story = tutorial();
    assert_eq!(story.len(), pages("tutorial").len(), "{story:?}");
    assert!(examples(&[story]) > 40);
}

/// The first screen of README shows a run: its command prints just that.
#[test]
fn the_first_example_of_readme_is_printed_as_it_stands_there() {
    let readme = fs::read_to_string(workspace_root().join("README.md")).unwrap();
    let (_, rest) = readme.split_once("cargo run -p adjudicate -- ").unwrap();
    let (command, rest) = rest.split_once("\n```\n\n```\n").unwrap();
    let (shown, _) = rest.split_once("```\n").unwrap();
    let docs = workspace_root().join("docs/");
    let args: Vec<_> = command.split(' ').map(|word| word.replace("docs/", docs.to_str().unwrap())).collect();
    let run = TestFolder::new().run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), shown, ""));
}

#[test]
#[ignore = "needs the npm package, Python and the port 8420: `cargo xtask test first-hour`"]
fn the_first_hour_works_as_printed() {
    let begin = Instant::now();
    let (mut steps, mut failed) = (0, 0);
    println!("{:<30} {:>5} {:>7}  result", "page", "steps", "seconds");
    for story in pages("start").into_iter().map(|page| vec![page]).chain([tutorial()]) {
        let mut shell = Shell::of_first_hour();
        for path in story {
            let page = fs::read_to_string(&path).unwrap();
            let (begin, before) = (Instant::now(), shell.examples);
            shell.not_run = 0;
            let result = match (difference(&page, &shell.run_page(&page)), shell.not_run) {
                (Some(difference), _) => {
                    failed += 1;
                    format!("failed: {difference}")
                }
                (None, 0) => "ok".to_owned(),
                (None, not_run) => format!("ok, {not_run} not run: they need a network or a compiler"),
            };
            let (name, page_steps) =
                (path.strip_prefix(BOOK).unwrap().to_str().unwrap(), shell.examples - before);
            println!("{name:<30} {page_steps:>5} {:>7.1}  {result}", begin.elapsed().as_secs_f64());
            steps += page_steps;
        }
    }
    println!("{steps} steps in {:.1} minutes, {failed} pages failed", begin.elapsed().as_secs_f64() / 60.0);
    assert_eq!(failed, 0);
}

/// Returns the pages of a folder, by name.
fn pages(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(BOOK).join(folder)).unwrap();
    let mut pages: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.is_file());
    pages.sort();
    pages
}

/// Returns the pages of the tutorial in their order.
fn tutorial() -> Vec<PathBuf> {
    let folder = Path::new(BOOK).join("tutorial");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = index.lines().filter_map(|line| line.strip_prefix("| [")?.split_once("](")?.1.split_once(')'));
    ["README.md"].into_iter().chain(rows.map(|(page, _)| page)).map(|page| folder.join(page)).collect()
}

/// Returns the first line that differs, as the page shows it and as a command printed it.
fn difference(page: &str, run: &str) -> Option<String> {
    let mut lines = page.lines().zip(run.lines()).enumerate();
    (page != run).then(|| format!("{:?}", lines.find(|(_, (shown, printed))| shown != printed)))
}

/// Runs the commands of each story, one page after the other in one folder. Returns the number of commands.
fn examples(stories: &[Vec<PathBuf>]) -> usize {
    let (mut examples, mut different) = (0, Vec::new());
    for story in stories {
        let mut shell = Shell::new();
        for path in story {
            let page = fs::read_to_string(path).unwrap();
            let run = shell.run_page(&page);
            if let Some(difference) = difference(&page, &run) {
                if env::var_os("ADJUDICATE_BLESS").is_some() {
                    fs::write(path, &run).unwrap();
                }
                different.push(format!("{}: {difference}", path.display()));
            }
        }
        examples += shell.examples;
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    examples
}
