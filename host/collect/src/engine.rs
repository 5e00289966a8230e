//! The requests of a collection that need no operating system: progress and decisions.

use std::io;

use adjudicate_core::{Error, Operation, Policy, join_documents};

use crate::{
    CollectOptions,
    system::{SystemAnswer, SystemRequest},
};

/// Answers a request about the progress, or to the engine. Every other request needs an operating system.
pub(crate) fn answer(options: &CollectOptions<'_>, request: SystemRequest) -> io::Result<SystemAnswer> {
    Ok(match request {
        SystemRequest::Progress(progress) => {
            options.report(progress);
            SystemAnswer::Done
        }
        SystemRequest::CheckPolicy(_, policy) => match Policy::parse(policy.as_bytes()) {
            Ok(_) => SystemAnswer::Done,
            Err(error) => SystemAnswer::Refused(error),
        },
        SystemRequest::Decide(envelope, policy) => match options.decide {
            Some(decide) => {
                let (evaluation, revision) = decide(&envelope)?;
                SystemAnswer::Decision(evaluation, revision)
            }
            None => answers(&envelope, policy.as_deref()).unwrap_or_else(SystemAnswer::Refused),
        },
        _ => return Err(io::ErrorKind::Unsupported.into()),
    })
}

/// Evaluates and refines with the native engine.
fn answers(envelope: &str, policy: Option<&str>) -> Result<SystemAnswer, Error> {
    let policy = policy.map(|policy| ("policy", policy.as_bytes()));
    let documents: Vec<_> = [("envelope", envelope.as_bytes())].into_iter().chain(policy).collect();
    let call = join_documents(&documents)?;
    let evaluation = Operation::Evaluate.call(call.as_bytes())?;
    Ok(SystemAnswer::Decision(evaluation, Operation::Refine.call(call.as_bytes())?))
}
