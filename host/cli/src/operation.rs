//! The verbs that are operations: which parts their calls may come in.

use adjudicate_core::{
    Operation,
    json::{Kind, Node},
};

use clap::ValueEnum;

use crate::{
    args::{
        ApplyGuardrails, CheckPolicy, Deliberate, Evaluate, Explain, MergeDiagnostics, NormalizePlan,
        ObserveOutput, Refine, ValidatePlan,
    },
    call::Call,
    composition::Composition,
    exit::Exit,
    failure::Failure,
    parts::{Alone, Parts},
};

pub(crate) fn evaluate(args: &Evaluate) -> Result<Exit, Failure> {
    let composition = Composition::load(args)?;
    let parts = envelope().with("policy", args.policy.as_ref())?;
    let call = Call::new(Operation::Evaluate, &args.sandbox, parts)?;
    call.composed(composition).by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn refine(args: &Refine) -> Result<Exit, Failure> {
    let parts = envelope().with("policy", args.policy.as_ref())?;
    let parts = parts.with("evaluation", args.evaluation.as_ref())?;
    Call::new(Operation::Refine, &args.sandbox, parts)?.run(&args.requests)
}

pub(crate) fn explain(args: &Explain) -> Result<Exit, Failure> {
    let parts = match args.policy {
        Some(_) => envelope(),
        // To be asked for a trace, it need not come apart from its policy.
        None => Parts::new("envelope", Alone::WithoutMember(Operation::Explain), "{}"),
    };
    let parts = parts.with("policy", args.policy.as_ref())?;
    let parts = if args.trace { parts.with_text("trace", "true") } else { parts };
    Call::new(Operation::Explain, &args.sandbox, parts)?.run(&args.requests)
}

pub(crate) fn check_policy(args: &CheckPolicy) -> Result<Exit, Failure> {
    let parts = Parts::new("policy", Alone::Like(is_policy), "{}");
    Call::new(Operation::CheckPolicy, &args.sandbox, parts)?.run(&args.requests)
}

pub(crate) fn validate_plan(args: &ValidatePlan) -> Result<Exit, Failure> {
    let alone = Alone::WithoutMember(Operation::ValidatePlan);
    let parts = Parts::new("plan", alone, r#"{"nodes":[],"edges":[]}"#)
        .with("task", args.task.as_ref())?
        .with("capabilities", args.capabilities.as_ref())?
        .with("facets", args.facets.as_ref())?;
    let call = Call::new(Operation::ValidatePlan, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn merge_diagnostics(args: &MergeDiagnostics) -> Result<Exit, Failure> {
    let parts = Parts::new("diagnostics", Alone::Like(is_list), "[]");
    let call = Call::new(Operation::MergeDiagnostics, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn observe_output(args: &ObserveOutput) -> Result<Exit, Failure> {
    let parts = Parts::new("output", Alone::UnlessCall(&["outputContract", "output"]), "null")
        .with("outputContract", args.contract.as_ref())?;
    let call = Call::new(Operation::ObserveOutput, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn apply_guardrails(args: &ApplyGuardrails) -> Result<Exit, Failure> {
    let alone = Alone::WithoutMember(Operation::ApplyGuardrails);
    let parts = Parts::new("event", alone, r#"{"kind":"manual"}"#)
        .with("policies", args.policies.as_ref())?
        .with("state", args.state.as_ref())?;
    let call = Call::new(Operation::ApplyGuardrails, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn normalize_plan(args: &NormalizePlan) -> Result<Exit, Failure> {
    let alone = if args.from.is_some() { is_plan_of_that_form } else { is_plan };
    let mut parts = Parts::new("plan", Alone::Like(alone), "[]");
    for (member, word) in
        [("format", args.from.as_ref().map(said)), ("hash_mode", args.hash_mode.as_ref().map(said))]
    {
        if let Some(word) = word {
            parts = parts.with_text(member, &word);
        }
    }
    Call::new(Operation::NormalizePlan, &args.sandbox, parts)?.run(&args.requests)
}

pub(crate) fn deliberate(args: &Deliberate) -> Result<Exit, Failure> {
    // A ledger is a call, and nothing goes with it.
    let parts = Parts::new("ledger", Alone::Like(|_| false), "{}");
    let call = Call::new(Operation::Deliberate, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

/// The parts of a call whose documents are envelopes.
const fn envelope() -> Parts {
    Parts::new("envelope", Alone::Envelope, "{}")
}

/// A word of the command line as JSON.
fn said<W: ValueEnum>(word: &W) -> String {
    let value = word.to_possible_value();
    format!("\"{}\"", value.as_ref().map_or("", |value| value.get_name()))
}

/// Whether a document is a list.
pub(crate) fn is_list(document: Node<'_>) -> bool {
    document.kind() == Kind::Array
}

/// Whether a document is a plan, of whichever form, and not a call that has one: no call has such a member.
fn is_plan(document: Node<'_>) -> bool {
    let markers = ["subtasks", "implementation_steps", "nodes", "steps"];
    is_list(document) || markers.iter().any(|name| document.member(name).is_some())
}

/// Whether a document is a plan where the command line says of which form: all are, but for a whole call.
fn is_plan_of_that_form(document: Node<'_>) -> bool {
    let is_of_call = |name: &str| matches!(name, "plan" | "format" | "hash_mode") || name.starts_with("x-");
    document.member("plan").is_none() || !document.members().all(|(name, _)| is_of_call(name))
}

/// Whether a document is a policy, and not a call that has one: there `policy` is an object, here a name.
fn is_policy(document: Node<'_>) -> bool {
    let member = |name| document.member(name);
    member("version").is_some() && member("policy").is_some_and(|name| name.kind() == Kind::String)
}
