//! The command line: the arguments of all commands together.

use std::{ffi::OsString, fs, io, path::PathBuf};

use adjudicate_core::{Error, Operation};
use clap::{
    Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum,
    error::{ContextKind, ErrorKind},
};

#[cfg(feature = "mcp")]
use crate::mcp;
#[cfg(feature = "oci")]
use crate::oci;
#[cfg(feature = "serve")]
use crate::serving;
#[cfg(feature = "collect")]
use crate::{backtest, collect, goal, hook};
#[cfg(feature = "modules")]
use crate::{bench, build, conformance, inspect, new, pack, records, reevaluation, store, token, trust};
use crate::{
    check, codes, environment::Environment, exit::Exit, failure::Failure, help, logic, normalize, operation,
    output, schema, test, usage, verdict, verify_replay,
};

/// Declares the commands by task, each with its arguments and the function that runs it.
macro_rules! commands {
    ($($title:literal { $($(#[$condition:meta])? $name:ident($args:ty) => $run:path,)+ })+) => {
        /// A command with its arguments.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($($(#[$condition])? $name($args),)+)+
            #[command(hide = true)]
            DistAssets(DistAssets),
            #[command(skip)]
            Derived(operation::Derived),
        }

        impl Command {
            /// Runs the command.
            pub(crate) fn run(&self, env: &Environment) -> Result<Exit, Failure> {
                match self {
                    $($($(#[$condition])? Self::$name(args) => $run(args, env),)+)+
                    Self::DistAssets(args) => args.run(env),
                    Self::Derived(call) => call.run(env),
                }
            }
        }

        /// The variants of all commands, also of those that this build leaves out.
        const VARIANTS: &[&str] = &[$($(stringify!($name),)+)+];

        /// The titles of the tasks, each with the variants of its commands.
        const TASKS: &[(&str, &[&str])] = &[$(($title, &[$($(#[$condition])? stringify!($name),)+]),)+];
    };
}

/// Judge what an agent run did: typed evidence in, one deterministic decision out.
#[derive(Debug, Parser)]
#[command(name = "adjudicate", version, max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

commands! {
    "Judge the work in a repository" {
        #[cfg(feature = "collect")]
        Init(collect::Init) => collect::init,
        #[cfg(feature = "collect")]
        Needs(collect::Needs) => collect::needs,
        #[cfg(feature = "collect")]
        Collect(collect::Collect) => collect::collect,
        #[cfg(feature = "collect")]
        Run(collect::Run) => collect::run,
        #[cfg(feature = "collect")]
        Baseline(collect::Baseline) => collect::baseline,
        #[cfg(feature = "collect")]
        Goal(goal::Goal) => goal::run,
        #[cfg(feature = "collect")]
        Hook(hook::Hook) => hook::run,
        #[cfg(feature = "collect")]
        Backtest(backtest::Backtest) => backtest::run,
        #[cfg(feature = "mcp")]
        Mcp(mcp::Mcp) => mcp::run,
    }
    "Judge a run" {
        Evaluate(operation::Evaluate) => operation::evaluate,
        Explain(operation::Explain) => operation::explain,
        Refine(operation::Refine) => operation::refine,
        ApplyGuardrails(operation::ApplyGuardrails) => operation::apply_guardrails,
        Verdict(verdict::VerdictArgs) => verdict::run,
    }
    "Judge a plan" {
        ValidatePlan(operation::ValidatePlan) => operation::validate_plan,
        NormalizePlan(normalize::NormalizePlan) => normalize::run,
        Deliberate(operation::Deliberate) => operation::deliberate,
        ObserveOutput(operation::ObserveOutput) => operation::observe_output,
        MergeDiagnostics(operation::MergeDiagnostics) => operation::merge_diagnostics,
        VerifyReplay(verify_replay::VerifyReplay) => verify_replay::run,
    }
    "Write and test a policy" {
        #[cfg(feature = "modules")]
        New(new::New) => new::run,
        Check(check::Check) => check::run,
        Test(test::Test) => test::run,
        #[cfg(feature = "modules")]
        Bench(bench::Bench) => bench::run,
        CheckPolicy(operation::CheckPolicy) => operation::check_policy,
        Logic(logic::Logic) => logic::run,
        Schema(schema::Schema) => schema::run,
    }
    "Make a policy module" {
        #[cfg(feature = "modules")]
        Build(build::Build) => build::run,
        #[cfg(feature = "modules")]
        Pack(pack::Pack) => pack::run,
        #[cfg(feature = "modules")]
        Inspect(inspect::Inspect) => inspect::run,
        #[cfg(feature = "modules")]
        Conformance(conformance::Conformance) => conformance::run,
    }
    "Sign and share modules" {
        #[cfg(feature = "modules")]
        Keygen(trust::Keygen) => trust::keygen,
        #[cfg(feature = "modules")]
        Sign(trust::Sign) => trust::sign,
        #[cfg(feature = "modules")]
        Verify(trust::Verify) => trust::verify,
        #[cfg(feature = "modules")]
        Trust(store::Trust) => store::trust,
        #[cfg(feature = "oci")]
        Push(oci::Push) => oci::push,
        #[cfg(feature = "oci")]
        Pull(oci::Pull) => oci::pull,
    }
    "Install modules and activate them in slots" {
        #[cfg(feature = "modules")]
        Install(store::Install) => store::install,
        #[cfg(feature = "modules")]
        Uninstall(store::Uninstall) => store::uninstall,
        #[cfg(feature = "modules")]
        List(store::List) => store::list,
        #[cfg(feature = "modules")]
        Gc(store::CollectGarbage) => store::collect,
        #[cfg(feature = "modules")]
        Slot(store::SlotArgs) => store::slot,
        #[cfg(feature = "modules")]
        Activate(store::Activate) => store::activate,
        #[cfg(feature = "modules")]
        Shadow(store::Shadow) => store::shadow,
        #[cfg(feature = "modules")]
        Canary(store::CanaryArgs) => store::canary,
        #[cfg(feature = "modules")]
        Rollback(store::Rollback) => store::rollback,
        #[cfg(feature = "modules")]
        History(store::History) => store::history,
    }
    "Run a host and read its records" {
        #[cfg(feature = "serve")]
        Serve(serving::Serve) => serving::run,
        #[cfg(feature = "modules")]
        Token(token::TokenArgs) => token::run,
        #[cfg(feature = "modules")]
        Records(records::Records) => records::run,
        #[cfg(feature = "modules")]
        Replay(reevaluation::Replay) => reevaluation::run,
    }
    "Set up the command" {
        Completions(Completions) => Completions::run,
    }
}

/// The tasks of the operations on envelopes, and of the others.
const TASKS_OF_OPERATIONS: [&str; 2] = ["Judge a run", "Judge a plan"];

/// Returns the operations without a command in the table, which have a derived one.
fn derived() -> impl Iterator<Item = Operation> {
    let written: Vec<_> = TASKS.iter().flat_map(|(_, names)| *names).map(|name| dashed(name)).collect();
    let is_written = move |operation| written.iter().any(|name| name == operation::name(operation));
    Operation::ALL.iter().copied().filter(move |operation| !is_written(*operation))
}

/// Returns the definition of the command line, with its help.
pub(crate) fn command() -> clap::Command {
    help::add(CommandLine::command().subcommands(derived().map(operation::command)), tasks())
}

/// Returns the titles of the tasks, each with the names of its commands.
fn tasks() -> impl Iterator<Item = (&'static str, Vec<String>)> {
    let [of_runs, others] = TASKS_OF_OPERATIONS;
    let task = move |operation: &Operation| match operation.documents().contains(&"envelope") {
        true => of_runs,
        false => others,
    };
    TASKS
        .iter()
        .map(move |(title, names)| {
            let derived = derived().filter(|operation| task(operation) == *title);
            let derived = derived.map(|operation| operation::name(operation).to_owned());
            (*title, names.iter().map(|name| dashed(name)).chain(derived).collect())
        })
        // A build without modules has no commands for some tasks.
        .filter(|(_, names): &(_, Vec<_>)| !names.is_empty())
}

/// Returns the name of a command that this build leaves out, if the arguments begin with one.
fn left_out(error: &clap::Error) -> Option<String> {
    let name = error.get(ContextKind::InvalidSubcommand)?.to_string();
    VARIANTS.iter().map(|variant| dashed(variant)).find(|left_out| *left_out == name)
}

/// Returns the name of a command from that of its variant: `validate-plan` for `ValidatePlan`.
fn dashed(variant: &str) -> String {
    let mut name = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// Print the completion script of a shell.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: clap_complete::Shell,
}

impl Completions {
    fn run(&self, env: &Environment) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command(), "adjudicate", &mut script);
        output::text(env, &String::from_utf8_lossy(&script))?;
        Ok(Exit::Answered)
    }
}

/// Write the manual pages, and the completion scripts of every shell, into a folder, for packages.
#[derive(Debug, Args)]
pub(crate) struct DistAssets {
    /// The folder; the command creates `man` and `completions` in it
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl DistAssets {
    fn run(&self, env: &Environment) -> Result<Exit, Failure> {
        self.write(env).map_err(Failure::of_writing)?;
        Ok(Exit::Answered)
    }

    /// Writes the files.
    fn write(&self, env: &Environment) -> io::Result<()> {
        let [pages, completions] = ["man", "completions"].map(|name| env.path(&self.folder).join(name));
        fs::create_dir_all(&pages)?;
        fs::create_dir_all(&completions)?;
        clap_mangen::generate_to(command(), &pages)?;
        for shell in clap_complete::Shell::value_variants() {
            clap_complete::generate_to(*shell, &mut command(), "adjudicate", &completions)?;
        }
        Ok(())
    }
}

/// Reads the command line, which begins with the name of the program.
pub(crate) fn parse(arguments: Vec<OsString>, env: &Environment) -> Result<Command, Failure> {
    let matches = command().try_get_matches_from(arguments);
    matches.and_then(|matches| read(&matches)).map_err(|error| failure(&error, env))
}

fn read(matches: &clap::ArgMatches) -> Result<Command, clap::Error> {
    if let Some((name, arguments)) = matches.subcommand()
        && let Some(operation) = derived().find(|operation| operation::name(*operation) == name)
    {
        return operation::Derived::new(operation, arguments).map(Command::Derived);
    }
    CommandLine::from_arg_matches(matches).map(|line| line.command)
}

/// Prints help or the version to standard output. Other errors are one line, as all errors of the command are.
fn failure(error: &clap::Error, env: &Environment) -> Failure {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output::text(env, &error.render().to_string()).err().unwrap_or(Failure::Printed)
        }
        _ => match left_out(error) {
            Some(name) => usage::left_out(&format!("the command `{name}`")).into(),
            None => Error::new(codes::WRONG_USAGE, usage::message(error)).into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_command_stands_under_one_task() {
        let command = command();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut visible: Vec<_> = visible.map(clap::Command::get_name).collect();
        let mut listed: Vec<_> = tasks().flat_map(|(_, names)| names).collect();
        visible.sort_unstable();
        listed.sort_unstable();
        assert_eq!(visible, listed);
    }

    /// Returns the value of the only instruction with this name in the last stage of the image's recipe.
    #[cfg(feature = "serve")]
    fn instruction<'a>(recipe: &'a str, name: &str) -> &'a str {
        let (_, last_stage) = recipe.rsplit_once("\nFROM ").unwrap();
        let mut values = last_stage.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = values.next().unwrap();
        assert_eq!(values.next(), None, "{name}");
        value
    }

    #[cfg(feature = "serve")]
    #[test]
    fn the_container_starts_a_server_that_the_command_line_allows() {
        use std::path::Path;

        let recipe = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Containerfile"));
        let recipe = recipe.unwrap();
        let words = |name| serde_json::from_str::<Vec<String>>(instruction(&recipe, name)).unwrap();
        let line = CommandLine::try_parse_from([words("ENTRYPOINT"), words("CMD")].concat()).unwrap();
        let Command::Serve(serve) = line.command else { panic!("it starts `serve`") };
        crate::serving::check(&serve, &Environment::of_process())
            .unwrap_or_else(|_| panic!("the options agree"));
        assert!(!serve.insecure_plaintext && !serve.allow_local_admin && serve.tls_cert.is_some());
        assert_eq!(serve.listen.port().to_string(), instruction(&recipe, "EXPOSE"));
        let store = instruction(&recipe, "VOLUME");
        assert_eq!(store, "/var/lib/adjudicate");
        assert_eq!(serve.location.store.as_deref(), Some(Path::new(store)));
        assert!(
            recipe.contains(":nonroot\n")
                && recipe.contains(&format!("--chown=nonroot:nonroot /store {store}\n"))
        );
        assert!(recipe.contains(&format!("target/dist/adjudicate {}\n", words("ENTRYPOINT").concat())));
    }

    /// Without the engine, `build` fails in the image.
    #[test]
    fn the_container_has_the_engine_in_the_command() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
        let (recipe, script) = (read("../../Containerfile"), read("build.rs"));
        let lines: Vec<_> = recipe.lines().collect();
        let line = |wanted: &str| lines.iter().position(|line| line.starts_with(wanted)).unwrap();
        let [folder, engine, variable, command] = [
            "WORKDIR /source",
            "RUN cargo xtask build --engine",
            "ENV ADJUDICATE_EMBED_ENGINE=/source/target/artifacts/engine.wasm",
            "RUN cargo build ",
        ]
        .map(line);
        assert!(folder < engine && engine < command && variable < command);
        assert!(script.contains(r#""ADJUDICATE_EMBED_ENGINE""#));
    }

    /// The words of the commands of this program in a script, without quotes, comments and redirections.
    #[cfg(all(feature = "mcp", feature = "nats", feature = "oci", feature = "serve"))]
    fn commands(script: &str) -> Vec<Vec<String>> {
        let script = script.replace("\\\n", " ");
        let mut commands = Vec::new();
        for line in script.lines() {
            let mut words = vec![String::new()];
            let mut quote = None;
            for letter in line.split(" #").next().unwrap_or_default().chars() {
                match letter {
                    _ if quote == Some(letter) => quote = None,
                    '\'' | '"' if quote.is_none() => quote = Some(letter),
                    ' ' if quote.is_none() => words.push(String::new()),
                    _ => words.last_mut().unwrap().push(letter),
                }
            }
            words.retain(|word| !word.is_empty());
            let ends = |word: &String| matches!(&**word, "|" | ">" | "<" | "&&" | ";");
            let is_own = |part: &&[String]| part.first().is_some_and(|word| word == "adjudicate");
            commands.extend(words.split(ends).filter(is_own).map(<[String]>::to_vec));
        }
        commands
    }

    /// Tests run the blocks of `console`, and the first hour those of `sh` below `start` and `tutorial`. The others need a server, a
    /// cluster or a registry.
    #[cfg(all(feature = "mcp", feature = "nats", feature = "oci", feature = "serve"))]
    #[test]
    fn commands_in_scripts_of_the_book_can_be_parsed() {
        let book = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let mut parsed = 0;
        for folder in fs::read_dir(book).unwrap().map(|folder| folder.unwrap().path()) {
            for page in fs::read_dir(&folder).into_iter().flatten().map(|page| page.unwrap().path()) {
                let text = fs::read_to_string(&page).unwrap_or_default();
                for block in text.split("\n```sh\n").skip(1) {
                    let script = block.split("\n```").next().unwrap_or_default();
                    for words in commands(script) {
                        let name = format!("{}: {words:?}", page.display());
                        // A value that the shell computes.
                        let is_computed = words.iter().any(|word| word.contains('$'));
                        let matches = command().try_get_matches_from(words);
                        match matches.and_then(|matches| read(&matches)) {
                            Err(error) if !error.use_stderr() => {}
                            Err(error) if is_computed && error.kind() == ErrorKind::ValueValidation => {}
                            Err(error) => panic!("{name}: {error}"),
                            Ok(_) => {}
                        }
                        parsed += 1;
                    }
                }
            }
        }
        assert!(parsed > 40, "{parsed}");
    }

    /// The gate runs this with all features. To run it with none, pass `--no-default-features` to `cargo test`.
    #[test]
    fn commands_of_a_feature_exist_only_with_the_feature() {
        let command = command();
        let has = |name: &str| command.find_subcommand(name).is_some();
        assert_eq!((has("push"), has("pull")), (cfg!(feature = "oci"), cfg!(feature = "oci")));
        assert_eq!((has("serve"), has("mcp")), (cfg!(feature = "serve"), cfg!(feature = "mcp")));
        let options = command.get_subcommands().flat_map(|command| command.get_arguments());
        let of_clusters = options.filter_map(|option| option.get_long()).filter(|name| name.contains("nats"));
        assert_eq!(of_clusters.count() > 0, cfg!(feature = "nats"));
        let of_modules = ["install", "token", "build", "records"].map(has);
        assert_eq!(of_modules, [cfg!(feature = "modules"); 4]);
        assert!(has("evaluate") && has("verdict"));
    }
}
