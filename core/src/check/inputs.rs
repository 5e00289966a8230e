//! The policy that is checked, with the values that its declared inputs allow.

use alloc::{rc::Rc, string::String, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::{self, OwnedValue, ReadLimits},
    logic::VariablePath,
};

use super::{
    abstract_state::AbstractState,
    domain::Domain,
    outputs::{CHOICES, Ground, Outputs, Step, output},
};
use crate::policy::{Inputs, Policy, Variable};

/// The budget for looking into the schema of the inputs, for all variables of the policy.
const STEPS: u64 = 50_000_000;

/// A policy whose conditions are checked.
#[derive(Clone, Copy)]
pub(super) struct Checked<'p> {
    pub policy: &'p Policy,
    /// Its declared inputs, if it declares them.
    pub inputs: Option<&'p InputValues<'p>>,
}

/// The values that the declared inputs of a policy allow.
pub(super) struct InputValues<'p> {
    inputs: &'p Inputs,
    ground: Ground<'p>,
    /// By the number of the variable; `None` for a variable that is no `x-` field of the envelope's root.
    targets: Vec<Option<InputTarget<'p>>>,
}

/// The values that a variable can have, or a message for humans if there are none.
type InputTarget<'p> = Result<Rc<Domain<'p>>, String>;

impl<'p> InputValues<'p> {
    pub(super) fn new(policy: &'p Policy) -> Option<Self> {
        let inputs = policy.inputs()?;
        // Paths begin with `input`, which is the object that the schema describes.
        let ground = Ground::new(Some(inputs.schema()), &[], STEPS).below(1);
        let target = |variable: &Variable| {
            let way: Vec<Step<'_>> = variable.rest().iter().map(|name| Step::Name(name)).collect();
            variable.is_input().then(|| {
                let mut domain = ground.target(&way)?;
                // A field that breaks the schema is unknown.
                domain.unknown = true;
                Ok(Rc::new(*domain))
            })
        };
        let targets = policy.variables().iter().map(target).collect();
        Some(Self { inputs, ground, targets })
    }

    /// The object of all declared fields.
    pub(super) const fn outputs(&'p self) -> Outputs<'p> {
        Outputs::new(&self.ground)
    }

    /// Returns the `x-` fields of an envelope, as an object, in which variables have values that a search leaves them.
    pub(super) fn sample(&self, state: &AbstractState<'p>, steps: &mut Steps) -> Option<OwnedValue> {
        (0..CHOICES).find_map(|choice| {
            let fields = output(state, choice, steps)?;
            self.admit(&json::write(&fields), steps).then_some(fields)
        })
    }

    /// Returns whether an envelope does not break the schema.
    pub(super) fn admit(&self, envelope: &str, steps: &mut Steps) -> bool {
        let Ok(tape) = json::read(envelope.as_bytes(), ReadLimits::DOCUMENT) else { return false };
        self.inputs.breaches(tape.root(), steps).is_ok_and(|breaches| breaches.all().is_empty())
    }
}

impl<'p> Checked<'p> {
    /// The values of a declared input; `None` if the path leads to anything else.
    pub(super) fn input(self, path: &VariablePath) -> Option<&'p InputTarget<'p>> {
        let number = self.policy.variable_number(path)?;
        self.inputs?.targets.get(number as usize)?.as_ref()
    }
}
