//! The commands that run an operation, and the parts of their calls.

mod args;
mod derived;

use adjudicate_core::{
    Operation,
    json::{Kind, Node},
    owned::{CheckAnswer, Evaluation, Explanation, Revision},
};

use crate::{
    call::Call,
    composition::Composition,
    environment::Environment,
    exit::Exit,
    explain_code,
    failure::Failure,
    options::{named, usage_error},
    parts::{BareWhen, Parts},
    table,
};
pub(crate) use args::{
    ApplyGuardrails, CheckPolicy, Deliberate, Evaluate, Explain, MergeDiagnostics, ObserveOutput, Refine,
    ValidatePlan,
};
pub(crate) use derived::{Derived, command, name};

pub(crate) fn evaluate(args: &Evaluate, env: &Environment) -> Result<Exit, Failure> {
    let options = named("--policy", &args.policy).chain(named("--override", &args.overriding));
    args.requests.check_all(&args.sandbox, options.chain(named("--restrict", &args.restrict)))?;
    let composition = Composition::load(args.overriding.as_ref(), &args.restrict, &args.sandbox, env)?;
    let parts = envelope().with("policy", args.policy.as_ref(), env)?;
    let call = Call::new(
        Operation::Evaluate,
        |shown| Ok(table::evaluation(&shown.typed(Evaluation::from_json)?)),
        &args.sandbox,
        parts,
        env,
    )?;
    call.composed(composition).by_status(args.exit_status).run(&args.requests, env)
}

pub(crate) fn refine(args: &Refine, env: &Environment) -> Result<Exit, Failure> {
    let options = named("--policy", &args.policy).chain(named("--evaluation", &args.evaluation));
    args.requests.check_all(&args.sandbox, options)?;
    let parts = envelope().with("policy", args.policy.as_ref(), env)?;
    let parts = parts.with("evaluation", args.evaluation.as_ref(), env)?;
    Call::new(
        Operation::Refine,
        |shown| Ok(table::revision(&shown.typed(Revision::from_json)?)),
        &args.sandbox,
        parts,
        env,
    )?
    .run(&args.requests, env)
}

pub(crate) fn explain(args: &Explain, env: &Environment) -> Result<Exit, Failure> {
    let requests = match (&args.code, &args.requests) {
        (Some(code), _) => return explain_code::print(code, env),
        (None, Some(requests)) => requests,
        (None, None) => usage_error("`explain` needs FILE or `--code`")?,
    };
    requests.check_all(&args.sandbox, named("--policy", &args.policy))?;
    let parts = match args.policy {
        Some(_) => envelope(),
        // `--trace` is a part, even if the policy is not a separate file.
        None => Parts::new("envelope", BareWhen::WithoutField(Operation::Explain), "{}"),
    };
    let parts = parts.with("policy", args.policy.as_ref(), env)?;
    let parts = if args.trace { parts.with_text("trace", "true") } else { parts };
    Call::new(
        Operation::Explain,
        |shown| Ok(table::explanation(&shown.typed(Explanation::from_json)?)),
        &args.sandbox,
        parts,
        env,
    )?
    .run(requests, env)
}

pub(crate) fn check_policy(args: &CheckPolicy, env: &Environment) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, [])?;
    let parts = Parts::new("policy", BareWhen::Matches(is_policy), "{}");
    Call::new(
        Operation::CheckPolicy,
        |shown| Ok(table::static_findings(&shown.typed(CheckAnswer::from_json)?)),
        &args.sandbox,
        parts,
        env,
    )?
    .run(&args.requests, env)
}

pub(crate) fn validate_plan(args: &ValidatePlan, env: &Environment) -> Result<Exit, Failure> {
    let options = named("--task", &args.task).chain(named("--capabilities", &args.capabilities));
    let options = options.chain(named("--facets", &args.facets)).chain(named("--previous", &args.previous));
    args.requests.check_all(&args.sandbox, options)?;
    let bare_when = BareWhen::WithoutField(Operation::ValidatePlan);
    let parts = Parts::new("plan", bare_when, r#"{"nodes":[],"edges":[]}"#)
        .with("task", args.task.as_ref(), env)?
        .with("capabilities", args.capabilities.as_ref(), env)?
        .with("facets", args.facets.as_ref(), env)?
        .with("previous", args.previous.as_ref(), env)?;
    let call = Call::new(
        Operation::ValidatePlan,
        |shown| table::plan(&shown.input, &shown.json),
        &args.sandbox,
        parts,
        env,
    )?;
    call.by_status(args.exit_status).run(&args.requests, env)
}

pub(crate) fn merge_diagnostics(args: &MergeDiagnostics, env: &Environment) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, [])?;
    let parts = Parts::new("diagnostics", BareWhen::Matches(is_list), "[]");
    let call = Call::new(
        Operation::MergeDiagnostics,
        |shown| table::bundle(&shown.json),
        &args.sandbox,
        parts,
        env,
    )?;
    call.by_status(args.exit_status).run(&args.requests, env)
}

pub(crate) fn observe_output(args: &ObserveOutput, env: &Environment) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, named("--contract", &args.contract))?;
    let parts = Parts::new("output", BareWhen::UnlessCall(&["outputContract", "output"]), "null").with(
        "outputContract",
        args.contract.as_ref(),
        env,
    )?;
    let call = Call::new(
        Operation::ObserveOutput,
        |shown| table::observation(&shown.json),
        &args.sandbox,
        parts,
        env,
    )?;
    call.by_status(args.exit_status).run(&args.requests, env)
}

pub(crate) fn apply_guardrails(args: &ApplyGuardrails, env: &Environment) -> Result<Exit, Failure> {
    let options = named("--policies", &args.policies).chain(named("--state", &args.state));
    args.requests.check_all(&args.sandbox, options)?;
    let bare_when = BareWhen::WithoutField(Operation::ApplyGuardrails);
    let parts = Parts::new("event", bare_when, r#"{"kind":"manual"}"#)
        .with("policies", args.policies.as_ref(), env)?
        .with("state", args.state.as_ref(), env)?;
    let call = Call::new(
        Operation::ApplyGuardrails,
        |shown| table::guardrails(&shown.json),
        &args.sandbox,
        parts,
        env,
    )?;
    call.by_status(args.exit_status).run(&args.requests, env)
}

pub(crate) fn deliberate(args: &Deliberate, env: &Environment) -> Result<Exit, Failure> {
    args.requests.check_all(&args.sandbox, [])?;
    // A ledger is a complete call.
    let parts = Parts::new("ledger", BareWhen::Matches(|_| false), "{}");
    let call = Call::new(
        Operation::Deliberate,
        |shown| table::deliberation(&shown.json),
        &args.sandbox,
        parts,
        env,
    )?;
    call.by_status(args.exit_status).run(&args.requests, env)
}

/// Returns the parts of a call whose documents are envelopes.
const fn envelope() -> Parts {
    Parts::new("envelope", BareWhen::Envelope, "{}")
}

/// Returns true if a document is a list.
pub(crate) fn is_list(document: Node<'_>) -> bool {
    document.kind() == Kind::Array
}

/// Returns true if a document is a policy. In a call with a policy, `policy` is an object; in a policy it is a name.
fn is_policy(document: Node<'_>) -> bool {
    let member = |name| document.member(name);
    member("version").is_some() && member("policy").is_some_and(|name| name.kind() == Kind::String)
}
