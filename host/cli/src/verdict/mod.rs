//! The command `verdict`: makes and recomputes verdicts (docs/cookbook/share-a-verdict.md).

mod make;
mod verify;

use adjudicate_core::Error;
use clap::{Args, Subcommand};

use crate::{
    environment::Environment, evaluator::Sandbox, exit::Exit, failure::Failure, options::usage_error,
};

/// Make or verify a verdict: a call with its answer, which anyone can recompute.
#[derive(Debug, Args)]
pub(crate) struct VerdictArgs {
    #[command(subcommand)]
    action: VerdictAction,
}

/// A command on verdicts.
#[derive(Debug, Subcommand)]
enum VerdictAction {
    /// Decide, and print the call, the answer and their digests as one document
    Make(make::MakeVerdict),
    /// Decide again, and compare the answers, the digests and the signature
    Verify(verify::VerifyVerdict),
}

pub(crate) fn run(args: &VerdictArgs, env: &Environment) -> Result<Exit, Failure> {
    match &args.action {
        VerdictAction::Make(args) => make::run(args, env),
        VerdictAction::Verify(args) => verify::run(args, env),
    }
}

/// Refuses a slot: it can compose several modules, and change later.
fn check(sandbox: &Sandbox) -> Result<(), Error> {
    match sandbox.slot {
        Some(_) => usage_error("a verdict names one module: use `--module` instead of `--slot`"),
        None => sandbox.check(false),
    }
}
