//! The verbs that answer requests: one document in, one answer out, or a line of each.

use std::path::PathBuf;

use adjudicate_core::{Error, ErrorCode, logic::Mode};
use clap::{Args, ValueEnum};

use super::{Color, Format, InputFormat, StorePlace, layouts, one_stdin};
use crate::{exit, input::Source, known_engine::KnownEngine};

/// Where requests come from, and how answers are printed.
#[derive(Debug, Args)]
pub(crate) struct Requests {
    /// The document; `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) input: Source,
    /// Read one request per line, write one reply per line, in order; blank lines are skipped
    #[arg(long)]
    pub(crate) ndjson: bool,
    /// How to print the answer
    #[arg(long, value_parser = layouts(), default_value = "json", conflicts_with = "ndjson")]
    pub(crate) format: Format,
    /// When to use colours in a table
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) color: Color,
    /// What FILE is, whatever its name ends in
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) input_format: Option<InputFormat>,
}

/// Which module decides, and what it may use.
#[derive(Debug, Args)]
pub(crate) struct Sandbox {
    /// Let this policy module decide, in a sandbox, instead of the engine built in
    #[arg(long, value_name = "FILE")]
    pub(crate) module: Option<PathBuf>,
    /// Let whatever is in force in this slot of the store decide
    #[arg(long, value_name = "SLOT", conflicts_with = "module")]
    pub(crate) slot: Option<String>,
    #[command(flatten)]
    pub(crate) place: StorePlace,
    /// An engine to trust, by its digest or its FILE: it runs without fuel and deadline, and its answers are not checked. Of a
    /// file, policies that are baked into it are trusted, too
    #[arg(long, value_name = "DIGEST|FILE")]
    pub(crate) known_engine: Vec<KnownEngine>,
    /// Fuel for each call, about one unit per instruction
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) fuel: Option<u64>,
    /// Do not keep the compiled module in the cache directory, nor look for it there
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// Decide on an evaluator envelope: a status, the next step, what to fix, and why.
#[derive(Debug, Args)]
#[command(
    after_help = exit::EVALUATE_HELP,
    mut_arg("input", |input| input.help("The envelope, or `{\"envelope\": ..., \"policy\": ...}`; `-` for standard input"))
)]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The policy document to decide by (YAML if it ends in .yaml or .yml); FILE is then a bare envelope
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// What else must be content: a policy document, or a module if it ends in .wasm. It can tighten the decision and
    /// never loosen it
    #[arg(long, value_name = "FILE")]
    pub(crate) restrict: Vec<Source>,
    /// What decides instead: a policy document or a module. What was found without it is only reported; `--restrict`
    /// holds all the same
    #[arg(long = "override", value_name = "FILE")]
    pub(crate) overriding: Option<Source>,
    /// End with a status that tells the decision's status
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Draw from an envelope and its evaluation what the revision loop needs: what to refine, what happened, what comes next.
#[derive(Debug, Args)]
#[command(
    after_help = exit::HELP,
    mut_arg("input", |input| input.help(
        "`{\"envelope\": ..., \"policy\": ..., \"evaluation\": ...}`, or an envelope if the others are given apart; \
         `-` for standard input"
    ))
)]
pub(crate) struct Refine {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The policy document; FILE is then a bare envelope
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// The evaluation that the envelope must have (what `evaluate` printed); FILE is then a bare envelope
    #[arg(long, value_name = "FILE", conflicts_with = "ndjson")]
    pub(crate) evaluation: Option<Source>,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Tell why a decision is what it is, and what would have to change for `success`.
#[derive(Debug, Args)]
#[command(
    after_help = exit::HELP,
    mut_arg("input", |input| input.help("The envelope, or `{\"envelope\": ..., \"policy\": ...}`; `-` for standard input"))
)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The policy document; FILE is then a bare envelope
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// Tell of every rule, what it came to and what it looked at
    #[arg(long)]
    pub(crate) trace: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Find what is wrong with a policy document, for programs; `check` tells people the same.
#[derive(Debug, Args)]
#[command(
    after_help = exit::HELP,
    mut_arg("input", |input| input.help("The policy document, or `{\"policy\": ...}`; `-` for standard input"))
)]
pub(crate) struct CheckPolicy {
    #[command(flatten)]
    pub(crate) requests: Requests,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Evaluate a logic expression on data.
#[derive(Debug, Args)]
#[command(
    after_help = exit::HELP,
    mut_arg("input", |input| input.help("`{\"logic\": ..., \"data\": ...}`; `-` for standard input"))
)]
pub(crate) struct Logic {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// How the expression is read
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: LogicMode,
}

/// Validate a value by a JSON Schema, of draft 7 or 2020-12.
#[derive(Debug, Args)]
#[command(
    after_help = exit::SCHEMA_HELP,
    mut_arg("input", |input| input.help(
        "`{\"schema\": ..., \"instance\": ..., \"draft\": ..., \"documents\": ...}`, or the instance alone if the schema is \
         given apart: then a whole call is refused; `-` for standard input"
    ))
)]
pub(crate) struct Schema {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The schema; FILE is then the instance alone
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<Source>,
}

/// How a logic expression is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogicMode {
    /// Three-valued and exact; nothing is coerced, and what is unknown answers null
    #[default]
    Strict,
    /// As the reference implementation of JSONLogic does
    Compat,
}

impl From<LogicMode> for Mode {
    fn from(mode: LogicMode) -> Self {
        match mode {
            LogicMode::Strict => Self::Strict,
            LogicMode::Compat => Self::Compat,
        }
    }
}

impl Sandbox {
    /// Refuses options for which there is no slot or no module; `has_module` says whether one of the other arguments is a module.
    fn check(&self, has_module: bool) -> Result<(), Error> {
        let wrong = |message: String| Err(Error::new(ErrorCode::WrongUsage, message));
        if self.place.store.is_some() && self.slot.is_none() {
            return wrong("`--store` says where a slot is: say `--slot`, too".to_owned());
        }
        let options = [
            ("--known-engine", !self.known_engine.is_empty()),
            ("--fuel", self.fuel.is_some()),
            ("--no-cache", self.no_cache),
        ];
        match options.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if self.module.is_none() && !has_module => {
                wrong(format!("`{option}` needs a module from a file, for example `--module FILE`"))
            }
            _ => Ok(()),
        }
    }
}

impl Requests {
    /// [`Requests::check`], and the options of the sandbox, which are for each module among the documents, too.
    pub(super) fn check_all<'a>(
        &'a self,
        sandbox: &Sandbox,
        beside: impl IntoIterator<Item = (&'a str, &'a Source)>,
    ) -> Result<(), Error> {
        let beside: Vec<_> = beside.into_iter().collect();
        sandbox.check(beside.iter().any(|(_, source)| source.module().is_some()))?;
        self.check(beside)
    }

    /// Refuses what no single argument shows to be wrong; `beside` are the other documents of the call.
    pub(super) fn check<'a>(
        &'a self,
        beside: impl IntoIterator<Item = (&'a str, &'a Source)>,
    ) -> Result<(), Error> {
        one_stdin([("FILE", &self.input)].into_iter().chain(beside))?;
        if self.ndjson && self.input.format(self.input_format) == InputFormat::Yaml {
            return Err(Error::new(ErrorCode::WrongUsage, "`--ndjson` reads JSON lines, not YAML"));
        }
        Ok(())
    }
}
