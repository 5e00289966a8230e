//! Running the binary, with files of its own and a cache of its own.

use std::{
    io::Write,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
};

use tempfile::TempDir;

/// A minimal envelope that comes to `success`.
pub(crate) const ENVELOPE: &str =
    adjudicate_tests::envelope! { steps: r#"["publish","fix","rollback"]"#, diff: r#"" M src/lib.rs\n""#, };

/// A policy that forbids what the envelope changed.
pub(crate) const POLICY: &str = r#"{"policy":"strict","version":"1.0.0","forbidden_paths":["src/**"]}"#;

/// A place to run the binary in.
pub(crate) struct Place {
    directory: TempDir,
}

/// What a run came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file; its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adjudicate"));
        command
            .args(args)
            .current_dir(self.directory.path())
            .env_clear()
            .env("XDG_CACHE_HOME", self.path("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.command(args).output().unwrap().into()
    }

    /// Runs with this on standard input. The binary need not read all of it.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Run {
        let mut child = self.spawn(args);
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output.into()
    }

    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).stdin(Stdio::piped()).spawn().unwrap()
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Run {
    /// The code of the error that this run must have ended with: nothing on standard output, one line of JSON on
    /// standard error, and no panic.
    pub(crate) fn code(&self) -> String {
        assert_eq!(self.stdout, "", "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        error_code(&self.stderr)
    }
}

/// The code in a line `{"error": {"code", "message", "path"}}`.
pub(crate) fn error_code(line: &str) -> String {
    let error: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    let error = &error["error"];
    assert!(error["message"].is_string() && error["path"].is_string(), "{line}");
    error["code"].as_str().unwrap().to_owned()
}

/// What the engine answers.
pub(crate) fn answer(input: &str) -> String {
    adjudicate_core::Operation::Evaluate.call(input.as_bytes()).unwrap()
}

/// What the engine answers under [`POLICY`].
pub(crate) fn answer_by_policy() -> String {
    answer(&format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#))
}
