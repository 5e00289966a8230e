//! `--format table`: tables for humans.

use adjudicate_core::Operation;
use adjudicate_tests::parity::read_of;

use crate::command::{ENVELOPE, TestFolder};

const ESCAPE: char = '\u{1b}';

/// A run with something of everything to tell.
fn troubled() -> String {
    ENVELOPE
        .replace(r#""exit_codes":{"test":0}"#, r#""exit_codes":{"test":101,"lint":0}"#)
        .replace(r#""artifacts":[]"#, r#""artifacts":["logs/test.txt"]"#)
        .replace(r#""policy_events":[]"#, r#""policy_events":["warning:disk nearly full"]"#)
}

fn table(place: &TestFolder, envelope: &str, more: &[&str]) -> String {
    let args = [&["evaluate", "-", "--format", "table"], more].concat();
    let run = place.run_with(&args, envelope.as_bytes());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    run.stdout
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    let place = TestFolder::new();
    assert!(!table(&place, &troubled(), &[]).contains(ESCAPE), "a pipe is no terminal");
    assert!(!table(&place, &troubled(), &["--color", "never"]).contains(ESCAPE));
    let coloured = table(&place, &troubled(), &["--color", "always"]);
    assert!(coloured.contains(ESCAPE));
    // A style around a word, and the words are the same.
    let plain = anstream::adapter::strip_str(&coloured).to_string();
    assert_eq!(plain, table(&place, &troubled(), &[]));
}

#[test]
fn long_runs_and_clashes_have_a_table() {
    let place = TestFolder::new();
    let mut tables = 0;
    for fixture in read_of(Operation::Evaluate) {
        let name = &fixture.name;
        // The long runs and the clashes show everything that a table has.
        if !(name.starts_with("run-") || name.starts_with("clash-")) {
            continue;
        }
        let file = place.file("call.json", &fixture.call);
        let run = place.run(&["evaluate", &file, "--format", "table"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{name}");
        assert!(run.stdout.contains("\nWhy\n") && run.stdout.contains("\nLoop "), "{name}: {}", run.stdout);
        tables += 1;
    }
    assert!(tables >= 5, "{tables}");
}

/// The first screen of README shows a run: its command prints just that.
#[test]
fn the_first_example_of_readme_is_printed_as_it_stands_there() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).unwrap();
    let (_, rest) = readme.split_once("cargo run -p adjudicate -- ").unwrap();
    let (command, rest) = rest.split_once("\n```\n\n```\n").unwrap();
    let (shown, _) = rest.split_once("```\n").unwrap();
    let args: Vec<_> =
        command.split(' ').map(|word| word.replace("docs/", &format!("{root}/docs/"))).collect();
    let run = TestFolder::new().run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), shown, ""));
}
