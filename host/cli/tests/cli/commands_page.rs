//! The page of the commands, `docs/reference/commands.md`, which `cargo xtask generate` writes from their help.

use std::path::Path;

use adjudicate_tests::generated::assert_current;

use crate::command::TestFolder;

const TITLE: &str = "\
<!-- `cargo xtask generate` writes this page from the help of the commands. -->
# Commands

This page has the short help of each command, by task. For examples and all details of a command, run `adjudicate COMMAND --help`.

[Exit statuses](errors.md#exit-statuses) lists the statuses of all commands, and the form of errors.
";

fn help(place: &TestFolder, arguments: &[&str]) -> String {
    let run = place.run(arguments);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    run.stdout.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn the_page_has_the_help_of_each_command() {
    let place = TestFolder::new();
    let listing = help(&place, &["--help"]);
    let (_, tasks) = listing.split_once("Usage:").unwrap();
    let (tasks, _) = tasks.split_once("\nOptions:\n").unwrap();
    let (mut index, mut sections) = (String::new(), String::new());
    for line in tasks.lines().skip(1).filter(|line| !line.is_empty()) {
        let Some(row) = line.strip_prefix("  ") else {
            let task = line.trim_end_matches(':');
            index.push_str(&format!("\n| {task} | |\n| --- | --- |\n"));
            continue;
        };
        let (name, summary) = row.split_once(' ').unwrap();
        index.push_str(&format!("| [`{name}`](#{name}) | {} |\n", summary.trim().replace('|', "\\|")));
        sections.push_str(&format!("\n## {name}\n\n```text\n{}```\n", help(&place, &[name, "-h"])));
    }
    assert!(sections.matches("\n## ").count() >= 45, "{index}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    assert_current(page, &format!("{TITLE}{index}{sections}"));
}
