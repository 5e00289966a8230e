//! What a module may be asked, decided before an instance is spent on it.

use adjudicate_core::{Error, Operation, json::Tape};

use super::Module;
use crate::{codes, count::counted, engine::Metering};

/// A call that was admitted.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) operation: Operation,
    pub(crate) input: &'a [u8],
    /// The input as it reads; `None` for engines that are trusted to read it themselves.
    pub(crate) document: Option<Tape<'a>>,
}

impl<'a> Call<'a> {
    /// Refuses what the module does not offer, inputs over the limit, and, unless the module is trusted, inputs that are
    /// not JSON: with the error that the engine itself would have, so that no module can answer what is no question.
    pub(crate) fn admit(module: &Module, operation: Operation, input: &'a [u8]) -> Result<Self, Error> {
        let manifest = module.manifest();
        if !manifest.operations.contains(&operation) {
            let message = format!("the module `{}` does not offer `{}`", manifest.name, operation.name());
            return Err(Error::new(codes::UNSUPPORTED_OPERATION, message));
        }
        let limit = module.inner.limits.input_bytes;
        if input.len() > limit {
            let message =
                format!("the input has {}, the module's limit is {limit}", counted(input.len(), "byte"));
            return Err(Error::new(codes::MODULE_INPUT_TOO_LARGE, message));
        }
        let document = match module.inner.engine.class.metering {
            Metering::Known => None,
            Metering::Fuel => Some(operation.read(input)?),
        };
        Ok(Self { operation, input, document })
    }
}
