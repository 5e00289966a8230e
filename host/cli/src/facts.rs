//! `adjudicate facts`: the values that the conditions of a policy see in an envelope.

use adjudicate_core::{
    Error, Operation,
    json::{self, Limits},
};
use clap::Args;

use crate::{
    call::Call,
    environment::Environment,
    evaluator::Sandbox,
    exit::Exit,
    failure::Failure,
    fields::{items, text},
    input::Source,
    operation::envelope,
    options::named,
    requests::Requests,
    table::{BOLD, DIM, Line, PLAIN, Page, input},
};

/// Print the values that the conditions of a policy see in an envelope.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help("The envelope, or `{\"envelope\": ..., \"policy\": ...}`; `-` for standard input"))
)]
pub(crate) struct Facts {
    #[command(flatten)]
    requests: Requests,
    /// The policy document; FILE is then a bare envelope
    #[arg(long, value_name = "FILE")]
    policy: Option<Source>,
    #[command(flatten)]
    sandbox: Sandbox,
}

pub(crate) fn run(args: &Facts, env: &Environment) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, named("--policy", &args.policy))?;
    let parts = envelope().with("policy", args.policy.as_ref(), env)?;
    let call = Call::new(Operation::Facts, |shown| page(&shown.json), &args.sandbox, parts, env)?;
    call.run(&args.requests, env)
}

/// The page of an answer: one line for each variable.
fn page(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let mut page = Page::default();
    for variable in items(tape.root(), "variables") {
        let style = if text(variable, "state") == "unknown" { DIM } else { BOLD };
        let line = Line::at(0).label(text(variable, "variable"), style, NAME).text(&input(variable), PLAIN);
        page.push(line.text(text(variable, "evidence_ref"), DIM));
    }
    Ok(page)
}

/// The width of the names of variables.
const NAME: usize = 30;
