//! The error of a call without an answer. The core reads the replies of modules ([`adjudicate_core::module`]).

use std::iter;

use adjudicate_core::{
    Error,
    codes::Subject,
    json,
    module::{Reply, ReplyError, Reported},
};

/// The error of a call without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The module ran without a fault, and reported an error.
    #[error("{}", .0.text)]
    Reported(Box<ReportedError>),
    /// The module failed, or was not run.
    #[error(transparent)]
    Fault(#[from] Error),
}

/// An error that a module reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedError {
    /// `{"error": ...}`, as the module wrote it, or with another message and path.
    text: String,
    subject: Subject,
    first: ErrorPart,
    others: Vec<ErrorPart>,
}

/// One of the errors that are reported together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPart {
    /// The code, as of [`CallError::code`].
    pub code: String,
    /// The message, as of [`CallError::message`].
    pub message: String,
    /// The path, as of [`CallError::path`].
    pub path: String,
}

impl ErrorPart {
    fn new(parts: [&str; 3]) -> Self {
        let [code, message, path] = parts.map(str::to_owned);
        Self { code, message, path }
    }

    /// Returns the fields as JSON, without braces.
    fn fields(&self) -> String {
        let [code, message, path] = [&self.code, &self.message, &self.path].map(json::write);
        format!(r#""code":{code},"message":{message},"path":{path}"#)
    }
}

impl CallError {
    /// Returns the code: one of [`codes`](crate::codes), or a code that the module defines. A module reports only codes about
    /// the input or the operation, and none that begins with `module_` or `host_`.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Reported(report) => &report.first.code,
            Self::Fault(error) => error.code().as_str(),
        }
    }

    /// Returns the message for humans.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Reported(report) => &report.first.message,
            Self::Fault(error) => error.message(),
        }
    }

    /// Returns the JSON Pointer of the wrong or missing field, relative to the document at fault. A module may write any text here.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Reported(report) => &report.first.path,
            Self::Fault(error) => error.path(),
        }
    }

    /// Returns this error, then those that are reported together with it, in document order.
    #[must_use]
    pub fn parts(&self) -> Vec<ErrorPart> {
        match self {
            Self::Reported(report) => iter::once(&report.first).chain(&report.others).cloned().collect(),
            Self::Fault(error) => {
                let part =
                    |error: &Error| ErrorPart::new([error.code().as_str(), error.message(), error.path()]);
                error.all().map(part).collect()
            }
        }
    }

    /// Changes message and path of this error and of each of the others, for example to point into another document. `relocate`
    /// returns `None` for an error that stays as it is.
    #[must_use]
    pub fn relocated(self, relocate: impl Fn(&str, &str) -> Option<(String, String)>) -> Self {
        match self {
            Self::Reported(mut report) => {
                for part in iter::once(&mut report.first).chain(&mut report.others) {
                    if let Some((message, path)) = relocate(&part.message, &part.path) {
                        (part.message, part.path) = (message, path);
                    }
                }
                let others: Vec<_> =
                    report.others.iter().map(|part| format!("{{{}}}", part.fields())).collect();
                let others = if others.is_empty() {
                    String::new()
                } else {
                    format!(r#","others":[{}]"#, others.join(","))
                };
                report.text = format!(r#"{{"error":{{{}{others}}}}}"#, report.first.fields());
                Self::Reported(report)
            }
            Self::Fault(error) => {
                Self::Fault(error.map_all(&|error| match relocate(error.message(), error.path()) {
                    Some((message, path)) => error.reworded(message, path),
                    None => error,
                }))
            }
        }
    }

    /// Returns the subject. A code that the module defines is about the input, because the module ran without a fault.
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::Reported(report) => report.subject,
            Self::Fault(error) => error.code().subject(),
        }
    }

    /// Returns the error as every interface prints it: `{"error": ...}`. An error that a module reported keeps the module's bytes,
    /// except after [`relocated`](Self::relocated).
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Reported(report) => report.text.clone(),
            Self::Fault(error) => error.to_json(),
        }
    }
}

impl CallError {
    /// Returns the error of a module's reply without an answer: `error` is that of [`Reply::answer`].
    ///
    /// ```
    /// use adjudicate_core::module::Reply;
    /// use adjudicate_trust::CallError;
    /// let reply = Reply::read(r#"{"error": {"code": "own_code", "message": "no", "path": ""}}"#)?;
    /// let error = reply.answer().map_err(|error| CallError::from_reply(&reply, error)).unwrap_err();
    /// assert_eq!(error.code(), "own_code");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn from_reply(reply: &Reply<'_>, error: ReplyError<'_>) -> Self {
        match error {
            ReplyError::Reported(reported) => {
                let part = |reported: &Reported<'_>| {
                    ErrorPart::new([reported.code, reported.message, reported.path])
                };
                let others = reported.others.iter().map(part).collect();
                let (text, subject, first) = (reply.text().to_owned(), reported.subject(), part(&reported));
                Self::Reported(Box::new(ReportedError { text, subject, first, others }))
            }
            ReplyError::Fault(error) => Self::Fault(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use crate::codes;

    #[test]
    fn a_reported_error_keeps_its_bytes() {
        let text = r#"{"error": {"code":"own_code_7","message":"\u00e9","path":"/a"}}"#;
        let reply = Reply::read(text).unwrap();
        let error = CallError::from_reply(&reply, reply.answer().unwrap_err());
        assert_eq!((error.code(), error.to_json().as_str()), ("own_code_7", text));
    }

    #[test]
    fn all_parts_of_an_error_are_relocated() {
        let inside = |message: &str, path: &str| {
            Some((format!("task: {message}"), path.strip_prefix("/task")?.to_owned()))
        };
        let reply =
            Reply::read(r#"{"error": {"path":"/task/a","message":"no \"b\"","code":"own"}}"#).unwrap();
        let error = CallError::from_reply(&reply, reply.answer().unwrap_err()).relocated(inside);
        assert_eq!((error.path(), error.message()), ("/a", r#"task: no "b""#));
        assert_eq!(error.to_json(), r#"{"error":{"code":"own","message":"task: no \"b\"","path":"/a"}}"#);
        let others =
            r#"[{"code":"c","message":"m","path":"/task/d"},{"code":"e","message":"n","path":"/f"}]"#;
        let text = format!(r#"{{"error":{{"code":"own","message":"o","path":"/g","others":{others}}}}}"#);
        let reply = Reply::read(&text).unwrap();
        let error = CallError::from_reply(&reply, reply.answer().unwrap_err()).relocated(inside);
        let relocated = text.replace(r#""m","path":"/task/d""#, r#""task: m","path":"/d""#);
        assert_eq!(error.to_json(), relocated);
        let fault = Error::new(codes::INVALID_VALUE, "o").at("/g");
        let fault = fault.with_others([Error::new(codes::INVALID_VALUE, "m").at("/task/d")].into());
        assert!(CallError::from(fault).relocated(inside).to_json().contains(r#""task: m","path":"/d""#));
    }

    #[test]
    fn a_relocated_fault_keeps_its_source() {
        let cause = "x".parse::<u8>().unwrap_err();
        let fault = Error::caused_by(codes::INVALID_VALUE, "no number", cause).at("/a");
        let fault = CallError::from(fault).relocated(|_, _| Some(("message".to_owned(), String::new())));
        assert_eq!((fault.message(), fault.path()), ("message", ""));
        assert!(fault.source().is_some_and(|source| source.is::<std::num::ParseIntError>()));
    }
}
