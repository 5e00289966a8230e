//! Modules of another host, loaded on this one.

use std::{sync::Arc, time::Duration};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Limits};

use super::{description::Modules, version::Version};
use crate::{codes, history::SlotSettings, slot::Slots};

/// The highest limits that a host accepts for modules of another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The limits of each module.
    pub limits: Limits,
    /// True if the modules need no signature.
    pub unsigned: bool,
}

impl Default for Ceiling {
    /// 64 MiB of a module, input and output, 1 GiB of memory, any fuel within a minute of computing; signed modules.
    fn default() -> Self {
        let limits = Limits {
            module_bytes: 64 << 20,
            memory_bytes: 1 << 30,
            stack_bytes: 1 << 20,
            input_bytes: 64 << 20,
            output_bytes: 64 << 20,
            fuel: u64::MAX,
            deadline: Duration::from_secs(60),
        };
        Self { limits, unsigned: false }
    }
}

impl Modules {
    /// Loads the modules on this host. `fetch` gets modules that the store does not have; its second argument is their highest number
    /// of bytes. The store's own trust policy judges each module: an installed one as when it is loaded, any other as when it is
    /// installed. Nothing is kept, and nothing becomes active.
    ///
    /// # Errors
    ///
    /// The errors of a module that is not trusted or cannot be loaded, of the store, and of `fetch`.
    /// [`codes::LIMIT_EXCEEDED`] for limits above the ceiling. [`codes::CLUSTER_FAULT`] if only one of the two hosts knows a module
    /// as an engine, or the bytes of a module have another digest.
    pub fn load(
        &self,
        slots: &Slots,
        ceiling: &Ceiling,
        fetch: impl FnMut(Digest, usize) -> Result<Vec<u8>, Error>,
    ) -> Result<Version, Error> {
        let limits = self.limits()?;
        let Limits { module_bytes, memory_bytes, stack_bytes, input_bytes, output_bytes, fuel, deadline } =
            limits;
        let most = &ceiling.limits;
        let above = [
            ("module_bytes", module_bytes > most.module_bytes),
            ("memory_bytes", memory_bytes > most.memory_bytes),
            ("stack_bytes", stack_bytes > most.stack_bytes),
            ("input_bytes", input_bytes > most.input_bytes),
            ("output_bytes", output_bytes > most.output_bytes),
            ("fuel", fuel > most.fuel),
            ("deadline_ms", deadline > most.deadline),
        ];
        if let Some((name, _)) = above.into_iter().find(|(_, is_above)| *is_above) {
            let message = format!("`{name}` is above the limit of this host for modules of a replay");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message).at(format!("/limits/{name}")));
        }
        let deployment = slots.load_borrowed(&self.composition, limits, ceiling.unsigned, fetch)?;
        for module in deployment.modules() {
            let (digest, is_known) = (module.digest(), module.is_known());
            if is_known != self.known.contains(&digest) {
                let word = if is_known { "here, and not" } else { "not here, but" };
                let message = format!(
                    "the module {digest} is known as an engine {word} where the replay was started: `--known-engine` must say the same"
                );
                return Err(Error::new(codes::CLUSTER_FAULT, message));
            }
        }
        Ok(Version::Composition(Arc::new(deployment)))
    }

    fn limits(&self) -> Result<Limits, Error> {
        let settings = SlotSettings { limits: self.limits, ..SlotSettings::default() };
        settings.check()?;
        Ok(settings.limits(&Limits::default()))
    }
}
