//! Tests of every command, including later ones: the help lists them.

use adjudicate_core::Operation;

use crate::command::TestFolder;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";

/// A command, such as `records verify`.
struct Command {
    name: Vec<String>,
    help: String,
    /// The number of positional arguments.
    takes: usize,
}

impl Command {
    fn args<'a>(&'a self, more: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        self.name.iter().map(String::as_str).chain(more).collect()
    }
}

/// The titles of a help text that list no commands.
const OTHER_TITLES: [&str; 7] = [
    "Examples:",
    "Arguments:",
    "Options:",
    "Exit status:",
    "Input and output:",
    "Cluster options:",
    "With --exit-status, instead of 0:",
];

/// Returns the entries below the titles that the condition accepts.
fn listed(text: &str, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
    let (mut entries, mut is_listing) = (Vec::new(), false);
    for line in text.lines() {
        if line.starts_with("  ") && !line.starts_with("   ") {
            entries.extend(line.split_whitespace().next().filter(|_| is_listing).map(str::to_owned));
        } else if !line.is_empty() && !line.starts_with(' ') {
            is_listing = line.ends_with(':') && is_meant(line);
        }
    }
    entries
}

/// Returns all commands that run, without `help`.
fn commands(place: &TestFolder) -> Vec<Command> {
    let (mut found, mut open) = (Vec::new(), vec![Vec::new()]);
    while let Some(name) = open.pop() {
        let args: Vec<_> = name.iter().map(String::as_str).chain(["--help"]).collect();
        let help = place.run(&args).stdout;
        let below = match name.is_empty() {
            true => listed(&help, |title| !OTHER_TITLES.contains(&title)),
            false => listed(&help, |title| title == "Commands:"),
        };
        let below: Vec<_> = below.into_iter().filter(|name| name != "help").collect();
        if below.is_empty() {
            let takes = listed(&help, |title| title == "Arguments:").len();
            found.push(Command { name: name.clone(), help, takes });
        }
        open.extend(below.into_iter().map(|last| [name.clone(), vec![last]].concat()));
    }
    assert!(found.len() > 35, "{}", found.len());
    found
}

#[test]
fn every_operation_has_a_command() {
    let found: Vec<_> =
        commands(&TestFolder::new()).into_iter().map(|command| command.name[0].clone()).collect();
    let operations = Operation::ALL.iter().map(|operation| operation.name().replace('_', "-"));
    let others = "logic schema build check test inspect install list activate shadow canary rollback history trust sign verify \
                  keygen replay serve new completions uninstall gc";
    for name in operations.chain(others.split_whitespace().map(str::to_owned)) {
        assert!(found.contains(&name), "{name}");
    }
}

#[test]
fn every_help_begins_with_examples_and_lists_the_exit_statuses() {
    let place = TestFolder::new();
    for Command { name, help, .. } in commands(&place) {
        let [examples, usage, statuses] =
            ["\n\nExamples:\n  ", "\n\nUsage: ", "Exit status:\n  0 "].map(|title| help.find(title));
        assert!(examples.is_some() && examples < usage && usage < statuses, "{name:?}\n{help}");
        let (has_option, has_decisions) =
            (help.contains("\n      --exit-status"), help.contains("With --exit-status"));
        assert_eq!(has_option, has_decisions, "{name:?}\n{help}");
    }
}

#[test]
fn every_command_survives_garbage() {
    let place = TestFolder::new();
    let files = [
        place.file("image.png", PNG),
        place.file("empty", ""),
        place.file("null.json", "null"),
        place.file("list.json", "[1,2]"),
        place.file("deep.json", "[".repeat(5000)),
        place.file("truncated.wasm", b"\0asm\x01\0\0\0\x01\x7f"),
        place.file("open.yaml", "a: ["),
        place.path(".").to_str().unwrap().to_owned(),
        place.path("missing").to_str().unwrap().to_owned(),
        "\u{202e}%00../..".to_owned(),
        String::new(),
        "-".to_owned(),
    ];
    // `serve` would start a server, which does not end. `mcp` ends without a word if the input is empty.
    let ends = |command: &&Command| command.name != ["serve"] && command.name != ["mcp"];
    for command in commands(&place).iter().filter(ends) {
        for file in &files {
            let args = command.args((0..command.takes).map(|_| file.as_str()));
            let run = place.run_where(&[("ADJUDICATE_STORE", place.path("store"))], &args, b"");
            let status = run.status.unwrap_or(-1);
            assert!([0, 1, 2, 3, 64, 74].contains(&status), "{args:?}: {run:?}");
            // The findings of `check` and `conformance` are an answer, not an error.
            let is_reported = if run.stdout.is_empty() {
                !run.code().is_empty()
            } else {
                run.stderr.is_empty() || run.stderr.starts_with("warning: ")
            };
            assert!(is_reported || command.name == ["test"], "{args:?}: {run:?}");
        }
    }
}
