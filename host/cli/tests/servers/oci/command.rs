//! Running the binary in a directory of its own.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use adjudicate_sandbox::manifest;
use serde_json::Value;
use tempfile::TempDir;

/// A place to run the binary in.
pub(crate) struct TestFolder {
    directory: TempDir,
}

impl TestFolder {
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adjudicate"));
        command
            .args(args)
            .current_dir(self.directory.path())
            .env_clear()
            .env("XDG_CACHE_HOME", self.path("cache"))
            .stdin(Stdio::null());
        command
    }

    /// Returns the output of a run, which must succeed.
    pub(crate) fn json_of(&self, args: &[&str]) -> Value {
        read(&mut self.command(args), true)
    }

    /// The code of the error that a run must end with.
    pub(crate) fn refused(&self, args: &[&str]) -> String {
        code(&mut self.command(args))
    }
}

/// The code of the error that a run must end with.
pub(crate) fn code(command: &mut Command) -> String {
    read(command, false)["error"]["code"].as_str().unwrap().to_owned()
}

fn read(command: &mut Command, is_well: bool) -> Value {
    let output = command.output().unwrap();
    assert_eq!(output.status.success(), is_well, "{command:?} {output:?}");
    let text = if is_well { output.stdout } else { output.stderr };
    serde_json::from_slice(&text).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&text)))
}

/// A module of this version that has so many bytes that mean nothing.
pub(crate) fn module(version: &str, padding: usize) -> Vec<u8> {
    let padding = "p".repeat(padding);
    let text = format!(
        r#"(module (memory (export "memory") 1 16)
            (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
            (func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 1024))
            (func (export "adjudicate_call") (param i32 i32 i32) (result i32) unreachable)
            (@custom "padding" "{padding}"))"#
    );
    let about = format!(
        r#"{{"abi":1,"name":"gate","version":"{version}","description":"says \"no\"","license":"MIT OR Apache-2.0","operations":["evaluate"]}}"#
    );
    manifest::append(&wat::parse_str(text).unwrap(), &about).unwrap()
}
