//! Constraints of the task with the data that validators need: id, digest, text and fields.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::{document::Id, json, order};

use super::readable;
use crate::documents::Constraint;

/// A constraint with its derived data.
#[derive(Clone, Debug)]
pub(super) struct Demand<'a> {
    pub constraint: &'a Constraint<'a>,
    /// Its id, or an id derived from the digest of its expression.
    pub id: Cow<'a, str>,
    /// The digest of its expression.
    pub digest: String,
    /// The expression in readable form.
    pub text: String,
    /// The fields of the result that it is about, each once, in order.
    pub roots: Vec<String>,
    /// True if a computed variable may read any other field.
    pub is_computed: bool,
}

impl<'a> Demand<'a> {
    pub(super) fn new(constraint: &'a Constraint<'a>) -> Self {
        let digest = json::digest(constraint.source());
        let id = match constraint.constraint_id {
            Some(Id(id)) => Cow::Borrowed(id),
            // The digest is `sha256:` and hexadecimal digits.
            None => format!("c-{}", digest.get(7..23).unwrap_or_default()).into(),
        };
        let (mut roots, mut is_computed) = (Vec::new(), false);
        // Variables in the body of an iteration read items.
        let variables =
            constraint.program().variables().into_iter().filter(|variable| !variable.in_iteration);
        for variable in variables {
            match variable.path.as_ref().and_then(|path| path.segments().first()) {
                Some(root) => roots.push(String::from(&**root)),
                None => is_computed = true,
            }
        }
        order::sort_by(&mut roots, Ord::cmp);
        roots.dedup();
        roots.shrink_to_fit();
        Self { constraint, id, digest, text: readable::write(constraint.source()), roots, is_computed }
    }
}
