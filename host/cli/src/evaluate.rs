//! The verb `evaluate`, for one request.

use adjudicate_core::{
    Error, ErrorCode, Policy, call_input,
    evaluate::Status,
    json::{self, Limits},
};

use crate::{
    args::{Evaluate, Format},
    evaluator::Evaluator,
    exit::Exit,
    failure::Failure,
    input::Source,
    layout, ndjson, output, table,
};

pub(crate) fn run(args: &Evaluate) -> Result<Exit, Failure> {
    let policy = args.policy.as_ref().map(Source::policy).transpose()?;
    let evaluator = Evaluator::new(&args.sandbox)?;
    if args.ndjson {
        // A policy that cannot be meant is one error, not one a line. What a module makes of it is the module's to say.
        if let (Evaluator::Native, Some(policy)) = (&evaluator, &policy) {
            Policy::parse(policy).map_err(|error| error.within("policy"))?;
        }
        return ndjson::run(args, &evaluator, policy.as_deref());
    }
    let document = args.input.document(args.input_format)?;
    let answer = answer(&evaluator, document, policy.as_deref())?;
    let exit = exit(&answer, args.exit_status)?;
    match args.format {
        Format::Json => output::line(&layout::compact(&answer))?,
        Format::Pretty => output::line(&layout::pretty(&answer))?,
        Format::Table => output::table(&table::evaluation(&answer)?, args.color)?,
    }
    Ok(exit)
}

/// Answers one document, with the policy that goes with it.
pub(crate) fn answer(
    evaluator: &Evaluator,
    document: Vec<u8>,
    policy: Option<&[u8]>,
) -> Result<String, Failure> {
    match policy {
        // The document is the call, be it a bare envelope or both together.
        None => evaluator.answer(&document),
        Some(policy) => evaluator.answer(call_input(&document, Some(policy))?.as_bytes()),
    }
}

/// What to end with after an answer.
pub(crate) fn exit(answer: &str, by_status: bool) -> Result<Exit, Error> {
    if !by_status {
        return Ok(Exit::Answered);
    }
    let tape = json::read(answer.as_bytes(), Limits::DOCUMENT)?;
    let status = tape.root().member("decision").and_then(|decision| decision.member("status"));
    let status = status.and_then(|status| status.decode::<Status>().ok());
    status.map(Exit::Decided).ok_or_else(|| {
        Error::new(ErrorCode::ModuleInvalidDecision, "the module's answer has no status")
            .at("/decision/status")
    })
}
