//! Commands with a time limit.

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    command::{CommandProgram, End, Ended, Process},
    group::{self, Alarm, Stop},
};

/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(5);

/// The longest time between two looks at a process.
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// Variables of git that lead to another repository or index than that of the folder. A hook of git inherits them.
const PLACES_OF_GIT: [&str; 7] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
];

/// Runs a command.
pub(crate) fn run(process: &Process, stop: Option<&AtomicBool>) -> io::Result<Ended> {
    let folder = path(&process.folder)?;
    let mut command = command(&process.program, &folder);
    command.current_dir(&folder);
    for name in PLACES_OF_GIT {
        command.env_remove(name);
    }
    command.envs(process.environment.iter().map(|(name, value)| (name, value)));
    let input = if process.input.is_empty() { Stdio::null() } else { Stdio::piped() };
    let (output, errors) = streams(process)?;
    command.stdin(input).stdout(output).stderr(errors);
    group::in_group(&mut command);
    let started = Instant::now();
    let mut child = command.spawn()?;
    // The streams of a command stay open as long as it has them.
    drop(command);
    if let Some(mut pipe) = child.stdin.take() {
        let input = process.input.clone();
        // If the command does not read it all, its exit code or its output says so.
        thread::spawn(move || drop(pipe.write_all(&input)));
    }
    let output = child.stdout.take().map(|pipe| reader(pipe, process.max_bytes));
    let errors = child.stderr.take().map(|pipe| reader(pipe, process.max_bytes));
    let end = wait(&mut child, process.limit, stop.filter(|_| process.is_stoppable))?;
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let text = |receiver: Option<mpsc::Receiver<io::Result<Vec<u8>>>>| {
        let received = receiver.map(|receiver| receiver.recv_timeout(process.limit));
        received.and_then(Result::ok).unwrap_or_else(|| Ok(Vec::new()))
    };
    Ok(Ended { end, duration_ms, output: text(output)?, errors: text(errors)? })
}

fn command(program: &CommandProgram, folder: &Path) -> Command {
    let with = |program: OsString, arguments: &[String]| {
        let mut command = Command::new(program);
        command.args(arguments);
        command
    };
    match program {
        CommandProgram::Git(arguments) => {
            let mut command = with(git(folder), arguments);
            // Others configure git.
            for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
                command.env_remove(name);
            }
            command
        }
        CommandProgram::Shell(line) => shell(line),
        CommandProgram::Words(words) => match words.split_first() {
            Some((program, arguments)) => with(program.into(), arguments),
            None => Command::new(""),
        },
    }
}

#[cfg(unix)]
fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    command
}

#[cfg(not(unix))]
fn shell(line: &str) -> Command {
    let mut command = Command::new("cmd");
    command.args(["/C", line]);
    command
}

/// Returns git: the first one of the search path that is not below the folder, because an agent may write there.
fn git(folder: &Path) -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let places = env::split_paths(&path).filter(|place| {
        let place = place.canonicalize().unwrap_or_else(|_| place.clone());
        place.is_absolute() && !place.starts_with(&real)
    });
    let mut programs = places.map(|place| place.join(format!("git{}", env::consts::EXE_SUFFIX)));
    programs.find(|program| program.is_file()).map_or_else(|| "git".into(), PathBuf::into_os_string)
}

/// Returns the standard output and the standard error.
fn streams(process: &Process) -> io::Result<(Stdio, Stdio)> {
    let Some((output, errors)) = &process.files else { return Ok((Stdio::piped(), Stdio::piped())) };
    let open = |file| File::options().append(true).open(path(file)?);
    let file = open(errors)?;
    let output = if output == errors { file.try_clone()? } else { open(output)? };
    Ok((output.into(), file.into()))
}

/// Reads a pipe in a thread, so that a command never waits for a full one.
fn reader(pipe: impl Read + Send + 'static, max_bytes: u64) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut pipe = pipe;
        let mut bytes = Vec::new();
        let read = pipe.by_ref().take(max_bytes + 1).read_to_end(&mut bytes);
        let rest = io::copy(&mut pipe, &mut io::sink());
        // The receiver may be gone.
        let _ = sender.send(read.and(rest).map(|_| bytes));
    });
    receiver
}

/// Waits for the end of a process that leads its group. Then no process of the group is left.
fn wait(child: &mut Child, limit: Duration, stop: Option<&AtomicBool>) -> io::Result<End> {
    let deadline = Instant::now() + limit;
    let alarm = Alarm::new(child);
    let mut pause = Duration::from_millis(1);
    let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let cut = loop {
        if group::has_ended(child)? {
            break None;
        }
        if is_stopped() {
            break Some(End::Stopped);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break Some(End::TimedOut);
        }
        alarm.sleep(pause.min(left));
        pause = (pause * 2).min(MAX_PAUSE);
    };
    if cut.is_some() {
        group::stop(child, Stop::Ask);
        let deadline = Instant::now() + GRACE;
        while !group::has_ended(child)? && Instant::now() < deadline {
            thread::sleep(MAX_PAUSE);
        }
    }
    // A process that the command left behind could still write reports.
    group::stop(child, Stop::Kill);
    let status: ExitStatus = child.wait()?;
    Ok(cut.unwrap_or_else(|| End::Exited(group::exit_code(status))))
}

/// Returns the path of bytes that came from paths.
#[cfg(unix)]
pub(crate) fn path(bytes: &[u8]) -> io::Result<PathBuf> {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    Ok(OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
pub(crate) fn path(bytes: &[u8]) -> io::Result<PathBuf> {
    str::from_utf8(bytes).map(PathBuf::from).map_err(io::Error::other)
}
