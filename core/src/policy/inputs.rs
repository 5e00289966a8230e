//! Declared inputs: a JSON Schema of the `x-` fields of the envelope's root that a policy's conditions read.
//!
//! The schema describes an object that has only these fields. It is compiled once with the policy. A field that breaks it is
//! unknown to the conditions, and so is a field that it does not declare.

use alloc::{collections::BTreeSet, format, string::String, vec, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{self, Node, Pointer, ReadLimits, unknown, write_verbatim},
    schema::{Documents, Options, Schema, SchemaId, ValueConstraint, Violation},
};

use crate::codes;

/// The item of the finding about fields that break a keyword about them together.
const ALL_FIELDS: &str = "/x-";

/// The declared inputs of a policy.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    schema: Schema,
}

/// The values of one envelope that break the schema, at most one in each `x-` field.
#[derive(Debug)]
pub(crate) struct Breaches(Vec<Breach>);

/// A value that breaks the schema.
#[derive(Debug)]
pub(crate) struct Breach {
    /// The pointer into the envelope. It is empty if the fields break a keyword about them together, for example `required`.
    pub pointer: String,
    /// The expected value, for humans.
    pub expected: String,
}

impl Inputs {
    /// Compiles the schema.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_SCHEMA`] and [`codes::LIMIT_EXCEEDED`] as [`Schema::compile`], [`codes::INVALID_POLICY`] for the name of
    /// a field that does not begin with `x-`. Paths begin at the policy.
    pub(super) fn compile(source: Node<'_>) -> Result<Self, Error> {
        let schema =
            Schema::compile(source, &Documents::default(), Options::default(), &mut Steps::default())
                .and_then(|schema| check_names(source).map(|()| schema));
        Ok(Self { schema: schema.map_err(|error| error.below("/inputs"))? })
    }

    /// The compiled schema.
    pub(crate) const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Validates the `x-` fields of an envelope.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] when the budget runs out.
    pub(crate) fn breaches(&self, envelope: Node<'_>, steps: &mut Steps) -> Result<Breaches, Error> {
        let mut text = String::new();
        let mut object = json::object::ObjectWriter::open(&mut text);
        for (name, value) in envelope.members().filter(|(name, _)| is_input(name)) {
            object.part(name, |out| write_verbatim(value, out));
        }
        object.close();
        steps.spend(text.len())?;
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT)?;
        if self.schema.is_valid(tape.root(), steps)? {
            return Ok(Breaches::NONE);
        }
        // A list of violations has a budget of its own. If there are too many to list, any field may break the schema.
        let Ok(violations) = self.schema.validate(tape.root(), &mut Steps::default()) else {
            let expected = "fields that the schema of the policy's `inputs` allows".into();
            return Ok(Breaches(vec![Breach { pointer: String::new(), expected }]));
        };
        let mut breaches = Breaches::NONE;
        // Violations of the root come first.
        for Violation { instance_path: pointer, expected, .. } in violations {
            let is_of_last = |last: &Breach| {
                let field = field_of(&last.pointer);
                field.is_none() || field == field_of(&pointer)
            };
            if !breaches.0.last().is_some_and(is_of_last) {
                breaches.0.push(Breach { pointer, expected });
            }
        }
        Ok(breaches)
    }
}

impl Breaches {
    /// No value, for a policy that declares no inputs.
    pub(crate) const NONE: Self = Self(Vec::new());

    /// The values, sorted by pointer.
    pub(crate) fn all(&self) -> &[Breach] {
        &self.0
    }

    /// Returns true if a part of the envelope is unknown: it is in a field with a breach, or contains one.
    pub(crate) fn hides(&self, pointer: &str) -> bool {
        self.0.iter().any(|breach| match (field_of(&breach.pointer), field_of(pointer)) {
            (Some(broken), Some(field)) => broken == field,
            _ => true,
        })
    }
}

impl Breach {
    /// The item of the finding.
    pub(crate) fn item(&self) -> &str {
        if self.pointer.is_empty() { ALL_FIELDS } else { &self.pointer }
    }
}

/// Returns true for the item of a finding about declared inputs.
pub(crate) fn is_of_inputs(item: &str) -> bool {
    item.starts_with(ALL_FIELDS)
}

/// The first segment of a pointer, escaped: a field of the root. `None` for the pointer to the root.
fn field_of(pointer: &str) -> Option<&str> {
    pointer.split('/').nth(1)
}

/// Returns whether a field of the envelope's root is described by declared inputs.
fn is_input(name: &str) -> bool {
    name.starts_with("x-")
}

/// Finds a field that the schema declares or requires and that is not an `x-` field.
fn check_names(source: Node<'_>) -> Result<(), Error> {
    let refused = |name: &str, path: Pointer| {
        let message =
            format!("`inputs` declares fields whose names begin with `x-`, found `{}`", json::shorten(name));
        Err(Error::new(codes::INVALID_POLICY, message).at(path.into_string()))
    };
    for (keyword, value) in source.members() {
        let path = || Pointer::new("").key(keyword);
        match keyword {
            "properties" => {
                if let Some((name, _)) = value.members().find(|(name, _)| !is_input(name)) {
                    return refused(name, path().key(name));
                }
            }
            "required" => {
                let mut names = value.items().filter_map(Node::as_str).enumerate();
                if let Some((index, name)) = names.find(|(_, name)| !is_input(name)) {
                    return refused(name, path().index(index));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns `Ok(Err(message))`, a message for humans, if a schema of inputs does not declare the value at the end of a path from
/// the object of `x-` fields. `None` in the path is any item of a list.
///
/// A schema that lists fields declares these only, also without `additionalProperties: false`; otherwise no misspelt name
/// could be found. Below a declared field, a schema that lists no fields declares any.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] when the budget runs out.
pub(crate) fn declares(
    schema: &Schema,
    path: &[Option<&str>],
    steps: &mut Steps,
) -> Result<Result<(), String>, Error> {
    let mut spots = Vec::from([Schema::ROOT]);
    for (depth, name) in path.iter().enumerate() {
        let step = Declared::new(schema, &spots, *name, steps)?;
        spots = step.spots;
        if step.is_open || (depth > 0 && !step.is_named && !step.is_closed) {
            return Ok(Ok(()));
        }
        if !step.is_named {
            return Ok(Err(unknown("field", name.unwrap_or_default(), &step.names)));
        }
    }
    Ok(Ok(()))
}

/// The statements of some schemas about one field.
#[derive(Default)]
struct Declared<'s> {
    /// The schemas of the field.
    spots: Vec<SchemaId>,
    /// The fields that the schemas mention.
    names: Vec<&'s str>,
    /// True if a schema mentions the field.
    is_named: bool,
    /// True if a schema lists fields.
    is_closed: bool,
    /// True if the schemas may declare any field.
    is_open: bool,
}

impl<'s> Declared<'s> {
    fn new(
        schema: &'s Schema,
        spots: &[SchemaId],
        name: Option<&str>,
        steps: &mut Steps,
    ) -> Result<Self, Error> {
        let mut found = Self { is_open: spots.is_empty(), ..Self::default() };
        let mut pending = spots.to_vec();
        let mut seen = BTreeSet::new();
        while let Some(spot) = pending.pop() {
            if !seen.insert(spot) {
                continue;
            }
            for rule in schema.rule_views(spot) {
                steps.spend(1)?;
                found.is_open |= rule.may_describe_fields();
                match (rule.constraint(), name) {
                    (ValueConstraint::All(spots) | ValueConstraint::Any(spots), _) => pending.extend(spots),
                    (ValueConstraint::Properties(names), Some(name)) => {
                        let (spots, is_required) = names.schemas_of(name, steps);
                        let of_field = spots.into_iter().filter(|spot| !schema.is_never(*spot));
                        let known = found.spots.len();
                        found.spots.extend(of_field);
                        found.is_named |= is_required || found.spots.len() > known;
                        found.is_closed |= names.lists_fields();
                        found.names.extend(names.all());
                    }
                    (ValueConstraint::Items(first, rest), None) => {
                        found.spots.extend(first.iter().copied().chain(rest));
                        found.is_named = true;
                    }
                    (ValueConstraint::Items(first, rest), Some(name)) => {
                        let Ok(index) = name.parse::<usize>() else { continue };
                        found.spots.extend(first.get(index).copied().or(rest));
                        found.is_named = true;
                    }
                    _ => {}
                }
            }
        }
        Ok(found)
    }
}
