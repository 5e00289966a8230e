//! The arguments of the commands that run an operation. A call is one file, or its parts are in separate files.

use clap::Args;

use crate::{evaluator::Sandbox, exit, input::Source, output::Format, requests::Requests};

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
    /// Also apply this policy document, or this module if it ends in .wasm. It can make the decision stricter, never more
    /// lenient. Repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) restrict: Vec<Source>,
    /// Replace the decision by the one of this policy document or module. Earlier findings are only reported; `--restrict`
    /// still applies
    #[arg(long = "override", value_name = "FILE")]
    pub(crate) overriding: Option<Source>,
    /// End with the exit status of the decision
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Derive from an envelope and its evaluation the data of the revision loop: what to refine, what happened, what comes next.
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

/// Explain a decision, and the changes that would lead to `success`.
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
    /// Show every rule with its result and the evidence that it read
    #[arg(long)]
    pub(crate) trace: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Find problems of a policy document, for programs; `check` shows the same to humans.
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

/// Judge whether a plan can do what its task asks, before it runs.
#[derive(Debug, Args)]
#[command(
    after_help = exit::PLAN_HELP,
    mut_arg("input", |input| input.help(
        "`{\"task\": ..., \"plan\": ..., \"capabilities\": ..., \"facets\": ..., \"previous\": ...}` without the parts given apart, or the plan \
         alone; no part may come twice; `-` for standard input"
    )),
    mut_arg("format", |format| format.value_parser(clap::builder::EnumValueParser::<Format>::new()))
)]
pub(crate) struct ValidatePlan {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The task that the plan is for (YAML if it ends in .yaml or .yml)
    #[arg(long, value_name = "FILE")]
    pub(crate) task: Option<Source>,
    /// The list of known capabilities
    #[arg(long, value_name = "FILE")]
    pub(crate) capabilities: Option<Source>,
    /// The list of known facets
    #[arg(long, value_name = "FILE")]
    pub(crate) facets: Option<Source>,
    /// The payload of an earlier answer. An accepted plan then gets the event `plan_updated`, with the changes since
    #[arg(long, value_name = "FILE")]
    pub(crate) previous: Option<Source>,
    /// End with the exit status of the plan
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Merge the diagnostics of several validators into one bundle: without repeats, in one order, with a status and a score.
#[derive(Debug, Args)]
#[command(
    after_help = exit::MERGE_HELP,
    mut_arg("input", |input| input.help(
        "`{\"diagnostics\": [...], \"weights\": ...}`, or the list of diagnostics alone; `-` for standard input"
    ))
)]
pub(crate) struct MergeDiagnostics {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// End with a status that tells the bundle's status
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Check an output against its contract.
#[derive(Debug, Args)]
#[command(
    after_help = exit::OBSERVE_HELP,
    mut_arg("input", |input| input.help(
        "`{\"outputContract\": ..., \"output\": ...}`, or the output alone if the contract is given apart: then a whole call is \
         refused; `-` for standard input"
    ))
)]
pub(crate) struct ObserveOutput {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The output contract; FILE is then the output alone
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<Source>,
    /// End with a status that tells the bundle's status
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Apply runtime policies to an event of a run.
#[derive(Debug, Args)]
#[command(
    after_help = exit::GUARDRAILS_HELP,
    mut_arg("input", |input| input.help(
        "`{\"policies\": ..., \"event\": ..., \"state\": ...}` without what is given apart, or the event alone; no part \
         may come twice; `-` for standard input"
    ))
)]
pub(crate) struct ApplyGuardrails {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The list of runtime policies
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: Option<Source>,
    /// The counters and measurements before the event
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<Source>,
    /// End with the exit status of the most severe action
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Decide whether an agent may go on planning, and list its open duties.
#[derive(Debug, Args)]
#[command(
    after_help = exit::DELIBERATE_HELP,
    mut_arg("input", |input| input.help("The ledger of what was planned so far; `-` for standard input"))
)]
pub(crate) struct Deliberate {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// End with the exit status of the gate
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}
