//! The workspace: its folders, the paths of built files, and cargo.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::failure::{Doing, Failure};

/// Clippy's compiler compiles the members for their tests: it generates the same code as rustc and lints at once, which
/// saves compiling everything a second time for `cargo clippy`.
const LINTING_COMPILER: &str = "clippy-driver";

/// The folders of this workspace, as absolute paths, and the way in which this run builds the wasm artefacts.
pub(crate) struct Workspace {
    root: PathBuf,
    cargo_target: PathBuf,
    pub(crate) artifacts: Artifacts,
}

/// The way in which the two wasm artefacts are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Artifacts {
    /// As they are released: with fat link-time optimisation and `wasm-opt`.
    Released,
    /// For the tests of the gate: the same source, in a fraction of the time.
    Gate,
}

impl Workspace {
    /// Finds the workspace and the target folder that this program was built in.
    pub(crate) fn locate() -> Result<Self, Failure> {
        let program = env::current_exe().doing("finding", "this program")?;
        // `TARGET/debug/xtask` is correct for every way to set cargo's target folder.
        let cargo_target = program.ancestors().nth(2).unwrap_or(Path::new("target")).to_owned();
        // The variable of `cargo run` wins over the folder at compile time, because clones that share a target folder share
        // this program, too.
        let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&package).ancestors().nth(2).unwrap_or(Path::new(".")).to_owned();
        Ok(Self { root, cargo_target, artifacts: Artifacts::Released })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of finished artefacts. It is always here, wherever cargo's target folder is.
    pub(crate) fn artifacts(&self) -> PathBuf {
        self.root.join(match self.artifacts {
            Artifacts::Released => "target/artifacts",
            Artifacts::Gate => "target/artifacts/gate",
        })
    }

    /// The engine module with policy ABI 1.
    pub(crate) fn engine(&self) -> PathBuf {
        self.artifacts().join("engine.wasm")
    }

    /// The folder of the modules that the policies of the corpus are baked into.
    pub(crate) fn baked(&self) -> PathBuf {
        self.artifacts().join("baked")
    }

    /// The packed npm package.
    pub(crate) fn npm_package(&self) -> PathBuf {
        self.artifacts().join(format!("adjudicate-{}.tgz", env!("CARGO_PKG_VERSION")))
    }

    /// The folder of files that tasks keep between their steps.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.join("target/xtask")
    }

    /// The npm package's sources.
    pub(crate) fn js(&self) -> PathBuf {
        self.root.join("js")
    }

    /// The playground's sources.
    pub(crate) fn playground(&self) -> PathBuf {
        self.js().join("playground")
    }

    /// Runs git, which must succeed, and returns its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        let output = self.program("git", arguments).output().doing("running", "git")?;
        if !output.status.success() {
            return Err(Failure::Broken(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Cargo's target folder.
    pub(crate) fn cargo_target(&self) -> &Path {
        &self.cargo_target
    }

    /// Cargo's folder for one target and profile; `None` for this machine's own target.
    pub(crate) fn built(&self, target: Option<&str>, profile: &str) -> PathBuf {
        self.cargo_target.join(target.unwrap_or_default()).join(profile)
    }

    /// The `adjudicate` command that the step `command` builds.
    pub(crate) fn command(&self) -> PathBuf {
        self.built(None, "debug").join("adjudicate")
    }

    /// `cargo` in the workspace's root, without prompts.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments);
        // A nested cargo must not inherit the settings that cargo passes to `cargo run`: build scripts read them, and cargo would
        // compile their crates again.
        for (name, _) in env::vars_os() {
            let is_of_package = |prefix| name.to_str().is_some_and(|name| name.starts_with(prefix));
            if is_of_package("CARGO_PKG_") || is_of_package("CARGO_MANIFEST_") {
                command.env_remove(name);
            }
        }
        command.env("CARGO_TERM_COLOR", "never");
        // `clippy-driver` compiles without some optimizations.
        command.env_remove("RUSTC_WORKSPACE_WRAPPER");
        command
    }

    /// `cargo test`, which also runs the targets after one that fails.
    pub(crate) fn cargo_test(&self, arguments: &[&str]) -> Command {
        let mut test = self.cargo(&[&["test", "--no-fail-fast"], arguments].concat());
        test.env("RUSTC_WORKSPACE_WRAPPER", LINTING_COMPILER);
        test.env("ADJUDICATE_ENGINE", self.engine()).env("ADJUDICATE_BAKED", self.baked());
        test.env("ADJUDICATE_GUESTS", self.artifacts().join("guests"));
        test
    }

    /// As [`cargo_test`](Self::cargo_test), without running the tests.
    pub(crate) fn cargo_build(&self, arguments: &[&str]) -> Command {
        self.cargo_test(&[arguments, &["--no-run"]].concat())
    }

    /// A program in the workspace's root.
    pub(crate) fn program(&self, program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root);
        command
    }
}

/// Returns the trimmed output of a program, if it exists and succeeds.
pub(crate) fn says(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_continue_after_a_target_that_fails() {
        let workspace = Workspace::locate().expect("this program lies somewhere");
        let test = workspace.cargo_test(&["--package", "adjudicate-core"]);
        let arguments: Vec<_> = test.get_args().collect();
        assert_eq!(arguments, ["test", "--no-fail-fast", "--package", "adjudicate-core"]);
    }
}
