//! The playground: a page that Vite builds of `js/playground` and the packed npm package.

use std::{
    fs,
    process::{ExitCode, Stdio},
};

use crate::{
    build::{BINDGEN, PACKAGE},
    failure::{Doing, Failure},
    log::Log,
    progress::Progress,
    step::{self, Step, Work},
    tools::Tool,
    workspace::Workspace,
};

/// Where the page is served unless somebody says otherwise: Vite's own port.
const PORT: u16 = 4173;

/// How the page is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Whether it is only built.
    build: bool,
    port: u16,
    verbose: bool,
}

/// What is tested of the page without a browser, and the page.
pub(crate) static STEP: Step = Step {
    name: "playground",
    about: "checks, tests and builds the playground, with the packed package, into target/playground",
    tools: &[Tool::Node, Tool::PlaygroundPackages],
    after: &["engine", "npm-package", "command"],
    work: Work::Function(|workspace, log| {
        install(workspace, log)?;
        let mut test = workspace.program("npm", &["test"]);
        test.current_dir(workspace.playground());
        // The command runs the cases that the page exports.
        test.env("ADJUDICATE", workspace.command());
        log.run_tests(test)?;
        build(workspace, log)
    }),
};

static PAGE: Step = Step {
    name: "playground",
    about: "builds target/playground",
    tools: &[Tool::Node, Tool::PlaygroundPackages],
    after: &["npm-package"],
    work: Work::Function(|workspace, log| {
        install(workspace, log)?;
        build(workspace, log)
    }),
};

impl Wanted {
    /// Reads what follows `cargo xtask playground`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for the person who wrote it.
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let mut wanted = Self { build: false, port: PORT, verbose: false };
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            let (flag, value) = match argument.split_once('=') {
                Some((flag, value)) => (flag, Some(value)),
                None => (argument, None),
            };
            match (flag, value) {
                ("--build", None) => wanted.build = true,
                ("--verbose", None) => wanted.verbose = true,
                ("--port", _) => {
                    let port = value.or_else(|| rest.next()).unwrap_or_default();
                    let number = port.parse().ok().filter(|port| *port != 0);
                    wanted.port = number.ok_or_else(|| format!("`{port}` is not a port"))?;
                }
                _ => return Err(format!("`playground` knows no `{argument}`")),
            }
        }
        Ok(wanted)
    }
}

/// Builds the page, and serves it until it is told to stop.
pub(crate) fn run(workspace: &Workspace, wanted: Wanted) -> Result<ExitCode, Failure> {
    let steps = [&BINDGEN, &PACKAGE, &PAGE];
    let progress = Progress::on_stdout(wanted.verbose);
    let outcomes = step::run(&steps, workspace, &progress);
    let failed = outcomes.iter().any(|outcome| outcome.failure.is_some());
    if failed || wanted.build {
        return Ok(step::exit_code(&outcomes));
    }
    println!("http://127.0.0.1:{}/  (end it with Ctrl-C)", wanted.port);
    let mut serve = workspace.program("node", &["node_modules/vite/bin/vite.js", "preview", "--port"]);
    serve.arg(wanted.port.to_string()).current_dir(workspace.playground());
    // It would read keys, and stop where a shell has it in the background.
    serve.stdin(Stdio::null());
    let status = serve.status().doing("running", "vite preview")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Puts the package that was packed last among the packages of the page: it is in no lock file, for its bytes are ours.
fn install(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let _ = fs::remove_dir_all(workspace.playground().join("node_modules/adjudicate"));
    let mut install =
        workspace.program("npm", &["install", "--no-save", "--no-audit", "--no-fund", "--offline"]);
    install.arg(workspace.npm_package()).current_dir(workspace.playground());
    log.run(install).map(drop)
}

fn build(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut build = workspace.program("npm", &["run", "build"]);
    build.current_dir(workspace.playground());
    log.run(build).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Wanted, String> {
        Wanted::read(&arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_port_is_a_number() {
        let usual = Wanted { build: false, port: PORT, verbose: false };
        assert_eq!(read(&[]), Ok(usual));
        assert_eq!(read(&["--port", "8080"]), Ok(Wanted { port: 8080, ..usual }));
        assert_eq!(read(&["--port=8080", "--build"]), Ok(Wanted { port: 8080, build: true, ..usual }));
        for wrong in [
            &["--port"] as &[&str],
            &["--port", "0"],
            &["--port=x"],
            &["--port", "65536"],
            &["x"],
            &["--build=1"],
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
