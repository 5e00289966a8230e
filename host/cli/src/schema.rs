//! The verb `schema`: a JSON Schema and an instance in, `{"valid", "errors"}` out.

use adjudicate_core::{Error, schema::check_text};

use crate::{
    exit::{self, Exit},
    failure::Failure,
    input::Source,
    options::named,
    parts::{Alone, Parts},
    requests::{self, Answered, Answers, Requests},
    table::{self, Page},
};
use clap::Args;

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

pub(crate) fn run(args: &Schema) -> Result<Exit, Failure> {
    args.requests.check(named("--schema", &args.schema))?;
    let alone = Alone::UnlessCall(&["schema", "instance", "draft", "documents"]);
    let instances = Instances(Parts::new("instance", alone, "null").with("schema", args.schema.as_ref())?);
    if args.requests.ndjson {
        // A schema that is wrong is one error, not one a line.
        instances.0.check(check_text)?;
    }
    requests::run(&args.requests, &instances)
}

/// Validates instances, by one schema if it is given apart.
struct Instances(Parts);

impl Answers for Instances {
    fn answer(&self, document: Vec<u8>) -> Result<Answered, Failure> {
        let joined = self.0.join(document)?;
        let json =
            check_text(&joined.input).map_err(|error| self.0.lead_back(error.into(), joined.is_alone))?;
        Ok(Answered { input: joined.input, json })
    }

    fn name(&self) -> Option<&'static str> {
        self.0.name()
    }

    fn page(&self, answered: &Answered) -> Result<Page, Error> {
        table::violations(&answered.json)
    }
}
