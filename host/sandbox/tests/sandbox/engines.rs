//! The engine from `cargo xtask build`, and hosts that know it.

use std::{fs, path::Path, sync::OnceLock};

use adjudicate_sandbox::{Cache, Host, Settings};

/// The engine.
pub(crate) fn engine() -> &'static [u8] {
    static ENGINE: OnceLock<Vec<u8>> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let engine = above.find_map(|folder| fs::read(folder.join("target/artifacts/engine.wasm")).ok());
        engine.unwrap_or_else(|| panic!("there is no engine; `cargo xtask build` makes it"))
    })
}

/// A host that knows these engines, with a cache, because an unoptimized compiler is slow.
pub(crate) fn host(engines: &[&[u8]]) -> Host {
    let cache = Cache::open(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("baking")).ok();
    let engines = engines.iter().map(|engine| (*engine).into()).collect();
    Host::new(Settings { cache, engines, instances: 2, ..Settings::default() }).unwrap()
}
