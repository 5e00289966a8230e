//! The memory that an instance takes: many are held at once, each after one call.

use std::fs;

use crate::{
    Failure, Modules, Values, agree, ours, read,
    theirs::{self, Allocation},
    workload::Workload,
};

/// How many are held: as many as our host has places.
const HELD: usize = 64;

/// Kilobytes for each instance.
pub(crate) fn measure(modules: &Modules, workload: &Workload) -> Result<Values, Failure> {
    let compiled = theirs::compile(&modules.plugin, theirs::Bounds::All, Allocation::OnDemand, None)?;
    let extism = each(|| {
        let mut plugin = theirs::start(&compiled)?;
        agree("Extism", &theirs::ask(&mut plugin, workload)?, &workload.reply)?;
        Ok(plugin)
    })?;
    let engine = read(&modules.engine)?;
    let module = ours::host(&engine, ours::Bounds::All, None)?.load(&engine)?;
    let ours = each(|| {
        let mut guest = module.start()?;
        agree("our host", &ours::ask_again(&mut guest, workload)?, &workload.answer)?;
        Ok(guest)
    })?;
    Ok([("instance_extism_kb".into(), extism), ("instance_ours_kb".into(), ours)].into())
}

/// By how much the process grows for each of those that are started, when one has been there before.
fn each<T>(start: impl Fn() -> Result<T, Failure>) -> Result<f64, Failure> {
    drop(start()?);
    let before = resident_kb()?;
    let held = (0..HELD).map(|_| start()).collect::<Result<Vec<T>, _>>()?;
    let grown = resident_kb()? - before;
    drop(held);
    Ok(grown / HELD as f64)
}

/// The memory of this process, what it shares counted by its share.
fn resident_kb() -> Result<f64, Failure> {
    let rollup = fs::read_to_string("/proc/self/smaps_rollup")?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("there is no line `Pss:`")?;
    Ok(number.trim().parse()?)
}
