//! The engine module in this project's host.

use adjudicate_sandbox::{Cache, Digest, Guest, Host, Module, Settings};
use adjudicate_core::Operation;

use crate::{Failure, workload::Workload};

/// The limits of the engine's calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostLimits {
    /// The limits of any module: fuel, deadline, memory, stack, input and output. The answer is checked against the
    /// output contract.
    All,
    /// The limits of a known engine: memory, stack, input and output. Such an engine counts its own steps.
    Known,
}

/// A host.
pub(crate) fn host(engine: &[u8], bounds: HostLimits, cache: Option<Cache>) -> Result<Host, Failure> {
    let known_engines = (bounds == HostLimits::Known).then(|| Digest::sha256(engine)).into_iter().collect();
    Ok(Host::new(Settings { known_engines, cache, ..Settings::default() })?)
}

/// The answer of a fresh instance.
pub(crate) fn ask(module: &Module, workload: &Workload) -> Result<String, Failure> {
    Ok(module.call(Operation::Evaluate, workload.call.as_bytes())?)
}

/// The answer of an instance that has answered before.
pub(crate) fn ask_again(guest: &mut Guest, workload: &Workload) -> Result<String, Failure> {
    Ok(guest.call(Operation::Evaluate, workload.call.as_bytes())?)
}
