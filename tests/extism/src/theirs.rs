//! The same engine as a plugin of Extism.

use std::{path::Path, time::Duration};

use extism::{CompiledPlugin, Manifest, Plugin, PluginBuilder, Wasm};
use wasmtime::{Config, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::{Failure, workload::Workload};

/// How a plugin is bounded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// What our host gives any module: so much fuel, time and memory, and NaN in one form. Extism has no limits on stack, input
    /// and output, and looks at no answer.
    All,
    /// As Extism comes.
    None,
}

/// Where the memory of its instances comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allocation {
    /// As Extism comes.
    OnDemand,
    /// Wasmtime's pool, set up as our host's, which Extism lets one ask for.
    Pooled,
}

/// The defaults of our host's limits.
const FUEL: u64 = 500_000_000;
const DEADLINE: Duration = Duration::from_secs(5);
const MEMORY_PAGES: u32 = 256;

/// As many instances as our host has. Each plugin is two: Extism's own module, with the memory that calls go through, is linked
/// to each.
const INSTANCES: u32 = 2 * 64;
const PAGE: usize = 64 << 10;

/// Compiles the plugin, or takes it from the cache that a file describes. The manifest names the file: one that holds the module
/// would be copied with it for each plugin.
pub(crate) fn compile(
    file: &Path,
    bounds: Bounds,
    allocation: Allocation,
    cache: Option<&Path>,
) -> Result<CompiledPlugin, Failure> {
    let mut manifest = Manifest::new([Wasm::file(file)]);
    let mut config = Config::new();
    if allocation == Allocation::Pooled {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool()));
    }
    if bounds == Bounds::All {
        manifest = manifest.with_memory_max(MEMORY_PAGES).with_timeout(DEADLINE);
        config.cranelift_nan_canonicalization(true);
    }
    let builder = PluginBuilder::new(manifest).with_wasi(false).with_wasmtime_config(config);
    let builder = if bounds == Bounds::All { builder.with_fuel_limit(FUEL) } else { builder };
    let builder = match cache {
        Some(cache) => builder.with_cache_config(cache),
        None => builder.with_cache_disabled(),
    };
    Ok(builder.compile()?)
}

fn pool() -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(INSTANCES)
        .total_memories(INSTANCES)
        .total_tables(INSTANCES)
        .max_memory_size(4 << 30)
        .linear_memory_keep_resident(4 * PAGE)
        .table_keep_resident(PAGE);
    pool
}

/// A fresh plugin.
pub(crate) fn start(compiled: &CompiledPlugin) -> Result<Plugin, Failure> {
    Ok(Plugin::new_from_compiled(compiled)?)
}

/// The reply of a plugin.
pub(crate) fn ask(plugin: &mut Plugin, workload: &Workload) -> Result<String, Failure> {
    Ok(plugin.call("evaluate", workload.call.as_bytes())?)
}

/// The reply of a fresh plugin.
pub(crate) fn ask_fresh(compiled: &CompiledPlugin, workload: &Workload) -> Result<String, Failure> {
    ask(&mut start(compiled)?, workload)
}
