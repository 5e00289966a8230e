//! The engine from `cargo xtask build`, and hosts that know it.

use std::{fs, path::Path, sync::OnceLock};

use adjudicate_sandbox::{Cache, Host, HostSettings};

/// The engine.
pub(crate) fn engine() -> &'static [u8] {
    static ENGINE: OnceLock<Vec<u8>> = OnceLock::new();
    ENGINE.get_or_init(|| fs::read(adjudicate_tests::artifacts::engine()).unwrap())
}

/// A host that knows these engines, with a cache, because an unoptimized compiler is slow.
pub(crate) fn host(engines: &[&[u8]]) -> Host {
    let cache = Cache::open(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("adjudicate")).ok();
    let engines = engines.iter().map(|engine| (*engine).into()).collect();
    Host::new(HostSettings { cache, engines, instances: 2, ..HostSettings::default() }).unwrap()
}
