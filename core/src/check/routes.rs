//! Patterns without effect: in `routes`, shadowed by an earlier role, and in lists of paths.

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::{OwnedValue, Pointer},
    paths::{Glob, Path, normalize},
};

use super::{
    candidates::glob_example, envelope_model::clean, finding::CheckFindings, statuses::usual,
    verifier::Verifier,
};
use crate::{
    codes::Status,
    documents::{
        check_code::CheckCode,
        check_finding::{CheckFinding, Witness},
        policy::Profile,
        role::Role,
    },
    policy::Policy,
};

/// The budget for comparing patterns; beyond it, the remaining ones are not checked.
const STEPS: u64 = 20_000_000;
/// The cost of a pair of patterns, in addition to their lengths.
const PAIR: usize = 8;

/// Reports patterns without effect.
pub(super) fn check<'p>(policy: &'p Policy, verifier: &mut Verifier<'p>, findings: &mut CheckFindings) {
    let mut steps = Steps::new(STEPS);
    roles(policy, verifier, &mut steps, findings);
    ambiguous(policy, verifier, findings);
    review(policy, findings);
    acceptance(policy, findings);
    paths(policy, verifier, &mut steps, findings);
}

fn roles<'p>(
    policy: &'p Policy,
    verifier: &mut Verifier<'p>,
    steps: &mut Steps,
    findings: &mut CheckFindings,
) {
    let patterns = policy.routes().iter().map(|(_, globs)| globs.len()).sum();
    let mut earlier: Vec<(Role, &Glob, usize)> = Vec::with_capacity(patterns);
    for (role, globs) in policy.routes() {
        for (index, glob) in globs.iter().enumerate() {
            let text = glob.text();
            let finding = |message| {
                let path = Pointer::new("/routes").key(role.as_str()).index(index).into_string();
                CheckFinding::new(CheckCode::IllegalRoutePattern, path, message)
            };
            if glob.is_empty() {
                findings.push(finding(format!("`{text}` has no name in it, so it matches no step")));
            } else if normalize(text) == "STOP" && *role != Role::Stop {
                let message =
                    format!("`STOP` always ends the run, so `{text}` makes no step a {} step", role.as_str());
                findings.push(finding(message).hint("give the step a role in the envelope's `steps`"));
            } else if let Some((_, (first, other, at))) = earlier
                .iter()
                .map_while(|entry| Some((covers(entry.1, glob, steps)?, entry)))
                .find(|(covers, _)| *covers)
            {
                let message = match first == role {
                    true => {
                        format!("every step that `{text}` matches is matched by `{}` already", other.text())
                    }
                    false => format!(
                        "every step that `{text}` matches is a {} step already, by `{}`",
                        first.as_str(),
                        other.text()
                    ),
                };
                let witness = routed(policy, &glob_example(text), *first, verifier);
                let at = Pointer::new("/routes").key(first.as_str()).index(*at).into_string();
                findings.push(finding(message).hint(format!("see `{at}`")).shown_by(witness));
            }
            earlier.push((*role, glob, index));
        }
    }
}

/// Routes that name steps, but none forward: a success with several unclassified steps then has no next step.
fn ambiguous<'p>(policy: &'p Policy, verifier: &mut Verifier<'p>, findings: &mut CheckFindings) {
    let names_forward = policy.routes().iter().any(|(role, _)| *role == Role::Forward);
    if policy.routes().is_empty() || names_forward {
        return;
    }
    let mut envelope = clean(policy);
    envelope.set(&["allowed_next_steps"], OwnedValue::texts(["first", "second"]));
    let Some(witness) = verifier.witness(envelope).filter(|witness| witness.has("ambiguous_route")) else {
        return;
    };
    let message =
        "the routes name no forward step: where two unclassified steps are allowed, a success asks a human";
    let finding = CheckFinding::new(CheckCode::AmbiguousRoutes, "/routes", message);
    findings.push(finding.hint("add the patterns of forward steps as `forward`").shown_by(Some(witness)));
}

/// A policy of the revision loop that does not set when a success needs a review.
fn review(policy: &Policy, findings: &mut CheckFindings) {
    if policy.profile() != Profile::Oa06_1 || policy.says_review() {
        return;
    }
    let message = "the policy does not say when a success needs a review: under `oa06.1` each success needs one since the last success";
    let finding = CheckFinding::new(CheckCode::UnstatedReview, "/profile", message);
    findings.push(finding.hint("add `\"review\": \"required\"`, `\"first\"` or `\"optional\"`"));
}

/// A policy that accepts known failures, and requires no validator that could have any.
fn acceptance(policy: &Policy, findings: &mut CheckFindings) {
    if !policy.accepts_known_failures() || !policy.required_validators().is_empty() {
        return;
    }
    let message =
        "known failures are accepted, and no validator is required: a step without its result can pass";
    let finding = CheckFinding::new(CheckCode::AcceptanceWithoutValidators, "/known_failures", message);
    findings.push(finding.hint("name the validators whose failures may be known as `required_validators`"));
}

/// An envelope whose next step is `step`, selected by its role.
fn routed<'p>(policy: &'p Policy, step: &str, role: Role, verifier: &mut Verifier<'p>) -> Option<Witness> {
    let status = match role {
        Role::Forward => Status::Success,
        Role::Fix => Status::Partial,
        Role::Gate => Status::NeedsHuman,
        Role::Rollback => Status::Unsafe,
        Role::Stop => Status::Blocked,
    };
    let mut envelope = if role == Role::Forward { clean(policy) } else { usual(policy, status) };
    envelope.set(&["allowed_next_steps"], OwnedValue::texts([step]));
    verifier.witness(envelope).filter(|witness| witness.next_step.as_deref() == Some(step))
}

/// The lists of patterns that match paths, with their pointers.
pub(super) fn path_lists(policy: &Policy) -> [(&'static str, &[Glob]); 5] {
    [
        ("/forbidden_paths", policy.forbidden_paths()),
        ("/protected_paths", policy.protected_paths()),
        ("/allowed_paths", policy.allowed_paths().unwrap_or_default()),
        ("/required_artifacts", policy.required_artifacts()),
        ("/tests_may_go", policy.tests_may_go()),
    ]
}

fn paths<'p>(
    policy: &'p Policy,
    verifier: &mut Verifier<'p>,
    steps: &mut Steps,
    findings: &mut CheckFindings,
) {
    for (place, globs) in path_lists(policy) {
        for (index, glob) in globs.iter().enumerate() {
            let text = glob.text();
            let path = Pointer::new(place).index(index).into_string();
            let others = globs.iter().enumerate().filter(|(other, _)| *other != index);
            let forbidden = policy.forbidden_paths().iter().enumerate();
            // A narrower pattern requires more artifacts. So of these lists, only an equal one is reported.
            let must_be_equal = matches!(place, "/required_artifacts" | "/tests_may_go");
            let covered = first_of(others, |other, wider| {
                if must_be_equal {
                    steps.spend(1).ok()?;
                    return Some(other < index && wider.text() == text);
                }
                // Of two equivalent patterns, the first stays.
                Some(covers(wider, glob, steps)? && (other < index || !covers(glob, wider, steps)?))
            });
            let message = if glob.is_empty() {
                Some(format!("`{text}` has no name in it, so it matches nothing"))
            } else if let Some((other, wider)) = covered {
                Some(format!("`{text}` is covered by `{}` at `{place}/{other}`", wider.text()))
            } else {
                let effect = match place {
                    "/protected_paths" => Some(("protects", ": no approval lets it pass")),
                    "/allowed_paths" => Some(("allows", "")),
                    _ => None,
                };
                effect.and_then(|(does, so)| {
                    let (_, wider) = first_of(forbidden, |_, wider| covers(wider, glob, steps))?;
                    Some(format!("what `{text}` {does} is forbidden by `{}`{so}", wider.text()))
                })
            };
            let Some(message) = message else { continue };
            let changes = (!glob.is_empty() && !must_be_equal).then(|| glob_example(text));
            let witness = changes.and_then(|path| changed(policy, &path, verifier)).filter(is_noticed);
            findings.push(CheckFinding::new(CheckCode::ShadowedPattern, path, message).shown_by(witness));
        }
    }
}

/// Returns the first pattern for which `is_it` returns true. `None` if none matches, or if `is_it` runs out of budget first.
fn first_of<'g>(
    mut globs: impl Iterator<Item = (usize, &'g Glob)>,
    mut is_it: impl FnMut(usize, &Glob) -> Option<bool>,
) -> Option<(usize, &'g Glob)> {
    loop {
        let (place, glob) = globs.next()?;
        if is_it(place, glob)? {
            return Some((place, glob));
        }
    }
}

/// An envelope in which a path changed.
pub(super) fn changed<'p>(policy: &'p Policy, path: &str, verifier: &mut Verifier<'p>) -> Option<Witness> {
    let mut envelope = clean(policy);
    let mut file = OwnedValue::from_json(r#"{"path":"","change":"modified"}"#);
    file.set(&["path"], OwnedValue::text(path));
    envelope.add(&["evidence", "diff", "files"], file);
    verifier.witness(envelope)
}

/// Returns true if a list of paths reports the change in a witness.
pub(super) fn is_noticed(witness: &Witness) -> bool {
    witness.has("policy_violation") || witness.has("approval")
}

/// Returns true if `wider` provably decides each changed path at least as strictly as `narrower`. It may be equal, match anything,
/// or be a folder around it; or `narrower` has no wildcards, and `wider` covers its paths. `None` if the budget for all pairs has
/// run out.
fn covers(wider: &Glob, narrower: &Glob, steps: &mut Steps) -> Option<bool> {
    let text = narrower.text();
    steps.spend(text.len() + wider.text().len() + PAIR).ok()?;
    if wider.text() == text || matches!(wider.text(), "*" | "**") {
        return Some(true);
    }
    // `infra/**` matches everything that begins with `infra/` and continues.
    if let Some(folder) = wider.text().strip_suffix("**").filter(|folder| folder.ends_with('/'))
        && !folder.contains(['*', '?', '{'])
        && !text.contains(['{'])
        && normalize(text) == text
        && text.strip_prefix(folder).is_some_and(|rest| !rest.is_empty())
    {
        return Some(true);
    }
    let is_anchored = |pattern: &str| pattern.trim_end_matches('/').contains('/');
    if text.contains(['*', '?', '{']) {
        return Some(false);
    }
    let path = normalize(text);
    if !is_anchored(text) {
        // A name that matches anywhere covers the same name from the root.
        let is_any_name = !is_anchored(wider.text()) && !wider.text().contains('{');
        return Some(is_any_name && says_as_much(wider, narrower, &path, steps)?);
    }
    // Its paths: the path itself, and every directory above it, which may stand for it.
    let above = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
    for path in above.chain([&*path]) {
        if !says_as_much(wider, narrower, path, steps)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Returns true if a pattern decides a path at least as strictly as another, for files and directories, and for every change.
fn says_as_much(wider: &Glob, narrower: &Glob, path: &str, steps: &mut Steps) -> Option<bool> {
    for path in [Path::split(path), Path::directory(path)] {
        for is_removed in [false, true] {
            let [wider, narrower] = [wider, narrower].map(|glob| glob.verdict(&path, is_removed, steps));
            if wider.ok()? < narrower.ok()? {
                return Some(false);
            }
        }
    }
    Some(true)
}
