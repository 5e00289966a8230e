//! The workspace: its folders, git, and scripts that run in its root.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::Failure;

/// The folders of this workspace, as absolute paths, and the way in which this run builds the wasm artefacts.
pub(crate) struct Workspace {
    root: PathBuf,
    cargo_target: PathBuf,
    /// The profile of the wasm artefacts: `artifact`, as they are released, or `gate`, the same source in a fraction of
    /// the time.
    pub(crate) profile: &'static str,
    /// The flags of a measurement.
    pub(crate) flags: &'static str,
}

impl Workspace {
    /// Finds the workspace and the target folder that this program was built in.
    pub(crate) fn locate() -> Result<Self, Failure> {
        let program = env::current_exe()?;
        // `TARGET/debug/xtask` is correct for every way to set cargo's target folder.
        let cargo_target = program.ancestors().nth(2).unwrap_or(Path::new("target")).to_owned();
        // The variable of `cargo run` wins over the folder at compile time, because clones that share a target folder
        // share this program, too.
        let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&package).ancestors().nth(2).unwrap_or(Path::new(".")).to_owned();
        Ok(Self { root, cargo_target, profile: "artifact", flags: "" })
    }

    /// A path below the root.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Reads a text file below the root.
    pub(crate) fn read(&self, path: &str) -> Result<String, Failure> {
        let bytes = fs::read(self.path(path)).map_err(|error| format!("reading {path}: {error}"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Runs git, which must succeed, and returns its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> Result<String, Failure> {
        let output = Command::new("git").args(arguments).current_dir(&self.root).output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr).into()) }
    }

    /// A script that runs after the functions of `steps.sh`.
    pub(crate) fn script(&self, script: &str) -> Command {
        let mut bash = Command::new("bash");
        bash.arg("-c").arg(format!("source tests/xtask/steps.sh\n{script}"));
        bash.current_dir(&self.root).stdin(Stdio::null());
        bash.env("XTASK_TARGET", &self.cargo_target).env("XTASK_PROFILE", self.profile);
        bash.env("XTASK_VERSION", env!("CARGO_PKG_VERSION")).env("XTASK_FLAGS", self.flags);
        bash
    }
}
