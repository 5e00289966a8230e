//! What there is to plan with, as it is on the wire: capabilities and facets.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error, Steps,
    json::{
        Kind, Node,
        object::{Field, Form, optional, read_items, read_object, required, texts},
    },
};

use super::{Constraint, Contract, document::Once};
use crate::words::words;

/// What some agent or tool can do.
#[derive(Clone, Debug, Default)]
pub struct Capability<'a> {
    /// Its id.
    pub id: &'a str,
    /// What sort of node it makes.
    pub kind: Option<&'a str>,
    /// The status that keeps it from being used: any but `active`.
    pub inactive: Option<&'a str>,
    /// The facets that it takes.
    pub input_facets: Vec<&'a str>,
    /// The facets that it gives.
    pub output_facets: Vec<&'a str>,
    /// What must be true of what it takes.
    pub input_contract: Option<Contract<'a>>,
    /// What is true of what it gives.
    pub output_contract: Option<Contract<'a>>,
    /// What holds when it is done.
    pub post_conditions: Vec<Constraint<'a>>,
}

const CAPABILITY: &[Field] = &[
    required("capabilityId", Form::Id),
    optional("version", Form::Text),
    optional("kind", Form::Text),
    optional("status", Form::Text),
    optional("inputFacets", Form::Ids),
    optional("outputFacets", Form::Ids),
    optional("inputContract", Form::Object),
    optional("outputContract", Form::Object),
    optional("postConditions", Form::List),
];

impl<'t> Capability<'t> {
    pub(super) fn read_all(list: Node<'t>, patterns: &mut Steps) -> Result<Vec<Self>, Error> {
        let (mut all, mut ids) = (Vec::with_capacity(list.len()), Once::default());
        read_items(list, &mut |item| {
            all.push(Self::read(item, &mut ids, patterns)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn read(value: Node<'t>, ids: &mut Once<'t>, patterns: &mut Steps) -> Result<Self, Error> {
        let mut read = Self::default();
        read_object(value, CAPABILITY, &mut |at, member| {
            match at {
                0 => read.id = ids.note(member)?,
                2 => read.kind = member.as_str(),
                3 => read.inactive = member.as_str().filter(|status| *status != "active"),
                4 => read.input_facets = texts(member),
                5 => read.output_facets = texts(member),
                6 => read.input_contract = Some(Contract::read(member, patterns)?),
                7 => read.output_contract = Some(Contract::read(member, patterns)?),
                8 => read.post_conditions = Constraint::read_post_conditions(member, patterns)?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(read)
    }
}

words! {
    /// Which way a facet goes.
    Direction {
        /// Nodes take it.
        Input = "input",
        /// Nodes give it.
        Output = "output",
        /// Both.
        Bidirectional = "bidirectional",
    }
}

/// A part that inputs and outputs are made of.
#[derive(Clone, Copy, Debug)]
pub struct Facet<'a> {
    /// Its name.
    pub name: &'a str,
    /// A JSON Schema of its value.
    pub schema: Node<'a>,
    /// Which way it goes.
    pub direction: Direction,
    /// The member that holds it; its name where it says nothing.
    pub key: &'a str,
    /// Whether a node that takes it cannot do without it.
    pub is_required: bool,
}

const FACET: &[Field] = &[
    required("name", Form::Id),
    required("schema", Form::Schema),
    required("direction", Form::Word(Direction::WORDS)),
    optional("propertyKey", Form::Id),
    optional("requiredByDefault", Form::Flag),
];

impl<'t> Facet<'t> {
    pub(super) fn read_all(list: Node<'t>) -> Result<Vec<Self>, Error> {
        let (mut all, mut names) = (Vec::with_capacity(list.len()), Once::default());
        read_items(list, &mut |item| {
            all.push(Self::read(item, &mut names)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn read(value: Node<'t>, names: &mut Once<'t>) -> Result<Self, Error> {
        // What is required replaces these.
        let mut facet =
            Self { name: "", schema: value, direction: Direction::Bidirectional, key: "", is_required: true };
        read_object(value, FACET, &mut |at, member| {
            let text = member.as_str().unwrap_or_default();
            match at {
                0 => facet.name = names.note(member)?,
                1 => facet.schema = member,
                2 => facet.direction = Direction::from_text(text).unwrap_or(facet.direction),
                3 => facet.key = text,
                _ => facet.is_required = member.kind() == Kind::Bool(true),
            }
            Ok(())
        })?;
        if facet.key.is_empty() {
            facet.key = facet.name;
        }
        Ok(facet)
    }
}
