//! The command `schema`: validates an instance by a JSON Schema, or prints the schema of a document.

use adjudicate_core::{
    Error,
    schema::{OwnedSchemaCheck, check_text},
    schemas::DocumentRow,
};

use crate::{
    documents,
    environment::Environment,
    exit::Exit,
    failure::Failure,
    input::Source,
    layout,
    options::named,
    output,
    parts::{BareWhen, Parts},
    requests::{self, Answered, RequestHandler, Requests},
    table::{self, Page},
};
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _},
};

/// Validate a value against a JSON Schema, or print the schema of a document.
///
/// The drafts are 7 and 2020-12. Without arguments, the command lists the documents.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.required(false).help(
        "`{\"schema\": ..., \"instance\": ...}`; with `--schema`, the instance; `-` for standard input"
    ).long_help(
        "`{\"schema\": ..., \"instance\": ..., \"draft\": ..., \"documents\": ...}`; with `--schema`, the instance; \
         `-` for standard input"
    ))
)]
pub(crate) struct Schema {
    #[command(flatten)]
    pub(crate) requests: Option<Requests>,
    /// The schema; FILE is then the instance alone
    #[arg(long, value_name = "FILE", requires = "input")]
    pub(crate) schema: Option<Source>,
    /// Print the JSON Schema of this document
    #[arg(long, value_name = "NAME", exclusive = true, value_parser = document(), hide_possible_values = true)]
    pub(crate) of: Option<&'static DocumentRow>,
}

/// Returns the parser of the name of a document.
fn document() -> impl clap::builder::TypedValueParser<Value = &'static DocumentRow> {
    let names = documents::all().map(|row| PossibleValue::new(row.name).help(row.about));
    PossibleValuesParser::new(names)
        .try_map(|name| documents::all().find(|row| row.name == name).ok_or("no document"))
}

pub(crate) fn run(args: &Schema, env: &Environment) -> Result<Exit, Failure> {
    match (args.of, &args.requests) {
        (Some(row), _) => output::line(env, &layout::pretty(&row.schema()))?,
        (None, None) => output::text(env, &list())?,
        (None, Some(requests)) => return validate(args, requests, env),
    }
    Ok(Exit::Answered)
}

/// Returns one line for each document.
fn list() -> String {
    let width = documents::all().map(|row| row.name.len()).max().unwrap_or_default();
    documents::all().map(|row| format!("{:width$}  {}\n", row.name, row.about)).collect()
}

fn validate(args: &Schema, requests: &Requests, env: &Environment) -> Result<Exit, Failure> {
    requests.check(named("--schema", &args.schema))?;
    let bare_when = BareWhen::UnlessCall(&["schema", "instance", "draft", "documents"]);
    let instances = InstanceValidator(Parts::new("instance", bare_when, "null").with(
        "schema",
        args.schema.as_ref(),
        env,
    )?);
    if requests.ndjson {
        // An invalid schema is one error, not one per line.
        instances.0.check(check_text)?;
    }
    requests::run(requests, &instances, env)
}

/// Validates instances, all by one schema if `--schema` is given.
struct InstanceValidator(Parts);

impl RequestHandler for InstanceValidator {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let joined = self.0.join(document)?;
        let json = check_text(&joined.input)
            .map_err(|error| self.0.relative_to_file(error.into(), joined.is_bare))?;
        Ok(Answered { input: joined.input, json })
    }

    fn name(&self) -> Option<&'static str> {
        self.0.name()
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        Ok(table::violations(&answered.typed(OwnedSchemaCheck::from_json)?))
    }
}
