//! The source of an input, and its reader, which reads no more than the limit.

use std::{
    ffi::OsString,
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use adjudicate_core::{Error, Policy, json::MAX_DOCUMENT_BYTES};
use adjudicate_trust::{counted, io_reason};

use crate::{
    codes,
    environment::Environment,
    read_documents::{ReadDocument, ReadText},
};
use clap::ValueEnum;

/// The source of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl From<OsString> for Source {
    fn from(text: OsString) -> Self {
        if text == "-" { Self::Stdin } else { Self::File(text.into()) }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str(&self.name()),
            Self::File(_) => write!(f, "`{}`", self.name()),
        }
    }
}

/// The format of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    Json,
    Yaml,
}

impl Source {
    /// Returns the name of the input in reports.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Returns the format of the input: the given one, else the one of the name's ending, else JSON.
    pub(crate) fn format(&self, given: Option<InputFormat>) -> InputFormat {
        let ending = match self {
            Self::Stdin => None,
            Self::File(path) => path.extension(),
        };
        let is_yaml = ending
            .is_some_and(|ending| ending.eq_ignore_ascii_case("yaml") || ending.eq_ignore_ascii_case("yml"));
        given.unwrap_or(if is_yaml { InputFormat::Yaml } else { InputFormat::Json })
    }

    /// Opens the input.
    pub(crate) fn open(&self, env: &Environment) -> Result<Box<dyn Read>, Error> {
        match self {
            Self::Stdin => Ok(Box::new(env.input.clone())),
            Self::File(path) => Ok(Box::new(open(path, env)?)),
        }
    }

    /// The error for an input that cannot be read.
    pub(crate) fn unreadable(&self, error: io::Error) -> Error {
        let message = format!("cannot read {self}: {}", io_reason(&error));
        Error::new(codes::UNREADABLE_INPUT, message).with_source(error)
    }

    /// Reads a document as JSON text, translating it if it is YAML.
    pub(crate) fn document(&self, given: Option<InputFormat>, env: &Environment) -> Result<Vec<u8>, Error> {
        let text = self.recorded("", given, env)?;
        to_json(text, self.format(given))
    }

    /// Reads one of several documents as JSON text; errors about it name it.
    pub(crate) fn part(
        &self,
        name: &str,
        given: Option<InputFormat>,
        env: &Environment,
    ) -> Result<Vec<u8>, Error> {
        let text = self.recorded(name, given, env)?;
        to_json(text, self.format(given)).map_err(|error| error.within(name))
    }

    /// Reads the text of a document, and records it for excerpts in errors whose messages begin with this name.
    fn recorded(&self, name: &str, given: Option<InputFormat>, env: &Environment) -> Result<Vec<u8>, Error> {
        let text = self.text(env)?;
        if env.shows_error_text {
            let is_yaml = self.format(given) == InputFormat::Yaml;
            let text = match self {
                Self::Stdin => ReadText::Stdin(text.clone()),
                Self::File(path) => ReadText::File(path.clone()),
            };
            env.documents.add(ReadDocument { name: name.to_owned(), is_yaml, text });
        }
        Ok(text)
    }

    /// Reads a policy document; errors about it name it.
    pub(crate) fn policy(&self, given: Option<InputFormat>, env: &Environment) -> Result<Policy, Error> {
        let name = self.name();
        Policy::parse(&self.part(&name, given, env)?).map_err(|error| error.within(&name))
    }

    /// Returns the path of a module, if the name ends in `.wasm`. Every other input is a document.
    pub(crate) fn module(&self) -> Option<&Path> {
        match self {
            Self::File(path) if path.extension()?.eq_ignore_ascii_case("wasm") => Some(path),
            _ => None,
        }
    }

    /// Reads the complete text of a document.
    pub(crate) fn text(&self, env: &Environment) -> Result<Vec<u8>, Error> {
        let too_large = || {
            let message = format!("{self} is over the limit of {MAX_DOCUMENT_BYTES} bytes");
            Error::new(codes::LIMIT_EXCEEDED, message)
        };
        self.read(MAX_DOCUMENT_BYTES, env)?.ok_or_else(too_large)
    }

    /// Reads the whole input; `None` if it is longer than the limit.
    fn read(&self, limit: usize, env: &Environment) -> Result<Option<Vec<u8>>, Error> {
        let within = |bytes: Vec<u8>| (bytes.len() <= limit).then_some(bytes);
        // WASI leads no path to the pipe of another program, nor to a file behind both a link and `..`.
        #[cfg(target_os = "wasi")]
        if let Self::File(path) = self {
            let bytes = adjudicate_collect::read_file(&env.path(path), limit as u64 + 1);
            return bytes.map(within).map_err(|error| self.unreadable(error));
        }
        let mut bytes = Vec::new();
        let mut bounded = self.open(env)?.take(limit as u64 + 1);
        bounded.read_to_end(&mut bytes).map_err(|error| self.unreadable(error))?;
        Ok(within(bytes))
    }
}

/// The text of a document as JSON.
pub(crate) fn to_json(text: Vec<u8>, format: InputFormat) -> Result<Vec<u8>, Error> {
    match format {
        InputFormat::Json => Ok(text),
        InputFormat::Yaml => adjudicate_yaml::to_json(&text).map(String::into_bytes),
    }
}

/// Reads a module.
pub(crate) fn module(path: &Path, limit: usize, env: &Environment) -> Result<Vec<u8>, Error> {
    let source = Source::File(path.to_owned());
    source.read(limit, env)?.ok_or_else(|| {
        Error::new(
            codes::MODULE_TOO_LARGE,
            format!("{source} is over the limit of {}", counted(limit, "byte")),
        )
    })
}

fn open(path: &Path, env: &Environment) -> Result<File, Error> {
    let unreadable = |error| Source::File(path.to_owned()).unreadable(error);
    let at = env.path(path);
    // A path of WASI drops `..` together with a link in front of it.
    #[cfg(target_os = "wasi")]
    let at = adjudicate_collect::real_path(&at).unwrap_or(at);
    let file = File::open(at).map_err(unreadable)?;
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(unreadable(io::ErrorKind::IsADirectory.into())),
        _ => Ok(file),
    }
}
