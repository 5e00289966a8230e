//! The host of a collection in a WebAssembly module with WASI: the program that runs the module.
//!
//! WASI has no processes, no locks and no real paths. So each request is a message to that program, as `wire` writes it.

use std::{
    io,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

use crate::{
    CollectOptions,
    command::{Ended, Process},
    engine, message,
    system::{SystemAnswer, SystemRequest, bytes},
    wire,
};

/// Sends a message to the program that runs the module, and returns its answer.
pub type HostCall = fn(&[u8]) -> Vec<u8>;

static HOST: OnceLock<HostCall> = OnceLock::new();

/// Sets the function that sends messages. Later calls have no effect.
pub fn set_host(call: HostCall) {
    // The first call counts.
    let _ = HOST.set(call);
}

/// Sends the fields of a message, and returns the answer.
///
/// # Errors
///
/// The error of the host, and one if there is no host.
pub fn call_host(fields: &[Vec<u8>]) -> io::Result<SystemAnswer> {
    let call = HOST.get().ok_or(io::ErrorKind::Unsupported)?;
    wire::answer(&message::read(&call(&message::write(fields.iter().map(Vec::as_slice)))))
}

/// Resolves all links of a path.
///
/// # Errors
///
/// The error of the operating system.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    match call(SystemRequest::RealPath(bytes(path)))? {
        SystemAnswer::Bytes(path) => Ok(String::from_utf8(path).map_err(io::Error::other)?.into()),
        _ => unexpected(),
    }
}

/// Returns the first bytes of a file, at most as many as the limit.
///
/// # Errors
///
/// The error of the operating system.
pub fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    match call(SystemRequest::Read(bytes(path), limit))? {
        SystemAnswer::Bytes(content) => Ok(content),
        _ => unexpected(),
    }
}

/// Runs a command in a process group of its own. When it has ended, no process of the group is left.
///
/// # Errors
///
/// The error of the operating system, if the command cannot start.
pub fn run_process(command: &Process) -> io::Result<Ended> {
    match call(SystemRequest::Run(command.clone()))? {
        SystemAnswer::Ended(ended) => Ok(ended),
        _ => unexpected(),
    }
}

/// Gives a file the permissions of another file.
///
/// # Errors
///
/// The error of the operating system.
pub fn keep_mode(from: &Path, to: &Path) -> io::Result<()> {
    call_host(&[b"keepMode".to_vec(), bytes(from), bytes(to)]).map(drop)
}

/// Reads a small file, unless it belongs to another user or others may read or write it.
///
/// # Errors
///
/// The error of the operating system, and one for such a file.
pub fn private_file(path: &Path) -> io::Result<Vec<u8>> {
    match call_host(&[b"privateFile".to_vec(), bytes(path)])? {
        SystemAnswer::Bytes(content) => Ok(content),
        _ => unexpected(),
    }
}

/// Lets SIGINT and SIGTERM stop the validators. Until then, they end the process.
pub fn listen() {
    // Without a host, there is nothing to stop.
    let _ = call_host(&[b"listen".to_vec()]);
}

/// Stops the validators after a time, and after a longer one refuses all requests.
pub fn limit(stop: Duration, end: Duration) {
    let text = |time: Duration| time.as_millis().to_string().into_bytes();
    // Without a host, there is nothing to stop.
    let _ = call_host(&[b"limit".to_vec(), text(stop), text(end)]);
}

/// The host of one collection.
pub(crate) struct Host<'a> {
    options: &'a CollectOptions<'a>,
}

impl<'a> Host<'a> {
    pub(crate) const fn new(options: &'a CollectOptions<'a>) -> Self {
        Self { options }
    }

    pub(crate) fn answer(&mut self, request: SystemRequest) -> io::Result<SystemAnswer> {
        match request {
            SystemRequest::Progress(_) | SystemRequest::CheckPolicy(..) | SystemRequest::Decide(..) => {
                engine::answer(self.options, request)
            }
            request => call(request),
        }
    }
}

/// Ends the lock, and removes temporary folders.
impl Drop for Host<'_> {
    fn drop(&mut self) {
        // Both also end with the process.
        let _ = call_host(&[b"end".to_vec()]);
    }
}

fn call(request: SystemRequest) -> io::Result<SystemAnswer> {
    call_host(&wire::request(request))
}

fn unexpected<T>() -> io::Result<T> {
    Err(io::Error::other("the host gave no such answer"))
}
