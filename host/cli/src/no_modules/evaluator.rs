//! Without the feature `modules`: the built-in engine decides.

use std::{borrow::Cow, path::Path};

use adjudicate_core::{Error, Operation, verdict::VerdictModule};
use adjudicate_trust::{Base, CallableModule};
use clap::Args;

use crate::{environment::Environment, failure::Failure, usage};

/// The options that choose another evaluator, which this build refuses.
#[derive(Debug, Args)]
pub(crate) struct Sandbox {
    /// Left out
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) module: Option<String>,
    /// Left out
    #[arg(long, value_name = "SLOT", hide = true)]
    pub(crate) slot: Option<String>,
}

impl Sandbox {
    /// Refuses modules and slots; `has_module` is true if another argument is a module.
    pub(crate) fn check(&self, has_module: bool) -> Result<(), Error> {
        match (self.module.is_some() || has_module, self.slot.is_some()) {
            (true, _) => Err(usage::left_out("modules")),
            (_, true) => Err(usage::left_out("slots")),
            _ => Ok(()),
        }
    }
}

/// The evaluator of calls: the built-in engine.
#[derive(Debug)]
pub(crate) struct Evaluator;

impl Evaluator {
    pub(crate) fn new(sandbox: &Sandbox, _: &Environment) -> Result<Self, Failure> {
        sandbox.check(false)?;
        Ok(Self)
    }

    /// Answers one call.
    pub(crate) fn answer(&self, operation: Operation, input: &[u8]) -> Result<EvaluatorAnswer<'_>, Failure> {
        Ok(EvaluatorAnswer(operation.call(input)?.into()))
    }

    /// Returns true, because the built-in engine decides.
    pub(crate) const fn is_native(&self) -> bool {
        true
    }

    /// Calls a function with the description of the built-in engine.
    pub(crate) fn with_module<T>(&self, call: impl FnOnce(VerdictModule<'_>) -> T) -> T {
        call(VerdictModule::ENGINE)
    }

    /// Writes queued records. There are none.
    pub(crate) const fn close(&self) -> Result<(), Failure> {
        Ok(())
    }
}

/// An answer of the built-in engine.
#[derive(Debug)]
pub(crate) struct EvaluatorAnswer<'e>(Cow<'e, str>);

impl EvaluatorAnswer<'_> {
    /// Returns the answer as JSON text.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Returns the answer as JSON text.
    pub(crate) fn into_text(self) -> String {
        self.0.into_owned()
    }

    /// Returns the base of a composition; `None` is the built-in engine.
    pub(crate) const fn base(&self) -> Option<Base<'_>> {
        None
    }
}

/// Refuses to load a module.
pub(crate) fn load_member(
    _: &Path,
    _: &Sandbox,
    _: &Environment,
) -> Result<Box<dyn CallableModule>, Failure> {
    Err(usage::left_out("modules").into())
}
