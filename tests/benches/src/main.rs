//! The ratios of docs/benchmarks.md, measured in one run: `adjudicate-benches ENGINE NODE_SCRIPT [--quick]`.
//!
//! The program prints one flat JSON object on stdout and nothing else there. Build it with `--profile artifact`: the
//! engine module always has fat LTO, and native code without it would make the sandbox look faster. `cargo xtask bench`
//! does all of this, adds the sizes, and fills the table.

mod baked;
mod collecting;
mod contest;
mod files;
mod floor;
mod generated;
mod growth;
mod hooks;
mod node;
mod planning;
mod plans;
mod reasons;
mod serving;
mod threads;
mod workload;

use std::{cell::RefCell, collections::BTreeMap, env, error::Error, fs, path::Path};

use adjudicate_core::{
    Operation,
    evaluate::{Envelope, Judged, evaluate},
    json::{self, ReadLimits},
};
use adjudicate_sandbox::{Digest, Host, HostSettings, Module};

use crate::{
    contest::{Contest, Effort, Results, mean, timed},
    node::Node,
    workload::Workload,
};

/// A reason why a measurement failed.
pub(crate) type Failure = Box<dyn Error>;

/// The measured values by key.
pub(crate) type Values = BTreeMap<String, f64>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (engine, script, effort) = match arguments.as_slice() {
        [engine, script] => (engine, script, Effort::FULL),
        [engine, script, quick] if quick == "--quick" => (engine, script, Effort::QUICK),
        _ => return Err("usage: adjudicate-benches ENGINE NODE_SCRIPT [--quick]".into()),
    };
    let engine = fs::read(engine).map_err(|error| format!("{engine}: {error}"))?;
    println!("{}", serde_json::to_string(&measure(&engine, Path::new(script), effort)?)?);
    Ok(())
}

fn measure(engine: &[u8], script: &Path, effort: Effort) -> Result<Values, Failure> {
    let known_engines = [Digest::sha256(engine)].into();
    let metered = Host::new(HostSettings::default())?.load(engine)?;
    let known = Host::new(HostSettings { known_engines, ..HostSettings::default() })?.load(engine)?;
    let mut node = Node::start(script)?;

    let mut results = Vec::new();
    for workload in Workload::all()? {
        eprintln!("measuring: {}", workload.name);
        results.push((workload.name, contest(&workload, &metered, &known, &mut node, effort)?));
    }
    let mut values = summarise(&results);
    values.extend(baked::measure(engine, effort)?);
    values.extend(files::measure(engine, effort)?);
    values.extend(collecting::measure(effort)?);
    values.extend(reasons::measure(effort)?);
    values.extend(growth::measure(&Workload::short()?, effort)?);
    values.extend(plans::measure(effort)?);
    values.extend(planning::measure(effort)?);
    values.extend(hooks::measure(engine, effort)?);
    values.extend(serving::measure(engine, effort.turn * 100)?);
    for (key, speedup) in thread_speedups(&metered, &known, effort)? {
        values.insert(key.into(), speedup);
    }
    Ok(values)
}

/// Measures every way to evaluate on one workload.
fn contest(
    workload: &Workload,
    metered: &Module,
    known: &Module,
    node: &mut Node,
    effort: Effort,
) -> Result<Results, Failure> {
    let text = workload.envelope.as_bytes();
    let answer = workload.answer()?;
    let tape = json::read(text, ReadLimits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let facts = Judged::new(&envelope, None)?;
    let evaluation = evaluate(&facts);
    let mut guest = metered.start()?;
    agree("the codec floor", &serde_json::to_string(&evaluation)?, &answer)?;
    agree("the sandbox", &metered.call(Operation::Evaluate, text)?, &answer)?;
    agree("the known engine", &known.call(Operation::Evaluate, text)?, &answer)?;
    agree("Node", &node.choose(&workload.envelope)?, &answer)?;

    let node = RefCell::new(node);
    let mut contest = Contest::new(effort);
    contest.enter("native", timed(|| Ok(Operation::Evaluate.call(text)?.len())))?;
    contest.enter("floor", timed(|| Ok(floor::read_and_write(text, &evaluation)?)))?;
    contest.enter(
        "handle",
        timed(|| {
            let facts = Judged::new(&envelope, Some(&workload.policy))?;
            Ok(evaluate(&facts).findings.len())
        }),
    )?;
    contest.enter("warm", timed(|| Ok(guest.call(Operation::Evaluate, text)?.len())))?;
    contest.enter("fresh", timed(|| Ok(metered.call(Operation::Evaluate, text)?.len())))?;
    contest.enter("known", timed(|| Ok(known.call(Operation::Evaluate, text)?.len())))?;
    contest.enter("node", Box::new(|times| node.borrow_mut().run(node::TEXT, times)))?;
    contest.enter("node_preview", Box::new(|times| node.borrow_mut().run(node::PREVIEW, times)))?;
    contest.hold()
}

/// Returns an error if an answer is wrong, so that no wrong answer is timed.
fn agree(who: &str, actual: &str, expected: &str) -> Result<(), Failure> {
    if actual == expected { Ok(()) } else { Err(format!("{who} answers {actual}, not {expected}").into()) }
}

/// The budgeted ratios, as geometric means over the workloads, and the numbers of each workload.
fn summarise(results: &[(&str, Results)]) -> Values {
    const RATIOS: [(&str, &str, &str); 6] = [
        ("evaluate_codec_ratio", "native", "floor"),
        ("sandbox_warm_ratio", "warm", "native"),
        ("sandbox_fresh_ratio", "fresh", "native"),
        ("sandbox_known_ratio", "known", "native"),
        ("node_text_ratio", "node", "native"),
        ("node_preview_ratio", "node_preview", "node"),
    ];
    let mut values = Values::new();
    for (key, name, base) in RATIOS {
        values.insert(key.into(), mean(results.iter().map(|(_, results)| results.ratio(name, base))));
        for (workload, results) in results {
            values.insert(format!("{workload}_{key}"), results.ratio(name, base));
        }
    }
    values.insert(
        "evaluate_handle_us".into(),
        mean(results.iter().map(|(_, results)| results.micros("handle"))),
    );
    for (workload, results) in results {
        for name in ["native", "floor", "handle", "warm", "fresh", "known", "node", "node_preview"] {
            values.insert(format!("{workload}_{name}_us"), results.micros(name));
        }
    }
    values
}

/// Two threads against one: in the sandbox with and without fuel, and natively to show the limit of the machine.
fn thread_speedups(
    metered: &Module,
    known: &Module,
    effort: Effort,
) -> Result<[(&'static str, f64); 3], Failure> {
    let workload = Workload::short()?;
    let text = workload.envelope.as_bytes();
    Ok([
        (
            "threads_2_speedup",
            threads::speedup(effort, || Ok(metered.call(Operation::Evaluate, text)?.len()))?,
        ),
        (
            "threads_2_known_speedup",
            threads::speedup(effort, || Ok(known.call(Operation::Evaluate, text)?.len()))?,
        ),
        ("threads_2_native_speedup", threads::speedup(effort, || Ok(Operation::Evaluate.call(text)?.len()))?),
    ])
}
