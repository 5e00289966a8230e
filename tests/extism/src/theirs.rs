//! The same engine as a plugin of Extism.

use std::{path::Path, time::Duration};

use extism::{CompiledPlugin, Manifest, Plugin, PluginBuilder, Wasm};
use wasmtime::{Config, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::{Failure, workload::Workload};

/// The limits of a plugin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PluginLimits {
    /// Our host's limits of fuel, time and memory, and canonical NaN. Extism has no limits on stack, input and output,
    /// and checks no answer.
    All,
    /// Extism's defaults.
    None,
}

/// The source of the memory of instances.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allocation {
    /// Extism's default.
    OnDemand,
    /// Wasmtime's pool, configured like our host's, which Extism allows.
    Pooled,
}

/// The defaults of our host's limits.
const FUEL: u64 = 500_000_000;
const DEADLINE: Duration = Duration::from_secs(5);
const MEMORY_PAGES: u32 = 256;

/// The number of instances in our host's pool, times two: Extism links each plugin with a module of its own, which has
/// the memory of calls.
const INSTANCES: u32 = 2 * 64;
const PAGE: usize = 64 << 10;

/// Compiles the plugin, or takes it from the cache that a file describes. The manifest names the file, because a
/// manifest that contains the module is copied for each plugin.
pub(crate) fn compile(
    file: &Path,
    bounds: PluginLimits,
    allocation: Allocation,
    cache: Option<&Path>,
) -> Result<CompiledPlugin, Failure> {
    let mut manifest = Manifest::new([Wasm::file(file)]);
    let mut config = Config::new();
    if allocation == Allocation::Pooled {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool()));
    }
    if bounds == PluginLimits::All {
        manifest = manifest.with_memory_max(MEMORY_PAGES).with_timeout(DEADLINE);
        config.cranelift_nan_canonicalization(true);
    }
    let builder = PluginBuilder::new(manifest).with_wasi(false).with_wasmtime_config(config);
    let builder = if bounds == PluginLimits::All { builder.with_fuel_limit(FUEL) } else { builder };
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
