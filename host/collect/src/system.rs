//! The calls of a collection to the operating system.
//!
//! A collection does no I/O. It is a future that hands a [`SystemRequest`] to its host and waits for the [`SystemAnswer`]. The native host is
//! [`native`](crate::native); the wasm module of the npm package hands the requests to Node. So both have one implementation of everything else.

use std::{
    cell::RefCell,
    future::{Future, poll_fn},
    io,
    path::{Path, PathBuf},
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use adjudicate_core::Error;

use crate::{
    Progress,
    command::{Ended, PathBytes, Process},
};

/// A call to the operating system. Paths are absolute, or relative to the folder of the process.
#[derive(Clone, Debug)]
pub enum SystemRequest {
    /// Returns the metadata of a file, and follows links if the second value is true: [`SystemAnswer::About`].
    About(PathBytes, bool),
    /// Lists a folder: [`SystemAnswer::Entries`].
    Folder(PathBytes),
    /// Reads at most this number of bytes of a file: [`SystemAnswer::Bytes`].
    Read(PathBytes, u64),
    /// Creates a file in place of the one with this name, and follows no link: [`SystemAnswer::Done`].
    Write(PathBytes, Vec<u8>),
    /// Replaces a file atomically and durably; the first path is that of the draft: [`SystemAnswer::Done`].
    Replace(PathBytes, PathBytes, Vec<u8>),
    /// Creates a folder, and those above it: [`SystemAnswer::Done`].
    CreateFolder(PathBytes),
    /// Creates a folder that is removed after the collection: [`SystemAnswer::Bytes`].
    TemporaryFolder,
    /// Resolves all links of a path: [`SystemAnswer::Bytes`].
    RealPath(PathBytes),
    /// Locks a file until the collection ends, and waits at most so long: [`SystemAnswer::Is`], false if another process holds the lock.
    Lock(PathBytes, Duration),
    /// Returns the time since 1970: [`SystemAnswer::Time`].
    Time,
    /// Checks whether files in a folder keep execute bits: [`SystemAnswer::Is`].
    KeepsModes(PathBytes),
    /// Runs a command in a process group of its own. When it has ended, no process of the group is left: [`SystemAnswer::Ended`].
    Run(Process),
    /// Runs two commands at once, as [`SystemRequest::Run`] runs one: [`SystemAnswer::BothEnded`].
    RunBoth(Box<[Process; 2]>),
    /// Reports the progress: [`SystemAnswer::Done`].
    Progress(Progress),
    /// Checks a policy. Its name and its JSON text: [`SystemAnswer::Done`], or [`SystemAnswer::Refused`].
    CheckPolicy(String, String),
    /// Evaluates and refines an envelope under a policy, both as JSON text: [`SystemAnswer::Decision`], or [`SystemAnswer::Refused`].
    Decide(String, Option<String>),
}

/// The answer to a [`SystemRequest`].
#[derive(Debug)]
pub enum SystemAnswer {
    /// The request is done.
    Done,
    /// The answer to a question.
    Is(bool),
    /// The content of a file, or a path.
    Bytes(Vec<u8>),
    /// The metadata of a file.
    About(About),
    /// The entries of a folder.
    Entries(Vec<FolderEntry>),
    /// The time since 1970.
    Time(Duration),
    /// The end of a command.
    Ended(Ended),
    /// The ends of two commands, or the reasons why they did not run.
    BothEnded([io::Result<Ended>; 2]),
    /// The answers of `evaluate` and `refine` as JSON text.
    Decision(String, String),
    /// The error of the documents.
    Refused(Error),
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemFileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a device or a socket.
    Other,
}

/// The metadata of a file.
#[derive(Clone, Debug)]
pub struct About {
    /// The kind.
    pub kind: SystemFileKind,
    /// The size in bytes.
    pub bytes: u64,
    /// The times and the number of the file, in a form that changes with each write.
    pub stamp: Vec<u8>,
}

/// An entry of a folder.
#[derive(Clone, Debug)]
pub struct FolderEntry {
    /// The name.
    pub name: Vec<u8>,
    /// The kind; a link is not followed.
    pub kind: SystemFileKind,
}

/// A channel from a collection to its host.
#[derive(Default)]
pub struct System {
    request: RefCell<Option<SystemRequest>>,
    answer: RefCell<Option<io::Result<SystemAnswer>>>,
}

/// The next step of a collection.
pub enum Step<T> {
    /// The collection waits for the answer to a request.
    Call(SystemRequest),
    /// The collection ended.
    End(T),
}

/// The error for an answer of another form.
fn unexpected<T>() -> io::Result<T> {
    Err(io::Error::other("the host gave no such answer"))
}

macro_rules! expect_answer {
    ($answer:expr, $form:ident) => {
        match $answer {
            SystemAnswer::$form(value) => Ok(value),
            _ => unexpected(),
        }
    };
}

impl System {
    /// Continues a collection with the answer to its latest request; `None` begins it.
    pub fn resume<T>(
        &self,
        collection: Pin<&mut (impl Future<Output = T> + ?Sized)>,
        answer: Option<io::Result<SystemAnswer>>,
    ) -> Step<T> {
        self.answer.replace(answer);
        match collection.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(end) => Step::End(end),
            // A collection waits for nothing but requests.
            Poll::Pending => Step::Call(self.request.take().unwrap_or(SystemRequest::Time)),
        }
    }

    async fn call(&self, request: SystemRequest) -> io::Result<SystemAnswer> {
        self.request.replace(Some(request));
        poll_fn(|_| self.answer.take().map_or(Poll::Pending, Poll::Ready)).await
    }

    pub(crate) async fn about(&self, path: &Path, follow: bool) -> io::Result<About> {
        expect_answer!(self.call(SystemRequest::About(bytes(path), follow)).await?, About)
    }

    pub(crate) async fn folder(&self, path: PathBytes) -> io::Result<Vec<FolderEntry>> {
        expect_answer!(self.call(SystemRequest::Folder(path)).await?, Entries)
    }

    /// Reads at most this number of bytes of a file.
    ///
    /// # Errors
    ///
    /// The error of the operating system.
    pub async fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        expect_answer!(self.call(SystemRequest::Read(bytes(path), limit)).await?, Bytes)
    }

    pub(crate) async fn write(&self, path: &Path, content: Vec<u8>) -> io::Result<()> {
        self.call(SystemRequest::Write(bytes(path), content)).await.map(drop)
    }

    pub(crate) async fn replace(&self, draft: &Path, path: &Path, content: Vec<u8>) -> io::Result<()> {
        self.call(SystemRequest::Replace(bytes(draft), bytes(path), content)).await.map(drop)
    }

    pub(crate) async fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.call(SystemRequest::CreateFolder(bytes(path))).await.map(drop)
    }

    pub(crate) async fn temporary_folder(&self) -> Result<PathBuf, String> {
        let answer = self.call(SystemRequest::TemporaryFolder).await;
        let path = answer.and_then(|answer| expect_answer!(answer, Bytes)).and_then(utf8);
        path.map_err(|error| format!("no temporary folder can be made: {error}"))
    }

    pub(crate) async fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        utf8(expect_answer!(self.call(SystemRequest::RealPath(bytes(path))).await?, Bytes)?)
    }

    pub(crate) async fn lock(&self, path: &Path, wait: Duration) -> io::Result<bool> {
        expect_answer!(self.call(SystemRequest::Lock(bytes(path), wait)).await?, Is)
    }

    pub(crate) async fn time(&self) -> io::Result<Duration> {
        expect_answer!(self.call(SystemRequest::Time).await?, Time)
    }

    pub(crate) async fn keeps_modes(&self, folder: &Path) -> bool {
        // If that cannot be found out, git compares execute bits.
        !matches!(self.call(SystemRequest::KeepsModes(bytes(folder))).await, Ok(SystemAnswer::Is(false)))
    }

    pub(crate) async fn run(&self, process: Process) -> io::Result<Ended> {
        expect_answer!(self.call(SystemRequest::Run(process)).await?, Ended)
    }

    pub(crate) async fn run_both(&self, processes: [Process; 2]) -> [io::Result<Ended>; 2] {
        match self.call(SystemRequest::RunBoth(processes.into())).await {
            Ok(SystemAnswer::BothEnded(ends)) => ends,
            Ok(_) => [unexpected(), unexpected()],
            Err(error) => [Err(io::Error::new(error.kind(), error.to_string())), Err(error)],
        }
    }

    pub(crate) async fn report(&self, progress: Progress) {
        // The progress is only shown: without it, the evidence is the same.
        let _ = self.call(SystemRequest::Progress(progress)).await;
    }

    pub(crate) async fn check_policy(&self, name: &str, policy: &str) -> io::Result<Result<(), Error>> {
        match self.call(SystemRequest::CheckPolicy(name.to_owned(), policy.to_owned())).await? {
            SystemAnswer::Refused(error) => Ok(Err(error)),
            _ => Ok(Ok(())),
        }
    }

    pub(crate) async fn decide(
        &self,
        envelope: String,
        policy: Option<&str>,
    ) -> io::Result<Result<(String, String), Error>> {
        match self.call(SystemRequest::Decide(envelope, policy.map(ToOwned::to_owned))).await? {
            SystemAnswer::Decision(evaluation, revision) => Ok(Ok((evaluation, revision))),
            SystemAnswer::Refused(error) => Ok(Err(error)),
            _ => unexpected(),
        }
    }
}

/// Returns the bytes of a path.
pub(crate) fn bytes(path: &Path) -> PathBytes {
    path.as_os_str().as_encoded_bytes().to_vec()
}

fn utf8(path: Vec<u8>) -> io::Result<PathBuf> {
    let text = String::from_utf8(path).map_err(|_| io::Error::other("the path is not UTF-8"))?;
    Ok(text.into())
}
