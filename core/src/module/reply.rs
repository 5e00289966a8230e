//! A module's reply: `{"ok": answer}` or `{"error": {code, message, path, others?}}`, and nothing else.
//!
//! The answer is a part of the module's text, byte for byte, and is never written again. The output contracts check the answer
//! itself.

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Error, Subject, document,
    json::{self, Kind, Node, Tape},
};

use crate::{codes, operation::Operation};

/// A reply that is well-formed JSON.
#[derive(Debug)]
pub struct Reply<'a> {
    text: &'a str,
    tape: Tape<'a>,
}

/// The answer of a module, as text and as value.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'r> {
    /// The answer's text, byte for byte.
    pub text: &'r str,
    /// The answer's value.
    pub value: Node<'r>,
}

/// An error that a module reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported<'r> {
    /// The code: one about the input or the operation, or one that the module defines.
    pub code: &'r str,
    /// The message for humans.
    pub message: &'r str,
    /// The JSON Pointer into the input. A module may write any text here.
    pub path: &'r str,
    /// The next errors of the same input, at most nine, without others of their own.
    pub others: Vec<Self>,
}

impl Reported<'_> {
    /// Returns the subject. A code that the module defines is about the input, because the module ran without a fault.
    #[must_use]
    pub fn subject(&self) -> Subject {
        let is_of_operation = self.code == codes::UNSUPPORTED_OPERATION.as_str();
        if is_of_operation { Subject::Operation } else { Subject::Input }
    }
}

/// The reason for which a reply has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyError<'r> {
    /// The module reported an error.
    Reported(Reported<'r>),
    /// The text is not a reply, or its answer breaks the contract.
    Fault(Error),
}

impl<'a> Reply<'a> {
    /// Reads a reply's text.
    ///
    /// ```
    /// use adjudicate_core::module::Reply;
    /// let reply = Reply::read(r#"{"ok": {"a": 1.50}}"#)?;
    /// assert_eq!(reply.answer().unwrap().text, r#"{"a": 1.50}"#);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_MALFORMED_REPLY`] if the text is not JSON.
    pub fn read(text: &'a str) -> Result<Self, Error> {
        let limits = json::ReadLimits { documents: &["ok"], bytes: text.len() };
        match json::read(text.as_bytes(), limits) {
            Ok(tape) => Ok(Self { text, tape }),
            Err(error) => Err(malformed(&format!("not JSON: {}", error.message()))),
        }
    }

    /// Reads a reply's bytes.
    ///
    /// # Errors
    ///
    /// As [`Reply::read`], and [`codes::MODULE_NOT_UTF8`].
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let text = core::str::from_utf8(bytes).map_err(|error| {
            let message = format!("the module's reply is not UTF-8 from byte {} on", error.valid_up_to());
            Error::new(codes::MODULE_NOT_UTF8, message)
        })?;
        Self::read(text)
    }

    /// Returns the answer.
    ///
    /// # Errors
    ///
    /// The error that the module reported; [`codes::MODULE_MALFORMED_REPLY`] if the text is not a reply.
    pub fn answer(&self) -> Result<Answer<'_>, ReplyError<'_>> {
        let root = self.tape.root();
        let mut members = root.members();
        match (root.kind(), members.next(), members.next()) {
            (Kind::Object, Some(("ok", value)), None) => Ok(Answer { text: cut_value(self.text), value }),
            (Kind::Object, Some(("error", error)), None) => Err(reported(error)),
            _ => Err(ReplyError::Fault(malformed("expected an object with one field, `ok` or `error`"))),
        }
    }

    /// Returns the answer if it satisfies the operation's output contract for `input`, the input of the call.
    ///
    /// ```
    /// use adjudicate_core::{Operation, module::{Reply, ReplyError}};
    /// let input = Operation::Evaluate.read(br#"{"allowed_next_steps": ["ship"]}"#)?;
    /// let reply = Reply::read(r#"{"ok": {}}"#)?;
    /// let Err(ReplyError::Fault(error)) = reply.answer_to(Operation::Evaluate, input.root()) else { panic!() };
    /// assert_eq!(error.code().as_str(), "module_invalid_decision");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Reply::answer`] and [`Operation::check_answer`].
    pub fn answer_to(&self, operation: Operation, input: Node<'_>) -> Result<Answer<'_>, ReplyError<'_>> {
        let answer = self.answer()?;
        operation.check_answer(input, answer.value).map_err(ReplyError::Fault)?;
        Ok(answer)
    }

    /// Returns the whole text, as the module wrote it.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }
}

impl From<Error> for ReplyError<'_> {
    fn from(error: Error) -> Self {
        Self::Fault(error)
    }
}

/// Returns the text of the value of `ok`, the only field of the reply.
fn cut_value(reply: &str) -> &str {
    const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
    // The key is `ok`, with or without escapes, so the first colon ends it.
    let value = reply.split_once(':').map_or("", |(_, value)| value).trim_end_matches(SPACE);
    value.strip_suffix('}').unwrap_or_default().trim_matches(SPACE)
}

/// The most entries of `others`.
const MOST_OTHERS: usize = document::MOST_ERRORS - 1;

fn reported(error: Node<'_>) -> ReplyError<'_> {
    let others = error.member("others");
    let first = read_reported(error, 3 + usize::from(others.is_some()));
    let all = first.and_then(|first| match others {
        Some(list) if list.kind() != Kind::Array || !(1..=MOST_OTHERS).contains(&list.len()) => {
            Err(malformed(&format!("`error.others` must be a list of 1 to {MOST_OTHERS} errors")))
        }
        Some(list) => {
            let others = list.items().map(|other| read_reported(other, 3)).collect::<Result<_, _>>()?;
            Ok(Reported { others, ..first })
        }
        None => Ok(first),
    });
    all.map_or_else(ReplyError::Fault, ReplyError::Reported)
}

/// Reads an error that has this many fields.
fn read_reported(error: Node<'_>, fields: usize) -> Result<Reported<'_>, Error> {
    let text = |key| error.member(key).and_then(Node::as_str);
    let (Some(code), Some(message), Some(path), true) =
        (text("code"), text("message"), text("path"), error.len() == fields)
    else {
        let message = "an error must hold the strings `code`, `message` and `path`, and nothing else";
        return Err(malformed(message));
    };
    let is_code = |code: &str| {
        (1..=64).contains(&code.len()) && code.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
    };
    if !is_code(code) {
        return Err(malformed("the code of an error must be 1 to 64 lower-case letters, digits and `_`"));
    }
    if !may_be_reported(code) {
        let message = format!("a module may not report `{code}`, a code of the host");
        return Err(malformed(&message));
    }
    Ok(Reported { code, message, path, others: Vec::new() })
}

/// The codes that only hosts report and that do not begin with `module_` or `host_`, one a line. `cargo xtask generate` writes them.
const RESERVED: &str = include_str!("reserved.txt");

/// Returns whether a module may report this code.
fn may_be_reported(code: &str) -> bool {
    // The prefixes include codes of later hosts.
    let reserved = code.starts_with("module_") || code.starts_with("host_");
    !reserved && RESERVED.lines().all(|line| line != code)
}

fn malformed(message: &str) -> Error {
    let message = ["the module's reply is malformed: ", message].concat();
    Error::new(codes::MODULE_MALFORMED_REPLY, message)
}

#[cfg(test)]
mod tests {
    use alloc::{borrow::ToOwned, string::String};

    use super::*;

    /// The answer of a reply; else true with the code that the module reported, or false with the code of the fault.
    fn outcome(text: &str) -> Result<String, (bool, String)> {
        let reply = Reply::read(text).map_err(|error| (false, error.code().as_str().to_owned()))?;
        reply.answer().map(|answer| answer.text.to_owned()).map_err(|error| match error {
            ReplyError::Reported(reported) => (true, reported.code.to_owned()),
            ReplyError::Fault(error) => (false, error.code().as_str().to_owned()),
        })
    }

    #[test]
    fn the_answer_is_cut_out_as_it_is() {
        for (reply, expected) in [
            (r#"{"ok":{"a":{"b":{}}}}"#, r#"{"a":{"b":{}}}"#),
            ("{ \"ok\" :\n { \"a\" : 1.50e0 } \r\n}\t", "{ \"a\" : 1.50e0 }"),
            (r#"{"\u006fk":":}"}"#, r#"":}""#),
            (r#"{"ok":null}"#, "null"),
        ] {
            assert_eq!(outcome(reply).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_module_reports_on_inputs_and_operations_only() {
        for code in codes::TABLE.all() {
            let reply = format!(r#"{{"error":{{"code":"{}","message":"m","path":""}}}}"#, code.as_str());
            let expected = match code.subject() {
                Subject::Input | Subject::Operation => (true, code.as_str().to_owned()),
                Subject::Usage | Subject::Output | Subject::Module => {
                    (false, "module_malformed_reply".to_owned())
                }
            };
            assert_eq!(outcome(&reply), Err(expected));
        }
    }

    #[test]
    fn an_error_has_one_to_nine_others() {
        let one = r#"{"code":"c","message":"m","path":"/a"}"#;
        let reply =
            |others: &str| format!(r#"{{"error":{{"code":"b","message":"m","path":"","others":{others}}}}}"#);
        for (count, expected) in [(0, false), (1, true), (9, true), (10, false)] {
            let text = reply(&format!("[{}]", [one].repeat(count).join(",")));
            let reply = Reply::read(&text).unwrap();
            match reply.answer().unwrap_err() {
                ReplyError::Reported(reported) => {
                    assert!(expected && reported.others.len() == count, "{text}");
                    assert!(reported.others.iter().all(|other| other.code == "c" && other.path == "/a"));
                }
                ReplyError::Fault(_) => assert!(!expected, "{text}"),
            }
        }
        for others in ["null", "{}", "[1]", &format!("[{}]", reply("[]")), r#"[{"code":"c","message":"m"}]"#]
        {
            assert_eq!(
                outcome(&reply(others)),
                Err((false, "module_malformed_reply".to_owned())),
                "{others}"
            );
        }
        let hosts = one.replace(r#""c""#, r#""module_trap""#);
        let code = Err((false, "module_malformed_reply".to_owned()));
        assert_eq!(outcome(&reply(&format!("[{hosts}]"))), code);
    }

    #[test]
    fn other_texts_are_no_replies() {
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
            "\u{feff}{\"ok\":null}",
        ] {
            assert_eq!(outcome(reply), Err((false, "module_malformed_reply".to_owned())), "{reply}");
        }
        assert_eq!(Reply::parse(b"{\"ok\":\xff}").unwrap_err().code(), codes::MODULE_NOT_UTF8);
    }
}
