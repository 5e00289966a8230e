//! Evidence that a collection cannot find, because no command of the repository shows it.

use alloc::{format, string::String, vec::Vec};

use adjudicate_core::{
    Error,
    document::{self, Document, Extra, IntoOwned},
    evaluate::{Approvals, OwnedApprovals},
    json::{self, Node, ReadLimits},
};

use super::state::GOAL_FIELD;
use crate::codes;

/// The part of an error about a field that a collection finds.
const FOUND: &str = "a collection finds everything else itself, so this document has only `approvals`, `policy_events`, \
                     `evidence` and fields whose names begin with `x-`";

/// The part of an error about a field of `evidence` that a collection finds.
const FOUND_EVIDENCE: &str = "a collection finds everything else itself, so `evidence` of this document has only fields whose \
                              names begin with `x-`";

/// The fields of `evidence` in which a collection puts the counts of a coverage report, and notes about itself.
pub(super) const COVERAGE_FIELD: &str = "x-coverage";
pub(super) const NOTES_FIELD: &str = "x-collect";

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
    /// Fields whose names begin with `x-`, for the `evidence` of the envelope.
    pub evidence: Option<ExternalFields<'a>>,
    /// The document as it was written, with its other fields.
    #[document(source)]
    pub source: Node<'a>,
}

/// Fields whose names begin with `x-`, for the `evidence` of an envelope.
#[derive(Clone, Debug, Document)]
#[document(
    owned(Default),
    expecting = "an object of fields whose names begin with `x-`",
    check = "Self::check"
)]
pub struct ExternalFields<'a> {
    /// The object as it was written.
    #[document(source)]
    pub source: Node<'a>,
}

impl ExternalEvidence<'_> {
    fn check(&self) -> Result<(), Error> {
        check(self.source, &[GOAL_FIELD])
    }
}

impl ExternalFields<'_> {
    fn check(&self) -> Result<(), Error> {
        check(self.source, &[COVERAGE_FIELD, NOTES_FIELD])
    }
}

/// Checks that no field replaces one that the collection sets.
fn check(fields: Node<'_>, set: &[&str]) -> Result<(), Error> {
    match set.iter().find(|name| fields.member(name).is_some()) {
        Some(name) => {
            let message = format!("a collection sets `{name}` itself");
            Err(Error::new(codes::INVALID_VALUE, message).at(format!("/{name}")))
        }
        None => Ok(()),
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
    /// The first error in document order, with up to nine others: `unknown_field`, and `invalid_value` for `x-goal`,
    /// `evidence.x-coverage` and `evidence.x-collect`, which a collection sets.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let tape = json::read(text, ReadLimits::DOCUMENT)?;
        let read: ExternalEvidence<'_> =
            document::read(tape.root()).map_err(|error| error.map_all(&explained))?;
        Ok(read.into_owned(tape.root()))
    }

    /// Returns the fields of the envelope.
    pub(super) fn fields(&self) -> Extra {
        extensions(&self.extra)
    }

    /// Returns the fields of the evidence.
    pub(super) fn evidence_fields(&self) -> Extra {
        self.evidence.as_ref().map(|evidence| extensions(&evidence.extra)).unwrap_or_default()
    }
}

fn extensions(extra: &Extra) -> Extra {
    let fields = extra.iter().filter(|(name, _)| name.starts_with("x-"));
    fields.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Adds the fields that there are to an error for an unknown field of the document itself, or of its evidence.
fn explained(error: Error) -> Error {
    let found = match error.path().rsplit_once('/') {
        Some(("", _)) => FOUND,
        Some(("/evidence", _)) => FOUND_EVIDENCE,
        _ => return error,
    };
    // Another hint is more exact.
    if error.code() != codes::UNKNOWN_FIELD || error.message().ends_with('?') {
        return error;
    }
    let (message, path) = (format!("{}; {found}", error.message()), String::from(error.path()));
    error.reworded(message, path)
}
