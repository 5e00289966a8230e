//! `adjudicate needs`: the evidence that policies read, as a configuration of a collection.

use std::path::Component;

use adjudicate_collect::configuration_for;
use adjudicate_core::{
    check::{EvidenceNeed, Needs as NeedList},
    document::Describe,
};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::repository::folder;
use crate::{
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::{InputFormat, Source},
    layout,
    options::{named, one_stdin},
    output,
};

/// List the evidence that a policy needs, as a configuration for `collect`.
#[derive(Debug, Args)]
pub(crate) struct Needs {
    /// The policy documents (YAML if they end in .yaml or .yml); `-` for standard input
    #[arg(value_name = "POLICY", required = true)]
    policies: Vec<Source>,
    /// The format of the documents, instead of the one that their names end in
    #[arg(long, value_enum, value_name = "FORMAT")]
    input_format: Option<InputFormat>,
    /// The format of the answer
    #[arg(long, value_enum, default_value_t)]
    format: NeedsFormat,
}

/// The format of the evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum NeedsFormat {
    /// A configuration, `adjudicate.yaml`, to complete
    #[default]
    Yaml,
    /// A list on one line
    Json,
}

/// The evidence that policies read, the answer of `adjudicate needs --format json`.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct NeedsReport {
    /// The evidence, by kind and name.
    needs: Vec<EvidenceNeed>,
}

pub(crate) fn needs(args: &Needs, env: &Environment) -> Result<Exit, Failure> {
    one_stdin(named("POLICY", &args.policies))?;
    let mut needs = NeedList::default();
    for source in &args.policies {
        let name = source.name();
        let text = source.part(&name, args.input_format, env)?;
        needs.add(&text).map_err(|error| error.within(&name))?;
    }
    let report = NeedsReport { needs: needs.into_list() };
    match args.format {
        NeedsFormat::Json => output::line(env, &layout::json(&report))?,
        NeedsFormat::Yaml => {
            let policy = args.policies.first().and_then(below_root);
            output::text(env, &configuration_for(&report.needs, policy, &folder(env)?))?;
        }
    }
    Ok(Exit::Answered)
}

/// Returns the path of a policy, if it is a path below the current folder.
fn below_root(source: &Source) -> Option<&str> {
    let Source::File(path) = source else { return None };
    let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
    path.to_str().filter(|_| is_below)
}
