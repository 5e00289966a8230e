//! Scratch repositories.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use adjudicate_collect::{CollectError, CollectOptions, Decided, run};
use adjudicate_core::{codes::Status, owned::Evaluation};
use adjudicate_evidence::collect::{OwnedCollectionState, OwnedConfiguration};
use tempfile::TempDir;

/// The policy that `init` writes, with protected migrations.
pub(crate) const POLICY: &str = r#"{"policy": "change", "version": "1.0.0", "profile": "oa06.1", "review": "optional",
    "protected_paths": ["db/migrations/**"]}"#;

pub(crate) const GREEN: &str = r#"<testsuite name="cart"><testcase name="adds"/></testsuite>"#;

pub(crate) const RED: &str = r#"<testsuite name="cart"><testcase name="adds"/><testcase name="pays" file="src/cart.js" line="3"><failure message="no money"/></testcase></testsuite>"#;

/// A repository with one commit.
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        scratch.git(&["init", "--quiet", "--initial-branch=main"]);
        scratch.write("src/cart.js", "1\n");
        scratch.write(".gitignore", "reports/\n");
        scratch.commit();
        scratch
    }

    /// A repository with a change that is not committed.
    pub(crate) fn with_change() -> Self {
        let scratch = Self::new();
        scratch.write("src/cart.js", "2\n");
        scratch
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgSign=false"])
            .args(arguments)
            .current_dir(self.root())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "change"]);
    }

    /// Writes a report that the validators of [`unit`] copy.
    pub(crate) fn report(&self, text: &str) {
        self.write("reports/next", text);
    }

    pub(crate) fn run(&self, validators: &str) -> Decided {
        self.try_run(validators, &CollectOptions::default()).unwrap()
    }

    pub(crate) fn try_run(
        &self,
        validators: &str,
        options: &CollectOptions<'_>,
    ) -> Result<Decided, CollectError> {
        run(self.root(), &configuration(validators), Some(POLICY), options)
    }

    pub(crate) fn state(&self) -> OwnedCollectionState {
        OwnedCollectionState::from_json(self.read(".adjudicate/state.json").as_bytes()).unwrap()
    }
}

/// A configuration with these validators, as the items of a JSON array.
pub(crate) fn configuration(validators: &str) -> OwnedConfiguration {
    let text = format!(
        r#"{{"workflow": "change", "next_steps": [{{"id": "open_pull_request", "role": "forward"}}, {{"id": "fix_findings", "role": "fix"}},
        {{"id": "ask_a_human", "role": "gate"}}], "validators": [{validators}]}}"#
    );
    OwnedConfiguration::from_json(text.as_bytes()).unwrap()
}

/// A validator that writes the report of [`Scratch::report`] and exits with a code.
pub(crate) fn unit(exit_code: i32) -> String {
    format!(
        r#"{{"id": "unit", "run": "echo log of the tests; cat reports/next > reports/unit.xml; exit {exit_code}", "reports": ["reports/*.xml"],
        "repro": "npx vitest {{file}} -t {{case}}"}}"#
    )
}

pub(crate) fn exits(id: &str, exit_code: i32) -> String {
    format!(r#"{{"id": "{id}", "run": ["sh", "-c", "echo of {id}; exit {exit_code}"]}}"#)
}

pub(crate) fn rules(evaluation: &Evaluation) -> Vec<&str> {
    evaluation.findings.iter().map(|finding| finding.rule.as_str()).collect()
}

pub(crate) fn status(decided: &Decided) -> Status {
    decided.evaluation.decision.status
}

/// The items of the evidence that could not be collected.
pub(crate) fn uncollected(decided: &Decided) -> Vec<(String, String)> {
    let items = decided.collected.envelope.evidence.uncollected.clone().unwrap_or_default();
    items.into_iter().map(|item| (item.what, item.reason)).collect()
}
