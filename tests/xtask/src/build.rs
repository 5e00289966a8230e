//! `cargo xtask build`: the engine module and the npm package, into `target/artifacts`.
//!
//! One crate has two builds, because a module of the policy interface imports nothing and a wasm-bindgen module does.
//! They are two calls of cargo, because features of one call would unify and drag wasm-bindgen into the engine module. The module of collections is
//! a third call, and a file of its own in the npm package.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::{
    failure::{Doing, Failure, read, write},
    log::Log,
    progress::Progress,
    step::{self, Step, Work},
    tools::{Tool, WASM_TARGET},
    workspace::{Artifacts, Workspace},
};

/// The profile of all released wasm builds, with fat LTO. Native code that is compared with them is built with the same
/// profile.
pub(crate) const PROFILE: &str = "artifact";
/// The profile of the wasm builds of the gate.
const GATE_PROFILE: &str = "gate";

/// The engine module with policy ABI 1.
pub(crate) static ENGINE: Step = Step {
    name: "engine",
    about: "builds and optimises target/artifacts/engine.wasm",
    tools: &[Tool::WasmTarget, Tool::Node, Tool::NpmPackages],
    after: &[],
    work: Work::Function(engine),
};

/// The policies of the corpus, baked into modules.
pub(crate) static BAKED: Step = Step {
    name: "baked",
    about: "bakes the policies of fixtures/policies, by the command, into target/artifacts/baked",
    tools: &[],
    after: &["engine", "command"],
    work: Work::Function(baked),
};

/// wasm-bindgen's generator.
pub(crate) static BINDGEN: Step = Step {
    name: "bindgen",
    about: "builds wasm-bindgen's generator, in the version of Cargo.lock",
    tools: &[],
    after: &[],
    // With all members, so that its dependencies have the features that they have for the tests.
    work: Work::Cargo(&["build", "--workspace", "--features", "xtask/bindgen", "--bin", "bindgen"]),
};

/// The npm package.
pub(crate) static PACKAGE: Step = Step {
    name: "npm-package",
    about: "builds and packs target/artifacts/adjudicate-VERSION.tgz",
    tools: &[Tool::WasmTarget, Tool::Node, Tool::NpmPackages],
    after: &["bindgen"],
    work: Work::Function(package),
};

/// Runs the steps that build, or only that of the engine module.
pub(crate) fn run(workspace: &Workspace, is_engine: bool, verbose: bool) -> Result<ExitCode, Failure> {
    let steps: &[&Step] = if is_engine { &[&ENGINE] } else { &[&ENGINE, &BINDGEN, &PACKAGE] };
    let progress = Progress::on_stdout(verbose);
    let outcomes = step::run(steps, workspace, &progress);
    let artifacts = [workspace.engine(), workspace.npm_package()];
    for artifact in artifacts.iter().take(if is_engine { 1 } else { 2 }) {
        match fs::metadata(artifact) {
            Ok(about) => println!("{}  {} bytes", artifact.display(), about.len()),
            Err(_) => println!("{}  missing", artifact.display()),
        }
    }
    Ok(step::exit_code(&outcomes))
}

/// The engine module as the compiler writes it, with line tables.
static LINES: Step = Step {
    name: "engine-lines",
    about: "builds the engine module with line tables",
    tools: &[Tool::WasmTarget],
    after: &["engine"],
    work: Work::Function(|workspace, log| wasm_crate(workspace, log, "abi", &LINE_TABLES).map(drop)),
};

/// The settings that add line tables to a build and change nothing else.
const LINE_TABLES: [&str; 4] =
    ["--config", "profile.artifact.debug='line-tables-only'", "--config", "profile.artifact.strip='none'"];

/// Shows what each area of the source costs in the engine module.
pub(crate) fn sizes(workspace: &Workspace, verbose: bool) -> Result<ExitCode, Failure> {
    let steps = [&ENGINE, &LINES];
    let progress = Progress::on_stderr(verbose);
    let outcomes = step::run(&steps, workspace, &progress);
    if outcomes.iter().any(|outcome| outcome.failure.is_some()) {
        return Ok(ExitCode::FAILURE);
    }
    let mut table = workspace.program("node", &["tests/benches/areas.mjs"]);
    table.arg(kept(workspace, "abi", &LINE_TABLES)).arg(workspace.engine());
    let status = table.status().doing("running", "tests/benches/areas.mjs")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn engine(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let module = wasm_crate(workspace, log, "abi", &[])?;
    fs::create_dir_all(workspace.artifacts()).doing("creating", workspace.artifacts().display())?;
    optimise(workspace, log, &module, &workspace.engine())
}

/// Runs `wasm-opt` with the same options for every module.
pub(crate) fn optimise(
    workspace: &Workspace,
    log: &mut Log<'_>,
    from: &Path,
    to: &Path,
) -> Result<(), Failure> {
    let mut optimise = workspace.program("node", &["js/scripts/optimize.mjs"]);
    optimise.arg(from).arg(to).args(level(workspace));
    log.run(optimise).map(drop)
}

/// The argument for `wasm-opt`'s level of optimisation.
fn level(workspace: &Workspace) -> &'static [&'static str] {
    match workspace.artifacts {
        Artifacts::Released => &[],
        Artifacts::Gate => &["--level", "0"],
    }
}

fn baked(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let command = workspace.command();
    fs::create_dir_all(workspace.baked()).doing("creating", workspace.baked().display())?;
    let policies = workspace.root().join("fixtures/policies");
    for entry in fs::read_dir(&policies).doing("reading", policies.display())? {
        let policy = entry.doing("reading", policies.display())?.path();
        let name = policy.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some((name, "json" | "yaml")) = name.split_once('.') else { continue };
        let mut build = workspace.program(&command, &["build"]);
        build.arg(&policy).arg("--output").arg(workspace.baked().join(name).with_extension("wasm"));
        build.arg("--engine").arg(workspace.engine());
        log.run(build)?;
    }
    Ok(())
}

fn package(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let module = wasm_crate(workspace, log, "js", &[])?;
    let collect = wasm_module(workspace, log, "adjudicate-collect-wasm", &[])?;
    let glue = workspace.scratch().join("glue");
    let _ = fs::remove_dir_all(&glue);
    let mut generate = workspace.program(workspace.built(None, "debug").join("bindgen"), &[]);
    generate.arg(&module).arg(&glue).arg("engine");
    log.run(generate)?;

    let mut build = workspace.program("node", &["scripts/build.mjs", "--glue"]);
    build.arg(&glue).arg("--collect").arg(&collect).args(level(workspace)).current_dir(workspace.js());
    log.run(build)?;

    fs::create_dir_all(workspace.artifacts()).doing("creating", workspace.artifacts().display())?;
    let mut pack = workspace.program("npm", &["pack", "--pack-destination"]);
    pack.arg(workspace.artifacts()).current_dir(workspace.js());
    log.run(pack)?;
    // `npm pack` names the file after the version in package.json, which must be the workspace's.
    read(&workspace.npm_package()).map(drop)
}

/// Builds the wasm crate with one feature. Returns the module, in a place that the next build does not overwrite.
fn wasm_crate(
    workspace: &Workspace,
    log: &mut Log<'_>,
    feature: &str,
    settings: &[&str],
) -> Result<PathBuf, Failure> {
    let features = ["--no-default-features", "--features", feature];
    let built = wasm_module(workspace, log, "adjudicate-wasm", &[&features, settings].concat())?;
    let kept = kept(workspace, feature, settings);
    write(&kept, read(&built)?)?;
    Ok(kept)
}

/// Builds the module of a crate.
fn wasm_module(
    workspace: &Workspace,
    log: &mut Log<'_>,
    package: &str,
    settings: &[&str],
) -> Result<PathBuf, Failure> {
    let profile = match workspace.artifacts {
        Artifacts::Released => PROFILE,
        Artifacts::Gate => GATE_PROFILE,
    };
    // `rustc` for this crate type alone: cargo drops link-time optimisation for a crate that is also a Rust library.
    let mut build = workspace.cargo(&["rustc", "--package", package, "--lib", "--target", WASM_TARGET]);
    build.args(["--profile", profile, "--crate-type", "cdylib"]);
    build.args(["--config", &path_remapping()?]).args(settings);
    log.run(build)?;
    let module = format!("{}.wasm", package.replace('-', "_"));
    Ok(workspace.built(Some(WASM_TARGET), profile).join(module))
}

/// The file in which a module is kept.
fn kept(workspace: &Workspace, feature: &str, settings: &[&str]) -> PathBuf {
    let name = if settings.is_empty() { format!("{feature}.wasm") } else { format!("{feature}-lines.wasm") };
    workspace.scratch().join("modules").join(name)
}

/// A cargo setting that keeps this machine's paths out of panic messages, so that every machine builds the same bytes.
///
/// As a `--config` argument it adds to the flags of `.cargo/config.toml`; `RUSTFLAGS` would replace them.
fn path_remapping() -> Result<String, Failure> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    let home = home.ok_or_else(|| Failure::Broken("neither CARGO_HOME nor a home folder is known".into()))?;
    let flag = format!("--remap-path-prefix={}=cargo", home.display());
    Ok(format!("target.{WASM_TARGET}.rustflags=[{flag:?}]"))
}
