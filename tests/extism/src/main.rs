//! The engine in this project's sandbox and as an Extism plugin, measured in one run: `adjudicate-extism ENGINE PLUGIN [--quick]`.
//!
//! ```text
//! calls -> every way to answer them -> the same bytes? -> contest -> one flat JSON object on stdout
//! ```
//!
//! `cargo xtask bench --extism` builds both modules and this program, runs it, and fills the tables of docs/benchmarks.md,
//! which lists the equal and the different conditions of the two sandboxes.

#[path = "../../benches/src/contest.rs"]
#[expect(dead_code, reason = "each workload has a column of its own, so there is no mean")]
mod contest;
#[path = "../../benches/src/workload.rs"]
#[expect(dead_code, reason = "the policies of the workloads are not called here")]
mod workload;

use std::{collections::BTreeMap, env, error::Error, fs, time::Duration};

use adjudicate_core::{Operation, reply};
use adjudicate_sandbox::{Digest, Host, HostSettings};
use adjudicate_tests::text::compact;
use extism::{CompiledPlugin, Manifest, Plugin, PluginBuilder, Wasm};

use crate::{
    contest::{Contest, Effort, timed},
    workload::Workload,
};

/// A reason why a measurement failed.
pub(crate) type Failure = Box<dyn Error>;

/// The defaults of our host's limits, for Extism.
const FUEL: u64 = 500_000_000;
const DEADLINE: Duration = Duration::from_secs(5);
const MEMORY_PAGES: u32 = 256;

/// The policy with nine rules that `tests/peers` measures other engines with.
const NINE_RULES: &str = include_str!("../../peers/rules/policy.json");

/// A way to get the reply to a call.
type Way<'a> = Box<dyn FnMut(&str) -> Result<String, Failure> + 'a>;

/// The ratios: the key, the measured way, and the way that it is divided by.
const PAIRS: [(&str, &str, &str); 4] = [
    ("fresh_all", "extism_fresh_all", "ours_fresh_all"),
    ("fresh_none", "extism_fresh_none", "ours_fresh_known"),
    ("kept_all", "extism_kept_all", "ours_kept_all"),
    ("kept_none", "extism_kept_none", "ours_kept_known"),
];

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (engine, plugin, effort) = match arguments.as_slice() {
        [engine, plugin] => (engine, plugin, Effort::FULL),
        [engine, plugin, quick] if quick == "--quick" => (engine, plugin, Effort::QUICK),
        _ => return Err("usage: adjudicate-extism ENGINE PLUGIN [--quick]".into()),
    };
    let mut values = BTreeMap::new();
    for (key, file) in [("module_ours_bytes", engine), ("module_extism_bytes", plugin)] {
        values.insert(key.to_owned(), fs::metadata(file)?.len() as f64);
    }
    let mut calls: Vec<_> =
        Workload::all()?.into_iter().map(|workload| (workload.name, workload.envelope)).collect();
    let short = Workload::short()?.envelope;
    calls.push(("rules", format!(r#"{{"envelope":{short},"policy":{}}}"#, compact(NINE_RULES))));
    for (workload, call) in &calls {
        let answer = Operation::Evaluate.call(call.as_bytes())?;
        let mut contest = Contest::new(effort);
        let mut names = Vec::new();
        for (name, mut way) in ways(&fs::read(engine)?, plugin)? {
            // No wrong answer is timed. Extism returns the answer in the frame of a reply.
            let is_framed = name.starts_with("extism");
            let expected = if is_framed { reply(Ok(answer.clone())) } else { answer.clone() };
            let found = way(call)?;
            if found != expected {
                return Err(format!("{name} answers {found}, not {expected}").into());
            }
            contest.enter(name, timed(move || Ok(way(call)?.len())))?;
            names.push(name);
        }
        let results = contest.hold()?;
        for name in names {
            values.insert(format!("call_{name}_{workload}_us"), results.micros(name));
            values.insert(format!("call_{name}_{workload}_ratio"), results.ratio(name, "native"));
        }
        for (pair, one, other) in PAIRS {
            values.insert(format!("against_{pair}_{workload}"), results.ratio(one, other));
        }
    }
    println!("{}", serde_json::to_string(&values)?);
    Ok(())
}

/// All ways: natively, and in each sandbox in a fresh instance and in one that answered before.
fn ways<'a>(engine: &[u8], plugin: &str) -> Result<Vec<(&'static str, Way<'a>)>, Failure> {
    let mut ways: Vec<(_, Way<'a>)> =
        vec![("native", Box::new(|call| Ok(Operation::Evaluate.call(call.as_bytes())?)))];
    // All limits of a module: fuel, deadline, memory, stack, input and output, and the answer is checked. Or those of an
    // engine that the host knows, which counts its own steps: memory, stack, input and output.
    for (fresh, kept, is_known) in
        [("ours_fresh_all", "ours_kept_all", false), ("ours_fresh_known", "ours_kept_known", true)]
    {
        let known_engines = is_known.then(|| Digest::sha256(engine)).into_iter().collect();
        let module = Host::new(HostSettings { known_engines, ..HostSettings::default() })?.load(engine)?;
        let mut guest = module.start()?;
        ways.push((fresh, Box::new(move |call| Ok(module.call(Operation::Evaluate, call.as_bytes())?))));
        ways.push((kept, Box::new(move |call| Ok(guest.call(Operation::Evaluate, call.as_bytes())?))));
    }
    for (fresh, kept, is_limited) in
        [("extism_fresh_all", "extism_kept_all", true), ("extism_fresh_none", "extism_kept_none", false)]
    {
        let compiled = compile(plugin, is_limited)?;
        let mut kept_plugin = Plugin::new_from_compiled(&compiled)?;
        let ask = |plugin: &mut Plugin, call: &str| Ok(plugin.call("evaluate", call.as_bytes())?);
        ways.push((fresh, Box::new(move |call| ask(&mut Plugin::new_from_compiled(&compiled)?, call))));
        ways.push((kept, Box::new(move |call| ask(&mut kept_plugin, call))));
    }
    Ok(ways)
}

/// Compiles the plugin, with our host's limits of fuel, time and memory and canonical NaN, or as it comes. The manifest
/// names the file, because a manifest that contains the module is copied for each plugin.
fn compile(file: &str, is_limited: bool) -> Result<CompiledPlugin, Failure> {
    let mut manifest = Manifest::new([Wasm::file(file)]);
    let mut config = wasmtime::Config::new();
    if is_limited {
        manifest = manifest.with_memory_max(MEMORY_PAGES).with_timeout(DEADLINE);
        config.cranelift_nan_canonicalization(true);
    }
    let mut builder =
        PluginBuilder::new(manifest).with_wasi(false).with_wasmtime_config(config).with_cache_disabled();
    if is_limited {
        builder = builder.with_fuel_limit(FUEL);
    }
    Ok(builder.compile()?)
}
