//! The commands that follow from the table of operations: a file, an option for each other document of the call, and the answer.

use std::{collections::BTreeMap, sync::LazyLock};

use adjudicate_core::{Operation, owned::KnownFacts};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};

use super::envelope;
use crate::{
    call::{Call, RenderTable},
    environment::Environment,
    evaluator::Sandbox,
    exit::Exit,
    failure::Failure,
    input::Source,
    parts::{BareWhen, Parts},
    requests::Requests,
    table,
};

/// A call of an operation that has no command of its own in the table of commands.
#[derive(Debug)]
pub(crate) struct Derived {
    operation: Operation,
    requests: Requests,
    /// The other documents of the call: the name of the option, the field, and the file.
    others: Vec<(String, &'static str, Source)>,
    sandbox: Sandbox,
}

/// The names of the commands of operations.
static NAMES: LazyLock<BTreeMap<Operation, String>> = LazyLock::new(|| {
    Operation::ALL.iter().map(|operation| (*operation, operation.name().replace('_', "-"))).collect()
});

/// Returns the name of the command of an operation.
pub(crate) fn name(operation: Operation) -> &'static str {
    NAMES.get(&operation).map_or(operation.name(), String::as_str)
}

/// Returns the command of an operation.
pub(crate) fn command(operation: Operation) -> Command {
    let name = name(operation);
    let (document, others) = documents(operation);
    let file = match others {
        [] => format!("The {document}; `-` for standard input"),
        others => {
            let others: Vec<_> = others.iter().map(|other| format!(", \"{other}\": ...")).collect();
            format!("The {document}, or `{{\"{document}\": ...{}}}`; `-` for standard input", others.concat())
        }
    };
    let options: Vec<_> = others.iter().map(|other| format!(" --{other} {other}.json")).collect();
    let command = Command::new(name).before_help(format!(
        "Examples:\n  adjudicate {name} {document}.json{} --format table",
        options.concat()
    ));
    let command = others.iter().fold(Requests::augment_args(command), |command, other| {
        let help = format!("The {other}; FILE is then only the {document}");
        command.arg(
            Arg::new(*other).long(*other).value_name("FILE").value_parser(value_parser!(Source)).help(help),
        )
    });
    // The groups of arguments describe themselves, which would replace the summary.
    let command = Sandbox::augment_args(command).about(operation.summary()).long_about(None);
    command.mut_arg("input", |input| input.help(file))
}

/// Returns the name of the document in the file, and the fields of the call that options give.
fn documents(operation: Operation) -> (&'static str, &'static [&'static str]) {
    match operation.documents() {
        [document, others @ ..] => (document, others),
        [] => (if operation.input().ends_with("-call") { "call" } else { operation.input() }, &[]),
    }
}

impl Derived {
    /// Returns the call of an operation from the arguments of its command.
    pub(crate) fn new(operation: Operation, matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (_, others) = documents(operation);
        let given = |field: &&'static str| {
            let source = matches.get_one::<Source>(field)?;
            Some((format!("--{field}"), *field, source.clone()))
        };
        Ok(Self {
            operation,
            requests: Requests::from_arg_matches(matches)?,
            others: others.iter().filter_map(given).collect(),
            sandbox: Sandbox::from_arg_matches(matches)?,
        })
    }

    pub(crate) fn run(&self, env: &Environment) -> Result<Exit, Failure> {
        let options = self.others.iter().map(|(option, _, source)| (option.as_str(), source));
        self.requests.check_all(&self.sandbox, options)?;
        let mut parts = match self.operation.documents().first() {
            Some(&"envelope") => envelope(),
            Some(document) => Parts::new(document, BareWhen::WithoutField(self.operation), "{}"),
            // The file is a complete call.
            None => Parts::new("call", BareWhen::Matches(|_| false), "{}"),
        };
        for (_, field, file) in &self.others {
            parts = parts.with(field, Some(file), env)?;
        }
        Call::new(self.operation, page(self.operation), &self.sandbox, parts, env)?.run(&self.requests, env)
    }
}

/// Returns the table of the answers of an operation. Without a table of its own, it lists the values of an answer.
fn page(operation: Operation) -> RenderTable {
    match operation {
        Operation::Facts => |shown| Ok(table::facts(&shown.typed(KnownFacts::from_json)?)),
        _ => |shown| table::answer(&shown.json),
    }
}
