//! The environment of a run: its streams, variables and current folder. No other module reads them from the process.

use std::{
    env,
    ffi::OsString,
    fmt,
    io::{self, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adjudicate_core::is_hidden;

use crate::{
    escaping_writer::{EscapingWriter, is_control_or_direction},
    read_documents::ReadDocuments,
};

/// Everything that one run of the command reads and writes, except the files that its arguments name.
///
/// ```
/// use adjudicate::{Environment, ReadDocuments, Stream};
/// use std::{path::PathBuf, sync::Arc};
///
/// let environment = Environment {
///     input: Stream::reader(&b"{\"logic\":{\"+\":[1,2]},\"data\":null}"[..]),
///     output: Stream::writer(Vec::new()),
///     errors: Stream::writer(Vec::new()),
///     has_colors: false,
///     shows_error_text: false,
///     has_error_colors: false,
///     documents: ReadDocuments::default(),
///     columns: || None,
///     shows_progress: false,
///     variable: Arc::new(|_| None),
///     folder: PathBuf::new(),
///     program: None,
/// };
/// let arguments = ["adjudicate", "logic", "-"].map(Into::into).to_vec();
/// assert_eq!(adjudicate::run(arguments, &environment).expect("no panic"), 0);
/// ```
#[derive(Clone)]
pub struct Environment {
    /// Standard input.
    pub input: Stream<dyn Read + Send>,
    /// Standard output.
    pub output: Stream<dyn Write + Send>,
    /// Standard error.
    pub errors: Stream<dyn Write + Send>,
    /// True if `--color auto` styles the output.
    pub has_colors: bool,
    /// True if errors are text for humans, because standard error is a terminal; otherwise they are JSON.
    pub shows_error_text: bool,
    /// True if the text of errors is styled.
    pub has_error_colors: bool,
    /// The documents that the run has read, for excerpts in the text of errors.
    pub documents: ReadDocuments,
    /// Returns the width of the terminal in columns; `None` without a terminal.
    pub columns: fn() -> Option<usize>,
    /// True if a long run draws its progress on the terminal of this process.
    pub shows_progress: bool,
    /// Returns an environment variable by its name.
    pub variable: Variables,
    /// The folder of relative paths; empty for the current folder of the process.
    pub folder: PathBuf,
    /// The file of the command, if this process runs another program. The command starts this file to compile modules.
    pub program: Option<PathBuf>,
}

/// A look-up of environment variables.
pub type Variables = Arc<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

impl Environment {
    /// Returns the environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self {
            input: Stream::reader(io::stdin()),
            output: match io::stdout().is_terminal() {
                true => Stream::writer(EscapingWriter::new(io::stdout(), is_control_or_direction)),
                false => Stream::writer(io::stdout()),
            },
            errors: Stream::writer(EscapingWriter::new(io::stderr(), is_hidden)),
            has_colors: anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
            shows_error_text: io::stderr().is_terminal(),
            has_error_colors: anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
            documents: ReadDocuments::default(),
            columns: || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)),
            shows_progress: io::stderr().is_terminal(),
            variable: Arc::new(|name| env::var_os(name)),
            folder: PathBuf::new(),
            program: None,
        }
    }

    /// Returns the path of a file that an argument or a variable names. Messages show the path as given.
    pub(crate) fn path(&self, given: &Path) -> PathBuf {
        // An empty path names no file; joined, it would name the folder.
        if given.as_os_str().is_empty() { PathBuf::new() } else { self.folder.join(given) }
    }

    /// Returns an environment variable. An empty one counts as not set.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// Returns the file of the command.
    pub(crate) fn program(&self) -> io::Result<PathBuf> {
        self.program.clone().map_or_else(env::current_exe, Ok)
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A stream that all parts of a run share.
pub struct Stream<S: ?Sized>(Arc<Mutex<S>>);

impl Stream<dyn Read + Send> {
    /// Returns a stream to read from.
    pub fn reader(stream: impl Read + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(stream)))
    }
}

impl Stream<dyn Write + Send> {
    /// Returns a stream to write to.
    pub fn writer(stream: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(stream)))
    }
}

impl<S: ?Sized> Stream<S> {
    fn lock(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: ?Sized> Clone for Stream<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: ?Sized> fmt::Debug for Stream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(..)")
    }
}

impl Read for Stream<dyn Read + Send> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.lock().read(buffer)
    }
}

impl Write for Stream<dyn Write + Send> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    /// Writes all bytes at once: other threads write before or after them.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.lock().write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().flush()
    }
}
