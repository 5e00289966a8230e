//! The ratios of docs/benchmarks.md, measured in one run: `adjudicate-benches ENGINE NODE_SCRIPT [--quick]`.
//!
//! Other flags measure a part alone. `adjudicate-benches --plans` measures plans and planning, natively; `--serving
//! ENGINE` HTTP; `--baked ENGINE` baked policies; `--files ENGINE` a diff of 2,000 files;
//! `--collect` collections.
//!
//! The program prints one flat JSON object on stdout and nothing else there. Build it with `--profile artifact`: the
//! engine module always has fat LTO, and native code without it would make the sandbox look faster. `cargo xtask bench`
//! does all of this, adds the sizes, and makes the table.

mod baked;
mod collecting;
mod contest;
mod files;
mod floor;
mod generated;
mod growth;
mod node;
mod planning;
mod plans;
mod reasons;
mod serving;
mod threads;
mod workload;

use std::{collections::BTreeMap, env, error::Error, fs, path::Path, process::ExitCode, time::Duration};

use adjudicate_core::{
    Operation,
    evaluate::{Envelope, Judged, evaluate},
    json::{self, Limits},
};
use adjudicate_sandbox::{Digest, Host, Module, Settings};

use crate::{
    contest::{Contest, Effort, Results, mean, timed},
    node::Node,
    workload::Workload,
};

/// A reason why a measurement failed.
pub(crate) type Failure = Box<dyn Error>;

/// The effort of published numbers. Turns are shorter than the time slices of an operating system, so most of them are
/// not interrupted on a busy machine. Turns are many, so the median is one of the uninterrupted ones.
const FULL: Effort = Effort { rounds: 401, turn: Duration::from_millis(2) };
/// The effort of `--quick`: the ratios are correct to about a tenth.
const QUICK: Effort = Effort { rounds: 61, turn: Duration::from_millis(1) };

/// The measured values by key.
pub(crate) type Values = BTreeMap<String, f64>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let measured = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--plans"] => plans(FULL),
        ["--collect"] => collecting::measure(FULL),
        ["--baked", engine] => fs::read(engine)
            .map_err(|error| Failure::from(format!("{engine}: {error}")))
            .and_then(|engine| baked::measure(&engine, FULL)),
        ["--files", engine] => fs::read(engine)
            .map_err(|error| Failure::from(format!("{engine}: {error}")))
            .and_then(|engine| files::measure(&engine, FULL)),
        ["--serving", engine] => serving(Path::new(*engine), FULL),
        [engine, script] => measure(Path::new(*engine), Path::new(*script), FULL),
        [engine, script, "--quick"] => measure(Path::new(*engine), Path::new(*script), QUICK),
        _ => {
            eprintln!(
                "usage: adjudicate-benches ENGINE NODE_SCRIPT [--quick], --plans, --collect, --baked ENGINE, --files ENGINE, or --serving ENGINE"
            );
            return ExitCode::from(64);
        }
    };
    match measured.and_then(|values| Ok(serde_json::to_string(&values)?)) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("adjudicate-benches: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn measure(engine: &Path, script: &Path, effort: Effort) -> Result<Values, Failure> {
    let engine = fs::read(engine).map_err(|error| format!("{}: {error}", engine.display()))?;
    let digest = Digest::sha256(&engine);
    let metered = Host::new(Settings::default())?.load(&engine)?;
    let known =
        Host::new(Settings { known_engines: [digest].into(), ..Settings::default() })?.load(&engine)?;
    let mut node = Node::start(script)?;

    let mut results = Vec::new();
    for workload in Workload::all()? {
        eprintln!("measuring: {}", workload.name);
        results.push((workload.name, contest(&workload, &metered, &known, &mut node, effort)?));
    }
    let mut values = summarise(&results);
    values.extend(baked::measure(&engine, effort)?);
    eprintln!("measuring: files");
    values.extend(files::measure(&engine, effort)?);
    eprintln!("measuring: collections");
    values.extend(collecting::measure(effort)?);
    eprintln!("measuring: reasons");
    values.extend(reasons::measure(effort)?);
    eprintln!("measuring: rules");
    values.extend(growth::measure(&Workload::short()?, effort)?);
    eprintln!("measuring: plans");
    values.extend(plans(effort)?);
    eprintln!("measuring: serve");
    values.extend(serving::measure(&engine, effort.turn * 100)?);
    eprintln!("measuring: threads");
    for (key, speedup) in thread_speedups(&metered, &known, effort)? {
        values.insert(key.into(), speedup);
    }
    Ok(values)
}

/// Measures the judging of plans, and planning.
fn plans(effort: Effort) -> Result<Values, Failure> {
    let mut values = plans::measure(effort)?;
    values.extend(planning::measure(effort)?);
    Ok(values)
}

/// Measures calls over HTTP.
fn serving(engine: &Path, effort: Effort) -> Result<Values, Failure> {
    let engine = fs::read(engine).map_err(|error| format!("{}: {error}", engine.display()))?;
    serving::measure(&engine, effort.turn * 100)
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
    let tape = json::read(text, Limits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let facts = Judged::new(&envelope, None)?;
    let evaluation = evaluate(&facts);
    let mut guest = metered.start()?;
    agree("the codec floor", &serde_json::to_string(&evaluation)?, &answer)?;
    agree("the sandbox", &metered.call(Operation::Evaluate, text)?, &answer)?;
    agree("the known engine", &known.call(Operation::Evaluate, text)?, &answer)?;
    agree("Node", &node.choose(&workload.envelope)?, &answer)?;

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
    contest.enter("node", Box::new(|times| node.run(times)))?;
    contest.hold()
}

/// Returns an error if an answer is wrong, so that no wrong answer is timed.
fn agree(who: &str, actual: &str, expected: &str) -> Result<(), Failure> {
    if actual == expected { Ok(()) } else { Err(format!("{who} answers {actual}, not {expected}").into()) }
}

/// The budgeted ratios, as geometric means over the workloads, and the numbers of each workload.
fn summarise(results: &[(&str, Results)]) -> Values {
    const RATIOS: [(&str, &str, &str); 5] = [
        ("evaluate_codec_ratio", "native", "floor"),
        ("sandbox_warm_ratio", "warm", "native"),
        ("sandbox_fresh_ratio", "fresh", "native"),
        ("sandbox_known_ratio", "known", "native"),
        ("node_text_ratio", "node", "native"),
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
        for name in ["native", "floor", "handle", "warm", "fresh", "known", "node"] {
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
