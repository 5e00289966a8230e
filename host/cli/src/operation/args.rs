//! The arguments of the commands that run an operation. A call is one file, or its parts are in separate files.

use clap::Args;

use crate::{evaluator::Sandbox, input::Source, output::Format, requests::Requests};

/// Decide on an envelope: the status, the next step, what to fix, and why.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help("The envelope, or `{\"envelope\": ..., \"policy\": ...}`; `-` for standard input"))
)]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// Decide by this policy (YAML if it ends in .yaml or .yml); FILE is then a bare envelope
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// Also apply this policy (or `.wasm` module); repeatable
    ///
    /// It can make the decision stricter, never more lenient.
    #[arg(long, value_name = "FILE")]
    pub(crate) restrict: Vec<Source>,
    /// Replace the decision by that of this policy (or `.wasm` module)
    ///
    /// Earlier findings are only reported. `--restrict` still applies.
    #[arg(long = "override", value_name = "FILE")]
    pub(crate) overriding: Option<Source>,
    /// End with the exit status of the decision
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Print the fixes, the history and the next step for the next round.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help(
        "The envelope, or an object with it and an `evaluation`; `-` for standard input"
    ))
)]
pub(crate) struct Refine {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The policy document; FILE is then a bare envelope
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// The evaluation that `evaluate` printed for the envelope; FILE is then a bare envelope
    #[arg(long, value_name = "FILE", conflicts_with = "ndjson")]
    pub(crate) evaluation: Option<Source>,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Explain a decision, and the changes that would lead to `success`; or a code.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help("The envelope, or `{\"envelope\": ..., \"policy\": ...}`; `-` for standard input"))
)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) requests: Option<Requests>,
    /// The policy document; FILE is then a bare envelope
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<Source>,
    /// Show every rule with its result and the evidence that it read
    #[arg(long)]
    pub(crate) trace: bool,
    /// Explain a code of a rule, an error, a finding of `check` or a diagnostic
    #[arg(long, value_name = "CODE", exclusive = true)]
    pub(crate) code: Option<String>,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Print the problems of a policy document as JSON; `check` prints them as text.
#[derive(Debug, Args)]
#[command(
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
    mut_arg("input", |input| input.help(
        "The plan, or an object with `plan` and other parts; `-` for standard input"
    ).long_help(
        "The plan, or an object `{\"task\": ..., \"plan\": ..., \"capabilities\": ..., \"facets\": ..., \"previous\": ...}` without \
         the parts that options give; `-` for standard input"
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
    /// The payload of an earlier answer, to compare with
    ///
    /// The event of an accepted plan is then `plan_updated`, with the changes.
    #[arg(long, value_name = "FILE")]
    pub(crate) previous: Option<Source>,
    /// End with the exit status of the plan
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Merge the diagnostics of several validators into one bundle.
///
/// The bundle has no duplicates, one order, a status and a score.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help(
        "The list of diagnostics, or an object with `diagnostics`; `-` for standard input"
    ))
)]
pub(crate) struct MergeDiagnostics {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// End with the exit status of the bundle
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Check an output against its contract.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help(
        "The output, or an object with `outputContract` and `output`; `-` for standard input"
    ))
)]
pub(crate) struct ObserveOutput {
    #[command(flatten)]
    pub(crate) requests: Requests,
    /// The output contract; FILE is then the output alone
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<Source>,
    /// End with the exit status of the bundle
    #[arg(long)]
    pub(crate) exit_status: bool,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
}

/// Apply runtime policies to an event of a run.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help(
        "The event, or an object with `event` and other parts; `-` for standard input"
    ).long_help(
        "The event, or an object `{\"policies\": ..., \"event\": ..., \"state\": ...}` without the parts that options give; \
         `-` for standard input"
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

/// Decide whether an agent may continue to plan, and list its open duties.
#[derive(Debug, Args)]
#[command(
    mut_arg("input", |input| input.help("The ledger of the planning so far; `-` for standard input"))
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
