//! Evidence that a collection cannot find, because no command of the repository shows it.

use alloc::{format, string::String, vec::Vec};

use adjudicate_core::{
    Error,
    document::{self, Document, Extra, IntoOwned},
    evaluate::{Approvals, OwnedApprovals},
    json::{self, Node, ReadLimits},
};

use super::goal::GOAL_FIELD;
use crate::codes;

/// The part of an error about a field that a collection finds.
const FOUND: &str = "a collection finds everything else itself, so this document has only `approvals`, `policy_events` and \
                     fields whose names begin with `x-`";

/// Evidence that no command of a repository shows, for one collection. Fields whose names begin with `x-` become fields of the
/// envelope, where declared inputs and conditions of policies read them.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), root, expecting = "an object of external evidence", check = "Self::check")]
pub struct ExternalEvidence<'a> {
    /// Approvals required and granted, for example by the reviewers of a pull request.
    pub approvals: Option<Approvals<'a>>,
    /// Signals of the program that runs the agent, `class` or `class:detail`, for example `warning:budget`.
    #[serde(default)]
    pub policy_events: Vec<&'a str>,
    /// The document as it was written, with its other fields.
    #[document(source)]
    pub source: Node<'a>,
}

impl ExternalEvidence<'_> {
    /// Checks that no field replaces one that the collection sets.
    fn check(&self) -> Result<(), Error> {
        match self.source.member(GOAL_FIELD) {
            Some(_) => {
                let message = format!("a collection sets `{GOAL_FIELD}` itself");
                Err(Error::new(codes::INVALID_VALUE, message).at(format!("/{GOAL_FIELD}")))
            }
            None => Ok(()),
        }
    }
}

impl OwnedExternalEvidence {
    /// Reads a JSON text of up to 8 MiB. The error for an unknown field lists the fields that there are.
    ///
    /// ```
    /// use adjudicate_evidence::collect::OwnedExternalEvidence;
    /// let text = br#"{"approvals": {"required": ["infra/main.tf"], "granted": []}, "x-build-minutes": 12}"#;
    /// let evidence = OwnedExternalEvidence::parse(text)?;
    /// assert_eq!(evidence.approvals.map(|approvals| approvals.required), Some(vec!["infra/main.tf".into()]));
    /// let error = OwnedExternalEvidence::parse(br#"{"validation": {}}"#).unwrap_err();
    /// assert_eq!(error.path(), "/validation");
    /// assert!(error.message().starts_with("unknown field `validation`; a collection finds everything else itself"));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first error in document order, with up to nine others: `unknown_field`, and `invalid_value` for `x-goal`, which a
    /// collection sets.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let tape = json::read(text, ReadLimits::DOCUMENT)?;
        let read: ExternalEvidence<'_> =
            document::read(tape.root()).map_err(|error| error.map_all(&explained))?;
        Ok(read.into_owned(tape.root()))
    }

    /// Returns the fields of the envelope.
    pub(super) fn fields(&self) -> Extra {
        let fields = self.extra.iter().filter(|(name, _)| name.starts_with("x-"));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// Adds the fields that there are to an error for an unknown field of the document itself.
fn explained(error: Error) -> Error {
    let is_own = error.code() == codes::UNKNOWN_FIELD && error.path().rfind('/') == Some(0);
    // Another hint is more exact.
    if !is_own || error.message().ends_with('?') {
        return error;
    }
    let (message, path) = (format!("{}; {FOUND}", error.message()), String::from(error.path()));
    error.reworded(message, path)
}
