//! Tests of every command, including later ones, by its help. `cargo xtask generate` writes the page `docs/reference/commands.md` from it.

use std::{collections::BTreeMap, fs, path::Path};

use adjudicate_tests::generated::assert_current;

use crate::command::TestFolder;

const TITLE: &str = "\
<!-- `cargo xtask generate` writes this page from the help of the commands. -->
# Commands

This page has the usage of each command by task, with the names of its own options. `adjudicate COMMAND --help` explains them, with examples.
[Exit statuses](errors.md#exit-statuses) lists the statuses of all commands, and the form of errors.
";

/// The number of commands from which an option is shared: the page describes it once.
const SHARED: usize = 3;

fn help(place: &TestFolder, arguments: &[&str]) -> String {
    let run = place.run(arguments);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    run.stdout
}

/// A command by its help.
struct Command {
    /// The name behind those of the commands above it.
    names: Vec<String>,
    summary: String,
    usage: String,
    /// Arguments, commands and options, each with its meaning.
    entries: Vec<(String, String)>,
    /// The commands below this one.
    commands: Vec<Command>,
}

impl Command {
    fn read(place: &TestFolder, names: &[&str]) -> Self {
        let (name, help) = (names.join(" "), help(place, &[names, &["-h"]].concat()));
        let after = |start: &str| help.split_once(start).unwrap_or_else(|| panic!("{name}: no `{start}`")).1;
        Self {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            summary: help.lines().next().unwrap_or_default().to_owned(),
            usage: after("\nUsage: ").lines().next().unwrap_or_default().to_owned(),
            entries: entries(&help),
            commands: listed(&help).map(|command| Self::read(place, &[names, &[command]].concat())).collect(),
        }
    }

    /// This command and all below it.
    fn all(&self) -> Vec<&Self> {
        std::iter::once(self).chain(self.commands.iter().flat_map(Self::all)).collect()
    }

    /// The item of the list: the usage, the summary, the names of options that are not shared and of sentences, and the commands below.
    fn item(&self, shared: &BTreeMap<&str, &str>, indent: usize) -> String {
        let is_command =
            |entry: &str| self.commands.iter().any(|command| command.names.ends_with(&[entry.into()]));
        let entries = self.entries.iter().map(|(entry, _)| entry.as_str());
        let names = entries.filter(|entry| !entry.starts_with(['<', '[']) && !is_command(entry));
        let names = names.filter(|entry| !shared.contains_key(entry));
        let names = names.map(|entry| entry.split(' ').find(|name| name.starts_with("--")).unwrap_or(entry));
        let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
        let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        let item = format!("{:indent$}- `{}`: {}{names}\n", "", self.usage, self.summary);
        self.commands.iter().fold(item, |item, command| item + &command.item(shared, indent + 2))
    }
}

/// The arguments, commands and options of a help: lines with two columns, whose second column may go on in the next line.
fn entries(help: &str) -> Vec<(String, String)> {
    let mut entries: Vec<(String, String)> = Vec::new();
    for block in help.split("\n\n") {
        let (title, lines) = block.split_once('\n').unwrap_or_default();
        if !title.ends_with(':') || matches!(title, "Examples:" | "Exit status:") {
            continue;
        }
        for line in lines.lines() {
            let text = line.trim();
            match text.split_once("  ") {
                Some((name, about)) if line.len() - text.len() <= 6 => {
                    entries.push((name.to_owned(), about.trim().to_owned()));
                }
                _ => {
                    let (_, about) = entries.last_mut().unwrap_or_else(|| panic!("no entry: {line}"));
                    about.push(' ');
                    about.push_str(text);
                }
            }
        }
    }
    entries.retain(|(name, _)| !matches!(&**name, "-h, --help" | "help"));
    entries
}

/// The names of the commands that a help lists.
fn listed(help: &str) -> impl Iterator<Item = &str> {
    let (_, rest) = help.split_once("\nCommands:\n").unwrap_or_default();
    let lines = rest.lines().take_while(|line| !line.is_empty());
    lines
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !["", "help"].contains(name))
}

/// The options that several commands have with the same meaning.
fn shared<'c>(commands: &[&'c Command]) -> BTreeMap<&'c str, &'c str> {
    let mut uses: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (option, about) in commands.iter().flat_map(|command| &command.entries) {
        if option.starts_with('-') {
            *uses.entry(option).or_default().entry(about).or_default() += 1;
        }
    }
    let most = uses.into_iter().filter_map(|(option, meanings)| {
        let (about, count) = meanings.into_iter().max_by_key(|(_, count)| *count)?;
        (count >= SHARED).then_some((option, about))
    });
    most.collect()
}

/// Returns the commands, and the titles of tasks, each with the number of commands before it.
fn tasks(place: &TestFolder) -> (Vec<Command>, Vec<(usize, String)>) {
    let listing = help(place, &["--help"]);
    let (_, tasks) = listing.split_once("Usage:").unwrap();
    let (tasks, _) = tasks.split_once("\nOptions:\n").unwrap();
    let (mut titles, mut commands) = (Vec::new(), Vec::new());
    for line in tasks.lines().skip(1).filter(|line| !line.is_empty()) {
        match line.strip_prefix("  ").and_then(|row| row.split_once(' ')) {
            Some((name, _)) => commands.push(Command::read(place, &[name])),
            None => titles.push((commands.len(), line.trim_end_matches(':').to_owned())),
        }
    }
    assert!(commands.len() >= 45, "{}", commands.len());
    (commands, titles)
}

#[test]
fn the_page_has_each_command() {
    let (commands, titles) = tasks(&TestFolder::new());
    let all: Vec<_> = commands.iter().flat_map(Command::all).collect();
    let shared = shared(&all);
    let mut page = format!("{TITLE}\n## Shared options\n\n");
    for (option, about) in &shared {
        page.push_str(&format!("- `{option}`: {about}\n"));
    }
    for (index, command) in commands.iter().enumerate() {
        if let Some((_, title)) = titles.iter().find(|(start, _)| *start == index) {
            page.push_str(&format!("\n## {title}\n\n"));
        }
        page.push_str(&command.item(&shared, 0));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    assert_current(path, &page);
}

/// Returns the commands that run.
fn leaves(commands: &[Command]) -> impl Iterator<Item = &Command> {
    commands.iter().flat_map(Command::all).filter(|command| command.commands.is_empty())
}

#[test]
fn every_help_begins_with_examples_and_lists_the_exit_statuses() {
    let place = TestFolder::new();
    let (commands, _) = tasks(&place);
    for Command { names, .. } in leaves(&commands) {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let help = help(&place, &[&names, &["--help"][..]].concat());
        let [examples, usage, statuses] =
            ["\n\nExamples:\n  ", "\n\nUsage: ", "Exit status:\n  0 "].map(|title| help.find(title));
        assert!(examples.is_some() && examples < usage && usage < statuses, "{names:?}\n{help}");
        let (has_option, has_decisions) =
            (help.contains("\n      --exit-status"), help.contains("With --exit-status"));
        assert_eq!(has_option, has_decisions, "{names:?}\n{help}");
    }
}

#[test]
fn every_command_survives_garbage() {
    let place = TestFolder::new();
    let large = place.path("large.json");
    fs::File::create(&large).unwrap().set_len(20 << 20).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("loop", place.path("loop")).unwrap();
    let files = [
        place.file("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01"),
        place.file("empty", ""),
        place.file("null.json", "null"),
        place.file("list.json", "[1,2]"),
        place.file("deep.json", "[".repeat(5000)),
        place.file("truncated.wasm", b"\0asm\x01\0\0\0\x01\x7f"),
        place.file("open.yaml", "a: ["),
        place.file("binary.yaml", b"\xff\xfe\0a"),
        place.file("bom.json", "\u{feff}{}"),
        large.to_str().unwrap().to_owned(),
        place.path("loop").to_str().unwrap().to_owned(),
        place.path(".").to_str().unwrap().to_owned(),
        place.path("missing").to_str().unwrap().to_owned(),
        "\u{202e}%00../..".to_owned(),
        String::new(),
        "-".to_owned(),
    ];
    let (commands, _) = tasks(&place);
    // `serve` would start a server, which does not end. `mcp` ends without a word if the input is empty.
    for command in leaves(&commands).filter(|command| command.names != ["serve"] && command.names != ["mcp"])
    {
        let takes = command.entries.iter().filter(|(entry, _)| entry.starts_with(['<', '['])).count();
        for file in &files {
            let names = command.names.iter().map(String::as_str);
            let args: Vec<_> = names.chain((0..takes).map(|_| file.as_str())).collect();
            let run = place.run_where(&[("ADJUDICATE_STORE", place.path("store"))], &args, b"");
            let status = run.status.unwrap_or(-1);
            assert!([0, 1, 2, 3, 64, 74].contains(&status), "{args:?}: {run:?}");
            // The findings of `check` and `conformance` are an answer, not an error.
            let is_reported = if run.stdout.is_empty() {
                !run.code().is_empty()
            } else {
                run.stderr.is_empty() || run.stderr.starts_with("warning: ")
            };
            assert!(is_reported || command.names == ["test"], "{args:?}: {run:?}");
        }
    }
}
