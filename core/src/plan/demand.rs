//! What a constraint of the task asks of a plan: names to give, and who is to know it.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::{json, order};

use super::{Constraint, readable};

/// A constraint, with what validators need to know of it.
#[derive(Clone, Debug)]
pub(super) struct Demand<'a> {
    pub constraint: &'a Constraint<'a>,
    /// Its id, or one made of its expression.
    pub id: Cow<'a, str>,
    /// The digest of its expression: equal for equal ones.
    pub digest: String,
    /// The expression as people read it.
    pub text: String,
    /// The members of the result that it is about, each once, in order.
    pub roots: Vec<String>,
    /// Whether it may be about any other member, too.
    pub is_computed: bool,
}

impl<'a> Demand<'a> {
    pub(super) fn of(constraint: &'a Constraint<'a>) -> Self {
        let digest = json::digest(constraint.expression);
        let id = match constraint.id {
            Some(id) => Cow::Borrowed(id),
            // What comes after `sha256:` is hexadecimal.
            None => format!("c-{}", digest.get(7..23).unwrap_or_default()).into(),
        };
        let (mut roots, mut is_computed) = (Vec::new(), false);
        // The body of an iteration asks for parts of items, which come from elsewhere.
        let variables = constraint.program.variables().into_iter().filter(|variable| !variable.in_iteration);
        for variable in variables {
            match variable.path.as_ref().and_then(|path| path.segments().first()) {
                Some(root) => roots.push(String::from(&**root)),
                None => is_computed = true,
            }
        }
        order::sort_by(&mut roots, Ord::cmp);
        roots.dedup();
        roots.shrink_to_fit();
        Self { constraint, id, digest, text: readable::write(constraint.expression), roots, is_computed }
    }
}
