//! The command line: the arguments of all commands together.

use std::{fs, io, path::PathBuf};

use adjudicate_core::Error;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, error::ErrorKind};

#[cfg(feature = "oci")]
use crate::oci;
#[cfg(feature = "serve")]
use crate::serving;
use crate::{
    build, check, codes, conformance,
    exit::{self, Exit},
    failure::Failure,
    inspect, logic, new, normalize, operation, output, pack, records, reevaluation, replay, schema, store,
    test, token, trust, usage,
};

/// Declares the commands, each with its arguments and the function that runs it.
macro_rules! verbs {
    ($($(#[$condition:meta])? $verb:ident($args:ty) => $run:path,)+) => {
        /// A command with its arguments.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Verb {
            $($(#[$condition])? $verb($args),)+
        }

        impl Verb {
            /// Runs the command.
            pub(crate) fn run(&self) -> Result<Exit, Failure> {
                match self {
                    $($(#[$condition])? Self::$verb(args) => $run(args),)+
                }
            }
        }
    };
}

/// Judge what an agent run did: typed evidence in, one deterministic decision out.
#[derive(Debug, Parser)]
#[command(name = "adjudicate", version, after_help = exit::HELP, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

verbs! {
    Evaluate(operation::Evaluate) => operation::evaluate,
    Refine(operation::Refine) => operation::refine,
    Explain(operation::Explain) => operation::explain,
    ValidatePlan(operation::ValidatePlan) => operation::validate_plan,
    MergeDiagnostics(operation::MergeDiagnostics) => operation::merge_diagnostics,
    ObserveOutput(operation::ObserveOutput) => operation::observe_output,
    ApplyGuardrails(operation::ApplyGuardrails) => operation::apply_guardrails,
    NormalizePlan(normalize::NormalizePlan) => normalize::run,
    VerifyReplay(replay::VerifyReplay) => replay::run,
    Deliberate(operation::Deliberate) => operation::deliberate,
    CheckPolicy(operation::CheckPolicy) => operation::check_policy,
    Logic(logic::Logic) => logic::run,
    Schema(schema::Schema) => schema::run,
    Check(check::Check) => check::run,
    Test(test::Test) => test::run,
    Build(build::Build) => build::run,
    Inspect(inspect::Inspect) => inspect::run,
    New(new::New) => new::run,
    Pack(pack::Pack) => pack::run,
    Conformance(conformance::Conformance) => conformance::run,
    Keygen(trust::Keygen) => trust::keygen,
    Sign(trust::Sign) => trust::sign,
    Verify(trust::Verify) => trust::verify,
    Trust(store::Trust) => store::trust,
    Install(store::Install) => store::install,
    Uninstall(store::Uninstall) => store::uninstall,
    #[cfg(feature = "oci")]
    Push(oci::Push) => oci::push,
    #[cfg(feature = "oci")]
    Pull(oci::Pull) => oci::pull,
    List(store::List) => store::list,
    Slot(store::SlotVerb) => store::slot,
    Activate(store::Activate) => store::activate,
    Shadow(store::Shadow) => store::shadow,
    Canary(store::CanaryVerb) => store::canary,
    Rollback(store::Rollback) => store::rollback,
    History(store::History) => store::history,
    Gc(store::Collect) => store::collect,
    Records(records::Records) => records::run,
    Replay(reevaluation::Replay) => reevaluation::run,
    #[cfg(feature = "serve")]
    Serve(serving::Serve) => serving::run,
    Token(token::TokenVerb) => token::run,
    Completions(Completions) => Completions::run,
    DistAssets(DistAssets) => DistAssets::run,
}

/// Print a script with which a shell completes commands and options.
#[derive(Debug, Args)]
#[command(
    after_help = "For bash: adjudicate completions bash > ~/.local/share/bash-completion/completions/adjudicate"
)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: clap_complete::Shell,
}

impl Completions {
    fn run(&self) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Command::command(), "adjudicate", &mut script);
        output::text(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Answered)
    }
}

/// Write the manual pages, and the completion scripts of every shell, into a folder, for packages.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct DistAssets {
    /// The folder; the command creates `man` and `completions` in it
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl DistAssets {
    fn run(&self) -> Result<Exit, Failure> {
        self.write().map_err(|error| Failure::of_writing(&error))?;
        Ok(Exit::Answered)
    }

    /// Writes the files.
    fn write(&self) -> io::Result<()> {
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

/// Reads the command line.
pub(crate) fn parse() -> Result<Verb, Failure> {
    match Command::try_parse() {
        Ok(command) => Ok(command.verb),
        Err(error) => Err(failure(&error)),
    }
}

/// Prints help or the version to standard output. Other errors are one line, as all errors of the command are.
fn failure(error: &clap::Error) -> Failure {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match error.print() {
            Ok(()) => Failure::Told,
            Err(error) => Failure::of_writing(&error),
        },
        _ => Error::new(codes::WRONG_USAGE, usage::message(error)).into(),
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

    /// Returns the value of the only instruction with this name in the last stage of the image's recipe.
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
