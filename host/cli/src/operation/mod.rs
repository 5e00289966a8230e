//! The commands that run an operation, and the parts of their calls.

mod args;

use adjudicate_core::{
    Operation,
    json::{Kind, Node},
};

use crate::{
    call::Call,
    composition::Composition,
    exit::Exit,
    failure::Failure,
    options::named,
    parts::{Alone, Parts},
};
pub(crate) use args::{
    ApplyGuardrails, CheckPolicy, Deliberate, Evaluate, Explain, MergeDiagnostics, ObserveOutput, Refine,
    ValidatePlan,
};

pub(crate) fn evaluate(args: &Evaluate) -> Result<Exit, Failure> {
    let beside = named("--policy", &args.policy).chain(named("--override", &args.overriding));
    args.requests.check_all(&args.sandbox, beside.chain(named("--restrict", &args.restrict)))?;
    let composition = Composition::load(args.overriding.as_ref(), &args.restrict, &args.sandbox)?;
    let parts = envelope().with("policy", args.policy.as_ref())?;
    let call = Call::new(Operation::Evaluate, &args.sandbox, parts)?;
    call.composed(composition).by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn refine(args: &Refine) -> Result<Exit, Failure> {
    let beside = named("--policy", &args.policy).chain(named("--evaluation", &args.evaluation));
    args.requests.check_all(&args.sandbox, beside)?;
    let parts = envelope().with("policy", args.policy.as_ref())?;
    let parts = parts.with("evaluation", args.evaluation.as_ref())?;
    Call::new(Operation::Refine, &args.sandbox, parts)?.run(&args.requests)
}

pub(crate) fn explain(args: &Explain) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, named("--policy", &args.policy))?;
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
    args.requests.check_all(&args.sandbox, [])?;
    let parts = Parts::new("policy", Alone::Like(is_policy), "{}");
    Call::new(Operation::CheckPolicy, &args.sandbox, parts)?.run(&args.requests)
}

pub(crate) fn validate_plan(args: &ValidatePlan) -> Result<Exit, Failure> {
    let beside = named("--task", &args.task).chain(named("--capabilities", &args.capabilities));
    let beside = beside.chain(named("--facets", &args.facets)).chain(named("--previous", &args.previous));
    args.requests.check_all(&args.sandbox, beside)?;
    let alone = Alone::WithoutMember(Operation::ValidatePlan);
    let parts = Parts::new("plan", alone, r#"{"nodes":[],"edges":[]}"#)
        .with("task", args.task.as_ref())?
        .with("capabilities", args.capabilities.as_ref())?
        .with("facets", args.facets.as_ref())?
        .with("previous", args.previous.as_ref())?;
    let call = Call::new(Operation::ValidatePlan, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn merge_diagnostics(args: &MergeDiagnostics) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, [])?;
    let parts = Parts::new("diagnostics", Alone::Like(is_list), "[]");
    let call = Call::new(Operation::MergeDiagnostics, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn observe_output(args: &ObserveOutput) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, named("--contract", &args.contract))?;
    let parts = Parts::new("output", Alone::UnlessCall(&["outputContract", "output"]), "null")
        .with("outputContract", args.contract.as_ref())?;
    let call = Call::new(Operation::ObserveOutput, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn apply_guardrails(args: &ApplyGuardrails) -> Result<Exit, Failure> {
    let beside = named("--policies", &args.policies).chain(named("--state", &args.state));
    args.requests.check_all(&args.sandbox, beside)?;
    let alone = Alone::WithoutMember(Operation::ApplyGuardrails);
    let parts = Parts::new("event", alone, r#"{"kind":"manual"}"#)
        .with("policies", args.policies.as_ref())?
        .with("state", args.state.as_ref())?;
    let call = Call::new(Operation::ApplyGuardrails, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

pub(crate) fn deliberate(args: &Deliberate) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, [])?;
    // A ledger is a call, and nothing goes with it.
    let parts = Parts::new("ledger", Alone::Like(|_| false), "{}");
    let call = Call::new(Operation::Deliberate, &args.sandbox, parts)?;
    call.by_status(args.exit_status).run(&args.requests)
}

/// Returns the parts of a call whose documents are envelopes.
const fn envelope() -> Parts {
    Parts::new("envelope", Alone::Envelope, "{}")
}

/// Whether a document is a list.
pub(crate) fn is_list(document: Node<'_>) -> bool {
    document.kind() == Kind::Array
}

/// Whether a document is a policy, and not a call that has one: there `policy` is an object, here a name.
fn is_policy(document: Node<'_>) -> bool {
    let member = |name| document.member(name);
    member("version").is_some() && member("policy").is_some_and(|name| name.kind() == Kind::String)
}
