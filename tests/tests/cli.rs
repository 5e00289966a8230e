//! Runs of the `adjudicate` binary.

use std::{
    env,
    ffi::OsStr,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

/// The result of a run of the binary.
#[derive(Debug)]
pub(crate) struct Run {
    /// `None` if a signal ended the process.
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the binary to its end.
pub(crate) fn adjudicate(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>, stdin: &[u8]) -> Run {
    let mut child = Command::new(binary())
        .args(arguments)
        // Compiled modules are kept with the other files of tests, not in the home of the user.
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{}: {error}; `cargo build --package adjudicate` makes it", binary().display())
        });
    let mut input = child.stdin.take().expect("stdin is a pipe");
    let output = std::thread::scope(|scope| {
        // The binary may exit before it has read everything; then writing the rest fails.
        scope.spawn(move || drop(input.write_all(stdin)));
        child.wait_with_output().expect("its output can be read")
    });
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    Run { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The binary: `ADJUDICATE_BIN`, or the one that cargo built with this test.
pub(crate) fn binary() -> PathBuf {
    env::var_os("ADJUDICATE_BIN").map_or_else(
        || {
            let test = env::current_exe().expect("this test is a file");
            let profile = test.ancestors().nth(2).expect("it lies in PROFILE/deps");
            profile.join(format!("adjudicate{}", env::consts::EXE_SUFFIX))
        },
        PathBuf::from,
    )
}
