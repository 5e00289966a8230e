//! The tools that a machine needs in addition to Rust: how to recognise and how to install each.
//!
//! A missing tool is installed if that is possible without a question to you. Otherwise the error names the tool and
//! advises you. No step is skipped because a tool is missing.

use crate::{Failure, log::Log, workspace::Workspace};

/// A tool that steps need and cargo does not bring.
pub(crate) struct Tool {
    /// The name in the table of steps.
    pub(crate) name: &'static str,
    /// The script that succeeds if the tool is there.
    check: &'static str,
    /// The script that installs it; empty if only you can do that.
    install: &'static str,
    advice: &'static str,
}

const fn tool(name: &'static str, check: &'static str, install: &'static str, advice: &'static str) -> Tool {
    Tool { name, check, install, advice }
}

/// The advice about an environment of Python.
const INDEX: &str = "install Python 3 with its venv module, and let it reach a package index";

/// All tools. Those whose names begin with `npm-` are packages in folders of the workspace.
static TOOLS: &[Tool] = &[
    tool(
        "rustfmt",
        "cargo fmt --version",
        "rustup component add rustfmt",
        "run `rustup component add rustfmt`",
    ),
    tool(
        "clippy",
        "cargo clippy --version",
        "rustup component add clippy",
        "run `rustup component add clippy`",
    ),
    tool(
        "wasm-target",
        r#"for target in $wasm_target $command_target; do [ -d "$(rustc --print target-libdir --target $target)" ]; done"#,
        r#"rustup target add "$wasm_target" "$command_target""#,
        "run `rustup target add wasm32-unknown-unknown wasm32-wasip1`",
    ),
    // Vite requires this version. The npm package itself runs in any Node 20.
    tool(
        "node",
        "npm --version && node -e 'const [a, b] = process.versions.node.split(`.`); process.exit(a * 100 + +b < 2019 ? 1 : 0)'",
        "",
        "install Node 20.19 or newer, with npm, from https://nodejs.org or your package manager",
    ),
    tool("npm-package", "npm_is_current js", "npm_install js ci", "run `npm ci` in js/"),
    tool(
        "npm-playground",
        "npm_is_current js/playground",
        "npm_install js/playground ci",
        "run `npm ci` in js/playground/",
    ),
    tool(
        "npm-first",
        "npm_is_current tests/matrix/first",
        "npm_install tests/matrix/first ci --ignore-scripts",
        "run `npm ci` in tests/matrix/first/",
    ),
    // Not `ci`: it refuses a lock file that lacks binaries for other platforms, which not every registry has. A script of
    // Bun's package links the binary; without that, there is only a placeholder.
    tool(
        "npm-rest",
        "npm_is_current tests/matrix/rest && tests/matrix/rest/node_modules/.bin/bun --version",
        "npm_install tests/matrix/rest install --no-save --ignore-scripts && npm rebuild bun",
        "run `npm install --no-save` in tests/matrix/rest/",
    ),
    tool(
        "chromium",
        r#"[ -n "$CHROMIUM" ]"#,
        "debian_package chromium",
        "run `apt-get install chromium` as root, or set CHROMIUM to its path",
    ),
    tool(
        "firefox",
        r#"[ -f "${FIREFOX:-$(command -v firefox-esr || command -v firefox)}" ]"#,
        "debian_package firefox-esr",
        "run `apt-get install firefox-esr` as root, or set FIREFOX to its path",
    ),
    tool(
        "registry",
        r#"[ -f "${ADJUDICATE_REGISTRY:-$(command -v docker-registry)}" ]"#,
        "debian_package docker-registry",
        "run `apt-get install docker-registry` as root, or set ADJUDICATE_REGISTRY to its path",
    ),
    tool(
        "python",
        "python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 9))'",
        "debian_package python3-venv",
        "install Python 3.9 or newer: run `apt-get install python3-venv` as root",
    ),
    tool("zig", "python_packages zig --no-index", "python_environment zig", INDEX),
    // The server to test clusters with. Every machine runs this version, whatever its own packages have.
    tool("nats", "python_packages nats --no-index", "python_environment nats", INDEX),
    tool("python-host", "python_packages python-host --no-index", "python_environment python-host", INDEX),
    tool("schemas", "python_packages schemas --no-index", "python_environment schemas", INDEX),
    tool("mcp", "python_packages mcp --no-index", "python_environment mcp", INDEX),
    tool("linters", "python_packages linters --no-index", "python_environment linters", INDEX),
    tool(
        "cargo-hack",
        "cargo hack --version",
        "cargo install cargo-hack --locked --version 0.6.46",
        "run `cargo install cargo-hack --locked`",
    ),
];

/// Returns the tool of a name.
pub(crate) fn find(name: &str) -> Result<&'static Tool, Failure> {
    Ok(TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| format!("there is no tool `{name}`"))?)
}

/// Installs the missing tools.
pub(crate) fn provide(
    tools: &[&'static Tool],
    workspace: &Workspace,
    log: &mut Log<'_>,
) -> Result<(), Failure> {
    for tool in tools {
        if tool.require(workspace).is_err() && !tool.install.is_empty() {
            log.note(&format!("{} is missing", tool.name));
            // A failure is in the log; the next line advises.
            let _ = log.run(workspace.script(tool.install), tool.install);
        }
        tool.require(workspace)?;
    }
    Ok(())
}

impl Tool {
    /// Fails if the tool is missing; the error advises you.
    pub(crate) fn require(&self, workspace: &Workspace) -> Result<(), Failure> {
        let output = workspace.script(self.check).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("{} is missing: {}", self.name, self.advice).into())
    }
}
