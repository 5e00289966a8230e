//! The two engines of a host, and how each is configured. Everything that changes compiled code is here.

use std::sync::Arc;

use adjudicate_core::{Error, ErrorCode};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, OperatorCost, PoolingAllocationConfig};

use crate::{
    clock::Ticker,
    host::Settings,
    inspect::{FEATURES, bounds},
    limits::{Limits, PAGE},
    permits::Permits,
};

/// How guest code is kept from running on: one engine for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metering {
    /// By fuel, with the deadline as a backstop: any module.
    Fuel,
    /// Not at all: engines whose digest the host knows, which count their own steps. Measured on ours, fuel adds
    /// three quarters to the time of a call and the deadline a quarter, for nothing.
    Known,
}

/// One engine with what its instances share.
#[derive(Debug)]
pub(crate) struct EngineClass {
    pub(crate) engine: Engine,
    pub(crate) metering: Metering,
    pub(crate) is_pooled: bool,
    pub(crate) permits: Arc<Permits>,
    /// Where there are deadlines.
    _ticker: Option<Ticker>,
}

impl EngineClass {
    /// Builds the engine: with a pool of instances, or on demand where the address space is too small for one.
    pub(crate) fn new(settings: &Settings, metering: Metering) -> Result<Self, Error> {
        let pooled = Engine::new(&pooled(settings, metering));
        let is_pooled = pooled.is_ok();
        let engine = pooled.or_else(|no_pool| {
            Engine::new(&on_demand(&settings.limits, metering)).map_err(|error| {
                let message = format!(
                    "no WebAssembly engine can be built here: {error:#}; with a pool of instances: {no_pool:#}"
                );
                Error::new(ErrorCode::HostFault, message)
            })
        })?;
        let permits = Permits::new(settings.instances, settings.wait);
        let ticker = (metering == Metering::Fuel).then(|| Ticker::start(&engine)).transpose()?;
        Ok(Self { engine, metering, is_pooled, permits, _ticker: ticker })
    }
}

/// What both strategies share.
fn base(limits: &Limits, metering: Metering) -> Config {
    let mut config = Config::new();
    config
        .wasm_features(FEATURES.complement(), false)
        .wasm_features(FEATURES, true)
        .cranelift_nan_canonicalization(true)
        .consume_fuel(metering == Metering::Fuel)
        .operator_cost(fuel_costs())
        .epoch_interruption(metering == Metering::Fuel)
        .max_wasm_stack(limits.stack_bytes)
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false);
    config
}

/// What an operator costs in fuel: wasmtime's defaults, but for growing. That is a call to the runtime, done or denied,
/// and takes hundreds of times as long as an addition; at one unit, a guest that does nothing else would run into the
/// deadline before its fuel is used up, and what decides would not be deterministic.
fn fuel_costs() -> OperatorCost {
    let mut costs = OperatorCost::new();
    costs.MemoryGrow = u8::MAX;
    costs.TableGrow = u8::MAX;
    // As much as can be charged without that a request for all of 4 GiB is out of fuel before it is denied.
    costs.variable.memory_grow_per_page = 8;
    costs
}

/// Memory that stays with a pool slot between instances. A guest whose whole memory is within it (the engine:
/// 48 KiB of stack, 192 KiB at the start) is reset without a system call, and runs without a page fault.
const KEEP_RESIDENT: usize = 4 * PAGE;

fn pooled(settings: &Settings, metering: Metering) -> Config {
    let instances = settings.instances;
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(instances)
        .total_memories(instances)
        .total_tables(instances)
        .max_memories_per_module(1)
        .max_tables_per_module(bounds::TABLES)
        .max_memory_size(settings.limits.memory_bytes)
        .table_elements(bounds::TABLE_ELEMENTS as usize)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(bounds::TABLE_ELEMENTS as usize * size_of::<usize>())
        // Known not to reset dirty pages that were swapped out (wasmtime issue 14357).
        .pagemap_scan(Enabled::No);
    let mut config = base(&settings.limits, metering);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}

/// For address spaces that cannot hold the pool: no more than a memory needs is reserved, at the price of bounds
/// checks in the code.
fn on_demand(limits: &Limits, metering: Metering) -> Config {
    let mut config = base(limits, metering);
    config
        .allocation_strategy(InstanceAllocationStrategy::OnDemand)
        .memory_reservation(limits.memory_bytes as u64)
        .memory_guard_size(PAGE as u64)
        .memory_may_move(false);
    config
}
