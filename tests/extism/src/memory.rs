//! The memory of an instance, measured over many that exist at once, each after one call.

use std::fs;

use crate::{
    Failure, Modules, Values, agree, ours, read,
    theirs::{self, Allocation},
    workload::Workload,
};

/// The number of instances: the size of our host's pool.
const HELD: usize = 64;

/// Kilobytes per instance.
pub(crate) fn measure(modules: &Modules, workload: &Workload) -> Result<Values, Failure> {
    let compiled = theirs::compile(&modules.plugin, theirs::PluginLimits::All, Allocation::OnDemand, None)?;
    let extism = each(|| {
        let mut plugin = theirs::start(&compiled)?;
        agree("Extism", &theirs::ask(&mut plugin, workload)?, &workload.reply)?;
        Ok(plugin)
    })?;
    let engine = read(&modules.engine)?;
    let module = ours::host(&engine, ours::HostLimits::All, None)?.load(&engine)?;
    let ours = each(|| {
        let mut guest = module.start()?;
        agree("our host", &ours::ask_again(&mut guest, workload)?, &workload.answer)?;
        Ok(guest)
    })?;
    Ok([("instance_extism_kb".into(), extism), ("instance_ours_kb".into(), ours)].into())
}

/// The growth of the process per started instance, after a first one.
fn each<T>(start: impl Fn() -> Result<T, Failure>) -> Result<f64, Failure> {
    drop(start()?);
    let before = resident_kb()?;
    let held = (0..HELD).map(|_| start()).collect::<Result<Vec<T>, _>>()?;
    let grown = resident_kb()? - before;
    drop(held);
    Ok(grown / HELD as f64)
}

/// The memory of this process; shared memory counts by its share.
fn resident_kb() -> Result<f64, Failure> {
    let rollup = fs::read_to_string("/proc/self/smaps_rollup")?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("there is no line `Pss:`")?;
    Ok(number.trim().parse()?)
}
