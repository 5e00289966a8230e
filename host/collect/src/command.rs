//! Commands that a host runs, and their ends.

use std::{ffi::OsString, time::Duration};

/// The bytes of a path, as the operating system encodes it.
pub type PathBytes = Vec<u8>;

/// A command to run.
#[derive(Clone, Debug)]
pub struct Process {
    /// The program.
    pub program: CommandProgram,
    /// The folder in which the command runs.
    pub folder: PathBytes,
    /// Variables that are set.
    pub environment: Vec<(String, OsString)>,
    /// The standard input.
    pub input: Vec<u8>,
    /// The files for the standard output and the standard error. They exist. Without them, the answer has the outputs.
    pub files: Option<(PathBytes, PathBytes)>,
    /// The most bytes of each output that the answer needs, and one more if there are more.
    pub max_bytes: u64,
    /// The time limit.
    pub limit: Duration,
    /// True if the host may stop the command.
    pub is_stoppable: bool,
}

/// The program of a command.
#[derive(Clone, Debug)]
pub enum CommandProgram {
    /// Git with arguments: the first one of the search path that is not below the folder of the command, without variables that begin with `GIT_`.
    Git(Vec<String>),
    /// A line for the shell.
    Shell(String),
    /// A program with its arguments.
    Words(Vec<String>),
}

/// The end of a command.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The end.
    pub end: End,
    /// The duration in milliseconds.
    pub duration_ms: u64,
    /// The standard output, unless a file has it.
    pub output: Vec<u8>,
    /// The standard error, unless a file has it.
    pub errors: Vec<u8>,
}

/// The way in which a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The command ended by itself, with this exit code: 128 and the number of the signal, if a signal ended it.
    Exited(i64),
    /// The command reached its time limit.
    TimedOut,
    /// The host stopped the command.
    Stopped,
}
