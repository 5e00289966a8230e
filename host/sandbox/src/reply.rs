//! Why a call gave no answer. How a reply is read is the core's ([`adjudicate_core::module`]).

use adjudicate_core::{
    Error, ErrorCode,
    codes::Subject,
    module::{Reply, ReplyError},
};

/// Why a call gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The module ran well, and says that there is no answer.
    #[error("{}", .0.text)]
    Reported(Report),
    /// The module failed, or was not run.
    #[error(transparent)]
    Fault(#[from] Error),
}

/// An error that a module reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    text: String,
    code: String,
}

impl CallError {
    /// The code: one of [`ErrorCode`], or, if the module reported it, perhaps one of the module's own. What the
    /// module reports is about the input or the operation: never a code for anything else, nor one that begins with
    /// `module_` or `host_`.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Reported(report) => &report.code,
            Self::Fault(error) => error.code().as_str(),
        }
    }

    /// What the error is about. A code of the module's own is about the input: the module ran well.
    #[must_use]
    pub fn subject(&self) -> Subject {
        match self {
            Self::Reported(report) => report.subject(),
            Self::Fault(error) => error.code().subject(),
        }
    }

    /// The error as every face prints it: `{"error": ...}`, exactly as the module wrote it if it did.
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Reported(report) => report.text.clone(),
            Self::Fault(error) => error.to_json(),
        }
    }
}

impl Report {
    fn subject(&self) -> Subject {
        ErrorCode::from_text(&self.code).map_or(Subject::Input, ErrorCode::subject)
    }
}

impl CallError {
    /// The same of a reply that holds no answer.
    pub(crate) fn of_reply(reply: &Reply<'_>, error: ReplyError<'_>) -> Self {
        match error {
            ReplyError::Reported(reported) => {
                Self::Reported(Report { text: reply.text().to_owned(), code: reported.code.to_owned() })
            }
            ReplyError::Fault(error) => Self::Fault(error),
        }
    }
}

/// The answer in the reply of our own engine: what it writes is well-formed, so only the frame is looked at. `None` is
/// for replies without an answer.
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
    fn the_engines_replies_have_one_frame() {
        assert_eq!(framed(r#"{"ok":{}}"#), Some("{}"));
        assert_eq!(framed(r#"{"error":{}}"#), None);
    }
}
