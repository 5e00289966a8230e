//! The engines of a host, and how each is configured. Everything that changes compiled code is here.

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

/// How guest code is kept from running on: one engine for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Metering {
    /// By fuel, with the deadline as a backstop: any module.
    Fuel,
    /// Not at all: engines whose digest the host knows, which count their own steps. Measured on ours, fuel adds
    /// three quarters to the time of a call and the deadline a quarter, for nothing.
    Known,
}

/// What makes two engines differ. All other limits are given to each instance: an engine of either strategy takes
/// memories of every size, so however different the limits of a host's modules are, it has few engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Class {
    pub(crate) metering: Metering,
    /// One of the seven that [`Limits::check`](crate::Limits) lets pass.
    pub(crate) stack_bytes: usize,
    /// Whether every NaN has one bit pattern. It has, but for showing what becomes of a module where it has not.
    pub(crate) canonical_nan: bool,
}

/// The engines of a host. Each is made when the first module needs it, and lives while any module does.
///
/// A pool of 64 instances holds 258 GiB of address space (4 GiB and a guard for each) and no memory to speak of; all
/// fourteen classes together hold 3.5 TiB of the 128 there are. Where a pool finds no room, its engine does without.
#[derive(Debug)]
pub(crate) struct Engines {
    instances: u32,
    /// Of all engines together.
    permits: Arc<Permits>,
    /// The one place for a module that is being loaded: it is there also when all others are taken, so that whoever has
    /// modules that hang can load an earlier version in their stead.
    loading: Arc<Permits>,
    made: Mutex<BTreeMap<Class, Weak<ClassEngine>>>,
}

impl Engines {
    /// Engines whose instances are at most so many at once; a call waits so long for a free one.
    pub(crate) fn new(instances: u32, wait: Duration) -> Self {
        Self {
            instances,
            permits: Permits::new(instances, wait),
            // Loading is nobody's request, and ends by itself: whoever waits for it has a turn.
            loading: Permits::new(1, Duration::MAX),
            made: Mutex::new(BTreeMap::new()),
        }
    }

    /// The engine of a class.
    pub(crate) fn of(&self, class: Class) -> Result<Arc<ClassEngine>, Error> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = made.get(&class).and_then(Weak::upgrade) {
            return Ok(engine);
        }
        let places = (Arc::clone(&self.permits), Arc::clone(&self.loading));
        let engine = Arc::new(ClassEngine::new(class, self.instances.saturating_add(1), places)?);
        made.insert(class, Arc::downgrade(&engine));
        Ok(engine)
    }
}

/// The engine of a class, with what its instances share.
#[derive(Debug)]
pub(crate) struct ClassEngine {
    pub(crate) wasmtime: Engine,
    pub(crate) class: Class,
    pub(crate) is_pooled: bool,
    pub(crate) permits: Arc<Permits>,
    pub(crate) loading: Arc<Permits>,
    /// Where there are deadlines.
    _ticker: Option<Ticker>,
}

impl ClassEngine {
    /// Builds the engine: with a pool of so many instances, or on demand where the address space is too small for one.
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
                Error::new(codes::HOST_FAULT, message)
            })
        })?;
        let ticker = (class.metering == Metering::Fuel).then(|| Ticker::start(&wasmtime)).transpose()?;
        Ok(Self { wasmtime, class, is_pooled, permits, loading, _ticker: ticker })
    }
}

/// What both strategies share.
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
/// 48 KiB of stack, 256 KiB at the start) is reset without a system call, and runs without a page fault.
const KEEP_RESIDENT: usize = 4 * PAGE;

/// The largest memory that there can be, 4 GiB: that much address space is reserved for every slot of a pool anyway, so
/// that code needs no bounds checks. What a memory may really have is its instance's limit.
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

/// How a process is configured that only compiles, for the engine of a class: it needs no pool, which would not fit in
/// its memory, and its code is the same.
#[cfg(unix)]
pub(crate) fn compiling(class: Class, is_pooled: bool) -> Config {
    if !is_pooled {
        return on_demand(class);
    }
    let mut config = base(class);
    config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    config
}

/// For address spaces that cannot hold the pool: little more than a memory has is reserved, at the price of bounds checks
/// in the code, and of copying a memory that grows a lot.
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
    use crate::{compiled::Origin, digest::Digest};

    fn origin(config: &Config) -> Digest {
        Origin::new(Digest::of(b""), &Engine::new(config).unwrap()).engine
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
        let first = engines.of(class).unwrap();
        assert!(Arc::ptr_eq(&first, &engines.of(class).unwrap()));
        assert!(!Arc::ptr_eq(&first, &engines.of(other).unwrap()));
        let left = Arc::downgrade(&first);
        drop(first);
        assert!(left.upgrade().is_none());
        assert!(engines.of(class).is_ok());
    }
}
