//! `adjudicate facts`: the values that the conditions of a policy see in an envelope.

use adjudicate_core::{Operation, owned::KnownFacts};
use clap::Args;

use crate::{
    call::Call, environment::Environment, evaluator::Sandbox, exit::Exit, failure::Failure, input::Source,
    operation::envelope, options::named, requests::Requests, table,
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
    let call = Call::new(
        Operation::Facts,
        |shown| Ok(table::facts(&shown.typed(KnownFacts::from_json)?)),
        &args.sandbox,
        parts,
        env,
    )?;
    call.run(&args.requests, env)
}
