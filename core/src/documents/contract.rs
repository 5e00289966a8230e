//! Contracts and constraints as documents (docs/reference/plans.md).

use alloc::format;

use adjudicate_lang::{
    Error,
    document::{Condition, Distinct, Document, Id, Keyed, Reader, SchemaDocument, Shape},
    json::{Kind, Node, is_pointer, shorten},
    logic::Program,
    order,
};

use super::diagnostic::Level;
use crate::codes;

/// An output contract: the results that are accepted.
#[derive(Clone, Debug, Document)]
#[document(name = "OutputContract", expecting = "an object", root)]
pub struct Contract<'a> {
    /// A JSON Schema of the result.
    pub schema: SchemaDocument<'a>,
    /// Hints for planners.
    pub hints: Option<Hints<'a>>,
    /// The constraints on the result beyond its schema.
    #[serde(default)]
    pub constraints: Distinct<Constraint<'a>>,
}

/// Hints for planners: any fields. The engine reads one of them.
#[derive(Clone, Copy, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(name = "OutputHints", expecting = "an object", carried)]
pub struct Hints<'a> {
    /// The place of the list of variants in the result, a JSON Pointer such as `/copyVariants`.
    pub variant_path: Option<ResultPath<'a>>,
}

/// A place in the result: a JSON Pointer.
#[derive(Clone, Copy, Debug)]
pub struct ResultPath<'a>(pub &'a str);

/// A constraint of a contract.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
pub struct Constraint<'a> {
    /// Its id, for example `min_qa`. No other constraint of the task has it. The default is made from the expression.
    pub constraint_id: Option<Id<'a>>,
    /// The condition, for example `{">=": [{"var": "qaFindings.overallScore"}, 0.8]}`.
    pub expr: ConstraintExpression<'a>,
    /// The level.
    pub level: Level,
    /// The reason for the constraint, for humans.
    pub rationale: Option<&'a str>,
}

/// A condition over the result: an object in JSONLogic.
#[derive(Clone, Debug)]
pub struct ConstraintExpression<'a>(pub Condition<'a>);

/// A post-condition of a capability: a constraint whose level is `hard` if it has none, or an expression alone.
#[derive(Clone, Debug)]
pub struct PostCondition<'a>(pub Constraint<'a>);

/// A post-condition that is not an expression alone.
#[derive(Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object", name = "LevelledPostCondition")]
pub(super) struct PostConditionFields<'a> {
    /// Its id, for example `reviewed`. No other post-condition of the capability has it.
    constraint_id: Option<Id<'a>>,
    /// The condition, for example `{"var": "reviewed"}`.
    expr: ConstraintExpression<'a>,
    /// The level.
    #[document(default = Level::Hard)]
    level: Level,
    /// The reason for the post-condition, for humans.
    rationale: Option<&'a str>,
}

impl Contract<'_> {
    /// Returns the place of the list of variants in the result, if the hints have it.
    #[must_use]
    pub fn variant_path(&self) -> Option<&str> {
        self.hints?.variant_path.map(|ResultPath(path)| path)
    }
}

impl<'a> Constraint<'a> {
    /// Returns the expression as it is written.
    #[must_use]
    pub const fn source(&self) -> Node<'a> {
        self.expr.0.source
    }

    /// Returns the compiled expression.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.expr.0.program
    }
}

impl Keyed for Constraint<'_> {
    const KEY: &'static str = "constraintId";
}

impl Keyed for PostCondition<'_> {
    const KEY: &'static str = "constraintId";
}

impl<'t: 'a, 'a> Document<'t> for ResultPath<'a> {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let path = node.as_str().filter(|path| is_pointer(path));
        if path.is_none() {
            reader.refuse(node, "a JSON pointer");
        }
        path.map(Self)
    }
}

impl<'t: 'a, 'a> Document<'t> for ConstraintExpression<'a> {
    const SHAPE: Shape = Shape::Condition;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        if node.kind() == Kind::Object {
            return Condition::read(node, reader).map(Self);
        }
        reader.refuse(node, "an object");
        None
    }
}

impl<'t: 'a, 'a> Document<'t> for PostCondition<'a> {
    const SHAPE: Shape = Shape::Either(&[PostConditionFields::SHAPE, Shape::Condition]);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let is_declared = matches!(PostConditionFields::SHAPE, Shape::Object(fields)
            if fields.iter().any(|field| node.member(field.name).is_some()));
        if node.kind() == Kind::Object && !is_declared {
            let expr = ConstraintExpression::read(node, reader)?;
            return Some(Self(Constraint { constraint_id: None, expr, level: Level::Hard, rationale: None }));
        }
        let PostConditionFields { constraint_id, expr, level, rationale } =
            PostConditionFields::read(node, reader)?;
        Some(Self(Constraint { constraint_id, expr, level, rationale }))
    }
}

/// Notes each id of `constraints` that is among those of `earlier`, with a path that begins at `path`.
pub(super) fn note_repeated(
    earlier: &[Constraint<'_>],
    constraints: &[Constraint<'_>],
    path: &str,
    reader: &mut Reader,
) {
    let earlier =
        order::names(earlier.iter().filter_map(|constraint| constraint.constraint_id.map(|id| id.0)));
    for (at, constraint) in constraints.iter().enumerate() {
        if let Some(id) = constraint.constraint_id.filter(|id| earlier.contains(id.0)) {
            let error = Error::new(codes::INVALID_VALUE, format!("`{}` is a duplicate", shorten(id.0)));
            reader.note(error.at(format!("{path}/{at}/constraintId")));
        }
    }
}
