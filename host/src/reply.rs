//! A module's reply: `{"ok": answer}` or `{"error": {code, message, path}}`, and nothing else.
//!
//! The text is the module's own: the answer is cut out of it byte for byte, never written anew. What an answer
//! must look like is the output contract's business, not this file's.

use adjudicate_core::{
    Error, ErrorCode,
    codes::Subject,
    json::{self, Kind, Node, Tape},
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

    /// Whether a module may say this of itself: what the host finds out, only the host may say.
    fn is_the_modules_to_say(&self) -> bool {
        // Of the host's prefixes, also what only a later host will know.
        let reserved = self.code.starts_with("module_") || self.code.starts_with("host_");
        !reserved && matches!(self.subject(), Subject::Input | Subject::Operation)
    }
}

/// A reply that is known to be well-formed JSON.
#[derive(Debug)]
pub(crate) struct Reply<'a> {
    text: &'a str,
    tape: Tape<'a>,
}

/// What a module answered: as it wrote it, and as it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'r> {
    pub(crate) text: &'r str,
    pub(crate) value: Node<'r>,
}

impl<'a> Reply<'a> {
    pub(crate) fn read(text: &'a str) -> Result<Self, CallError> {
        let limits = json::Limits { documents: &["ok"], bytes: text.len() };
        match json::read(text.as_bytes(), limits) {
            Ok(tape) => Ok(Self { text, tape }),
            Err(error) => Err(malformed(format!("not JSON: {}", error.message()))),
        }
    }

    /// Cuts the answer out.
    pub(crate) fn answer(&self) -> Result<Answer<'_>, CallError> {
        let root = self.tape.root();
        let mut members = root.members();
        match (root.kind(), members.next(), members.next()) {
            (Kind::Object, Some(("ok", value)), None) => Ok(Answer { text: cut_value(self.text), value }),
            (Kind::Object, Some(("error", error)), None) => Err(reported(self.text, error)),
            _ => Err(malformed("expected an object with one member, `ok` or `error`".to_owned())),
        }
    }
}

/// The answer in the reply of our own engine: what it writes is well-formed, so only the frame is looked at. `None` is
/// for replies without an answer.
pub(crate) fn framed(reply: &str) -> Option<&str> {
    reply.strip_prefix(r#"{"ok":"#)?.strip_suffix('}')
}

/// The text of the one member's value, in a reply that is known to have just one.
fn cut_value(reply: &str) -> &str {
    const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
    // The key is `ok`, however it is escaped, so the first colon is the one behind it.
    let value = reply.split_once(':').map_or("", |(_, value)| value).trim_end_matches(SPACE);
    value.strip_suffix('}').unwrap_or_default().trim_matches(SPACE)
}

fn reported(reply: &str, error: Node<'_>) -> CallError {
    let text = |key| error.member(key).and_then(Node::as_str);
    let (Some(code), Some(_), Some(_), 3) = (text("code"), text("message"), text("path"), error.len()) else {
        return malformed(
            "`error` must hold the strings `code`, `message` and `path`, and nothing else".to_owned(),
        );
    };
    let spelled = |code: &str| {
        (1..=64).contains(&code.len()) && code.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
    };
    if !spelled(code) {
        return malformed("`error.code` must be 1 to 64 lower-case letters, digits and `_`".to_owned());
    }
    let report = Report { text: reply.to_owned(), code: code.to_owned() };
    if !report.is_the_modules_to_say() {
        return malformed(format!("a module may not report `{code}`, which is the host's to say"));
    }
    CallError::Reported(report)
}

fn malformed(message: String) -> CallError {
    CallError::Fault(Error::new(
        ErrorCode::ModuleMalformedReply,
        format!("the module's reply is malformed: {message}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_cut_out_as_it_is() {
        for (reply, expected) in [
            (r#"{"ok":{"a":{"b":{}}}}"#, r#"{"a":{"b":{}}}"#),
            ("{ \"ok\" :\n { \"a\" : 1.50e0 } \r\n}\t", "{ \"a\" : 1.50e0 }"),
            (r#"{"\u006fk":":}"}"#, r#"":}""#),
            (r#"{"ok":null}"#, "null"),
        ] {
            assert_eq!(Reply::read(reply).unwrap().answer().unwrap().text, expected);
        }
        assert_eq!(framed(r#"{"ok":{}}"#), Some("{}"));
        assert_eq!(framed(r#"{"error":{}}"#), None);
    }

    #[test]
    fn errors_are_handed_on_as_they_are() {
        let text = r#"{"error": {"code":"own_code_7","message":"\u00e9","path":"/a"}}"#;
        let error = Reply::read(text).unwrap().answer().unwrap_err();
        assert_eq!((error.code(), error.to_json().as_str()), ("own_code_7", text));
    }

    #[test]
    fn a_module_reports_on_inputs_and_operations_only() {
        for code in ErrorCode::ALL {
            let reply = format!(r#"{{"error":{{"code":"{}","message":"m","path":""}}}}"#, code.as_str());
            let error = Reply::read(&reply).unwrap().answer().unwrap_err();
            let (reported, expected) = match code.subject() {
                Subject::Input | Subject::Operation => (true, code.as_str()),
                Subject::Usage | Subject::Output | Subject::Module => (false, "module_malformed_reply"),
            };
            assert_eq!((matches!(error, CallError::Reported(_)), error.code()), (reported, expected));
        }
    }

    #[test]
    fn nothing_else_is_a_reply() {
        for reply in [
            "",
            "null",
            "[]",
            "{}",
            r#""ok""#,
            r#"{"ok":1,"error":{}}"#,
            r#"{"ok":1,"ok":2}"#,
            r#"{"ok":1}}"#,
            r#"{"ok":1} x"#,
            r#"{"ok":}"#,
            r#"{"ok":NaN}"#,
            r#"{"ok":1,"x-note":2}"#,
            r#"{"OK":1}"#,
            r#"{"error":"no"}"#,
            r#"{"error":{"code":"c","message":"m"}}"#,
            r#"{"error":{"code":"c","message":"m","path":"","x-more":1}}"#,
            r#"{"error":{"code":"c","message":1,"path":""}}"#,
            r#"{"error":{"code":"","message":"m","path":""}}"#,
            r#"{"error":{"code":"Bad Code","message":"m","path":""}}"#,
            r#"{"error":{"code":"module_of_tomorrow","message":"m","path":""}}"#,
            r#"{"error":{"code":"host_of_tomorrow","message":"m","path":""}}"#,
        ] {
            let error = Reply::read(reply).and_then(|reply| reply.answer().map(drop)).unwrap_err();
            assert_eq!(error.code(), "module_malformed_reply", "{reply}");
        }
    }
}
