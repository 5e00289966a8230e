//! Steps with programs of other projects: another host, another validator of schemas, the official client of the tools, linters of
//! the files for CI.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    corpus,
    failure::Failure,
    log::Log,
    python,
    step::{Step, Work},
    tools::Tool,
    workspace::Workspace,
};

pub(crate) static HOSTILE: Step = Step {
    name: "hostile-modules",
    about: "writes target/artifacts/hostile, the corpus of modules that hosts must survive",
    tools: &[],
    after: &["command"],
    work: Work::Function(hostile),
};

pub(crate) static PYTHON_HOST: Step = Step {
    name: "python-host",
    about: "the corpus of hostile modules through the host in Python",
    tools: &[Tool::Python, Tool::PythonHost],
    after: &["engine", "hostile-modules"],
    work: Work::Function(python_host),
};

pub(crate) static SCHEMAS: Step = Step {
    name: "schemas",
    about: "the fixtures are valid by docs/schemas, with Python's jsonschema",
    tools: &[Tool::Python, Tool::JsonSchema],
    after: &["corpus"],
    work: Work::Function(schemas),
};

pub(crate) static MCP: Step = Step {
    name: "mcp-client",
    about: "the official client in Python calls the tools of `adjudicate mcp`, and of `serve --mcp`",
    tools: &[Tool::Python, Tool::McpClient],
    after: &["command", "corpus"],
    work: Work::Function(mcp_client),
};

pub(crate) static WORKFLOWS: Step = Step {
    name: "workflows",
    about: "linters find no fault in the workflows, action.yml, its scripts, .gitlab and .pre-commit-hooks.yaml",
    tools: &[Tool::Python, Tool::Linters],
    after: &[],
    work: Work::Function(workflows),
};

/// The folder of the modules.
pub(crate) fn hostile_modules(workspace: &Workspace) -> PathBuf {
    workspace.artifacts().join("hostile")
}

fn hostile(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let folder = hostile_modules(workspace);
    // Modules of an earlier corpus must not stay in the folder.
    let _ = fs::remove_dir_all(&folder);
    let mut export = workspace.program(workspace.command(), &["conformance", "--export"]);
    export.arg(folder);
    log.run(export).map(drop)
}

fn schemas(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut test = Command::new(python::SCHEMAS.python(workspace));
    test.arg("check.py")
        .current_dir(workspace.root().join("tests/schemas"))
        .env("ADJUDICATE_CORPUS", corpus::file(workspace))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    log.run_tests(test)
}

fn mcp_client(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut test = Command::new(python::MCP.python(workspace));
    test.arg("client.py").arg(workspace.command());
    test.current_dir(workspace.root().join("tests/mcp")).env("PYTHONDONTWRITEBYTECODE", "1");
    test.env("ADJUDICATE_CORPUS", corpus::file(workspace));
    log.run_tests(test)
}

fn workflows(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let programs = python::LINTERS.programs(workspace);
    let scripts = workspace.git(&["ls-files", ".ci/run", "*.sh"])?;
    let scripts: Vec<&str> = scripts.lines().collect();
    let action = ["--builtin-schema", "vendor.github-actions", "action.yml"];
    let template =
        ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", ".gitlab/adjudicate.yml"];
    for (name, arguments) in [
        // Without the linters that it would find on some machines only.
        ("actionlint", &["-shellcheck=", "-pyflakes="][..]),
        ("check-jsonschema", &action[..]),
        ("check-jsonschema", &template[..]),
        ("pre-commit", &["validate-manifest", ".pre-commit-hooks.yaml"][..]),
        ("shellcheck", &scripts[..]),
    ] {
        log.run(workspace.program(programs.join(name), arguments))?;
    }
    Ok(())
}

fn python_host(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let host = workspace.root().join("wasm/examples/python-host");
    let mut test = Command::new(python::HOST.python(workspace));
    test.arg("test_host.py").arg(hostile_modules(workspace)).arg(workspace.engine());
    test.current_dir(host).env("PYTHONDONTWRITEBYTECODE", "1");
    log.run_tests(test)
}
