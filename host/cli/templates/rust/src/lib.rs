//! A change freeze: during a freeze, files outside of `docs/` change only with an approval.
//!
//! Your program reports a freeze with the policy event `info:freeze:NAME`. The approval is called `freeze:NAME`.
//!
//! The policy does not check whether tests ran. Run it in addition to the engine (`--restrict`), which does.
#![cfg_attr(target_arch = "wasm32", no_std)]

#[cfg(test)]
mod tests;

use adjudicate_guest::{ChangedFile, normalize, prelude::*};

adjudicate_guest::policy! { decide: decide, tests: include_str!("../tests.json") }

const RULE: &str = "change-freeze";

/// Returns the findings; none if there is no objection.
fn decide(envelope: Envelope<'_>) -> Vec<Finding<'_>> {
    let evidence = envelope.evidence();
    let freezes = evidence.policy_events().filter_map(|event| event.strip_prefix("info:freeze:"));
    let active = freezes.filter(|name| !evidence.is_approved(&format!("freeze:{name}")));
    active.flat_map(|name| held(evidence, name)).collect()
}

/// Returns a finding for each file that one freeze forbids to change.
fn held<'a>(evidence: Evidence<'a>, freeze: &'a str) -> Vec<Finding<'a>> {
    // Unknown is never success.
    let Some(files) = evidence.changed_files() else { return vec![unknown(freeze)] };
    let frozen = files.into_iter().filter(|file| !file.paths().all(is_documentation));
    frozen.map(|file| changed(file, freeze)).collect()
}

fn unknown(freeze: &str) -> Finding<'_> {
    Finding::new(RULE, Status::NeedsHuman, "it is not known which files changed in a freeze")
        .at("/evidence/workspace_diff_summary")
        .actual(freeze)
        .blocker("freeze")
        .resolve(Resolution::ProvideEvidence, "hand over a typed diff")
}

fn changed<'a>(file: ChangedFile<'a>, freeze: &'a str) -> Finding<'a> {
    let hint = format!("approve `freeze:{freeze}`, or wait for its end");
    Finding::new(RULE, Status::NeedsHuman, format!("`{}` changed in a freeze", file.path()))
        .at(file.pointer())
        .actual(freeze)
        .flag("change_freeze")
        .blocker("freeze")
        .resolve(Resolution::NeedsApproval, hint)
}

/// Returns whether a path is below `docs/`. The normal form resolves `..`, so no spelling hides the place of a file.
fn is_documentation(path: &str) -> bool {
    normalize(path).starts_with("docs/")
}
