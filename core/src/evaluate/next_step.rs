//! The next step: the step that a status asks for (docs/reference/routing.md).
//!
//! A guess is never a next step: an unclassified step is selected only for `success`, and only if it is the only one.

use alloc::vec::Vec;

use adjudicate_lang::order;

use super::{
    facts::Facts,
    roles::{is_plain, wanted},
};
use crate::{
    bounds::MAX_LISTED,
    codes::Status,
    documents::{
        evaluation::{ClassifiedBy, Route},
        explanation::StepRoute,
        role::Role,
    },
};

/// The next step: the first allowed step of the roles that the status asks for.
pub(super) fn next_step<'a>(facts: &'a Facts<'a>, status: Status) -> Option<(&'a str, Route)> {
    wanted(status).iter().find_map(|role| first_step(facts, *role))
}

/// The first allowed step of the role `role`: of the declared and reserved ones, then of those with plain names, then of the
/// others. An unclassified step plays the forward role if it is the only one and no step is
/// declared forward.
pub(super) fn first_step<'a>(facts: &'a Facts<'a>, role: Role) -> Option<(&'a str, Route)> {
    let known = classified(facts).filter(|(_, route)| route.role == role && !is_guess(*route));
    let known = known.min_by_key(|(step, route)| match route.by {
        ClassifiedBy::Named if is_plain(step, role) => 1,
        ClassifiedBy::Named => 2,
        _ => 0,
    });
    known.or_else(|| match *unclassified_steps(facts) {
        [step] if role == Role::Forward => Some((step, Route::UNCLASSIFIED)),
        _ => None,
    })
}

/// The steps among which `success` would have to guess: two or more unclassified ones, if none is declared forward. Empty if the
/// route is clear.
pub(super) fn ambiguous_steps<'a>(facts: &'a Facts<'a>) -> Vec<&'a str> {
    match first_step(facts, Role::Forward) {
        Some(_) => Vec::new(),
        None => unclassified_steps(facts),
    }
}

/// The unclassified steps, each once, in the order of the list.
fn unclassified_steps<'a>(facts: &'a Facts<'a>) -> Vec<&'a str> {
    let guesses = classified(facts).filter(|(_, route)| is_guess(*route)).map(|(step, _)| step);
    order::without_repeats(guesses.collect(), Ord::cmp)
}

/// The allowed steps, each once with its classification, in the order of the list: the first 10,000.
pub(crate) fn step_routes<'a>(facts: &'a Facts<'a>) -> Vec<StepRoute<'a>> {
    let routes = classified(facts).map(|(step, Route { role, by })| StepRoute { step, role, by });
    let mut routes = order::without_repeats(routes.collect(), |left, right| left.step.cmp(right.step));
    routes.truncate(MAX_LISTED);
    routes
}

fn is_guess(route: Route) -> bool {
    route.by == ClassifiedBy::Unclassified
}

/// The allowed steps, each with its route, in the order of the list.
fn classified<'a>(facts: &'a Facts<'a>) -> impl Iterator<Item = (&'a str, Route)> {
    facts.envelope().allowed_next_steps.iter().copied().zip(facts.routes().iter().copied())
}
