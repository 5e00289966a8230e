//! The first configuration of a repository.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{CONFIGURATION_NAMES, CollectError, node};

/// The name of the policy.
pub(crate) const POLICY_NAME: &str = "adjudicate.policy.yaml";

/// A tool, by the file that shows that a repository uses it.
struct Tool {
    file: &'static str,
    /// The lines of its validators.
    validators: &'static str,
    /// Patterns of the files that it creates, as items of a list.
    created: &'static str,
}

const PYTHON_FILES: &str = "__pycache__/, .pytest_cache/";

const PYTEST: &str = "  - id: pytest\n    run: python -m pytest -o junit_family=xunit1 --junitxml=.adjudicate/reports/pytest.xml\n    reports: [.adjudicate/reports/pytest.xml]\n    repro: python -m pytest {file}\n";

const NPM: &str = "  - id: npm-test\n    run: npm test\n";

/// The comment in a validator without a report.
const NO_REPORT: &str = "    # It writes no report, so no case is known. Let the test runner write JUnit XML, and name the file, for example:\n    # reports: [.adjudicate/reports/unit.xml]\n";

const GRADLE_FILES: &str = ".gradle/, build/";

/// The files that `init` wrote.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InitialFiles {
    /// The paths of the files.
    pub paths: Vec<PathBuf>,
    /// False if no build file in the root shows a tool. Then the configuration has no validator.
    pub has_validators: bool,
}

/// The tools, one row each. Of the tools for Node, the lock file decides.
const TOOLS: &[Tool] = &[
    Tool {
        file: "Cargo.toml",
        validators: "  - id: cargo-test\n    # `cargo test` writes no report, so no case is known. A profile of cargo-nextest with `junit` writes one, for example:\n    # run: cargo nextest run --profile ci\n    # reports: [target/nextest/ci/junit.xml]\n    run: cargo test\n    timeout_seconds: 1800\n",
        created: "/Cargo.lock, /target/",
    },
    Tool { file: "pnpm-lock.yaml", validators: "  - id: pnpm-test\n    run: pnpm run test\n", created: "" },
    Tool { file: "package-lock.json", validators: NPM, created: "" },
    Tool { file: "pyproject.toml", validators: PYTEST, created: PYTHON_FILES },
    Tool { file: "pytest.ini", validators: PYTEST, created: PYTHON_FILES },
    Tool {
        file: "go.mod",
        validators: "  - id: go-test\n    run: go test -json ./...\n    output: go-test\n",
        created: "",
    },
    Tool {
        file: "pom.xml",
        validators: "  - id: maven\n    run: mvn --batch-mode verify\n    timeout_seconds: 1800\n    reports: [\"**/target/surefire-reports/TEST-*.xml\"]\n",
        created: "target/",
    },
    Tool {
        file: "build.gradle",
        validators: "  - id: gradle\n    run: gradle cleanTest test\n    timeout_seconds: 1800\n    reports: [\"**/build/test-results/test/TEST-*.xml\"]\n",
        created: GRADLE_FILES,
    },
    Tool {
        file: "build.gradle.kts",
        validators: "  - id: gradle\n    run: gradle cleanTest test\n    timeout_seconds: 1800\n    reports: [\"**/build/test-results/test/TEST-*.xml\"]\n",
        created: GRADLE_FILES,
    },
];

/// The tools of repositories that show no other.
const FALLBACKS: &[Tool] = &[
    Tool { file: "package.json", validators: NPM, created: "" },
    Tool { file: "Makefile", validators: "  - id: make-test\n    run: make test\n", created: "" },
];

/// The configuration before the policy.
pub(crate) const HEAD: &str = "\
# yaml-language-server: $schema=https://github.com/OWNER/adjudicate/raw/main/docs/schemas/configuration.schema.json
workflow: change
# The steps that may come next, in order of preference.
next_steps:
  - {id: open_pull_request, role: forward}
  - {id: fix_findings, role: fix}
  - {id: ask_a_human, role: gate}
";

/// The comment before the validators.
pub(crate) const VALIDATORS: &str = "# The commands that check the work. Each needs a result.\n";

/// The validators of a repository that shows no tool.
const NO_VALIDATORS: &str = "\
# No build file shows a tool, so nothing is checked, and `adjudicate run` asks a human. Add the commands, for example:
# validators:
#   - id: unit
#     run: make test
# If no check is needed, set `required_validators: []` in the policy.
validators: []
";

/// The comment before the files that tools create.
const TREE_IGNORE: &str = "\
# Files that these commands create. Even if git does not ignore them, they are no part of the tree that is judged.
";

const POLICY: &str = "\
# yaml-language-server: $schema=https://github.com/OWNER/adjudicate/raw/main/docs/schemas/policy.schema.json
policy: change
version: 1.0.0
profile: oa06.1
review: optional
# Changes below these paths need the approval of a human. After you commit this file, protect it and the configuration:
# protected_paths: [adjudicate.yaml, adjudicate.policy.yaml]
protected_paths: []
# Changes below these paths are never allowed.
forbidden_paths: []
";

/// Writes `adjudicate.yaml` and `adjudicate.policy.yaml`. Validators come from the build files in the root.
///
/// # Errors
///
/// [`CollectError::Exists`] if one of the files exists. Then neither is written.
pub fn init(root: &Path) -> Result<InitialFiles, CollectError> {
    let names = CONFIGURATION_NAMES.into_iter().chain([POLICY_NAME]);
    if let Some(path) = names.map(|name| root.join(name)).find(|path| fs::symlink_metadata(path).is_ok()) {
        return Err(CollectError::Exists(path.display().to_string()));
    }
    let configuration = format!("{HEAD}policy: {POLICY_NAME}\n{VALIDATORS}{}", validators(root));
    let paths = [(CONFIGURATION_NAMES[0], configuration.as_str()), (POLICY_NAME, POLICY)].into_iter();
    let paths = paths.map(|(name, text)| {
        let path = root.join(name);
        write_new(&path, text).map_err(CollectError::file("write", &path))?;
        Ok(path)
    });
    Ok(InitialFiles { paths: paths.collect::<Result<_, _>>()?, has_validators: !tools(root).is_empty() })
}

/// Returns the lines of the validator with this id, if a build file in the root shows its tool.
pub(crate) fn known_validator(root: &Path, id: &str) -> Option<String> {
    let first = format!("  - id: {id}\n");
    let mut tools = TOOLS.iter().chain(FALLBACKS).filter(|tool| root.join(tool.file).is_file());
    tools.find(|tool| tool.validators.starts_with(&first)).map(|tool| tool.lines(root))
}

impl Tool {
    /// Returns the lines of its validators. If the test runner of a Node package can write a report, it does. A wrapper in the root starts
    /// Maven and Gradle, and outside of Windows, the name of Python 3 is `python3`.
    fn lines(&self, root: &Path) -> String {
        let before_arguments = match self.file {
            "pnpm-lock.yaml" => "pnpm run test",
            "package-lock.json" | "package.json" => "npm test --",
            "Makefile" => return format!("{}{NO_REPORT}", self.validators),
            "pom.xml" if root.join("mvnw").is_file() => {
                return self.validators.replace("run: mvn ", "run: ./mvnw ");
            }
            "build.gradle" | "build.gradle.kts" if root.join("gradlew").is_file() => {
                return self.validators.replace("run: gradle ", "run: ./gradlew ");
            }
            "pyproject.toml" | "pytest.ini" if cfg!(not(windows)) => {
                return self.validators.replace("python ", "python3 ");
            }
            _ => return self.validators.to_owned(),
        };
        let Some(report) = node::report(root) else { return format!("{}{NO_REPORT}", self.validators) };
        let arguments = format!("    run: {before_arguments} {}\n", report.arguments);
        let (id, run) = self.validators.split_once('\n').unwrap_or_default();
        format!("{id}\n{arguments}    reports: [{}]\n{}", report.file, run.replace("run:", "repro:"))
    }
}

/// Returns the tools that the build files in the root show, each once.
fn tools(root: &Path) -> Vec<&'static Tool> {
    let among = |tools: &'static [Tool]| {
        let mut found: Vec<&Tool> = Vec::new();
        for tool in tools.iter().filter(|tool| root.join(tool.file).is_file()) {
            if found.iter().all(|known| known.validators != tool.validators) {
                found.push(tool);
            }
        }
        found
    };
    Some(among(TOOLS)).filter(|found| !found.is_empty()).unwrap_or_else(|| among(FALLBACKS))
}

/// Returns the validators of the tools that the build files in the root show, and the files that these create.
pub(crate) fn validators(root: &Path) -> String {
    let tools = tools(root);
    if tools.is_empty() {
        return NO_VALIDATORS.to_owned();
    }
    let mut lines = String::from("validators:\n");
    lines.extend(tools.iter().map(|tool| tool.lines(root)));
    let created: Vec<&str> =
        tools.iter().map(|tool| tool.created).filter(|created| !created.is_empty()).collect();
    if !created.is_empty() {
        lines.push_str(TREE_IGNORE);
        lines.push_str(&format!("tree_ignore: [{}]\n", created.join(", ")));
    }
    lines
}

/// Writes a file that does not exist.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    File::create_new(path)?.write_all(text.as_bytes())
}
