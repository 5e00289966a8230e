//! The WebAssembly engines of a host and their configuration. Every setting that changes compiled code is here.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use adjudicate_core::Error;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, OperatorCost, PoolingAllocationConfig};

use crate::{
    clock::Ticker,
    codes,
    inspect::{FEATURES, PAGE, bounds},
    permits::Permits,
};

/// The bound on the running time of guest code. Each kind has engines of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Metering {
    /// By fuel, with the deadline as a backstop: for any module.
    Fuel,
    /// Not at all: for engines whose digest the host knows, because they count their own steps. Measured on the built-in engine,
    /// fuel adds three quarters to the time of a call, and the deadline adds a quarter.
    Known,
}

/// The settings in which engines differ. All other limits are set on each instance, and an engine takes memories of every size.
/// So a host has few engines, however different the limits of its modules are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Class {
    pub(crate) metering: Metering,
    /// One of the seven sizes that [`Limits::check`](crate::Limits) accepts.
    pub(crate) stack_bytes: usize,
    /// True if every NaN has one bit pattern. False only in tests that show the effect on a module.
    pub(crate) canonical_nan: bool,
}

/// The engines of a host. An engine is built when the first module needs it, and dropped with the last module that uses it.
///
/// A pool of 64 instances reserves 258 GiB of address space (4 GiB and a guard for each) and almost no memory. All fourteen
/// classes together reserve 3.5 TiB of the 128 TiB that exist. If the address space is too small for a pool, the engine works
/// without one.
#[derive(Debug)]
pub(crate) struct Engines {
    instances: u32,
    /// Permits for the instances of all engines together.
    permits: Arc<Permits>,
    /// A separate permit for a module that is being loaded. It is free even if modules that hang hold all others, so an operator
    /// can load an earlier version.
    loading: Arc<Permits>,
    made: Mutex<BTreeMap<Class, Weak<ClassEngine>>>,
}

impl Engines {
    /// Creates engines with at most `instances` instances at once. A call waits up to `wait` for a free instance.
    pub(crate) fn new(instances: u32, wait: Duration) -> Self {
        Self {
            instances,
            permits: Permits::new(instances, wait),
            // A load always ends, so every waiting load gets the permit.
            loading: Permits::new(1, Duration::MAX),
            made: Mutex::new(BTreeMap::new()),
        }
    }

    /// Returns the engine of a class and builds it if necessary.
    pub(crate) fn get_or_build(&self, class: Class) -> Result<Arc<ClassEngine>, Error> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = made.get(&class).and_then(Weak::upgrade) {
            return Ok(engine);
        }
        let permits = (Arc::clone(&self.permits), Arc::clone(&self.loading));
        let engine = Arc::new(ClassEngine::new(class, self.instances.saturating_add(1), permits)?);
        made.insert(class, Arc::downgrade(&engine));
        Ok(engine)
    }
}

/// The engine of a class, with the parts that its instances share.
#[derive(Debug)]
pub(crate) struct ClassEngine {
    pub(crate) wasmtime: Engine,
    pub(crate) class: Class,
    pub(crate) is_pooled: bool,
    pub(crate) permits: Arc<Permits>,
    pub(crate) loading: Arc<Permits>,
    /// Advances the epoch, for engines with deadlines.
    _ticker: Option<Ticker>,
}

impl ClassEngine {
    /// Builds the engine with a pool of `instances` instances, or without a pool if the address space is too small.
    fn new(
        class: Class,
        instances: u32,
        (permits, loading): (Arc<Permits>, Arc<Permits>),
    ) -> Result<Self, Error> {
        let pooled = Engine::new(&pooled(class, instances));
        let is_pooled = pooled.is_ok();
        let wasmtime = pooled.or_else(|no_pool| {
            Engine::new(&on_demand(class)).map_err(|error| {
                let message = format!(
                    "no WebAssembly engine can be built here: {error:#}; with a pool of instances: {no_pool:#}"
                );
                Error::new(codes::HOST_FAULT, message).with_source(error)
            })
        })?;
        let ticker = (class.metering == Metering::Fuel).then(|| Ticker::start(&wasmtime)).transpose()?;
        Ok(Self { wasmtime, class, is_pooled, permits, loading, _ticker: ticker })
    }
}

/// The configuration that both allocation strategies share.
fn base(Class { metering, stack_bytes, canonical_nan }: Class) -> Config {
    let mut config = Config::new();
    config
        .wasm_features(FEATURES.complement(), false)
        .wasm_features(FEATURES, true)
        .cranelift_nan_canonicalization(canonical_nan)
        .consume_fuel(metering == Metering::Fuel)
        .operator_cost(fuel_costs())
        .epoch_interruption(metering == Metering::Fuel)
        .max_wasm_stack(stack_bytes)
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false);
    config
}

/// The fuel costs of operators: wasmtime's defaults, except for growing memories and tables. A growth is a call into the runtime
/// and takes hundreds of times as long as an addition. At a cost of one unit, a guest that only grows would reach the deadline
/// before its fuel is used up, and its result would not be deterministic.
fn fuel_costs() -> OperatorCost {
    let mut costs = OperatorCost::new();
    costs.MemoryGrow = u8::MAX;
    costs.TableGrow = u8::MAX;
    // The highest cost at which a request for 4 GiB is still denied before it runs out of fuel.
    costs.variable.memory_grow_per_page = 8;
    costs
}

/// Memory that stays with a pool slot between instances. A guest whose whole memory fits into it is reset without a system call
/// and runs without a page fault. The built-in engine fits: 48 KiB of stack, 256 KiB at the start.
const KEEP_RESIDENT: usize = 4 * PAGE;

/// The largest possible memory, 4 GiB. Every slot of a pool reserves that much address space, so that code needs no bounds
/// checks. The limit of a memory is set on its instance.
const LARGEST_MEMORY: usize = 4 << 30;

fn pooled(class: Class, instances: u32) -> Config {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(instances)
        .total_memories(instances)
        .total_tables(instances)
        .max_memories_per_module(1)
        .max_tables_per_module(bounds::TABLES)
        .max_memory_size(LARGEST_MEMORY)
        .table_elements(bounds::TABLE_ELEMENTS as usize)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(bounds::TABLE_ELEMENTS as usize * size_of::<usize>())
        // Known not to reset dirty pages that were swapped out (wasmtime issue 14357).
        .pagemap_scan(Enabled::No);
    let mut config = base(class);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}

/// The configuration of a process that only compiles for the engine of a class. It has no pool, which would exceed the memory
/// limit of the process. The compiled code is the same.
#[cfg(unix)]
pub(crate) fn compiling(class: Class, is_pooled: bool) -> Config {
    if !is_pooled {
        return on_demand(class);
    }
    let mut config = base(class);
    config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    config
}

/// The configuration for address spaces that cannot hold the pool. It reserves little more than the size of a memory. In
/// exchange, the code has bounds checks, and a memory that grows much is copied.
fn on_demand(class: Class) -> Config {
    let mut config = base(class);
    config
        .allocation_strategy(InstanceAllocationStrategy::OnDemand)
        .memory_reservation(0)
        .memory_reservation_for_growth(16 * PAGE as u64)
        .memory_guard_size(PAGE as u64)
        .memory_may_move(true);
    config
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Digest, compiled::Origin};

    fn origin(config: &Config) -> Digest {
        Origin::new(Digest::sha256(b""), &Engine::new(config).unwrap()).engine
    }

    #[test]
    #[cfg(unix)]
    fn code_fits_the_engine_that_it_was_compiled_for_elsewhere() {
        let mut fits = Vec::new();
        for metering in [Metering::Fuel, Metering::Known] {
            let class = Class { metering, stack_bytes: 256 << 10, canonical_nan: true };
            for (is_pooled, used) in [(true, pooled(class, 2)), (false, on_demand(class))] {
                let origin = origin(&used);
                assert_eq!(
                    super::tests::origin(&compiling(class, is_pooled)),
                    origin,
                    "{metering:?} {is_pooled}"
                );
                assert!(!fits.contains(&origin), "{metering:?} {is_pooled}");
                fits.push(origin);
            }
        }
    }

    #[test]
    fn an_engine_lives_while_it_is_used() {
        let engines = Engines::new(1, Duration::ZERO);
        let class = Class { metering: Metering::Fuel, stack_bytes: 256 << 10, canonical_nan: true };
        let other = Class { stack_bytes: 16 << 10, ..class };
        let first = engines.get_or_build(class).unwrap();
        assert!(Arc::ptr_eq(&first, &engines.get_or_build(class).unwrap()));
        assert!(!Arc::ptr_eq(&first, &engines.get_or_build(other).unwrap()));
        let left = Arc::downgrade(&first);
        drop(first);
        assert!(left.upgrade().is_none());
        assert!(engines.get_or_build(class).is_ok());
    }
}
