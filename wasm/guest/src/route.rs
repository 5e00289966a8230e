//! The next step for a status (docs/reference/routing.md), as the engine chooses it without a policy.

use alloc::vec::Vec;

use crate::{
    roles::{is_plain, role_by_name, wanted},
    value::Value,
    view::{field, list, optional_field},
    words::{ClassifiedBy, Opcode, Role, Status},
};

/// A step that the workflow allows next. Only an [`Envelope`](crate::Envelope) gives one.
///
/// ```
/// # use adjudicate_guest::{Role, testing::Sample};
/// let sample = Sample::new().steps(["publish"]);
/// sample.read(|envelope| {
///     let step = envelope.step("publish").unwrap();
///     assert_eq!((step.id(), step.role()), ("publish", Role::Forward));
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    pub(crate) id: &'a str,
    envelope: &'a Value<'a>,
}

impl<'a> Step<'a> {
    /// Returns the step's id.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().steps(["publish"]);
    /// sample.read(|envelope| {
    ///     let step = envelope.allowed_next_steps().next().unwrap();
    ///     assert_eq!(step.id(), "publish");
    /// });
    /// ```
    #[must_use]
    pub fn id(self) -> &'a str {
        self.id
    }

    /// Returns the role: the one that the envelope declares, else the role of the first or last word of the name, else `forward`.
    ///
    /// ```
    /// # use adjudicate_guest::{Role, testing::Sample};
    /// let sample = Sample::new().steps(["ask-review", "ship"]).member("steps", r#"{"ship":{"role":"rollback"}}"#);
    /// sample.read(|envelope| {
    ///     let roles: Vec<_> = envelope.allowed_next_steps().map(|step| step.role()).collect();
    ///     assert_eq!(roles, [Role::Gate, Role::Rollback]);
    /// });
    /// ```
    #[must_use]
    pub fn role(self) -> Role {
        self.route().0
    }

    /// Returns the source of the role. The role of an unclassified step is a guess.
    ///
    /// ```
    /// # use adjudicate_guest::{ClassifiedBy, testing::Sample};
    /// let sample = Sample::new().steps(["undo", "STOP", "ship"]);
    /// sample.read(|envelope| {
    ///     let by: Vec<_> = envelope.allowed_next_steps().map(|step| step.classified_by()).collect();
    ///     assert_eq!(by, [ClassifiedBy::Named, ClassifiedBy::Reserved, ClassifiedBy::Unclassified]);
    /// });
    /// ```
    #[must_use]
    pub fn classified_by(self) -> ClassifiedBy {
        self.route().1
    }

    fn route(self) -> (Role, ClassifiedBy) {
        let info: &Value<'_> = field(field(self.envelope, "steps"), self.id);
        let by_opcode = || match optional_field(info, "opcode")? {
            Opcode::Gate => Some(Role::Gate),
            Opcode::Rollback => Some(Role::Rollback),
            Opcode::Stop => Some(Role::Stop),
            Opcode::RunAgent | Opcode::RunValidation | Opcode::Evaluate => None,
        };
        if let Some(role) = optional_field(info, "role").or_else(by_opcode) {
            return (role, ClassifiedBy::Declared);
        }
        if self.id == "STOP" {
            return (Role::Stop, ClassifiedBy::Reserved);
        }
        match role_by_name(self.id) {
            Some(role) => (role, ClassifiedBy::Named),
            None => (Role::Forward, ClassifiedBy::Unclassified),
        }
    }
}

/// Returns the steps that an envelope allows next, in its order.
pub(crate) fn steps<'a>(envelope: &'a Value<'a>, name: &'static str) -> impl Iterator<Item = Step<'a>> {
    list(envelope, name).map(move |id| Step { id, envelope })
}

/// Returns the first allowed step of the roles that a status asks for.
pub(crate) fn step_for<'a>(envelope: &'a Value<'a>, status: Status) -> Option<Step<'a>> {
    let steps: Vec<_> = steps(envelope, "allowed_next_steps").map(|step| (step, step.route())).collect();
    wanted(status).iter().find_map(|role| first_step(&steps, *role))
}

/// Returns the first step of a role: of the declared and reserved ones, then of those with plain names, then of the others. An
/// unclassified step plays the forward role if it is the only one and no step is declared forward.
fn first_step<'a>(steps: &[(Step<'a>, (Role, ClassifiedBy))], role: Role) -> Option<Step<'a>> {
    let of_role = |is_guess| {
        let found = steps
            .iter()
            .filter(move |(_, (of, by))| *of == role && (*by == ClassifiedBy::Unclassified) == is_guess);
        found.map(|(step, (_, by))| (*step, *by))
    };
    let known = of_role(false).min_by_key(|(step, by)| match by {
        ClassifiedBy::Named if is_plain(step.id, role) => 1,
        ClassifiedBy::Named => 2,
        _ => 0,
    });
    let step = known.or_else(|| {
        let mut guesses = of_role(true);
        let first = guesses.next()?;
        guesses.all(|(step, _)| step.id == first.0.id).then_some(first)
    });
    step.map(|(step, _)| step)
}
