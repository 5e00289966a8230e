//! Calls whose parts come in several files. This module joins the parts, and maps the path of an error to the file at fault.

use adjudicate_core::{
    Error, Operation, join_documents,
    json::{self, Limits, Node, behind_field},
};

use crate::{codes, failure::Failure, input::Source};

/// The parts that are joined with every document of an operation, and the forms that the document may have.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The field of the call that a document fills, unless it is a call.
    main: &'static str,
    alone: Alone,
    /// The text of a valid main part.
    harmless: &'static str,
    /// Fields of the call, with their JSON texts.
    beside: Vec<(&'static str, Vec<u8>)>,
    /// Whether there are several files, so that an error names its file.
    is_named: bool,
}

/// A joined call.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) input: Vec<u8>,
    /// Whether the document was only the main part.
    pub(crate) is_alone: bool,
}

/// The condition under which a document is the main part of a call, and not a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Alone {
    /// If there are other parts, the document is an envelope. An envelope has no field `envelope`, so the engine refuses a call, and
    /// its errors already name the part.
    Envelope,
    /// If there are other parts and the document has no field with the name of the main part, which the main part itself never
    /// has. The document is read with the limits of this operation.
    WithoutMember(Operation),
    /// If there are other parts; the document may be any value. A complete call, which has these fields, is refused, because it is
    /// most likely a mistake.
    UnlessCall(&'static [&'static str]),
    /// If this function returns true, with or without other parts.
    Like(fn(Node<'_>) -> bool),
}

impl Parts {
    pub(crate) const fn new(main: &'static str, alone: Alone, harmless: &'static str) -> Self {
        Self { main, alone, harmless, beside: Vec::new(), is_named: false }
    }

    /// Reads a part that goes with every document.
    pub(crate) fn with(mut self, member: &'static str, source: Option<&Source>) -> Result<Self, Error> {
        if let Some(source) = source {
            self.beside.push((member, source.part(member, None)?));
            self.is_named = true;
        }
        Ok(self)
    }

    /// Adds a part that does not come from a file.
    pub(crate) fn with_text(mut self, member: &'static str, text: &str) -> Self {
        self.beside.push((member, text.into()));
        self
    }

    /// Returns the name of the document in errors, if there are other files. An envelope has none.
    pub(crate) fn name(&self) -> Option<&'static str> {
        (self.is_named && !matches!(self.alone, Alone::Envelope)).then_some(self.main)
    }

    /// Returns the text of a part that is joined with every document.
    pub(crate) fn text(&self, member: &str) -> Option<&[u8]> {
        self.beside.iter().find(|(name, _)| *name == member).map(|(_, text)| text.as_slice())
    }

    /// Joins a document with the other parts to a call.
    pub(crate) fn join(&self, document: Vec<u8>) -> Result<Joined, Error> {
        let is_alone = self.is_alone(&document)?;
        let mut parts = Vec::new();
        parts.extend(is_alone.then_some((self.main, document.as_slice())));
        parts.extend(self.beside.iter().map(|(member, text)| (*member, text.as_slice())));
        let input = match parts.as_slice() {
            [] => document,
            // The main part may be null here, but `join_documents` refuses null.
            [(main, text), beside @ ..] if self.may_be_null() && text.trim_ascii() == b"null" => {
                with_members(format!("{{\"{main}\":null}}").as_bytes(), &join_documents(beside)?)
            }
            parts if is_alone => join_documents(parts)?.into_bytes(),
            beside => with_members(&document, &join_documents(beside)?),
        };
        Ok(Joined { input, is_alone })
    }

    /// Whether a document is the main part of a call.
    fn is_alone(&self, document: &[u8]) -> Result<bool, Error> {
        let read = match self.alone {
            // The engine refuses a document that is not JSON.
            Alone::Like(is_main) => {
                return Ok(json::read(document, Limits::DOCUMENT).is_ok_and(|tape| is_main(tape.root())));
            }
            _ if self.beside.is_empty() => return Ok(false),
            Alone::Envelope => return Ok(true),
            Alone::WithoutMember(operation) => operation.read(document),
            Alone::UnlessCall(_) => json::read(document, Limits::DOCUMENT),
        };
        let tape = read.map_err(|error| match self.name() {
            Some(name) => error.within(name),
            None => error,
        })?;
        let is_call = self.is_call(tape.root());
        match self.beside.iter().find(|(member, _)| tape.root().member(member).is_some()) {
            Some((twice, _)) if is_call => {
                let message = format!("`{twice}` is given apart, and the document has it too");
                Err(Error::new(codes::INVALID_VALUE, message).at(format!("/{twice}")))
            }
            _ => Ok(!is_call),
        }
    }

    /// Whether a document is a call.
    fn is_call(&self, document: Node<'_>) -> bool {
        let has = |member| document.member(member).is_some();
        let known = match self.alone {
            Alone::UnlessCall(members) => members,
            _ => return has(self.main),
        };
        let is_known = |name: &str| known.contains(&name) || name == "$schema" || name.starts_with("x-");
        has(self.main)
            && self.beside.iter().all(|(member, _)| has(member))
            && document.members().all(|(name, _)| is_known(name))
    }

    fn may_be_null(&self) -> bool {
        matches!(self.alone, Alone::UnlessCall(_))
    }

    /// Refuses a part that is wrong with every document. `call` runs the operation, here on a valid main part.
    pub(crate) fn check(&self, call: impl FnOnce(&[u8]) -> Result<String, Error>) -> Result<(), Failure> {
        if self.beside.is_empty() {
            return Ok(());
        }
        let joined = self.join(self.harmless.into())?;
        match call(&joined.input) {
            Err(error) if self.beside.iter().any(|(member, _)| is_about(member, &error)) => {
                Err(self.lead_back(error.into(), joined.is_alone))
            }
            _ => Ok(()),
        }
    }

    /// Makes the path of a failure relative to the file at fault, and names the file in the message.
    pub(crate) fn lead_back(&self, failure: Failure, is_alone: bool) -> Failure {
        let Failure::Error(error) = failure else { return failure };
        let mut apart = self.beside.iter().map(|(member, _)| *member).chain(is_alone.then_some(self.main));
        let inside = apart.find_map(|member| Some((member, behind_field(error.path(), member)?.to_owned())));
        Failure::Error(match inside {
            Some((member, path)) if !matches!(self.alone, Alone::Envelope) => {
                let is_said = !self.is_named || names(error.message(), member);
                let name = if is_said { String::new() } else { format!("{member}: ") };
                let message = name + error.message();
                error.told(message, path)
            }
            _ => error,
        })
    }
}

/// Adds the fields of one object to another. Both must have a field.
fn with_members(call: &[u8], other: &str) -> Vec<u8> {
    let call = call.trim_ascii_end();
    let call = call.strip_suffix(b"}").unwrap_or(call);
    [call, b",", other.strip_prefix('{').unwrap_or(other).as_bytes()].concat()
}

/// Whether an error is about this field of the call, by its message or its path.
fn is_about(member: &str, error: &Error) -> bool {
    names(error.message(), member) || behind_field(error.path(), member).is_some()
}

/// Whether a message begins with the name of a field.
fn names(message: &str, member: &str) -> bool {
    message.strip_prefix(member).is_some_and(|rest| rest.starts_with(": "))
}
