//! The payload of an earlier answer, which `validate_plan` compares a new draft with.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    json::{
        Node,
        object::{Field, Form, optional, read_items, read_object, required},
    },
};

use super::{
    BundleStatus, Diagnostic, Level,
    answer::{NODE, SCORE},
    merge,
};

/// The fields of payloads: the first five are in every payload, the optional ones in some or in those of later engines.
const PAYLOAD: &[Field] = &[
    required("failures", Form::List),
    required("warnings", Form::List),
    required("infos", Form::List),
    required("status", Form::Word(BundleStatus::WORDS)),
    required("satisfactionScore", Form::Magnitude),
    optional("constraintScores", Form::List),
    optional("planVersion", Form::Count),
    optional("nodes", Form::List),
    optional("resolved", Form::List),
    optional("introduced", Form::List),
    optional("unchanged", Form::Count),
];

/// Places in the table.
const SCORES: usize = 5;
const NODES: usize = 7;
const RESOLVED: usize = 8;
const INTRODUCED: usize = 9;

/// Reads the findings of a payload of `plan_generated`, `plan_rejected` or `plan_updated`, merged.
///
/// # Errors
///
/// The first in document order; paths begin at the payload. A diagnostic in the bucket of another level is
/// [`invalid_value`](crate::codes::INVALID_VALUE).
pub(super) fn read_previous(payload: Node<'_>) -> Result<Vec<Diagnostic<'_>>, Error> {
    let mut findings = Vec::new();
    read_object(payload, PAYLOAD, &mut |at, member| match (Level::ALL.get(at), at) {
        (Some(level), _) => read_items(member, &mut |item| {
            findings.push(Diagnostic::read_in_bucket(item, *level)?);
            Ok(())
        }),
        (None, SCORES) => read_items(member, &mut |item| read_object(item, SCORE, &mut |_, _| Ok(()))),
        (None, NODES) => read_items(member, &mut |item| read_object(item, NODE, &mut |_, _| Ok(()))),
        (None, RESOLVED | INTRODUCED) => read_items(member, &mut |item| Diagnostic::read(item).map(drop)),
        _ => Ok(()),
    })?;
    findings.retain(Diagnostic::is_open);
    Ok(merge(findings))
}
