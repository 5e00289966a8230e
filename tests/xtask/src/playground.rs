//! The playground: a page that Vite builds from `js/playground` and the packed npm package.

use std::{
    fs,
    process::{ExitCode, Stdio},
};

use crate::{
    build::{BINDGEN, PACKAGE},
    corpus,
    failure::{Doing, Failure},
    log::Log,
    progress::Progress,
    step::{self, Step, Work},
    tools::Tool,
    workspace::Workspace,
};

/// The default port, which is Vite's own.
const PORT: u16 = 4173;

/// The options of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaygroundOptions {
    /// Build the page without serving it.
    build: bool,
    port: u16,
    verbose: bool,
}

/// The tests of the page that need no browser, and the build of the page.
pub(crate) static STEP: Step = Step {
    name: "playground",
    about: "checks, tests and builds the playground, with the packed package, into target/playground",
    tools: &[Tool::Node, Tool::PlaygroundPackages],
    after: &["engine", "npm-package", "command", "corpus"],
    work: Work::Function(|workspace, log| {
        install(workspace, log)?;
        let mut test = workspace.program("npm", &["test"]);
        test.current_dir(workspace.playground());
        // The command runs the cases that the page exports.
        test.env("ADJUDICATE", workspace.command()).env("ADJUDICATE_CORPUS", corpus::file(workspace));
        log.run_tests(test)?;
        build(workspace, log)
    }),
};

static PAGE: Step = Step {
    name: "playground",
    about: "builds target/playground",
    tools: &[Tool::Node, Tool::PlaygroundPackages],
    after: &["npm-package", "corpus"],
    work: Work::Function(|workspace, log| {
        install(workspace, log)?;
        build(workspace, log)
    }),
};

impl PlaygroundOptions {
    /// Reads the arguments after `cargo xtask playground`.
    ///
    /// # Errors
    ///
    /// The reason why the arguments are invalid, for the person who wrote them.
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self { build: false, port: PORT, verbose: false };
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            let (flag, value) = match argument.split_once('=') {
                Some((flag, value)) => (flag, Some(value)),
                None => (argument, None),
            };
            match (flag, value) {
                ("--build", None) => options.build = true,
                ("--verbose", None) => options.verbose = true,
                ("--port", _) => {
                    let port = value.or_else(|| rest.next()).unwrap_or_default();
                    let number = port.parse().ok().filter(|port| *port != 0);
                    options.port = number.ok_or_else(|| format!("`{port}` is not a port"))?;
                }
                _ => return Err(format!("`playground` knows no `{argument}`")),
            }
        }
        Ok(options)
    }
}

/// Builds the page, and serves it until you stop it.
pub(crate) fn run(workspace: &Workspace, options: PlaygroundOptions) -> Result<ExitCode, Failure> {
    let steps = [&BINDGEN, &PACKAGE, &corpus::ALONE, &PAGE];
    let progress = Progress::on_stdout(options.verbose);
    let outcomes = step::run(&steps, workspace, &progress);
    let failed = outcomes.iter().any(|outcome| outcome.failure.is_some());
    if failed || options.build {
        return Ok(step::exit_code(&outcomes));
    }
    println!("http://127.0.0.1:{}/  (end it with Ctrl-C)", options.port);
    let mut serve = workspace.program("node", &["node_modules/vite/bin/vite.js", "preview", "--port"]);
    serve.arg(options.port.to_string()).current_dir(workspace.playground());
    // With a terminal as stdin, Vite reads keys, and a shell stops it in the background.
    serve.stdin(Stdio::null());
    let status = serve.status().doing("running", "vite preview")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Installs the newest packed package in the page's folder. It is in no lock file, because its bytes change with each
/// build.
fn install(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let _ = fs::remove_dir_all(workspace.playground().join("node_modules/adjudicate"));
    let mut install =
        workspace.program("npm", &["install", "--no-save", "--no-audit", "--no-fund", "--offline"]);
    install.arg(workspace.npm_package()).current_dir(workspace.playground());
    log.run(install).map(drop)
}

fn build(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut build = workspace.program("npm", &["run", "build"]);
    build.current_dir(workspace.playground()).env("ADJUDICATE_CORPUS", corpus::file(workspace));
    log.run(build).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<PlaygroundOptions, String> {
        PlaygroundOptions::read(&arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_port_is_a_number() {
        let usual = PlaygroundOptions { build: false, port: PORT, verbose: false };
        assert_eq!(read(&[]), Ok(usual));
        assert_eq!(read(&["--port", "8080"]), Ok(PlaygroundOptions { port: 8080, ..usual }));
        assert_eq!(
            read(&["--port=8080", "--build"]),
            Ok(PlaygroundOptions { port: 8080, build: true, ..usual })
        );
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
