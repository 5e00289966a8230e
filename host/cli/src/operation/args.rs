//! The arguments of the verbs that decide, and of those beside a decision.

use clap::Args;

use crate::{evaluator::Sandbox, exit, input::Source, requests::Requests};

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
