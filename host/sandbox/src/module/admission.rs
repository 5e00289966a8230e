//! Checks of a call before it gets an instance.

use adjudicate_core::{Error, Operation, json::Tape};
use adjudicate_trust::counted;

use super::Module;
use crate::{codes, engine::Metering};

/// An admitted call.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) operation: Operation,
    pub(crate) input: &'a [u8],
    /// The parsed input; `None` for trusted engines, which parse it themselves.
    pub(crate) document: Option<Tape<'a>>,
}

impl<'a> Call<'a> {
    /// Rejects operations that the module does not offer and inputs over the limit. Unless the module is trusted, also rejects
    /// inputs that are not JSON, with the error of the built-in engine. So no module can answer a malformed call.
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
