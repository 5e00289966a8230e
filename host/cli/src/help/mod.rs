//! The help of every command: its summary, examples, arguments and exit statuses. Commands are listed by task.

mod hosts;
mod modules;
mod operations;
mod policies;

use clap::Command;

/// The texts of a command's help that do not come from its arguments.
struct Text {
    /// The name of the command, for example `evaluate`.
    command: &'static str,
    /// Command lines that work, in order of how common they are. Longer ones continue on the next line.
    examples: &'static [&'static str],
    /// Facts that no single argument tells, in paragraphs; or nothing.
    notes: &'static str,
    /// The exit statuses, one per line.
    statuses: &'static str,
    /// The statuses with `--exit-status`; empty for commands without this option.
    decisions: &'static str,
}

impl Text {
    /// Returns the text of a command with examples and the usual exit statuses.
    const fn new(command: &'static str, examples: &'static [&'static str]) -> Self {
        Self { command, examples, notes: "", statuses: STATUSES, decisions: "" }
    }
}

/// The exit statuses of a command that prints one answer.
const STATUSES: &str = "  0   the answer was printed
  2   the input or the policy is invalid, or cannot be read
  3   a module failed or was rejected, the slot is empty, or the store or the cluster cannot be used
  64  wrong usage, or an unknown slot, module or version
  74  the answer could not be written
  141 the reader of the answer closed it";

/// The decision statuses of commands whose answer is a bundle of diagnostics.
const BUNDLE: &str = "  0 accepted, 10 accepted_with_findings, 11 rejected";

/// The example that leads to the others.
const START: &str = "\
Examples:
  adjudicate evaluate envelope.json --policy policy.yaml --format table
  adjudicate check policy.yaml
  adjudicate test policy.yaml
  adjudicate serve
  adjudicate evaluate --help";

/// The order of a command's help. The examples are the text before the usage.
const LAYOUT: &str = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// The last lines of every help.
const ERRORS: &str = "\
Errors are on standard error: as text on a terminal, otherwise, or with
--format json, as one line {\"error\": {\"code\", \"message\", \"path\"}}";

/// Returns all texts.
fn texts() -> impl Iterator<Item = &'static Text> {
    [operations::TEXTS, policies::TEXTS, modules::TEXTS, hosts::TEXTS].into_iter().flatten()
}

/// Adds the help to the command line. Each group is the title of a task and the names of its commands.
pub(crate) fn add<'a>(command: Command, groups: impl Iterator<Item = (&'a str, Vec<String>)>) -> Command {
    let command = command.mut_subcommands(add_texts);
    let listing = listing(&command, groups);
    command
        .before_help(START)
        .after_help(ending("", STATUSES, ""))
        .help_template(format!(
            "{{about-with-newline}}\n{{before-help}}{{usage-heading}} {{usage}}\n\n{listing}Options:\n{{options}}{{after-help}}"
        ))
}

/// Adds the texts of a command to it and to the commands below it. The command of an operation without texts has its examples.
fn add_texts(command: Command) -> Command {
    match texts().find(|text| text.command == command.get_name()) {
        Some(text) => add_text(command, text),
        None if command.get_before_help().is_some() => lay_out(command, ending("", STATUSES, "")),
        None => command,
    }
}

fn add_text(command: Command, text: &Text) -> Command {
    let command = command
        .mut_subcommands(|below| add_text(below, text))
        .before_help(format!("Examples:\n  {}", text.examples.join("\n  ")));
    lay_out(command, ending(text.notes, text.statuses, text.decisions))
}

fn lay_out(command: Command, ending: String) -> Command {
    command.after_help(ending).help_template(LAYOUT).mut_args(|argument| {
        match argument.get_long().and_then(heading) {
            Some(heading) => argument.help_heading(heading),
            None => argument,
        }
    })
}

/// Returns the heading under which the help lists an option; `None` for options of one command.
fn heading(option: &str) -> Option<&'static str> {
    Some(match option {
        "nats"
        | "nats-credentials"
        | "nats-ca"
        | "nats-name"
        | "nats-replicas"
        | "nats-allow-unsigned"
        | "start-without-nats"
        | "host-id" => "Cluster options",
        "username" | "password-file" | "password-stdin" | "ca" | "plain-http" | "timeout" => {
            "Registry options"
        }
        "listen" | "tls-cert" | "tls-key" | "insecure-plaintext" | "allow-local-admin" | "host"
        | "origin" => "Address and access",
        "max-connections"
        | "max-idle-per-address"
        | "max-calls"
        | "max-memory"
        | "max-body"
        | "request-timeout"
        | "idle-timeout"
        | "drain-delay"
        | "drain-timeout" => "Limits",
        "ndjson" | "format" | "color" | "input-format" | "no-progress" => "Input and output",
        _ => return None,
    })
}

/// Returns the end of a help: the notes, then the exit statuses.
fn ending(notes: &str, statuses: &str, decisions: &str) -> String {
    let gap = if notes.is_empty() { "" } else { "\n\n" };
    let decisions = match decisions.is_empty() {
        true => String::new(),
        false => format!("With --exit-status, instead of 0:\n{decisions}\n"),
    };
    format!("{notes}{gap}Exit status:\n{statuses}\n{decisions}{ERRORS}")
}

/// Returns the commands by task, one per line.
fn listing<'a>(command: &Command, groups: impl Iterator<Item = (&'a str, Vec<String>)>) -> String {
    let groups: Vec<_> = groups.collect();
    let width = groups.iter().flat_map(|(_, names)| names).map(String::len).max().unwrap_or_default();
    let mut listing = String::new();
    for (title, names) in groups {
        listing.push_str(&format!("{title}:\n"));
        for name in names {
            let summary = command.find_subcommand(&name).and_then(Command::get_about);
            let summary = summary.map(ToString::to_string).unwrap_or_default();
            listing.push_str(&format!("  {name:<width$}  {summary}\n"));
        }
        listing.push('\n');
    }
    listing
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;
    use crate::args;

    /// Returns the commands of the listing, and those below them.
    fn commands() -> Vec<Command> {
        fn of(command: &Command) -> Box<dyn Iterator<Item = Command> + '_> {
            Box::new(iter::once(command.clone()).chain(command.get_subcommands().flat_map(of)))
        }
        let command = args::command();
        command.get_subcommands().filter(|command| !command.is_hide_set()).flat_map(of).collect()
    }

    #[test]
    fn every_command_has_examples_and_exit_statuses() {
        for command in args::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            assert!(texts().filter(|text| text.command == name).count() <= 1, "{name}");
            assert!(examples(command).next().is_some() && command.get_after_help().is_some(), "{name}");
        }
    }

    /// Returns the lines of a command's examples.
    fn examples(command: &Command) -> impl Iterator<Item = String> {
        let text = command.get_before_help().map(ToString::to_string).unwrap_or_default();
        text.lines().skip(1).map(|line| line.trim().to_owned()).collect::<Vec<_>>().into_iter()
    }

    /// Returns the words of a command line as a shell splits it, up to a pipe or a redirection.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut quote) = (vec![String::new()], None);
        for letter in line.chars() {
            match (letter, quote) {
                ('\'' | '"', None) => quote = Some(letter),
                (letter, Some(open)) if letter == open => quote = None,
                ('|' | '<' | '>', None) => break,
                (' ', None) => words.push(String::new()),
                _ => words.last_mut().unwrap().push(letter),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn examples_use_the_arguments_that_exist() {
        let head = format!("7:{:064}", 0);
        let command = args::command();
        let examples = command.get_subcommands().chain([&command]).flat_map(examples);
        for example in examples.filter(|line| line.starts_with("adjudicate ")) {
            let words =
                words(&example.replace("$(cat head.json)", &head).replace("0123...", &"0".repeat(64)));
            let is_of_cluster = words.iter().any(|word| word.starts_with("--nats"));
            if is_of_cluster && !cfg!(feature = "nats")
                || example == "adjudicate serve" && !cfg!(feature = "serve")
            {
                continue;
            }
            if let Err(error) = args::command().try_get_matches_from(&words) {
                assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{example}: {error}");
            }
        }
    }

    #[test]
    fn every_summary_and_every_argument_is_one_line() {
        let mut long = Vec::new();
        for command in commands() {
            let name = command.get_name();
            let about = command.get_about().unwrap().to_string();
            if about.len() > 78 {
                long.push(format!("{name}: {about}"));
            }
            for argument in command.get_arguments() {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                if help.len() > 90 {
                    long.push(format!("{name} {}: {help}", argument.get_id()));
                }
            }
        }
        assert!(long.is_empty(), "{long:#?}");
    }
}
