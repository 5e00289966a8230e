//! Calls whose parts come in several files. This module joins the parts, and maps the path of an error to the file at fault.

use adjudicate_core::{
    Error, Operation, join_documents,
    json::{self, Node, ReadLimits, behind_field},
};

use crate::{codes, environment::Environment, failure::Failure, input::Source};

/// The parts that are joined with every document of an operation, and the forms that the document may have.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The field of the call that a document fills, unless it is a call.
    main: &'static str,
    bare_when: BareWhen,
    /// The text of a valid main part.
    sample: &'static str,
    /// Fields of the call, with their JSON texts.
    others: Vec<(&'static str, Vec<u8>)>,
    /// True if there are several files, so that an error names its file.
    is_named: bool,
}

/// A joined call.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) input: Vec<u8>,
    /// True if the document was only the main part.
    pub(crate) is_bare: bool,
}

/// The condition under which a document is the main part of a call, and not a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BareWhen {
    /// If there are other parts, the document is an envelope. An envelope has no field `envelope`, so the engine rejects a call, and
    /// its errors already name the part.
    Envelope,
    /// If there are other parts and the document has no field with the name of the main part, which the main part itself never
    /// has. The document is read with the limits of this operation.
    WithoutField(Operation),
    /// If there are other parts; the document may be any value. A complete call, which has these fields, is rejected, because it is
    /// most likely a mistake.
    UnlessCall(&'static [&'static str]),
    /// If this function returns true, with or without other parts.
    Matches(fn(Node<'_>) -> bool),
}

impl Parts {
    pub(crate) const fn new(main: &'static str, bare_when: BareWhen, sample: &'static str) -> Self {
        Self { main, bare_when, sample, others: Vec::new(), is_named: false }
    }

    /// Reads a part that goes with every document.
    pub(crate) fn with(
        mut self,
        member: &'static str,
        source: Option<&Source>,
        env: &Environment,
    ) -> Result<Self, Error> {
        if let Some(source) = source {
            self.others.push((member, source.part(member, None, env)?));
            self.is_named = true;
        }
        Ok(self)
    }

    /// Adds a part that does not come from a file.
    pub(crate) fn with_text(mut self, member: &'static str, text: &str) -> Self {
        self.others.push((member, text.into()));
        self
    }

    /// Returns the name of the document in errors, if there are other files. An envelope has none.
    pub(crate) fn name(&self) -> Option<&'static str> {
        (self.is_named && !matches!(self.bare_when, BareWhen::Envelope)).then_some(self.main)
    }

    /// Returns the text of a part that is joined with every document.
    pub(crate) fn text(&self, member: &str) -> Option<&[u8]> {
        self.others.iter().find(|(name, _)| *name == member).map(|(_, text)| text.as_slice())
    }

    /// Joins a document with the other parts to a call.
    pub(crate) fn join(&self, document: Vec<u8>) -> Result<Joined, Error> {
        let is_bare = self.is_bare(&document)?;
        let mut parts = Vec::new();
        parts.extend(is_bare.then_some((self.main, document.as_slice())));
        parts.extend(self.others.iter().map(|(member, text)| (*member, text.as_slice())));
        let input = match parts.as_slice() {
            [] => document,
            // The main part may be null here, but `join_documents` refuses null.
            [(main, text), others @ ..] if self.may_be_null() && text.trim_ascii() == b"null" => {
                with_members(format!("{{\"{main}\":null}}").as_bytes(), &join_documents(others)?)
            }
            parts if is_bare => join_documents(parts)?.into_bytes(),
            others => with_members(&document, &join_documents(others)?),
        };
        Ok(Joined { input, is_bare })
    }

    /// Returns true if a document is the main part of a call.
    fn is_bare(&self, document: &[u8]) -> Result<bool, Error> {
        let read = match self.bare_when {
            // The engine refuses a document that is not JSON.
            BareWhen::Matches(is_main) => {
                return Ok(json::read(document, ReadLimits::DOCUMENT).is_ok_and(|tape| is_main(tape.root())));
            }
            _ if self.others.is_empty() => return Ok(false),
            BareWhen::Envelope => return Ok(true),
            BareWhen::WithoutField(operation) => operation.read(document),
            BareWhen::UnlessCall(_) => json::read(document, ReadLimits::DOCUMENT),
        };
        let tape = read.map_err(|error| match self.name() {
            Some(name) => error.within(name),
            None => error,
        })?;
        let is_call = self.is_call(tape.root());
        match self.others.iter().find(|(member, _)| tape.root().member(member).is_some()) {
            Some((twice, _)) if is_call => {
                let message = format!("`{twice}` is given apart, and the document has it too");
                Err(Error::new(codes::INVALID_VALUE, message).at(format!("/{twice}")))
            }
            _ => Ok(!is_call),
        }
    }

    /// Returns whether a document is a call.
    fn is_call(&self, document: Node<'_>) -> bool {
        let has = |member| document.member(member).is_some();
        let known = match self.bare_when {
            BareWhen::UnlessCall(members) => members,
            _ => return has(self.main),
        };
        let is_known = |name: &str| known.contains(&name) || name == "$schema" || name.starts_with("x-");
        has(self.main)
            && self.others.iter().all(|(member, _)| has(member))
            && document.members().all(|(name, _)| is_known(name))
    }

    fn may_be_null(&self) -> bool {
        matches!(self.bare_when, BareWhen::UnlessCall(_))
    }

    /// Rejects a part that is invalid with every document. `call` runs the operation, here on a valid main part.
    pub(crate) fn check(&self, call: impl FnOnce(&[u8]) -> Result<String, Error>) -> Result<(), Failure> {
        if self.others.is_empty() {
            return Ok(());
        }
        let joined = self.join(self.sample.into())?;
        match call(&joined.input) {
            Err(error) if self.others.iter().any(|(member, _)| is_about(member, &error)) => {
                Err(self.relative_to_file(error.into(), joined.is_bare))
            }
            _ => Ok(()),
        }
    }

    /// Makes the path of a failure relative to the file at fault, and names the file in the message.
    pub(crate) fn relative_to_file(&self, failure: Failure, is_bare: bool) -> Failure {
        let Failure::Error(error) = failure else { return failure };
        if matches!(self.bare_when, BareWhen::Envelope) {
            return Failure::Error(error);
        }
        Failure::Error(error.relocated(|message, path| {
            let mut fields =
                self.others.iter().map(|(member, _)| *member).chain(is_bare.then_some(self.main));
            let (member, path) = fields.find_map(|member| Some((member, behind_field(path, member)?)))?;
            let is_given = !self.is_named || names(message, member);
            let name = if is_given { String::new() } else { format!("{member}: ") };
            Some((name + message, path.to_owned()))
        }))
    }
}

/// Adds the fields of one object to another. Both must have a field.
fn with_members(call: &[u8], other: &str) -> Vec<u8> {
    let call = call.trim_ascii_end();
    let call = call.strip_suffix(b"}").unwrap_or(call);
    [call, b",", other.strip_prefix('{').unwrap_or(other).as_bytes()].concat()
}

/// Returns whether an error is about this field of the call, by its message or its path.
fn is_about(member: &str, error: &Error) -> bool {
    names(error.message(), member) || behind_field(error.path(), member).is_some()
}

/// Returns whether a message begins with the name of a field.
fn names(message: &str, member: &str) -> bool {
    message.strip_prefix(member).is_some_and(|rest| rest.starts_with(": "))
}
