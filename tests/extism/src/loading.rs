//! The time from a file to the first answer: compiled, and with code from a cache.
//!
//! Each run sets up a whole host, as a program does when it starts; ours also loads within a running host. The time
//! includes the first answer, because Extism starts no instance before.

use std::{fs, path::Path};

use adjudicate_sandbox::{Cache, Host};

use crate::{
    Failure, Modules, Values, agree,
    clock::{Cost, cost},
    contest::{Effort, median},
    ours, read,
    theirs::{self, Allocation},
    workload::Workload,
};

/// A way to load a module.
struct Loader<'a> {
    name: &'static str,
    load: Box<dyn Fn() -> Result<(), Failure> + 'a>,
    costs: Vec<Cost>,
}

/// Milliseconds by both clocks.
pub(crate) fn measure(modules: &Modules, workload: &Workload, effort: Effort) -> Result<Values, Failure> {
    let folder = tempfile::tempdir()?;
    let mut values = Values::new();
    values.extend(take_turns(compiling(modules, workload), effort.rounds / 40)?);
    values.extend(take_turns(cached(modules, workload, folder.path())?, effort.rounds / 4)?);
    Ok(values)
}

/// Runs every loader once in each round, in an order that rotates. Returns the medians.
fn take_turns(mut loaders: Vec<Loader<'_>>, rounds: usize) -> Result<Values, Failure> {
    for loader in &loaders {
        (loader.load)().map_err(|failure| format!("{}: {failure}", loader.name))?;
    }
    for _ in 0..rounds.max(3) {
        loaders.rotate_left(1);
        for loader in &mut loaders {
            loader.costs.push(cost(&loader.load)?);
        }
    }
    let mut values = Values::new();
    for Loader { name, costs, .. } in loaders {
        let millis = |time: fn(&Cost) -> f64| median(costs.iter().map(|cost| time(cost) * 1e3).collect());
        values.insert(format!("load_{name}_ms"), millis(|cost| cost.wall.as_secs_f64()));
        values.insert(format!("load_{name}_cpu_ms"), millis(|cost| cost.process.as_secs_f64()));
    }
    Ok(values)
}

fn loader<'a>(name: &'static str, load: impl Fn() -> Result<(), Failure> + 'a) -> Loader<'a> {
    Loader { name, load: Box::new(load), costs: Vec::new() }
}

fn compiling<'a>(modules: &'a Modules, workload: &'a Workload) -> Vec<Loader<'a>> {
    use {ours::HostLimits as Our, theirs::PluginLimits as Their};
    vec![
        loader("compile_ours_all", || ours_from(modules, workload, Our::All, None)),
        loader("compile_ours_known", || ours_from(modules, workload, Our::Known, None)),
        loader("compile_extism_all", || theirs_from(modules, workload, Their::All, None)),
        loader("compile_extism_none", || theirs_from(modules, workload, Their::None, None)),
    ]
}

fn cached<'a>(
    modules: &'a Modules,
    workload: &'a Workload,
    folder: &Path,
) -> Result<Vec<Loader<'a>>, Failure> {
    use {ours::HostLimits as Our, theirs::PluginLimits as Their};
    let directory = folder.join("ours");
    let (for_all, for_known) = (directory.clone(), directory.clone());
    let settings = folder.join("extism.toml");
    let text = format!("[cache]\ndirectory = {:?}\n", folder.join("extism"));
    fs::write(&settings, text)?;
    let settings_for_none = settings.clone();

    // A running host has an engine already.
    let engine = read(&modules.engine)?;
    let host = ours::host(&engine, Our::All, Some(Cache::open(&directory)?))?;
    let running = host.load(&engine)?;
    let in_running = move || {
        let module = host.load(&read(&modules.engine)?)?;
        if module.digest() != running.digest() {
            return Err("another module than the one that runs was loaded".into());
        }
        agree("the running host", &ours::ask(&module, workload)?, &workload.answer)
    };
    Ok(vec![
        loader("cached_ours_all", move || ours_from(modules, workload, Our::All, Some(&for_all))),
        loader("cached_ours_known", move || ours_from(modules, workload, Our::Known, Some(&for_known))),
        loader("cached_ours_running", in_running),
        loader("cached_extism_all", move || theirs_from(modules, workload, Their::All, Some(&settings))),
        loader("cached_extism_none", move || {
            theirs_from(modules, workload, Their::None, Some(&settings_for_none))
        }),
    ])
}

fn ours_from(
    modules: &Modules,
    workload: &Workload,
    bounds: ours::HostLimits,
    cache: Option<&Path>,
) -> Result<(), Failure> {
    let engine = read(&modules.engine)?;
    let cache = cache.map(Cache::open).transpose()?;
    let host: Host = ours::host(&engine, bounds, cache)?;
    agree("our host", &ours::ask(&host.load(&engine)?, workload)?, &workload.answer)
}

fn theirs_from(
    modules: &Modules,
    workload: &Workload,
    bounds: theirs::PluginLimits,
    cache: Option<&Path>,
) -> Result<(), Failure> {
    let compiled = theirs::compile(&modules.plugin, bounds, Allocation::OnDemand, cache)?;
    agree("Extism", &theirs::ask_fresh(&compiled, workload)?, &workload.reply)
}
