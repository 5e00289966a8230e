//! The engine module in this project's host.

use adjudicate_sandbox::{Cache, Digest, Guest, Host, Module, Settings};
use adjudicate_core::Operation;

use crate::{Failure, workload::Workload};

/// How the engine's calls are bounded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// As any module's: fuel, deadline, memory, stack, input and output; the answer is held against the output contract.
    All,
    /// As those of an engine whose digest the host knows: memory, stack, input and output. It counts its own steps.
    Known,
}

/// A host.
pub(crate) fn host(engine: &[u8], bounds: Bounds, cache: Option<Cache>) -> Result<Host, Failure> {
    let known_engines = (bounds == Bounds::Known).then(|| Digest::of(engine)).into_iter().collect();
    Ok(Host::new(Settings { known_engines, cache, ..Settings::default() })?)
}

/// The answer of a fresh instance.
pub(crate) fn ask(module: &Module, workload: &Workload) -> Result<String, Failure> {
    Ok(module.call(Operation::Evaluate, workload.call.as_bytes())?)
}

/// The answer of an instance that is kept.
pub(crate) fn ask_again(guest: &mut Guest, workload: &Workload) -> Result<String, Failure> {
    Ok(guest.call(Operation::Evaluate, workload.call.as_bytes())?)
}
