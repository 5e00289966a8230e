//! The limits of modules.

use std::time::Duration;

use adjudicate_core::{Error, document::Document};
use adjudicate_trust::counted;
use serde::{Deserialize, Serialize};

use crate::{
    codes,
    inspect::{Inspection, PAGE},
    manifest::ModuleNeeds,
};

/// Limits for loading a module and for each of its calls (docs/reference/modules.md). To set limits for one module, use
/// [`Host::load_with`](crate::Host::load_with).
///
/// Fuel is the main limit, because it is deterministic. One unit is about one instruction, or one byte of a bulk copy or fill.
/// Growing a memory or a table costs 255 units and 8 for each page, because it takes that much longer. The deadline is a
/// backstop. It counts the computing time of the calling thread, so a busy machine fails no call. Engines that the host knows
/// ([`HostSettings::known_engines`](crate::HostSettings::known_engines)) have no fuel limit and no deadline.
///
/// The defaults suit real envelopes. Measured on the built-in engine:
///
/// | Input | Fuel |
/// | --- | --- |
/// | diff of 2,000 files under a policy of path lists, as a summary | 60 million |
/// | the same, with a typed list of files | 142 million |
/// | the same, as a patch of 4.4 MB | 327 million |
/// | each byte of an envelope | 7 to 60 |
/// | each byte of an envelope that lists changed files | 125 to 550 |
/// | each byte of a call about diagnostics, outputs, guardrails or replays | 120 to 180 |
/// | each byte of a ledger | up to 300 |
/// | each byte of a plan that is judged | 330 |
/// | each byte of a plan that is normalized, whose report is longer than the plan | 650 |
///
/// If each of the 2,000 files is a violation, the answer has 1.3 MB. `explain` evaluates changed envelopes until one leads to
/// `success`, up to 2,000. For longer calls, raise `fuel`. The default memory suffices for envelopes of 3 MB, for 8 MB if they
/// are mostly long strings, and for plans and diagnostics of 1 MB.
///
/// ```
/// use adjudicate_sandbox::Limits;
/// let limits = Limits { fuel: 2_000_000_000, ..Limits::default() };
/// assert_eq!(limits.memory_bytes, 16 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of the module in bytes, up to 1 GiB. Default 16 MiB.
    pub module_bytes: usize,
    /// Linear memory in bytes that a module may declare as its maximum. Default 16 MiB.
    pub memory_bytes: usize,
    /// Stack of guest code in bytes: a power of two from 16 KiB to 1 MiB. Default 256 KiB.
    ///
    /// The stack size belongs to the engine, so modules with the same stack size share an engine.
    pub stack_bytes: usize,
    /// Size of the input in bytes. Default 8 MiB.
    pub input_bytes: usize,
    /// Size of the reply in bytes. Default 4 MiB.
    pub output_bytes: usize,
    /// Units of fuel for one call, roughly one per instruction. Default 500 million.
    pub fuel: u64,
    /// Computing time of one call, 1 s or more. Default 5 s.
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            module_bytes: 16 << 20,
            memory_bytes: 16 << 20,
            stack_bytes: 256 << 10,
            input_bytes: 8 << 20,
            output_bytes: 4 << 20,
            fuel: 500_000_000,
            deadline: Duration::from_secs(5),
        }
    }
}

impl Limits {
    /// Rejects a module that is too large to inspect.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_TOO_LARGE`] above [`module_bytes`](Self::module_bytes).
    pub fn admit_bytes(&self, module: &[u8]) -> Result<(), Error> {
        if module.len() <= self.module_bytes {
            return Ok(());
        }
        let message =
            format!("the module has {}, the limit is {}", counted(module.len(), "byte"), self.module_bytes);
        Err(Error::new(codes::MODULE_TOO_LARGE, message))
    }

    /// Rejects a module whose memory may exceed these limits, or whose manifest declares a larger need.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_TOO_LARGE`] for the memory; [`codes::MODULE_NEEDS`] for the needs in the manifest.
    pub fn admit(&self, inspection: &Inspection) -> Result<(), Error> {
        let (maximum, limit) = (inspection.memory.maximum_bytes, self.memory_bytes as u64);
        if maximum > limit {
            let message = format!(
                "the memory may grow to {maximum} bytes, the limit is {limit}; \
                 give the linker a lower maximum, or the host a higher `Limits::memory_bytes`"
            );
            return Err(Error::new(codes::MODULE_TOO_LARGE, message));
        }
        let ModuleNeeds { fuel, memory_bytes, input_bytes, output_bytes } =
            inspection.manifest.limits.unwrap_or_default();
        let wanted = [
            ("fuel", fuel, self.fuel),
            ("memory_bytes", memory_bytes, limit),
            ("input_bytes", input_bytes, self.input_bytes as u64),
            ("output_bytes", output_bytes, self.output_bytes as u64),
        ];
        for (name, needed, given) in wanted {
            if let Some(needed) = needed.filter(|needed| *needed > given) {
                let message = format!(
                    "the module says that it needs {needed} of `{name}`, this host gives {given}; {}",
                    raise(name)
                );
                return Err(Error::new(codes::MODULE_NEEDS, message).at(format!("/limits/{name}")));
            }
        }
        Ok(())
    }

    /// Rejects limits that cannot work.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for the first wrong limit, with its bounds.
    pub fn check(&self) -> Result<(), Error> {
        let Self { module_bytes, memory_bytes, stack_bytes, input_bytes, output_bytes, fuel, deadline } =
            *self;
        let faults = [
            (deadline < Duration::from_secs(1), "the deadline must be 1 s or more: fuel is the tight limit"),
            (deadline > Duration::from_secs(86_400), "the deadline must be a day or less"),
            (memory_bytes < PAGE, "the memory limit must be one page of 64 KiB or more"),
            (memory_bytes as u64 > 4 << 30, "the memory limit must be 4 GiB or less"),
            (stack_bytes < 16 << 10, "the stack limit must be 16 KiB or more"),
            (
                stack_bytes > 1 << 20,
                "the stack limit must be 1 MiB or less, because guests run on the caller's stack",
            ),
            (!stack_bytes.is_power_of_two(), "the stack limit must be a power of two"),
            (fuel == 0, "the fuel must be 1 or more"),
            (module_bytes as u64 > 1 << 30, "the module limit must be 1 GiB or less"),
            (input_bytes as u64 > 1 << 30, "the input limit must be 1 GiB or less"),
            (output_bytes as u64 > 1 << 30, "the output limit must be 1 GiB or less"),
        ];
        match faults.into_iter().find(|(broken, _)| *broken) {
            Some((_, message)) => Err(Error::new(codes::WRONG_USAGE, message)),
            None => Ok(()),
        }
    }
}

/// Limits that differ from others, for example those of a slot from the host's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Document, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[document(expecting = "an object of limits")]
pub struct OwnLimits {
    /// The largest size of a module in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module_bytes: Option<usize>,
    /// The largest linear memory in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<usize>,
    /// The largest stack in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack_bytes: Option<usize>,
    /// The largest input in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_bytes: Option<usize>,
    /// The largest reply in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<usize>,
    /// The fuel for one call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// The time for one call in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
}

impl OwnLimits {
    /// Returns these limits, and the others from `base`.
    #[must_use]
    pub fn over(self, base: &Limits) -> Limits {
        let Self { module_bytes, memory_bytes, stack_bytes, input_bytes, output_bytes, fuel, deadline_ms } =
            self;
        Limits {
            module_bytes: module_bytes.unwrap_or(base.module_bytes),
            memory_bytes: memory_bytes.unwrap_or(base.memory_bytes),
            stack_bytes: stack_bytes.unwrap_or(base.stack_bytes),
            input_bytes: input_bytes.unwrap_or(base.input_bytes),
            output_bytes: output_bytes.unwrap_or(base.output_bytes),
            fuel: fuel.unwrap_or(base.fuel),
            deadline: deadline_ms.map_or(base.deadline, Duration::from_millis),
        }
    }
}

impl From<Limits> for OwnLimits {
    /// Returns all limits as own ones. The deadline is in whole milliseconds.
    fn from(limits: Limits) -> Self {
        let Limits { module_bytes, memory_bytes, stack_bytes, input_bytes, output_bytes, fuel, deadline } =
            limits;
        Self {
            module_bytes: Some(module_bytes),
            memory_bytes: Some(memory_bytes),
            stack_bytes: Some(stack_bytes),
            input_bytes: Some(input_bytes),
            output_bytes: Some(output_bytes),
            fuel: Some(fuel),
            deadline_ms: u64::try_from(deadline.as_millis()).ok(),
        }
    }
}

/// The advice to raise a limit, for messages.
pub(crate) fn raise(limit: &str) -> String {
    let option = if limit == "fuel" { "`--fuel` or " } else { "" };
    format!("raise {option}`Limits::{limit}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/reference/modules.md has these numbers.
    #[test]
    fn the_defaults_are_those_that_are_documented() {
        let Limits { module_bytes, memory_bytes, stack_bytes, input_bytes, output_bytes, fuel, deadline } =
            Limits::default();
        assert_eq!((module_bytes, memory_bytes, stack_bytes), (16_777_216, 16_777_216, 262_144));
        assert_eq!((input_bytes, output_bytes), (8_388_608, 4_194_304));
        assert_eq!((fuel, deadline), (500_000_000, Duration::from_secs(5)));
    }

    #[test]
    fn limits_that_cannot_work_are_refused() {
        let good = Limits::default();
        assert_eq!(good.check(), Ok(()));
        for bad in [
            Limits { deadline: Duration::from_millis(999), ..good },
            Limits { deadline: Duration::MAX, ..good },
            Limits { memory_bytes: 1, ..good },
            Limits { memory_bytes: usize::MAX, ..good },
            Limits { stack_bytes: 0, ..good },
            Limits { stack_bytes: 8 << 20, ..good },
            Limits { stack_bytes: 100_000, ..good },
            Limits { fuel: 0, ..good },
            Limits { module_bytes: usize::MAX, ..good },
            Limits { input_bytes: usize::MAX, ..good },
            Limits { output_bytes: usize::MAX, ..good },
        ] {
            assert_eq!(bad.check().map_err(|error| error.code()), Err(codes::WRONG_USAGE), "{bad:?}");
        }
    }
}
