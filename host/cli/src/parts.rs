//! Calls whose parts come in several files: made whole, and errors led back to the file that they are in.

use adjudicate_core::{
    Error, ErrorCode,
    json::{self, Kind, Limits},
};
use serde_json::Value;

use crate::{failure::Failure, input::Source, layout};

/// What goes with every document of an operation, and what the document itself may be.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The member of the call that a document is, unless it is a call.
    main: &'static str,
    alone: Alone,
    /// Members of the call, with their JSON texts.
    beside: Vec<(&'static str, String)>,
}

/// A call that was made whole.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) input: Vec<u8>,
    /// Whether the document was the main part alone.
    pub(crate) is_alone: bool,
}

/// When a document is the main part of a call, and not a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alone {
    /// When other parts are given apart and it has no member of the main part's name, which the main part never has.
    WithoutMember,
    /// When other parts are given apart: whatever it is, it could be the main part.
    WithParts,
    /// When it is a list.
    AsList,
}

impl Parts {
    pub(crate) const fn new(main: &'static str, alone: Alone) -> Self {
        Self { main, alone, beside: Vec::new() }
    }

    /// Reads a part that goes with every document.
    pub(crate) fn with(mut self, member: &'static str, source: Option<&Source>) -> Result<Self, Error> {
        if let Some(source) = source {
            let text = source.part(member, None)?;
            let tape = json::read(&text, Limits::DOCUMENT).map_err(|error| error.within(member))?;
            self.beside.push((member, tape.text().to_owned()));
        }
        Ok(self)
    }

    /// The call that a document asks for.
    pub(crate) fn join(&self, document: Vec<u8>) -> Result<Joined, Error> {
        if self.beside.is_empty() && self.alone != Alone::AsList {
            return Ok(Joined { input: document, is_alone: false });
        }
        let named = |error: Error| if self.beside.is_empty() { error } else { error.within(self.main) };
        let tape = json::read(&document, Limits::DOCUMENT).map_err(named)?;
        let root = tape.root();
        let is_alone = match self.alone {
            Alone::WithoutMember => root.member(self.main).is_none(),
            Alone::WithParts => true,
            Alone::AsList => root.kind() == Kind::Array,
        };
        let mut input = if is_alone {
            format!("{{\"{}\":{}", self.main, tape.text())
        } else if self.beside.is_empty() {
            return Ok(Joined { input: document, is_alone });
        } else {
            if let Some((twice, _)) = self.beside.iter().find(|(member, _)| root.member(member).is_some()) {
                let message = format!("`{twice}` is given apart, and the document has it too");
                return Err(Error::new(ErrorCode::InvalidValue, message).at(format!("/{twice}")));
            }
            // It is an object with a member, so more fit in before its end.
            tape.text().trim_ascii_end().strip_suffix('}').unwrap_or_default().to_owned()
        };
        for (member, text) in &self.beside {
            input.push_str(&format!(",\"{member}\":{text}"));
        }
        input.push('}');
        Ok(Joined { input: input.into_bytes(), is_alone })
    }

    /// The member of a call that is wrong whatever the document is, if one is; `call` answers a document that is not.
    pub(crate) fn check(
        &self,
        harmless: &str,
        call: impl FnOnce(&[u8]) -> Result<String, Error>,
    ) -> Result<(), Failure> {
        if self.beside.is_empty() {
            return Ok(());
        }
        let joined = self.join(harmless.as_bytes().to_vec())?;
        match call(&joined.input) {
            Err(error) if self.beside.iter().any(|(member, _)| is_about(member, &error)) => {
                Err(self.lead_back(error.into(), joined.is_alone))
            }
            _ => Ok(()),
        }
    }

    /// The same failure, with a path that begins at the file that is at fault, which the message names.
    pub(crate) fn lead_back(&self, failure: Failure, is_alone: bool) -> Failure {
        let mut apart = self.beside.iter().map(|(member, _)| *member).chain(is_alone.then_some(self.main));
        match failure {
            Failure::Error { json, exit } => {
                let told = apart.find_map(|member| relative_to(member, &json, !self.beside.is_empty()));
                Failure::Error { json: told.unwrap_or(json), exit }
            }
            other => other,
        }
    }
}

/// An error, `{"error": ...}`, as one of the document that a member of the call is, if it is in there.
fn relative_to(member: &str, json: &str, is_named: bool) -> Option<String> {
    let mut error: Value = serde_json::from_str(json).ok()?;
    let told = error.get_mut("error")?.as_object_mut()?;
    let path = told.get("path")?.as_str().filter(|path| has_inside(member, path))?;
    let path = path.get(member.len() + 1..)?.to_owned();
    let message = told.get("message")?.as_str()?;
    let named = format!("{member}: ");
    let message = if is_named && !message.starts_with(&named) { named + message } else { message.to_owned() };
    told.insert("path".to_owned(), path.into());
    told.insert("message".to_owned(), message.into());
    Some(layout::json(&error))
}

/// Whether an error is about a document that a member of the call is; some say so themselves.
fn is_about(member: &str, error: &Error) -> bool {
    let is_named = error.message().strip_prefix(member).is_some_and(|rest| rest.starts_with(": "));
    is_named || has_inside(member, error.path())
}

/// Whether a path leads to a member or into it.
fn has_inside(member: &str, path: &str) -> bool {
    let rest = path.strip_prefix('/').and_then(|path| path.strip_prefix(member));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
