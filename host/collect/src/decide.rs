//! Collects, decides, and stores the new state.

use std::path::Path;

use adjudicate_core::{
    Error, Operation,
    codes::Status,
    join_documents,
    owned::{Evaluation, Revision},
};
use adjudicate_evidence::collect::OwnedConfiguration;

use crate::{
    CollectError, Options,
    collection::{Collected, collect_in, judged_name},
    state::RunFolder,
};

/// The decision on a collection.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The envelope and the observation.
    pub collected: Collected,
    /// The answer of `evaluate`.
    pub evaluation: Evaluation,
    /// The answer of `refine`.
    pub revision: Revision,
}

/// Collects the evidence, evaluates and refines it with the native engine, and stores the new state of the run. `policy` is the JSON text
/// of a policy document.
///
/// The new state is on the disk when this returns. So a decision that a caller has seen is always part of the state.
///
/// # Errors
///
/// Those of [`collect`](crate::collect()), and [`CollectError::Document`] if the policy is damaged.
pub fn run(
    root: &Path,
    configuration: &OwnedConfiguration,
    policy: Option<&str>,
    options: &Options<'_>,
) -> Result<Decided, CollectError> {
    let folder = RunFolder::lock(root, options.wait)?;
    let (collected, mut state) = collect_in(&folder, root, configuration, options)?;
    let (evaluation, revision) = match decide(&collected, policy) {
        Ok(answers) => answers,
        Err(error) => {
            // Without the mark of this collection, which was not killed.
            folder.write(&state)?;
            return Err(CollectError::Document("envelope and policy".into(), error));
        }
    };
    state.take(collected.envelope.clone(), &evaluation, &revision);
    let tree = collected.envelope.evidence.tree.as_deref();
    let is_success = evaluation.decision.status == Status::Success;
    state.judged = tree.filter(|_| is_success).and_then(|tree| judged_name(tree, configuration, policy));
    folder.write(&state)?;
    Ok(Decided { collected, evaluation, revision })
}

fn decide(collected: &Collected, policy: Option<&str>) -> Result<(Evaluation, Revision), Error> {
    let envelope = collected.envelope.to_json();
    let policy = policy.map(|policy| ("policy", policy.as_bytes()));
    let documents: Vec<_> = [("envelope", envelope.as_bytes())].into_iter().chain(policy).collect();
    let call = join_documents(&documents)?;
    let evaluation = Evaluation::from_json(Operation::Evaluate.call(call.as_bytes())?.as_bytes())?;
    let revision = Revision::from_json(Operation::Refine.call(call.as_bytes())?.as_bytes())?;
    Ok((evaluation, revision))
}
