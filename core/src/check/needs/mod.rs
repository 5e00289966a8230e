//! The evidence that policies read: the requirements in their fields, and the variables of their conditions.

mod kind;
mod names;

use alloc::{
    collections::BTreeMap,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Error,
    document::Object,
    json::{self, Node, Pointer, ReadLimits},
    logic::{ExpressionVariable, Form, Types},
};

use self::{kind::subject, names::compared_names};
use super::{
    inputs::{Checked, InputValues},
    variables::Part,
};
use crate::{
    documents::{
        need::{EvidenceKind, EvidenceNeed, NeedPlace},
        policy::{PolicyDocument, ReviewRequirement},
    },
    policy::{Policy, Rule},
};

/// The evidence that one or more policies read.
///
/// ```
/// use adjudicate_core::check::{EvidenceKind, Needs};
/// let mut needs = Needs::default();
/// needs.add(br#"{"policy": "release", "version": "1.0.0", "required_validators": ["unit"], "rules": [{"id": "lint",
///     "when": {"!": [{"in": ["lint", {"var": "facts.validators.passing"}]}]},
///     "then": {"status": "partial", "summary": "run the linter"}}]}"#)?;
/// let found: Vec<_> = needs.into_list().into_iter().map(|need| (need.kind, need.name.unwrap())).collect();
/// assert_eq!(found, [(EvidenceKind::Validator, "lint".into()), (EvidenceKind::Validator, "unit".into())]);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Needs(BTreeMap<(EvidenceKind, Option<String>), Vec<NeedPlace>>);

impl Needs {
    /// Adds the evidence that a policy document reads.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::parse`].
    pub fn add(&mut self, policy: &[u8]) -> Result<(), Error> {
        let tape = json::read(policy, ReadLimits::DOCUMENT)?;
        let document = PolicyDocument::from_tape(&tape)?;
        let policy = Policy::compile_whole(&document)?;
        self.add_fields(&document, &policy);
        let inputs = InputValues::new(&policy);
        let checked = Checked { policy: &policy, inputs: inputs.as_ref() };
        for (place, rule) in policy.rules().iter().enumerate() {
            let base = Pointer::new("/rules").index(place).key("when").into_string();
            self.add_rule(checked, rule, &base);
        }
        Ok(())
    }

    /// Returns the evidence by kind and name.
    #[must_use]
    pub fn into_list(self) -> Vec<EvidenceNeed> {
        let need = |((kind, name), read_by)| EvidenceNeed { kind, name, read_by };
        self.0.into_iter().map(need).collect()
    }

    /// Adds the requirements in the fields of a policy.
    fn add_fields(&mut self, document: &PolicyDocument<'_>, policy: &Policy) {
        let mut add = |kind, name: Option<&str>, path: Pointer| {
            self.push((kind, name.map(Into::into)), place(policy, path.into_string()));
        };
        for (index, id) in policy.required_validators().iter().enumerate() {
            add(EvidenceKind::Validator, Some(id), Pointer::new("/required_validators").index(index));
        }
        for (index, glob) in policy.required_artifacts().iter().enumerate() {
            add(EvidenceKind::Artifact, Some(glob.text()), Pointer::new("/required_artifacts").index(index));
        }
        for (index, glob) in policy.protected_paths().iter().enumerate() {
            add(EvidenceKind::Approval, Some(glob.text()), Pointer::new("/protected_paths").index(index));
        }
        for (field, globs) in
            [("/forbidden_paths", policy.forbidden_paths()), ("/protected_paths", policy.protected_paths())]
        {
            if !globs.is_empty() {
                add(EvidenceKind::Diff, None, Pointer::new(field));
            }
        }
        if policy.allowed_paths().is_some() {
            add(EvidenceKind::Diff, None, Pointer::new("/allowed_paths"));
        }
        if policy.accepts_known_failures() {
            add(EvidenceKind::Baseline, None, Pointer::new("/known_failures"));
        }
        if policy.requires_tree() {
            add(EvidenceKind::Tree, None, Pointer::new("/require_tree"));
        }
        if policy.review() != ReviewRequirement::Optional {
            let field = if policy.says_review() { "/review" } else { "/profile" };
            add(EvidenceKind::Review, None, Pointer::new(field));
        }
        let required = document.inputs.and_then(|Object(schema)| schema.member("required"));
        for (index, name) in required.into_iter().flat_map(Node::items).enumerate() {
            let field = name.as_str().map(|name| Pointer::new("").key(name).into_string());
            add(EvidenceKind::Extension, field.as_deref(), Pointer::new("/inputs/required").index(index));
        }
    }

    /// Adds the variables of a rule's condition.
    fn add_rule(&mut self, checked: Checked<'_>, rule: &Rule, base: &str) {
        let compared = compared_names(rule.condition().root());
        for ExpressionVariable { expression, path, in_iteration } in rule.condition().variables() {
            // Such a variable is read from an item of a list, which is a variable outside.
            if in_iteration {
                continue;
            }
            let place = place(checked.policy, [base, &expression.pointer()].concat());
            let Some(path) = path else {
                self.push((EvidenceKind::Computed, None), place);
                continue;
            };
            let Some(variable) = checked.policy.variable(&path) else { continue };
            let Some((kind, name)) = subject(variable) else { continue };
            let is_read = matches!(expression.form(), Form::Variable(_));
            let types = Some(Part::whole(expression, checked).types()).filter(|types| {
                let says_nothing = [Types::ANY, Types::NONE].contains(types);
                is_read && !says_nothing
            });
            let place = NeedPlace {
                variable: Some(variable.text().into()),
                expected: types.map(|types| types.to_string()),
                ..place
            };
            match compared.get(&expression.pointer()).filter(|_| name.is_none() && kind.has_names()) {
                Some(names) => {
                    names.iter().for_each(|name| self.push((kind, Some((*name).into())), place.clone()));
                }
                None => self.push((kind, name), place),
            }
        }
    }

    fn push(&mut self, key: (EvidenceKind, Option<String>), place: NeedPlace) {
        let places = self.0.entry(key).or_default();
        // A `missing` may list a path twice.
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
}

/// A field of a policy that reads evidence.
fn place(policy: &Policy, path: String) -> NeedPlace {
    NeedPlace { policy: policy.name().into(), path, variable: None, expected: None }
}
