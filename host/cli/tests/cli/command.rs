//! Runs of the command with their own files and cache, in this process or as a process.

use std::{
    collections::BTreeMap,
    io::{self, Cursor, Write},
    mem,
    panic::resume_unwind,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    sync::{Arc, Mutex},
};

use adjudicate::{Environment, ReadDocuments, Stream};
use serde_json::Value;
use tempfile::TempDir;

/// A minimal envelope that comes to `success`.
pub(crate) const ENVELOPE: &str =
    adjudicate_tests::envelope! { steps: r#"["publish","fix","rollback"]"#, diff: r#"" M src/lib.rs\n""#, };

/// A policy that forbids what the envelope changed.
pub(crate) const POLICY: &str = r#"{"policy":"strict","version":"1.0.0","forbidden_paths":["src/**"]}"#;

/// The program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_adjudicate");

/// A place to run the command in.
pub(crate) struct TestFolder {
    directory: TempDir,
}

/// The result of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl TestFolder {
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
        let mut command = Command::new(PROGRAM);
        command
            .args(args)
            .current_dir(self.directory.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs in this process, with nothing on standard input.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, b"")
    }

    /// Runs in this process, with this on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Run {
        self.run_where(&[("XDG_CACHE_HOME", self.path("cache"))], args, input)
    }

    /// Runs in this process, where these variables are set and no others. A panic of the command is one of the test.
    pub(crate) fn run_where(&self, variables: &[(&str, PathBuf)], args: &[&str], input: &[u8]) -> Run {
        self.run_in(variables, false, args, input)
    }

    /// Runs in this process, as if standard error were a terminal.
    pub(crate) fn run_on_terminal(&self, args: &[&str], input: &[u8]) -> Run {
        self.run_in(&[], true, args, input)
    }

    fn run_in(
        &self,
        variables: &[(&str, PathBuf)],
        shows_error_text: bool,
        args: &[&str],
        input: &[u8],
    ) -> Run {
        let (output, errors) = (Written::default(), Written::default());
        let variables: BTreeMap<_, _> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let environment = Environment {
            input: Stream::reader(Cursor::new(input.to_vec())),
            output: Stream::writer(output.clone()),
            errors: Stream::writer(errors.clone()),
            has_colors: false,
            shows_error_text,
            has_error_colors: false,
            documents: ReadDocuments::default(),
            columns: || None,
            shows_progress: false,
            variable: Arc::new(move |name| variables.get(name).map(Into::into)),
            folder: self.directory.path().to_owned(),
            program: Some(PROGRAM.into()),
        };
        let arguments = [PROGRAM].iter().chain(args).map(Into::into).collect();
        let status = adjudicate::run(arguments, &environment).unwrap_or_else(|panic| resume_unwind(panic));
        Run { status: Some(status.into()), stdout: output.text(), stderr: errors.text() }
    }

    /// Runs as a process, which has an environment of its own in libraries, too.
    pub(crate) fn process(&self, args: &[&str]) -> Run {
        self.command(args).output().unwrap().into()
    }

    /// Runs as a process, with this on standard input. The command need not read all of it.
    pub(crate) fn process_with(&self, args: &[&str], input: &[u8]) -> Run {
        feed(&mut self.command(args), input)
    }

    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).stdin(Stdio::piped()).spawn().unwrap()
    }
}

/// Runs a command with this on standard input. The command need not read all of it.
pub(crate) fn feed(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output.into()
}

/// The bytes that a run wrote to a stream.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn text(&self) -> String {
        String::from_utf8(mem::take(&mut self.0.lock().unwrap())).unwrap()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Run {
    /// Returns the document that this run printed.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|_| panic!("{self:?}"))
    }

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
    let error: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    let error = &error["error"];
    assert!(error["message"].is_string() && error["path"].is_string(), "{line}");
    error["code"].as_str().unwrap().to_owned()
}

/// Returns the answer of the engine.
pub(crate) fn answer(input: &str) -> String {
    adjudicate_core::Operation::Evaluate.call(input.as_bytes()).unwrap()
}

/// Returns the answer of the engine with [`POLICY`].
pub(crate) fn answer_by_policy() -> String {
    answer(&format!(r#"{{"envelope":{ENVELOPE},"policy":{POLICY}}}"#))
}
