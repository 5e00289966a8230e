//! `evaluate` with several policies and modules at once: what restricts, and what overrides (SPEC section 3.8).
//!
//! Reads who has a say, and asks the modules; how answers are put together, and in which order, is the core's.

use adjudicate_core::{
    Operation, Policy,
    evaluate::{Answered, ENGINE_ORIGIN, Member as Voice, Panel},
};
use adjudicate_host::Module;

use crate::{
    args::{Evaluate, Sandbox},
    evaluator::{self, Evaluator},
    failure::Failure,
    input::Source,
    layout,
};

/// Who has a say beside the base.
#[derive(Debug, Default)]
pub(crate) struct Composition {
    overriding: Option<Member>,
    restricting: Vec<Member>,
}

/// Somebody who evaluates.
#[derive(Debug)]
enum Member {
    Policy(Box<Policy>),
    Module(Module),
}

/// Somebody who evaluates, and what a module answered.
enum Asked<'a> {
    Policy(&'a Policy),
    Module { origin: &'a str, answer: String },
}

impl Composition {
    pub(crate) fn load(args: &Evaluate) -> Result<Self, Failure> {
        let load = |source: &Source| Member::load(source, &args.sandbox);
        Ok(Self {
            overriding: args.overriding.as_ref().map(load).transpose()?,
            restricting: args.restrict.iter().map(load).collect::<Result<_, _>>()?,
        })
    }

    /// Composes the answer of the base to a call with those of all others to its envelope.
    pub(crate) fn compose(&self, base: &Evaluator, input: &[u8], answer: String) -> Result<String, Failure> {
        if self.overriding.is_none() && self.restricting.is_empty() {
            return Ok(answer);
        }
        let tape = Operation::Evaluate.read(input)?;
        let call = tape.text();
        let envelope = layout::member(call, "envelope").unwrap_or(call);
        // An envelope has no such member.
        let policy = layout::member(call, "policy").filter(|text| *text != "null");
        let policy = policy.map(|text| Policy::parse(text.as_bytes())).transpose();
        let policy = policy.map_err(|error| error.within("policy"))?;
        let origin = match base {
            Evaluator::Native => policy.as_ref().map_or(ENGINE_ORIGIN, Policy::name),
            Evaluator::Module(module) => &module.manifest().name,
            Evaluator::Slot(slot) => slot.name(),
        };
        let overriding = ask(self.overriding.as_slice(), envelope)?;
        let restricting = ask(&self.restricting, envelope)?;
        let panel = Panel {
            policy: policy.as_ref(),
            answer: Some(Answered { origin, answer: answer.as_bytes() }),
            overriding: overriding.iter().map(Asked::voice).collect(),
            restricting: restricting.iter().map(Asked::voice).collect(),
        };
        Ok(panel.evaluate(envelope.as_bytes())?)
    }
}

/// Asks all of them, in their order.
fn ask<'m>(members: &'m [Member], envelope: &str) -> Result<Vec<Asked<'m>>, Failure> {
    members.iter().map(|member| member.ask(envelope)).collect()
}

impl Member {
    /// Reads a module if the name ends so, else a policy document.
    fn load(source: &Source, sandbox: &Sandbox) -> Result<Self, Failure> {
        if let Source::File(path) = source
            && path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wasm"))
        {
            return evaluator::load(path, sandbox).map(Self::Module);
        }
        let text = source.part(&source.name(), None)?;
        let policy = Policy::parse(&text).map_err(|error| error.within(&source.name()))?;
        Ok(Self::Policy(Box::new(policy)))
    }

    /// Asks a module what it makes of the envelope. What a policy makes of it, the core knows.
    fn ask(&self, envelope: &str) -> Result<Asked<'_>, Failure> {
        match self {
            Self::Policy(policy) => Ok(Asked::Policy(policy)),
            Self::Module(module) => Ok(Asked::Module {
                origin: &module.manifest().name,
                answer: module.call(Operation::Evaluate, envelope.as_bytes())?,
            }),
        }
    }
}

impl Asked<'_> {
    /// The member as the core has it.
    fn voice(&self) -> Voice<'_> {
        match self {
            Self::Policy(policy) => Voice::Policy(policy),
            Self::Module { origin, answer } => Voice::Answer(Answered { origin, answer: answer.as_bytes() }),
        }
    }
}
