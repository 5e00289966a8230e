//! Calls whose parts come in several files: made whole, and errors led back to the file that they are in.

use adjudicate_core::{
    Error, Operation, join_documents,
    json::{self, Limits, Node, behind_field},
};

use crate::{codes, failure::Failure, input::Source};

/// What goes with every document of an operation, and what the document itself may be.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The member of the call that a document is, unless it is a call.
    main: &'static str,
    alone: Alone,
    /// A main part that there is nothing wrong with.
    harmless: &'static str,
    /// Members of the call, with their JSON texts.
    beside: Vec<(&'static str, Vec<u8>)>,
    /// Whether there are several files, so that an error says whose it is.
    is_named: bool,
}

/// A call that was made whole.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) input: Vec<u8>,
    /// Whether the document was the main part alone.
    pub(crate) is_alone: bool,
}

/// When a document is the main part of a call, and not a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Alone {
    /// Whenever there are other parts: an envelope. It has no member of that name, so a call is refused as one that has,
    /// and the engine says itself what an error is in.
    Envelope,
    /// When there are other parts and it has no member of the main part's name, which the main part never has. It is read
    /// as this operation reads it.
    WithoutMember(Operation),
    /// When there are other parts: it may be anything. Only a whole call, of which these are the members, is refused, for
    /// it was hardly meant.
    UnlessCall(&'static [&'static str]),
    /// When it looks so, whether or not there are other parts.
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

    /// Adds a part that is no file.
    pub(crate) fn with_text(mut self, member: &'static str, text: &str) -> Self {
        self.beside.push((member, text.into()));
        self
    }

    /// What an error calls a document that is no call, where other files go with it. An envelope has no name of ours.
    pub(crate) fn name(&self) -> Option<&'static str> {
        (self.is_named && !matches!(self.alone, Alone::Envelope)).then_some(self.main)
    }

    /// The text of a part that goes with every document.
    pub(crate) fn text(&self, member: &str) -> Option<&[u8]> {
        self.beside.iter().find(|(name, _)| *name == member).map(|(_, text)| text.as_slice())
    }

    /// The call that a document asks for.
    pub(crate) fn join(&self, document: Vec<u8>) -> Result<Joined, Error> {
        let is_alone = self.is_alone(&document)?;
        let mut parts = Vec::new();
        parts.extend(is_alone.then_some((self.main, document.as_slice())));
        parts.extend(self.beside.iter().map(|(member, text)| (*member, text.as_slice())));
        let input = match parts.as_slice() {
            [] => document,
            // An output may be null, and nothing that is joined may.
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
            // What cannot be read is for the engine to refuse.
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

    /// Whether a document is a call, with the parts that are given apart or without them.
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

    /// The member of a call that is wrong whatever the document is, if one is; `call` answers a document that is not.
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

    /// The same failure, with a path that begins at the file that is at fault, which the message names.
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

/// A call with the members of another; each is an object with a member.
fn with_members(call: &[u8], other: &str) -> Vec<u8> {
    let call = call.trim_ascii_end();
    let call = call.strip_suffix(b"}").unwrap_or(call);
    [call, b",", other.strip_prefix('{').unwrap_or(other).as_bytes()].concat()
}

/// Whether an error is about a document that a member of the call is; some say so themselves.
fn is_about(member: &str, error: &Error) -> bool {
    names(error.message(), member) || behind_field(error.path(), member).is_some()
}

/// Whether a message begins with the name of a member.
fn names(message: &str, member: &str) -> bool {
    message.strip_prefix(member).is_some_and(|rest| rest.starts_with(": "))
}
