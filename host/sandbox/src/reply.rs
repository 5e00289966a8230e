//! The error of a call without an answer. The core reads the replies of modules ([`adjudicate_core::module`]).

use adjudicate_core::{
    Error,
    codes::Subject,
    json,
    module::{Reply, ReplyError},
};

/// The error of a call without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The module ran without a fault, and reported an error.
    #[error("{}", .0.text)]
    Reported(Box<Report>),
    /// The module failed, or was not run.
    #[error(transparent)]
    Fault(#[from] Error),
}

/// An error that a module reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// `{"error": ...}`, as the module wrote it, or with another message and path.
    text: String,
    code: String,
    subject: Subject,
    message: String,
    path: String,
}

impl CallError {
    /// Returns the code: one of [`codes`](crate::codes), or a code that the module defines. A module reports only codes about
    /// the input or the operation, and none that begins with `module_` or `host_`.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Reported(report) => &report.code,
            Self::Fault(error) => error.code().as_str(),
        }
    }

    /// Returns the message for humans.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Reported(report) => &report.message,
            Self::Fault(error) => error.message(),
        }
    }

    /// Returns the JSON Pointer of the wrong or missing field, relative to the document at fault. A module may write any text here.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Reported(report) => &report.path,
            Self::Fault(error) => error.path(),
        }
    }

    /// Returns the error with another message and path, for the document that they are about.
    #[must_use]
    pub fn told(self, message: String, path: String) -> Self {
        match self {
            Self::Reported(report) => {
                let Report { code, subject, .. } = *report;
                let [quoted, told, at] = [&code, &message, &path].map(json::write);
                let text = format!(r#"{{"error":{{"code":{quoted},"message":{told},"path":{at}}}}}"#);
                Self::Reported(Box::new(Report { text, code, subject, message, path }))
            }
            Self::Fault(error) => Self::Fault(Error::new(error.code(), message).at(path)),
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
    /// except after [`told`](Self::told).
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Reported(report) => report.text.clone(),
            Self::Fault(error) => error.to_json(),
        }
    }
}

impl CallError {
    /// Returns the error of a reply without an answer.
    pub(crate) fn of_reply(reply: &Reply<'_>, error: ReplyError<'_>) -> Self {
        match error {
            ReplyError::Reported(reported) => {
                let subject = reported.subject();
                let [text, code, message, path] =
                    [reply.text(), reported.code, reported.message, reported.path].map(str::to_owned);
                Self::Reported(Box::new(Report { text, code, subject, message, path }))
            }
            ReplyError::Fault(error) => Self::Fault(error),
        }
    }
}

/// Returns the answer in a reply of our own engine, or `None` if the reply has no answer. The engine writes well-formed JSON, so
/// this function only removes the frame.
pub(crate) fn framed(reply: &str) -> Option<&str> {
    reply.strip_prefix(r#"{"ok":"#)?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_handed_on_as_they_are() {
        let text = r#"{"error": {"code":"own_code_7","message":"\u00e9","path":"/a"}}"#;
        let reply = Reply::read(text).unwrap();
        let error = CallError::of_reply(&reply, reply.answer().unwrap_err());
        assert_eq!((error.code(), error.to_json().as_str()), ("own_code_7", text));
    }

    #[test]
    fn a_reported_error_can_be_led_to_another_document() {
        let reply =
            Reply::read(r#"{"error": {"path":"/task/a","message":"no \"b\"","code":"own"}}"#).unwrap();
        let error = CallError::of_reply(&reply, reply.answer().unwrap_err());
        let message = format!("task: {}", error.message());
        let error = error.told(message, "/a".to_owned());
        assert_eq!((error.path(), error.message()), ("/a", r#"task: no "b""#));
        assert_eq!(error.to_json(), r#"{"error":{"code":"own","message":"task: no \"b\"","path":"/a"}}"#);
    }

    #[test]
    fn the_engines_replies_have_one_frame() {
        assert_eq!(framed(r#"{"ok":{}}"#), Some("{}"));
        assert_eq!(framed(r#"{"error":{}}"#), None);
    }
}
