//! A call in every sandbox: natively, in our host, and in Extism.
//!
//! The measurement starts after all ways have given the same bytes. It measures the computing time of the calling
//! thread, which is the elapsed time on an idle machine, and changes little on a busy one.

use std::time::Duration;

use adjudicate_core::Operation;
use extism::{Pool, PoolBuilder};

use crate::{
    Failure, Modules, Values, agree,
    clock::{Clock, by, process_time, thread_time},
    contest::{Contest, Effort, Results},
    ours, read,
    theirs::{self, Allocation},
    workload::Workload,
};

/// A way to get an answer.
struct Way<'a> {
    name: &'static str,
    ask: Box<dyn FnMut() -> Result<String, Failure> + 'a>,
    /// The expected answer.
    expected: &'a str,
}

const NATIVE: &str = "native";

/// The ratios: the key, the measured way, and the way that it is divided by.
const PAIRS: [(&str, &str, &str); 8] = [
    ("fresh_all", "extism_fresh_all", "ours_fresh_all"),
    ("pooled_all", "extism_pooled_all", "ours_fresh_all"),
    ("fresh_none", "extism_fresh_none", "ours_fresh_known"),
    ("pooled_none", "extism_pooled_none", "ours_fresh_known"),
    ("kept_all_fresh", "extism_kept_all", "ours_fresh_all"),
    ("kept_none_fresh", "extism_kept_none", "ours_fresh_known"),
    ("kept_all", "extism_kept_all", "ours_kept_all"),
    ("kept_none", "extism_kept_none", "ours_kept_known"),
];

/// Microseconds of every way, and the ratio to the native call.
pub(crate) fn measure(modules: &Modules, workload: &Workload, effort: Effort) -> Result<Values, Failure> {
    let (results, names) = contest(modules, workload, effort, thread_time)?;
    let mut values = Values::new();
    for name in names {
        let key = format!("call_{name}_{}", workload.name);
        values.insert(format!("{key}_us"), results.micros(name));
        values.insert(format!("{key}_ratio"), results.ratio(name, NATIVE));
    }
    for (pair, one, other) in PAIRS {
        values.insert(format!("against_{pair}_{}", workload.name), results.ratio(one, other));
    }
    Ok(values)
}

/// The same, measured by the computing time of all threads of the process, because Extism has a thread that receives
/// two messages per call.
pub(crate) fn measure_all_threads(
    modules: &Modules,
    workload: &Workload,
    effort: Effort,
) -> Result<Values, Failure> {
    let (results, names) = contest(modules, workload, effort, process_time)?;
    let value = |name| (format!("call_{name}_{}_cpu_us", workload.name), results.micros(name));
    Ok(names.into_iter().map(value).collect())
}

/// Checks the answer of every way, then measures all by one clock.
fn contest(
    modules: &Modules,
    workload: &Workload,
    effort: Effort,
    clock: Clock,
) -> Result<(Results, Vec<&'static str>), Failure> {
    let mut contest = Contest::new(effort);
    let mut names = Vec::new();
    for Way { name, mut ask, expected } in ways(modules, workload)? {
        agree(name, &ask()?, expected)?;
        contest.enter(name, by(clock, move || Ok(ask()?.len())))?;
        names.push(name);
    }
    Ok((contest.hold()?, names))
}

fn ways<'a>(modules: &Modules, workload: &'a Workload) -> Result<Vec<Way<'a>>, Failure> {
    let native = move || Ok(Operation::Evaluate.call(workload.call.as_bytes())?);
    let mut ways = vec![Way { name: NATIVE, ask: Box::new(native), expected: &workload.answer }];
    ways.extend(our_ways(modules, workload)?);
    ways.extend(their_ways(modules, workload)?);
    Ok(ways)
}

fn our_ways<'a>(modules: &Modules, workload: &'a Workload) -> Result<Vec<Way<'a>>, Failure> {
    const NAMES: [(ours::HostLimits, &str, &str); 2] = [
        (ours::HostLimits::All, "ours_fresh_all", "ours_kept_all"),
        (ours::HostLimits::Known, "ours_fresh_known", "ours_kept_known"),
    ];
    let engine = read(&modules.engine)?;
    let mut ways = Vec::new();
    for (bounds, fresh, kept) in NAMES {
        let module = ours::host(&engine, bounds, None)?.load(&engine)?;
        let mut guest = module.start()?;
        let expected = &workload.answer;
        ways.push(Way { name: fresh, ask: Box::new(move || ours::ask(&module, workload)), expected });
        ways.push(Way { name: kept, ask: Box::new(move || ours::ask_again(&mut guest, workload)), expected });
    }
    Ok(ways)
}

fn their_ways<'a>(modules: &Modules, workload: &'a Workload) -> Result<Vec<Way<'a>>, Failure> {
    const NAMES: [(theirs::PluginLimits, &str, &str, &str); 2] = [
        (theirs::PluginLimits::All, "extism_kept_all", "extism_fresh_all", "extism_pooled_all"),
        (theirs::PluginLimits::None, "extism_kept_none", "extism_fresh_none", "extism_pooled_none"),
    ];
    let mut ways = Vec::new();
    for (bounds, kept, fresh, pooled) in NAMES {
        let compiled = theirs::compile(&modules.plugin, bounds, Allocation::OnDemand, None)?;
        let in_pool = theirs::compile(&modules.plugin, bounds, Allocation::Pooled, None)?;
        let mut plugin = theirs::start(&compiled)?;
        let expected = &workload.reply;
        if bounds == theirs::PluginLimits::All {
            ways.push(checked_out(compiled.clone(), workload));
        }
        ways.push(Way { name: kept, ask: Box::new(move || theirs::ask(&mut plugin, workload)), expected });
        ways.push(Way {
            name: fresh,
            ask: Box::new(move || theirs::ask_fresh(&compiled, workload)),
            expected,
        });
        ways.push(Way {
            name: pooled,
            ask: Box::new(move || theirs::ask_fresh(&in_pool, workload)),
            expected,
        });
    }
    Ok(ways)
}

/// Extism's own pool, which keeps plugins for later calls.
fn checked_out(compiled: extism::CompiledPlugin, workload: &Workload) -> Way<'_> {
    const WAIT: Duration = Duration::from_secs(1);
    let pool: Pool = PoolBuilder::new().build(move || extism::Plugin::new_from_compiled(&compiled));
    let ask = move || {
        let mut plugin = pool.get(WAIT)?.ok_or("no plugin is free")?;
        theirs::ask(&mut plugin, workload)
    };
    Way { name: "extism_checked_out_all", ask: Box::new(ask), expected: &workload.reply }
}
