//! The corpus through the `adjudicate` binary: the same bytes with and without a module, and the documented exit
//! status.
//!
//! A sample of each operation runs in processes of its own: from a file, from stdin and with a module. Every accepted case
//! runs as a line of input. The tests of the command run every case in their own process (`host/cli/tests/cli/corpus.rs`).

use std::{
    collections::BTreeSet,
    env,
    ffi::OsStr,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use adjudicate_core::Operation;
use adjudicate_tests::{
    Fixture, artifacts,
    parity::{BARE_DOCUMENTS, assert_parity, expected, is_error, read, read_of},
    text::compact,
};
use tempfile::NamedTempFile;

/// The exit status of an answer.
const ANSWERED: i32 = 0;
/// The exit status of an invalid input or policy.
pub(crate) const INVALID_INPUT: i32 = 2;

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

/// One accepted and one refused call of each operation.
fn samples() -> Vec<Fixture> {
    let mut seen = BTreeSet::new();
    let is_new = |fixture: &Fixture| {
        !BARE_DOCUMENTS.contains(&fixture.name.as_str())
            && seen.insert((fixture.operation.name(), is_error(expected(fixture))))
    };
    read().into_iter().filter(is_new).collect()
}

/// The arguments that run the engine's module.
fn sandboxed(module: &Path) -> [&OsStr; 2] {
    ["--module".as_ref(), module.as_ref()]
}

/// The command of an operation: its name with dashes.
fn verb(operation: Operation) -> String {
    operation.name().replace('_', "-")
}

#[test]
fn a_file_gets_the_answer() {
    let file = NamedTempFile::new().expect("a temporary file can be made");
    assert_parity(&samples(), |fixture| {
        fs::write(&file, &fixture.call).expect("it can be written");
        one(fixture, &[file.path().as_ref()], b"")
    });
}

#[test]
fn stdin_gets_the_answer() {
    assert_parity(&samples(), |fixture| one(fixture, &["-".as_ref()], &fixture.call));
}

#[test]
fn a_file_gets_the_same_answer_from_the_engine_module() {
    let module = artifacts::engine();
    let file = NamedTempFile::new().expect("a temporary file can be made");
    assert_parity(&samples(), |fixture| {
        fs::write(&file, &fixture.call).expect("it can be written");
        one(fixture, &[&[file.path().as_os_str()], &sandboxed(&module)[..]].concat(), b"")
    });
}

#[test]
fn lines_get_the_answers_in_their_order_with_and_without_a_module() {
    let module = artifacts::engine();
    for &operation in Operation::ALL {
        let fixtures: Vec<_> =
            read_of(operation).into_iter().filter_map(|fixture| Some((line(&fixture)?, fixture))).collect();
        let lines: String = fixtures.iter().map(|(line, _)| format!("{line}\n")).collect();
        let verb = verb(operation);
        let plain = [verb.as_str(), "-", "--ndjson"].map(OsStr::new).to_vec();
        let with_module = [plain.as_slice(), &sandboxed(&module)].concat();
        for arguments in [plain, with_module] {
            let run = adjudicate(arguments, lines.as_bytes());
            let mut answers = run.stdout.lines();
            assert_parity(fixtures.iter().map(|(_, fixture)| fixture), |_| {
                answers.next().unwrap_or_default().into()
            });
            assert_eq!(answers.next(), None, "more answers than lines");
        }
    }
}

/// The call on one line, if it is accepted; then white space does not change its answer.
fn line(fixture: &Fixture) -> Option<String> {
    let accepted = !is_error(expected(fixture));
    accepted.then(|| compact(&String::from_utf8(fixture.call.clone()).expect("what is accepted is UTF-8")))
}

/// Runs one fixture. Returns its output without the final newline.
fn one(fixture: &Fixture, arguments: &[&OsStr], stdin: &[u8]) -> String {
    let verb = verb(fixture.operation);
    let run = adjudicate([&[verb.as_ref()], arguments].concat(), stdin);
    let (printed, silent, status) = if is_error(expected(fixture)) {
        (run.stderr, run.stdout, INVALID_INPUT)
    } else {
        (run.stdout, run.stderr, ANSWERED)
    };
    assert_eq!(run.status, Some(status), "exit status for `{}`: {printed}{silent}", fixture.name);
    assert_eq!(silent, "", "`{}` prints on one stream only", fixture.name);
    printed.strip_suffix('\n').unwrap_or("the output does not end in a newline").to_owned()
}
