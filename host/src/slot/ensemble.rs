//! A composition that is loaded: modules, ready to be asked together.

use adjudicate_core::{
    Error, ErrorCode, Operation, Policy,
    codes::Subject,
    evaluate::{Answered, Member as Voice, Panel},
    json::{self, Kind, Node},
};

use super::state::{Composition, Member};
use crate::{digest::Digest, module::Module, reply::CallError};

/// The modules of a composition.
#[derive(Clone, Debug)]
pub(crate) struct Ensemble {
    pub(crate) composition: Composition,
    base: Module,
    overriding: Option<Module>,
    restricting: Vec<Module>,
}

impl Ensemble {
    /// Loads each module of a composition.
    pub(crate) fn load(
        composition: &Composition,
        load: &mut impl FnMut(&Member) -> Result<Module, Error>,
    ) -> Result<Self, Error> {
        composition.check()?;
        Ok(Self {
            composition: composition.clone(),
            base: load(&composition.base)?,
            overriding: composition.overriding.as_ref().map(&mut *load).transpose()?,
            restricting: composition.restricting.iter().map(load).collect::<Result<_, _>>()?,
        })
    }

    /// All modules: the base, who overrides, who restricts.
    pub(crate) fn modules(&self) -> impl Iterator<Item = &Module> {
        [&self.base].into_iter().chain(&self.overriding).chain(&self.restricting)
    }

    /// The digests of all modules.
    pub(crate) fn digests(&self) -> Vec<Digest> {
        self.modules().map(Module::digest).collect()
    }

    /// The name of the base.
    pub(crate) fn name(&self) -> &str {
        &self.base.manifest().name
    }

    /// The answer of all to `evaluate`, of the base to everything else.
    ///
    /// If one of them fails, all have failed: who restricts must not be heard by chance only.
    pub(crate) fn answer(&self, operation: Operation, input: &[u8]) -> Result<String, Failed> {
        let answer = ask(&self.base, operation, input)?;
        let is_alone = self.overriding.is_none() && self.restricting.is_empty();
        if is_alone || operation != Operation::Evaluate {
            return Ok(answer);
        }
        self.compose(input, &answer)
    }

    fn compose(&self, input: &[u8], answer: &str) -> Result<String, Failed> {
        let ours = |error: Error| Failed { origin: self.name().to_owned(), error: error.into() };
        let tape = Operation::Evaluate.read(input).map_err(ours)?;
        let root = tape.root();
        // An envelope has no member of this name.
        let envelope = json::canonical(root.member("envelope").unwrap_or(root));
        let policy = policy_of(root).map_err(ours)?;
        let asked = |module: &Module| {
            let answer = ask(module, Operation::Evaluate, envelope.as_bytes())?;
            Ok((module.manifest().name.clone(), answer))
        };
        let overriding = self.overriding.iter().map(asked).collect::<Result<Vec<_>, Failed>>()?;
        let restricting = self.restricting.iter().map(asked).collect::<Result<Vec<_>, Failed>>()?;
        let panel = Panel {
            policy: policy.as_ref(),
            answer: Some(Answered { origin: self.name(), answer: answer.as_bytes() }),
            overriding: overriding.iter().map(voice).collect(),
            restricting: restricting.iter().map(voice).collect(),
        };
        panel.evaluate(envelope.as_bytes()).map_err(ours)
    }
}

/// A call that a module gave no answer to.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    /// The module's name.
    pub(crate) origin: String,
    pub(crate) error: CallError,
}

impl Failed {
    /// The fault, if the module is to blame. That there was no room for the call, or that the input is too large, is no
    /// module's fault: otherwise whoever calls could bring a good module down.
    pub(crate) fn fault(&self) -> Option<&Error> {
        match &self.error {
            CallError::Fault(error) => {
                let is_callers =
                    matches!(error.code(), ErrorCode::HostOverloaded | ErrorCode::ModuleInputTooLarge);
                Some(error).filter(|error| error.code().subject() == Subject::Module && !is_callers)
            }
            CallError::Reported(_) => None,
        }
    }
}

fn ask(module: &Module, operation: Operation, input: &[u8]) -> Result<String, Failed> {
    let failed = |error| Failed { origin: module.manifest().name.clone(), error };
    module.call(operation, input).map_err(failed)
}

/// The policy that a call brings.
fn policy_of(call: Node<'_>) -> Result<Option<Policy>, Error> {
    let Some(envelope_beside) = call.member("envelope").and_then(|_| call.member("policy")) else {
        return Ok(None);
    };
    if matches!(envelope_beside.kind(), Kind::Null) {
        return Ok(None);
    }
    let policy = Policy::parse(json::canonical(envelope_beside).as_bytes());
    policy.map(Some).map_err(|error| error.within("policy"))
}

fn voice((origin, answer): &(String, String)) -> Voice<'_> {
    Voice::Answer(Answered { origin, answer: answer.as_bytes() })
}
