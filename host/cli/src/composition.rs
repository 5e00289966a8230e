//! `evaluate` with several policies and modules at once: what restricts, and what overrides (SPEC section 3.8).
//!
//! Only asks everybody; how answers are put together is the core's. What overrides stands in for the base decision, and
//! what restricts is composed with the outcome: nobody can loosen a restriction.

use std::path::{Path, PathBuf};

use adjudicate_core::{
    Error, Operation, Policy,
    evaluate::{self, Composition as Mode, Envelope, Facts, Opinion, compose},
    json::{self, Kind, Limits, Node, Tape},
};
use adjudicate_host::Module;

use crate::{
    args::{Evaluate, Sandbox},
    evaluator::{self, Evaluator},
    failure::Failure,
    input::Source,
};

/// Whose decision it is that no policy and no module made.
const ENGINE: &str = "adjudicate";

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

/// An answer, and whose it is.
struct Named {
    origin: String,
    answer: String,
}

impl Composition {
    pub(crate) fn load(args: &Evaluate) -> Result<Self, Failure> {
        let load = |path: &PathBuf| Member::load(path, &args.sandbox);
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
        let node = tape.root().member("envelope").unwrap_or(tape.root());
        let policy = tape.root().member("policy").filter(|policy| policy.kind() != Kind::Null);
        let policy = policy.map(|policy| Policy::parse(json::canonical(policy).as_bytes())).transpose();
        let policy = policy.map_err(|error| error.within("policy"))?;
        let envelope: Envelope<'_> = node.decode()?;
        let facts = Facts::new(&envelope, node, policy.as_ref())?;
        let origin = match base {
            Evaluator::Native => policy.as_ref().map_or(ENGINE, Policy::name),
            Evaluator::Module(module) => &module.manifest().name,
        };
        let mut composed = Named { origin: origin.to_owned(), answer };
        if let Some(member) = &self.overriding {
            composed.answer = round(&facts, &composed, &[member.ask(&envelope, node)?], Mode::Override)?;
        }
        if !self.restricting.is_empty() {
            let others = self.restricting.iter().map(|member| member.ask(&envelope, node));
            let others = others.collect::<Result<Vec<_>, _>>()?;
            composed.answer = round(&facts, &composed, &others, Mode::Restrict)?;
        }
        Ok(composed.answer)
    }
}

impl Member {
    /// Reads a module if the name ends so, else a policy document.
    fn load(path: &Path, sandbox: &Sandbox) -> Result<Self, Failure> {
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wasm")) {
            return evaluator::load(path, sandbox).map(Self::Module);
        }
        let source = Source::File(path.to_owned());
        let policy = source.document(None).and_then(|text| Policy::parse(&text));
        let policy = policy.map_err(|error| error.within(&path.display().to_string()))?;
        Ok(Self::Policy(Box::new(policy)))
    }

    /// What this one makes of the envelope.
    fn ask(&self, envelope: &Envelope<'_>, node: Node<'_>) -> Result<Named, Failure> {
        match self {
            Self::Policy(policy) => {
                let named = |error: Error| error.within(policy.name());
                let facts = Facts::new(envelope, node, Some(policy)).map_err(named)?;
                let answer = json_text(&evaluate::evaluate(&facts));
                Ok(Named { origin: policy.name().to_owned(), answer })
            }
            Self::Module(module) => {
                let answer = module.call(Operation::Evaluate, json::canonical(node).as_bytes())?;
                Ok(Named { origin: module.manifest().name.clone(), answer })
            }
        }
    }
}

/// Puts answers together.
fn round(facts: &Facts<'_>, base: &Named, others: &[Named], mode: Mode) -> Result<String, Error> {
    // An answer may be larger than any input.
    let limits = Limits::ANSWER;
    let base_tape = json::read(base.answer.as_bytes(), limits)?;
    let tapes = others.iter().map(|named| json::read(named.answer.as_bytes(), limits));
    let tapes = tapes.collect::<Result<Vec<Tape<'_>>, Error>>()?;
    let opinions = others.iter().zip(&tapes).map(|(named, tape)| Opinion::read(&named.origin, tape.root()));
    let opinions = opinions.collect::<Result<Vec<Opinion<'_>>, Error>>()?;
    let base = Opinion::read(&base.origin, base_tape.root())?;
    Ok(json_text(&compose(facts, base, opinions, mode)))
}

fn json_text(evaluation: &impl serde::Serialize) -> String {
    // Evaluations always have a JSON form; an empty text is one that no reader takes for an answer.
    serde_json::to_string(evaluation).unwrap_or_default()
}
