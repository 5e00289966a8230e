//! Routing: classifies each step (docs/reference/routing.md).
//!
//! A step is *declared* by `steps` or by the policy's `routes`, *reserved* (`STOP`), *named* by the words of its id, or
//! *unclassified*.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error, Steps,
    paths::{Path, normalize},
};

use super::roles::role_by_name;
use crate::{
    documents::{
        envelope::{Envelope, Opcode, StepInfo},
        evaluation::{ClassifiedBy, Route},
        role::Role,
    },
    policy::Policy,
};

/// The reserved terminal: a legal step that needs no entry in `steps`.
const STOP: &str = "STOP";

impl Route {
    /// The route of a step without any known role.
    pub(super) const UNCLASSIFIED: Self = Self { role: Role::Forward, by: ClassifiedBy::Unclassified };

    const fn declared(role: Role) -> Self {
        Self { role, by: ClassifiedBy::Declared }
    }
}

/// The route of each allowed step, in the order of the list.
pub(super) fn routes(
    envelope: &Envelope<'_>,
    policy: &Policy,
    steps: &mut Steps,
) -> Result<Vec<Route>, Error> {
    let allowed = envelope.allowed_next_steps.iter();
    allowed.map(|step| classify(step, envelope.steps.get(step), policy, steps)).collect()
}

/// The route of a step: declared by `steps`, otherwise reserved, otherwise declared by the policy's routes, otherwise by its
/// name.
fn classify(step: &str, info: Option<&StepInfo>, policy: &Policy, steps: &mut Steps) -> Result<Route, Error> {
    let info = info.copied().unwrap_or_default();
    let declared = info.role.or(match info.opcode {
        Some(Opcode::Gate) => Some(Role::Gate),
        Some(Opcode::Rollback) => Some(Role::Rollback),
        Some(Opcode::Stop) => Some(Role::Stop),
        Some(Opcode::RunAgent | Opcode::RunValidation | Opcode::Evaluate) | None => None,
    });
    if let Some(role) = declared {
        return Ok(Route::declared(role));
    }
    if step == STOP {
        return Ok(Route { role: Role::Stop, by: ClassifiedBy::Reserved });
    }
    if !policy.routes().is_empty() {
        let path = normalize(step);
        let path = Path::split(&path);
        for (role, globs) in policy.routes() {
            for glob in globs {
                if glob.matches(&path, steps)? {
                    return Ok(Route::declared(*role));
                }
            }
        }
    }
    Ok(role_by_name(step).map_or(Route::UNCLASSIFIED, |role| Route { role, by: ClassifiedBy::Named }))
}

#[cfg(test)]
mod tests {
    use super::super::roles::{is_plain, role_by_name};
    use crate::documents::role::Role;

    #[test]
    fn roles_by_name() {
        use Role::{Fix, Gate, Rollback, Stop};
        for (name, expected) in [
            ("publish", None),
            ("fix", Some(Fix)),
            ("Fix_Tests", Some(Fix)),
            ("fixTests", Some(Fix)),
            ("fix_findings", Some(Fix)),
            ("prefix", None),
            ("fixture", None),
            ("fix2", None),
            ("auto.fix", None),
            ("skip_review", None),
            ("bypassApproval", None),
            ("reset_database", None),
            ("hard_reset", None),
            ("reset", Some(Rollback)),
            ("resetWorkspace", Some(Rollback)),
            ("discard_changes", Some(Rollback)),
            ("restore_state_now", None),
            ("RERUN", Some(Fix)),
            ("HTTPGate", Some(Gate)),
            ("humanApproval", Some(Gate)),
            ("human_gate", Some(Gate)),
            ("-ask-", Some(Gate)),
            ("revert_all", Some(Rollback)),
            ("discard", Some(Rollback)),
            ("done", Some(Stop)),
            ("abort", Some(Stop)),
            ("cancel_run", Some(Stop)),
            ("exit-Session", Some(Stop)),
            ("überFix", Some(Fix)),
            ("FIX", Some(Fix)),
            ("v2Fix", Some(Fix)),
            ("xÜFix", Some(Fix)),
            ("aFixB", None),
            ("préfix", None),
            ("fix\u{a0}it", Some(Fix)),
            ("fix\u{2014}it", Some(Fix)),
            ("", None),
            ("--", None),
            // A word in the middle does not count.
            ("publish_fix_now", None),
            // First and last word tell different roles.
            ("review-fix", None),
            ("fix_and_review", None),
            ("done_review", Some(Gate)),
            ("abort_review", Some(Gate)),
            // A terminal is the whole name, or ends with a word such as `run`.
            ("finish_release", None),
            ("full_stop", None),
            ("stop_the_run", None),
            ("run_stop", None),
            // A connective cancels the role.
            ("approve_and_deploy", None),
            ("stopAndReview", None),
            ("non_stop_deploy", None),
            ("deploy_after_review", None),
            ("no_fix", None),
            ("review_unless_done", None),
        ] {
            assert_eq!(role_by_name(name), expected, "{name}");
        }
    }

    #[test]
    fn plain_names() {
        for (name, role, expected) in [
            ("human_gate", Role::Gate, true),
            ("approval-by-the-code-owner", Role::Gate, true),
            ("review_and_ship", Role::Gate, false),
            ("gate_keeper_v2", Role::Gate, false),
            ("cancel_run", Role::Stop, true),
            ("reset_workspace", Role::Rollback, true),
            ("fix_tests", Role::Fix, false),
        ] {
            assert_eq!(is_plain(name, role), expected, "{name}");
        }
    }
}
