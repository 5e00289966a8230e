//! The first configuration of a repository.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{CONFIGURATION_NAMES, CollectError};

/// The name of the policy.
pub(crate) const POLICY_NAME: &str = "adjudicate.policy.yaml";

/// A tool, by the file that shows that a repository uses it.
struct Tool {
    file: &'static str,
    /// The lines of its validators.
    validators: &'static str,
}

/// The tools, one row each. Of the tools for Node, the lock file decides.
const TOOLS: &[Tool] = &[
    Tool {
        file: "Cargo.toml",
        validators: "  - id: cargo-test\n    run: cargo test\n    timeout_seconds: 1800\n",
    },
    Tool { file: "pnpm-lock.yaml", validators: "  - id: pnpm-test\n    run: pnpm test\n" },
    Tool { file: "package-lock.json", validators: "  - id: npm-test\n    run: npm test\n" },
    Tool {
        file: "pyproject.toml",
        validators: "  - id: pytest\n    run: python -m pytest -o junit_family=xunit1 --junitxml=.adjudicate/reports/pytest.xml\n    reports: [.adjudicate/reports/pytest.xml]\n    repro: python -m pytest {file}\n",
    },
    Tool {
        file: "pytest.ini",
        validators: "  - id: pytest\n    run: python -m pytest -o junit_family=xunit1 --junitxml=.adjudicate/reports/pytest.xml\n    reports: [.adjudicate/reports/pytest.xml]\n    repro: python -m pytest {file}\n",
    },
    Tool {
        file: "go.mod",
        validators: "  - id: go-test\n    run: go test -json ./...\n    output: go-test\n",
    },
    Tool {
        file: "pom.xml",
        validators: "  - id: maven\n    run: mvn --batch-mode verify\n    timeout_seconds: 1800\n    reports: [\"**/target/surefire-reports/TEST-*.xml\"]\n",
    },
    Tool {
        file: "build.gradle",
        validators: "  - id: gradle\n    run: gradle cleanTest test\n    timeout_seconds: 1800\n    reports: [\"**/build/test-results/test/TEST-*.xml\"]\n",
    },
    Tool {
        file: "build.gradle.kts",
        validators: "  - id: gradle\n    run: gradle cleanTest test\n    timeout_seconds: 1800\n    reports: [\"**/build/test-results/test/TEST-*.xml\"]\n",
    },
];

/// The tools of repositories that show no other.
const FALLBACKS: &[Tool] = &[
    Tool { file: "package.json", validators: "  - id: npm-test\n    run: npm test\n" },
    Tool { file: "Makefile", validators: "  - id: make-test\n    run: make test\n" },
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

/// Writes `adjudicate.yaml` and `adjudicate.policy.yaml`, and returns their paths. Validators come from the build files in the root.
///
/// # Errors
///
/// [`CollectError::Exists`] if one of the files exists. Then neither is written.
pub fn init(root: &Path) -> Result<Vec<PathBuf>, CollectError> {
    let names = CONFIGURATION_NAMES.into_iter().chain([POLICY_NAME]);
    if let Some(path) = names.map(|name| root.join(name)).find(|path| fs::symlink_metadata(path).is_ok()) {
        return Err(CollectError::Exists(path.display().to_string()));
    }
    let configuration = format!("{HEAD}policy: {POLICY_NAME}\n{VALIDATORS}{}", validators(root));
    [(CONFIGURATION_NAMES[0], configuration.as_str()), (POLICY_NAME, POLICY)]
        .into_iter()
        .map(|(name, text)| {
            let path = root.join(name);
            write_new(&path, text).map_err(CollectError::file("write", &path))?;
            Ok(path)
        })
        .collect()
}

/// Returns the lines of the validator with this id, if a build file in the root shows its tool.
pub(crate) fn known_validator(root: &Path, id: &str) -> Option<&'static str> {
    let first = format!("  - id: {id}\n");
    let mut tools = TOOLS.iter().chain(FALLBACKS).filter(|tool| root.join(tool.file).is_file());
    tools.find(|tool| tool.validators.starts_with(&first)).map(|tool| tool.validators)
}

/// Returns the validators that the build files in the root show.
pub(crate) fn validators(root: &Path) -> String {
    let lines = |tools: &[Tool]| {
        let mut blocks: Vec<&str> = Vec::new();
        for tool in tools.iter().filter(|tool| root.join(tool.file).is_file()) {
            if !blocks.contains(&tool.validators) {
                blocks.push(tool.validators);
            }
        }
        blocks.concat()
    };
    let found = Some(lines(TOOLS)).filter(|lines| !lines.is_empty());
    match found.unwrap_or_else(|| lines(FALLBACKS)) {
        lines if lines.is_empty() => {
            "# For example:\n#   - id: unit\n#     run: make test\nvalidators: []\n".to_owned()
        }
        lines => format!("validators:\n{lines}"),
    }
}

/// Writes a file that does not exist.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    File::create_new(path)?.write_all(text.as_bytes())
}
