//! The command line.

mod build;
mod modules;
#[cfg(feature = "nats")]
mod nats;
#[cfg(not(feature = "nats"))]
#[path = "../alone/args.rs"]
mod nats;
#[cfg(feature = "oci")]
mod oci;
mod operations;
mod planning;
mod plans;
mod records;
mod removal;
mod reports;
#[cfg(feature = "serve")]
mod serve;
mod store;
mod times;
mod tokens;
mod trust;

use std::{fs, io, path::PathBuf};

use adjudicate_core::{Error, ErrorCode};
use adjudicate_host::trust::parse_time;
use clap::{
    Args, CommandFactory, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
    error::ErrorKind,
};
use jiff::Timestamp;

pub(crate) use build::Build;
pub(crate) use modules::{New, Pack};
pub(crate) use nats::{ClusterPlace, Membership, Settings as Cluster};
#[cfg(feature = "oci")]
pub(crate) use oci::{Pull, Push};
pub(crate) use operations::{CheckPolicy, Evaluate, Explain, Logic, Refine, Requests, Sandbox, Schema};
pub(crate) use planning::{Deliberate, NormalizePlan, Shown, VerifyReplay};
pub(crate) use plans::{ApplyGuardrails, MergeDiagnostics, ObserveOutput, ValidatePlan};
pub(crate) use records::{After, Export, Head, Records, RecordsVerb, Replay, VerifyRecords};
pub(crate) use removal::{Collect, Uninstall};
pub(crate) use reports::{Check, Conformance, Inspect, ReportFormat, Test};
#[cfg(feature = "serve")]
pub(crate) use serve::Serve;
pub(crate) use store::{
    Activate, CanaryVerb, Composed, History, Install, List, Printed, Reason, Rollback, Shadow, SlotVerb,
    StorePlace, Trust,
};
pub(crate) use times::Times;
pub(crate) use tokens::{TokenAction, TokenVerb};
pub(crate) use trust::{Keygen, Sign, Verify};

use crate::{exit, failure::Failure, input::Source, usage};

/// Judge what an agent run did: typed evidence in, one deterministic decision out.
#[derive(Debug, Parser)]
#[command(name = "adjudicate", version, after_help = exit::HELP, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Evaluate(Evaluate),
    Refine(Refine),
    Explain(Explain),
    ValidatePlan(ValidatePlan),
    MergeDiagnostics(MergeDiagnostics),
    ObserveOutput(ObserveOutput),
    ApplyGuardrails(ApplyGuardrails),
    NormalizePlan(NormalizePlan),
    VerifyReplay(VerifyReplay),
    Deliberate(Deliberate),
    CheckPolicy(CheckPolicy),
    Logic(Logic),
    Schema(Schema),
    Check(Check),
    Test(Test),
    Build(Build),
    Inspect(Inspect),
    New(New),
    Pack(Pack),
    Conformance(Conformance),
    Keygen(Keygen),
    Sign(Sign),
    Verify(Verify),
    Trust(Trust),
    Install(Install),
    Uninstall(Uninstall),
    #[cfg(feature = "oci")]
    Push(Push),
    #[cfg(feature = "oci")]
    Pull(Pull),
    List(List),
    Slot(SlotVerb),
    Activate(Activate),
    Shadow(Shadow),
    Canary(CanaryVerb),
    Rollback(Rollback),
    History(History),
    Gc(Collect),
    Records(Records),
    Replay(Replay),
    #[cfg(feature = "serve")]
    Serve(Serve),
    Token(TokenVerb),
    Completions(Completions),
    #[command(hide = true)]
    DistAssets(DistAssets),
}

/// Print what a shell needs to complete verbs and options.
#[derive(Debug, Args)]
#[command(
    after_help = "For bash: adjudicate completions bash > ~/.local/share/bash-completion/completions/adjudicate"
)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

impl Completions {
    /// The script for the shell.
    pub(crate) fn script(&self) -> Vec<u8> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Command::command(), "adjudicate", &mut script);
        script
    }
}

/// Write the manual pages and the completions of every shell into a folder, for packages.
#[derive(Debug, Args)]
pub(crate) struct DistAssets {
    /// The folder; `man` and `completions` are made in it
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl DistAssets {
    /// Writes the files.
    pub(crate) fn write(&self) -> io::Result<()> {
        let [pages, completions] = ["man", "completions"].map(|name| self.folder.join(name));
        fs::create_dir_all(&pages)?;
        fs::create_dir_all(&completions)?;
        clap_mangen::generate_to(Command::command(), &pages)?;
        for shell in clap_complete::Shell::value_variants() {
            clap_complete::generate_to(*shell, &mut Command::command(), "adjudicate", &completions)?;
        }
        Ok(())
    }
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// JSON on one line; the answer of an operation is printed byte for byte
    #[default]
    Json,
    /// JSON, two spaces of indentation
    Pretty,
    /// For people
    Table,
    /// A picture, in the language of Graphviz
    Dot,
    /// A picture, in the language of Mermaid
    Mermaid,
}

/// The formats of every answer: all but the pictures.
pub(crate) fn layouts() -> impl TypedValueParser<Value = Format> {
    let layouts = [Format::Json, Format::Pretty, Format::Table];
    let names: Vec<_> = layouts.iter().filter_map(Format::to_possible_value).collect();
    PossibleValuesParser::new(names).map(|name| Format::from_str(&name, false).unwrap_or_default())
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    Always,
    Never,
}

/// How an input is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    Json,
    Yaml,
}

/// Reads the command line.
pub(crate) fn parse() -> Result<Verb, Failure> {
    let command = Command::try_parse().map_err(|error| failure(&error))?;
    match &command.verb {
        Verb::Evaluate(args) => {
            let overriding = named("--override", &args.overriding);
            let beside = named("--policy", &args.policy).chain(overriding);
            args.requests.check_all(&args.sandbox, beside.chain(named("--restrict", &args.restrict)))?;
        }
        Verb::Refine(args) => {
            let beside = named("--policy", &args.policy).chain(named("--evaluation", &args.evaluation));
            args.requests.check_all(&args.sandbox, beside)?;
        }
        Verb::Explain(args) => args.requests.check_all(&args.sandbox, named("--policy", &args.policy))?,
        Verb::ValidatePlan(args) => {
            let parts = named("--task", &args.task).chain(named("--capabilities", &args.capabilities));
            let parts = parts.chain(named("--facets", &args.facets));
            args.requests.check_all(&args.sandbox, parts.chain(named("--previous", &args.previous)))?;
        }
        Verb::MergeDiagnostics(args) => args.requests.check_all(&args.sandbox, [])?,
        Verb::ObserveOutput(args) => {
            args.requests.check_all(&args.sandbox, named("--contract", &args.contract))?
        }
        Verb::ApplyGuardrails(args) => {
            let parts = named("--policies", &args.policies).chain(named("--state", &args.state));
            args.requests.check_all(&args.sandbox, parts)?;
        }
        Verb::NormalizePlan(args) => args.requests.check_all(&args.sandbox, [])?,
        Verb::VerifyReplay(args) => {
            let parts = named("--plan", &args.plan).chain(named("--receipt", &args.receipt));
            args.requests.check_all(&args.sandbox, parts.chain(named("--tests", &args.tests)))?;
            args.check()?;
        }
        Verb::Deliberate(args) => args.requests.check_all(&args.sandbox, [])?,
        Verb::CheckPolicy(args) => args.requests.check_all(&args.sandbox, [])?,
        Verb::Logic(args) => args.requests.check([])?,
        Verb::Schema(args) => args.requests.check(named("--schema", &args.schema))?,
        Verb::Test(args) => args.check()?,
        Verb::Check(args) => args.check()?,
        Verb::Slot(args) => args.check()?,
        Verb::Shadow(args) => args.check()?,
        Verb::Canary(args) => args.check()?,
        #[cfg(feature = "serve")]
        Verb::Serve(args) => crate::serving::check(args)?,
        Verb::Replay(args) => args.check()?,
        #[cfg(feature = "oci")]
        Verb::Pull(args) => args.check()?,
        Verb::Records(Records { verb: RecordsVerb::Verify(args) }) => args.check()?,
        Verb::Records(Records { verb: RecordsVerb::Export(args) }) => args.check()?,
        #[cfg(feature = "oci")]
        Verb::Push(_) => {}
        Verb::Build(_)
        | Verb::Inspect(_)
        | Verb::New(_)
        | Verb::Pack(_)
        | Verb::Conformance(_)
        | Verb::Token(_)
        | Verb::Records(_)
        | Verb::Install(_)
        | Verb::Uninstall(_)
        | Verb::Gc(_)
        | Verb::List(_)
        | Verb::Activate(_)
        | Verb::Rollback(_)
        | Verb::History(_)
        | Verb::Trust(_)
        | Verb::Keygen(_)
        | Verb::Sign(_)
        | Verb::Verify(_)
        | Verb::Completions(_)
        | Verb::DistAssets(_) => {}
    }
    Ok(command.verb)
}

/// Inputs with the name of their argument.
fn named<'a>(
    argument: &'static str,
    inputs: impl IntoIterator<Item = &'a Source>,
) -> impl Iterator<Item = (&'a str, &'a Source)> {
    inputs.into_iter().map(move |input| (argument, input))
}

/// Refuses standard input for more than one of the inputs, each with the name of its argument.
fn one_stdin<'a>(inputs: impl Iterator<Item = (&'a str, &'a Source)>) -> Result<(), Error> {
    let mut names = inputs.filter(|(_, source)| **source == Source::Stdin).map(|(name, _)| name);
    let message = match (names.next(), names.next()) {
        (Some(one), Some(other)) if one == other => format!("standard input cannot be `{one}` twice"),
        (Some(one), Some(other)) => format!("standard input cannot be both `{one}` and `{other}`"),
        _ => return Ok(()),
    };
    Err(Error::new(ErrorCode::WrongUsage, message))
}

/// A moment as it is written on the command line.
fn moment(text: &str) -> Result<Timestamp, Error> {
    parse_time(text)
        .map_err(|error| Error::new(ErrorCode::WrongUsage, format!("`{text}`: {}", error.message())))
}

/// Help and version go to standard output; anything else is one line, as all errors are.
fn failure(error: &clap::Error) -> Failure {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match error.print() {
            Ok(()) => Failure::Told,
            Err(error) => Failure::of_writing(&error),
        },
        _ => Error::new(ErrorCode::WrongUsage, usage::message(error)).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Command::command().debug_assert();
    }

    /// The value of the only instruction of that name in the image's recipe, of its last stage.
    fn instruction<'a>(recipe: &'a str, name: &str) -> &'a str {
        let (_, last_stage) = recipe.rsplit_once("\nFROM ").unwrap();
        let mut values = last_stage.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = values.next().unwrap();
        assert_eq!(values.next(), None, "{name}");
        value
    }

    #[test]
    fn the_container_starts_a_server_that_the_command_line_allows() {
        let recipe = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Containerfile"));
        let recipe = recipe.unwrap();
        let words = |name| serde_json::from_str::<Vec<String>>(instruction(&recipe, name)).unwrap();
        let command = Command::try_parse_from([words("ENTRYPOINT"), words("CMD")].concat()).unwrap();
        let Verb::Serve(serve) = command.verb else { panic!("it starts `serve`") };
        crate::serving::check(&serve).unwrap_or_else(|_| panic!("the options agree"));
        assert!(!serve.insecure_plaintext && !serve.allow_local_admin && serve.tls_cert.is_some());
        assert_eq!(serve.listen.port().to_string(), instruction(&recipe, "EXPOSE"));
        let store = instruction(&recipe, "VOLUME");
        assert_eq!(store, "/var/lib/adjudicate");
        assert_eq!(serve.place.store.as_deref(), Some(Path::new(store)));
        assert!(
            recipe.contains(":nonroot\n")
                && recipe.contains(&format!("--chown=nonroot:nonroot /store {store}\n"))
        );
        assert!(recipe.contains(&format!("target/dist/adjudicate {}\n", words("ENTRYPOINT").concat())));
    }

    /// `cargo xtask test` runs this with all features and with none.
    #[test]
    fn what_needs_a_feature_is_there_with_it_and_nowhere_else() {
        let command = super::Command::command();
        let has = |verb: &str| command.find_subcommand(verb).is_some();
        assert_eq!((has("push"), has("pull")), (cfg!(feature = "oci"), cfg!(feature = "oci")));
        assert_eq!(has("serve"), cfg!(feature = "serve"));
        let options = command.get_subcommands().flat_map(|verb| verb.get_arguments());
        let of_clusters = options.filter_map(|option| option.get_long()).filter(|name| name.contains("nats"));
        assert_eq!(of_clusters.count() > 0, cfg!(feature = "nats"));
        assert!(has("install") && has("token") && has("evaluate"));
    }
}
