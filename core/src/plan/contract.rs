//! Contracts and constraints as they are on the wire (5.9.1).

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{
        Kind, Node, is_pointer,
        object::{Field, Form, optional, read_document, read_items, read_object, required},
    },
    logic::Program,
};

use super::{Level, document::Once};
use crate::codes;

/// An output contract (5.9.1).
#[derive(Clone, Debug)]
pub struct Contract<'a> {
    /// A JSON Schema.
    pub schema: Node<'a>,
    /// Where the list of variants is in the result, as a JSON Pointer, if the hints say so.
    pub variant_path: Option<&'a str>,
    /// What must hold of the result beyond its shape; each id comes once.
    pub constraints: Vec<Constraint<'a>>,
}

/// One constraint of a contract.
#[derive(Clone, Debug)]
pub struct Constraint<'a> {
    /// Its id, if it has one.
    pub id: Option<&'a str>,
    /// A logic expression over the result, as it is written.
    pub expression: Node<'a>,
    /// The same, compiled.
    pub program: Program,
    /// How much hangs on it.
    pub level: Level,
    /// Why it is there.
    pub rationale: Option<&'a str>,
}

const CONTRACT: &[Field] =
    &[required("schema", Form::Schema), optional("hints", Form::Object), optional("constraints", Form::List)];

impl<'t> Contract<'t> {
    /// A contract that asks for nothing but a schema.
    pub(super) const fn open(schema: Node<'t>) -> Self {
        Self { schema, variant_path: None, constraints: Vec::new() }
    }

    pub(super) fn read(value: Node<'t>, patterns: &mut Steps) -> Result<Self, Error> {
        Self::read_beside(value, &mut Once::default(), patterns)
    }

    /// Reads a contract whose constraints share their ids with those of another list.
    pub(super) fn read_beside(
        value: Node<'t>,
        ids: &mut Once<'t>,
        patterns: &mut Steps,
    ) -> Result<Self, Error> {
        // The schema is required, and replaces this.
        let mut contract = Self::open(value);
        read_document(value, CONTRACT, &mut |at, member| {
            match at {
                0 => contract.schema = member,
                1 => contract.variant_path = variant_path(member)?,
                _ => contract.constraints = Constraint::read_all(member, ids, patterns)?,
            }
            Ok(())
        })?;
        Ok(contract)
    }
}

/// The only hint that anything here follows.
fn variant_path(hints: Node<'_>) -> Result<Option<&str>, Error> {
    let Some(member) = hints.member("variantPath") else { return Ok(None) };
    match member.as_str().filter(|path| is_pointer(path)) {
        Some(path) => Ok(Some(path)),
        None => {
            let message = format!("expected a JSON pointer, found {}", member.describe());
            Err(Error::new(codes::INVALID_VALUE, message).under("variantPath"))
        }
    }
}

const CONSTRAINT: &[Field] = &[
    optional("constraintId", Form::Id),
    required("expr", Form::Object),
    required("level", Form::Word(Level::WORDS)),
    optional("rationale", Form::Text),
];

const POST_CONDITION: &[Field] = &[
    optional("constraintId", Form::Id),
    required("expr", Form::Object),
    optional("level", Form::Word(Level::WORDS)),
    optional("rationale", Form::Text),
];

impl<'t> Constraint<'t> {
    /// Reads a list of constraints; `ids` are those that are taken.
    pub(super) fn read_all(
        list: Node<'t>,
        ids: &mut Once<'t>,
        patterns: &mut Steps,
    ) -> Result<Vec<Self>, Error> {
        let mut all = Vec::with_capacity(list.len());
        read_items(list, &mut |item| {
            all.extend(Self::read(item, CONSTRAINT, ids, patterns)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// Post-conditions: constraints whose level is `hard` where they say nothing, or expressions alone.
    pub(super) fn read_post_conditions(list: Node<'t>, patterns: &mut Steps) -> Result<Vec<Self>, Error> {
        let (mut all, mut ids) = (Vec::with_capacity(list.len()), Once::default());
        read_items(list, &mut |item| {
            let is_constraint = POST_CONDITION.iter().any(|field| item.member(field.name()).is_some());
            let is_alone = item.kind() == Kind::Object && !is_constraint;
            all.extend(match is_alone {
                true => Some(Self::alone(item, patterns)?),
                false => Self::read(item, POST_CONDITION, &mut ids, patterns)?,
            });
            Ok(())
        })?;
        Ok(all)
    }

    /// There is one unless there is an error.
    fn read(
        value: Node<'t>,
        fields: &'static [Field],
        ids: &mut Once<'t>,
        patterns: &mut Steps,
    ) -> Result<Option<Self>, Error> {
        let (mut id, mut level, mut rationale, mut compiled) = (None, Level::Hard, None, None);
        read_object(value, fields, &mut |at, member| {
            match at {
                0 => id = Some(ids.note(member)?),
                1 => compiled = Some(Self::alone(member, patterns)?),
                2 => level = member.as_str().and_then(Level::from_text).unwrap_or(level),
                _ => rationale = member.as_str(),
            }
            Ok(())
        })?;
        Ok(compiled.map(|compiled| Self { id, level, rationale, ..compiled }))
    }

    /// A hard constraint without a name.
    fn alone(expression: Node<'t>, patterns: &mut Steps) -> Result<Self, Error> {
        let program = Program::condition(expression, patterns)?;
        Ok(Self { id: None, expression, program, level: Level::Hard, rationale: None })
    }
}
