//! The tools that a machine needs in addition to Rust: how to recognise and how to install each.
//!
//! A missing tool is installed if that is possible without a question to you. Otherwise the error names the tool and
//! the command that installs it. No step is skipped because a tool is missing.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    failure::Failure,
    log::Log,
    python,
    workspace::{Workspace, says},
};

/// The target of both wasm artefacts.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";
/// The oldest Node for this workspace, by major and minor version: Vite requires it. The npm package itself runs in any
/// Node 20.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// A tool that steps need and cargo does not bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Rustfmt,
    Clippy,
    WasmTarget,
    Node,
    NpmPackages,
    FirstConsumers,
    OtherConsumers,
    PlaygroundPackages,
    Chromium,
    Registry,
    Python,
    Zig,
    NatsServer,
    PythonHost,
    JsonSchema,
    McpClient,
    Linters,
}

/// Installs the missing tools among `needed`.
pub(crate) fn provide(needed: &[Tool], workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut seen: Vec<Tool> = Vec::new();
    for &tool in needed {
        if seen.contains(&tool) {
            continue;
        }
        seen.push(tool);
        if !tool.present(workspace) {
            log.note(&format!("{} is missing", tool.name()));
            for command in tool.installation(workspace) {
                log.run(command)?;
            }
        }
        tool.require(workspace)?;
    }
    Ok(())
}

/// The browser: `CHROMIUM`, or one of its usual names on the path.
pub(crate) fn chromium() -> Option<PathBuf> {
    let named = env::var_os("CHROMIUM").map(PathBuf::from).filter(|path| path.is_file());
    let names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
    named.or_else(|| names.into_iter().find_map(on_path))
}

/// The variable that names the registry's program, also for tests.
pub(crate) const REGISTRY: &str = "ADJUDICATE_REGISTRY";

/// Returns the registry's program: the value of `ADJUDICATE_REGISTRY`, or `docker-registry` on the path.
pub(crate) fn registry() -> Option<PathBuf> {
    let named = env::var_os(REGISTRY).map(PathBuf::from).filter(|path| path.is_file());
    named.or_else(|| on_path("docker-registry"))
}

impl Tool {
    /// Fails if the tool is missing; the error has the command that installs it.
    pub(crate) fn require(self, workspace: &Workspace) -> Result<(), Failure> {
        if self.present(workspace) {
            return Ok(());
        }
        Err(Failure::Missing { what: self.name(), how: self.advice() })
    }

    /// Returns whether npm installs it into a folder of the workspace, so that other installations can run at the same time.
    pub(crate) const fn is_packages(self) -> bool {
        matches!(
            self,
            Self::NpmPackages | Self::FirstConsumers | Self::OtherConsumers | Self::PlaygroundPackages
        )
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Rustfmt => "rustfmt",
            Self::Clippy => "clippy",
            Self::WasmTarget => "the standard library for wasm32-unknown-unknown",
            Self::Node => "Node 20.19 or newer, with npm",
            Self::NpmPackages => "what js/package-lock.json lists",
            Self::FirstConsumers => "what tests/matrix/first/package-lock.json lists",
            Self::OtherConsumers => "what tests/matrix/rest/package-lock.json lists",
            Self::PlaygroundPackages => "what js/playground/package-lock.json lists",
            Self::Chromium => "Chromium",
            Self::Registry => "the registry `docker-registry`",
            Self::Zig => "Zig, as a Python package",
            Self::NatsServer => "nats-server, as a Python package",
            Self::PythonHost => "what the host in Python requires",
            Self::JsonSchema => "jsonschema, as a Python package",
            Self::McpClient => "the official client of the Model Context Protocol, as a Python package",
            Self::Linters => "the linters of files for CI, as Python packages",
            Self::Python => "Python 3.9 or newer, with venv",
        }
    }

    fn advice(self) -> String {
        match self {
            Self::Rustfmt => "run `rustup component add rustfmt`".into(),
            Self::Clippy => "run `rustup component add clippy`".into(),
            Self::WasmTarget => format!("run `rustup target add {WASM_TARGET}`"),
            Self::Node => "install it from https://nodejs.org or your package manager".into(),
            Self::NpmPackages => "run `npm ci` in js/".into(),
            Self::FirstConsumers => "run `npm ci` in tests/matrix/first/".into(),
            Self::OtherConsumers => "run `npm install --no-save` in tests/matrix/rest/".into(),
            Self::PlaygroundPackages => "run `npm ci` in js/playground/".into(),
            Self::Chromium => "run `apt-get install chromium` as root, or set CHROMIUM to its path".into(),
            Self::Registry => {
                "run `apt-get install docker-registry` as root, or set ADJUDICATE_REGISTRY to its path".into()
            }
            Self::Zig
            | Self::NatsServer
            | Self::PythonHost
            | Self::JsonSchema
            | Self::McpClient
            | Self::Linters => {
                "install Python 3 with its venv module, and let it reach a package index".into()
            }
            Self::Python => {
                "run `apt-get install python3-venv` as root, or install it from https://python.org".into()
            }
        }
    }

    fn present(self, workspace: &Workspace) -> bool {
        match self {
            Self::Rustfmt => says(&mut workspace.cargo(&["fmt", "--version"])).is_some(),
            Self::Clippy => says(&mut workspace.cargo(&["clippy", "--version"])).is_some(),
            Self::WasmTarget => {
                let library = ["--print", "target-libdir", "--target", WASM_TARGET];
                says(&mut workspace.program("rustc", &library))
                    .is_some_and(|path| PathBuf::from(path).is_dir())
            }
            Self::Node => {
                says(&mut workspace.program("npm", &["--version"])).is_some()
                    && says(&mut workspace.program("node", &["--version"]))
                        .is_some_and(|text| recent_node(&text))
            }
            Self::NpmPackages => packages_are_current(&workspace.js()),
            Self::FirstConsumers => packages_are_current(&consumers(workspace, "first")),
            // The package's own script links the binary; without that, there is only a placeholder.
            Self::OtherConsumers => {
                let folder = consumers(workspace, "rest");
                packages_are_current(&folder)
                    && says(&mut workspace.program(folder.join("node_modules/.bin/bun"), &["--version"]))
                        .is_some()
            }
            Self::PlaygroundPackages => packages_are_current(&workspace.playground()),
            Self::Chromium => chromium().is_some(),
            Self::Registry => registry().is_some(),
            Self::Zig => python::ZIG.is_complete(workspace),
            Self::NatsServer => python::NATS.is_complete(workspace),
            Self::PythonHost => python::HOST.is_complete(workspace),
            Self::JsonSchema => python::SCHEMAS.is_complete(workspace),
            Self::McpClient => python::MCP.is_complete(workspace),
            Self::Linters => python::LINTERS.is_complete(workspace),
            Self::Python => {
                let check = "import ensurepip, sys, venv; print(sys.version_info >= (3, 9))";
                says(&mut workspace.program("python3", &["-c", check])).is_some_and(|text| text == "True")
            }
        }
    }

    /// Returns the commands that install the tool; none if they would have to ask you.
    fn installation(self, workspace: &Workspace) -> Vec<Command> {
        let rustup = |arguments: &[&str]| vec![workspace.program("rustup", arguments)];
        match self {
            Self::Rustfmt => rustup(&["component", "add", "rustfmt"]),
            Self::Clippy => rustup(&["component", "add", "clippy"]),
            Self::WasmTarget => rustup(&["target", "add", WASM_TARGET]),
            Self::Node => Vec::new(),
            Self::NpmPackages => vec![npm(workspace, workspace.js(), &["ci", "--no-audit", "--no-fund"])],
            Self::FirstConsumers => {
                let install = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
                vec![npm(workspace, consumers(workspace, "first"), &install)]
            }
            Self::OtherConsumers => {
                let folder = consumers(workspace, "rest");
                // Not `ci`: it refuses a lock file that lacks binaries for other platforms, which not every registry
                // has.
                let install = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
                vec![npm(workspace, &folder, &install), npm(workspace, &folder, &["rebuild", "bun"])]
            }
            Self::PlaygroundPackages => {
                vec![npm(workspace, workspace.playground(), &["ci", "--no-audit", "--no-fund"])]
            }
            Self::Chromium => debian_package(workspace, "chromium"),
            Self::Registry => debian_package(workspace, "docker-registry"),
            Self::Zig => python::ZIG.installation(workspace),
            Self::NatsServer => python::NATS.installation(workspace),
            Self::PythonHost => python::HOST.installation(workspace),
            Self::JsonSchema => python::SCHEMAS.installation(workspace),
            Self::McpClient => python::MCP.installation(workspace),
            Self::Linters => python::LINTERS.installation(workspace),
            Self::Python => debian_package(workspace, "python3-venv"),
        }
    }
}

fn npm(workspace: &Workspace, folder: impl AsRef<Path>, arguments: &[&str]) -> Command {
    let mut npm = workspace.program("npm", arguments);
    npm.current_dir(folder);
    npm
}

/// The folder of consumers of the npm package, with a lock file of the tools that build and run them.
fn consumers(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.root().join("tests/matrix").join(name)
}

/// Returns `apt-get` commands, if the machine has `apt-get` and this user may use it.
fn debian_package(workspace: &Workspace, package: &str) -> Vec<Command> {
    let root = says(&mut workspace.program("id", &["-u"])).is_some_and(|id| id == "0");
    if !root || on_path("apt-get").is_none() {
        return Vec::new();
    }
    let mut install = workspace.program("apt-get", &["install", "--yes", "--no-install-recommends", package]);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    vec![workspace.program("apt-get", &["update"]), install]
}

/// Returns whether `npm ci` has run since the lock file last changed.
fn packages_are_current(folder: &Path) -> bool {
    let changed = |file: &str| fs::metadata(folder.join(file)).and_then(|about| about.modified());
    match (changed("node_modules/.package-lock.json"), changed("package-lock.json")) {
        (Ok(installed), Ok(locked)) => installed >= locked,
        _ => false,
    }
}

/// Returns whether the output of `node --version` (`v20.19.2`) is a supported version.
fn recent_node(version: &str) -> bool {
    let mut numbers =
        version.trim_start_matches('v').split('.').map_while(|number| number.parse::<u32>().ok());
    numbers.next().zip(numbers.next()).is_some_and(|version| version >= OLDEST_NODE)
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_or_unreadable_node_versions_do_not_pass() {
        let cases = [
            ("v20.19.0", true),
            ("v20.18.3", false),
            ("v22.3.1", true),
            ("v18.20.8", false),
            ("20.20.0", true),
            ("", false),
            ("vx", false),
        ];
        for (version, recent) in cases {
            assert_eq!(recent_node(version), recent, "{version}");
        }
    }
}
