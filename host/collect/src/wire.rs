//! Requests and answers as messages.

use std::{ffi::OsStr, io, time::Duration};

use crate::{
    Progress,
    command::{CommandProgram, End, Ended, Process},
    system::{About, FolderEntry, SystemAnswer, SystemFileKind, SystemRequest},
};

/// The fields of a message.
pub type MessageFields = Vec<Vec<u8>>;

/// Returns the fields of a request. The first one is its name. Two requests follow the number of fields of the first one.
#[must_use]
pub fn request(request: SystemRequest) -> MessageFields {
    let number = |number: u128| number.to_string().into_bytes();
    let flag = |flag: bool| if flag { b"1".to_vec() } else { Vec::new() };
    let (name, arguments): (&str, MessageFields) = match request {
        SystemRequest::About(path, follow) => ("about", vec![path, flag(follow)]),
        SystemRequest::Folder(path) => ("folder", vec![path]),
        SystemRequest::Read(path, limit) => ("read", vec![path, number(limit.into())]),
        SystemRequest::Write(path, content) => ("write", vec![path, content]),
        SystemRequest::Replace(draft, path, content) => ("replace", vec![draft, path, content]),
        SystemRequest::CreateFolder(path) => ("createFolder", vec![path]),
        SystemRequest::TemporaryFolder => ("temporaryFolder", Vec::new()),
        SystemRequest::RealPath(path) => ("realPath", vec![path]),
        SystemRequest::Lock(path, wait) => ("lock", vec![path, number(wait.as_millis())]),
        SystemRequest::Time => ("time", Vec::new()),
        SystemRequest::KeepsModes(path) => ("keepsModes", vec![path]),
        SystemRequest::Run(process) => ("run", run(process)),
        SystemRequest::RunBoth(processes) => {
            let [first, second] = processes.map(|process| self::request(SystemRequest::Run(process)));
            ("runBoth", [vec![number(first.len() as u128)], first, second].concat())
        }
        SystemRequest::Progress(progress) => ("progress", self::progress(progress)),
        SystemRequest::CheckPolicy(name, policy) => {
            ("checkPolicy", vec![name.into_bytes(), policy.into_bytes()])
        }
        SystemRequest::Decide(envelope, policy) => {
            let policy = policy.map(String::into_bytes);
            ("decide", [envelope.into_bytes()].into_iter().chain(policy).collect())
        }
    };
    [name.as_bytes().to_vec()].into_iter().chain(arguments).collect()
}

/// Returns the fields of a command.
///
/// | field | content |
/// | --- | --- |
/// | 0 | the folder |
/// | 1, 2 | the limit in milliseconds, and the most bytes of an output |
/// | 3 | nothing, unless the host may stop the command |
/// | 4 | the input |
/// | 5, 6 | the files for the outputs, or nothing |
/// | 7 | the number of variables; the names and values follow |
/// | then | `git`, `shell` or `words`, and the words of the program |
fn run(process: Process) -> MessageFields {
    let (kind, words) = match process.program {
        CommandProgram::Git(words) => ("git", words),
        CommandProgram::Shell(line) => ("shell", vec![line]),
        CommandProgram::Words(words) => ("words", words),
    };
    let (output, errors) = process.files.unwrap_or_default();
    let text = |text: String| text.into_bytes();
    let mut fields = vec![
        process.folder,
        text(process.limit.as_millis().to_string()),
        text(process.max_bytes.to_string()),
        if process.is_stoppable { b"1".to_vec() } else { Vec::new() },
        process.input,
        output,
        errors,
        text(process.environment.len().to_string()),
    ];
    for (name, value) in process.environment {
        fields.extend([text(name), OsStr::as_encoded_bytes(&value).to_vec()]);
    }
    fields.push(kind.as_bytes().to_vec());
    fields.extend(words.into_iter().map(text));
    fields
}

fn progress(progress: Progress) -> MessageFields {
    let fields = match progress {
        Progress::Started(id, index, count) => {
            vec!["started".into(), id, index.to_string(), count.to_string()]
        }
        Progress::Ended(id, has_passed) => {
            vec!["ended".into(), id, if has_passed { "1".into() } else { "".into() }]
        }
    };
    fields.into_iter().map(String::into_bytes).collect()
}

/// Returns the answer that a message has.
///
/// # Errors
///
/// The error in the message, and one for fields of another form.
pub fn answer(fields: &[&[u8]]) -> io::Result<SystemAnswer> {
    match fields {
        [b"done"] => Ok(SystemAnswer::Done),
        [b"is", value] => Ok(SystemAnswer::Is(!value.is_empty())),
        [b"bytes", bytes] => Ok(SystemAnswer::Bytes(bytes.to_vec())),
        [b"about", kind, bytes, stamp] => Ok(SystemAnswer::About(About {
            kind: self::kind(kind),
            bytes: number(bytes)?,
            stamp: stamp.to_vec(),
        })),
        [b"entries", entries @ ..] => {
            Ok(SystemAnswer::Entries(entries.as_chunks().0.iter().map(entry).collect()))
        }
        [b"time", seconds, nanoseconds] => {
            let nanoseconds = u32::try_from(number(nanoseconds)?).map_err(io::Error::other)?;
            Ok(SystemAnswer::Time(Duration::new(number(seconds)?, nanoseconds)))
        }
        [b"ended", end, code, duration, output, errors] => Ok(SystemAnswer::Ended(Ended {
            end: match *end {
                b"timedOut" => End::TimedOut,
                b"stopped" => End::Stopped,
                _ => End::Exited(i64::try_from(number(code)?).map_err(io::Error::other)?),
            },
            duration_ms: number(duration)?,
            output: output.to_vec(),
            errors: errors.to_vec(),
        })),
        [b"bothEnded", count, answers @ ..] => {
            let count = usize::try_from(number(count)?).map_err(io::Error::other)?;
            let (first, second) = answers.split_at_checked(count).unwrap_or_default();
            Ok(SystemAnswer::BothEnded([first, second].map(|fields| match answer(fields)? {
                SystemAnswer::Ended(ended) => Ok(ended),
                _ => Err(io::Error::other("the host gave no such answer")),
            })))
        }
        [b"decision", evaluation, revision] => Ok(SystemAnswer::Decision(text(evaluation)?, text(revision)?)),
        [b"error", kind, message] => Err(io::Error::new(error_kind(kind), text(message)?)),
        _ => Err(io::Error::other("the host gave no such answer")),
    }
}

fn entry([name, kind]: &[&[u8]; 2]) -> FolderEntry {
    FolderEntry { name: name.to_vec(), kind: self::kind(kind) }
}

fn kind(name: &[u8]) -> SystemFileKind {
    match name {
        b"file" => SystemFileKind::File,
        b"folder" => SystemFileKind::Folder,
        b"link" => SystemFileKind::Link,
        _ => SystemFileKind::Other,
    }
}

/// Returns the kind of an error of the operating system, for the kinds that messages about a read file name.
fn error_kind(code: &[u8]) -> io::ErrorKind {
    match code {
        b"ENOENT" => io::ErrorKind::NotFound,
        b"EACCES" => io::ErrorKind::PermissionDenied,
        b"EISDIR" => io::ErrorKind::IsADirectory,
        _ => io::ErrorKind::Other,
    }
}

fn number(field: &[u8]) -> io::Result<u64> {
    text(field)?.parse().map_err(io::Error::other)
}

fn text(field: &[u8]) -> io::Result<String> {
    String::from_utf8(field.to_vec()).map_err(io::Error::other)
}
