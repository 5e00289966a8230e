//! Operands of types that an operator never takes, and comparisons with what never comes.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    json::{self, unknown},
    logic::{Expression, Form, Operator, Types},
    paths::normalize,
};

use super::{
    constant::Constant,
    domain::Domain,
    shape::{Place, Shape},
    variables::Part,
    want::Want,
    world::World,
};
use crate::policy::Policy;

impl<'p> World<'p> {
    /// Whether evaluating a part could meet a type that does not fit, or another fault of the data. Where that is not known it
    /// could.
    pub(super) fn may_misfit(self, part: Expression<'p>) -> bool {
        match self {
            Self::Policy(policy) => Part::whole(part).may_misfit(policy),
            Self::Item(_) | Self::Output(_) => true,
        }
    }
}

impl<'p> Part<'p> {
    fn may_misfit(self, policy: &'p Policy) -> bool {
        let Some(operator) = self.part.operator() else { return self.part.constant().is_none() };
        let operands = self.inner(policy);
        let may_be = |place: usize, types: Types| {
            operands.get(place).is_some_and(|part| part.types(policy).meets(types))
        };
        let takes_all = operands.iter().enumerate().all(|(place, operand)| {
            let takes = operator.signature().takes_at(place);
            operand.types(policy).and(takes) == operand.types(policy)
        });
        let fits = match operator {
            Operator::Var => return operands.iter().skip(1).any(|default| default.may_misfit(policy)),
            Operator::And
            | Operator::Or
            | Operator::Not
            | Operator::Equal
            | Operator::SameAs
            | Operator::Unequal => takes_all,
            Operator::NotSameAs | Operator::StartsWith | Operator::EndsWith | Operator::Length => takes_all,
            Operator::SomeOf | Operator::AllOf | Operator::NoneOf | Operator::Truth => takes_all,
            Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast | Operator::Between => {
                let mixed = (0..operands.len()).any(|place| may_be(place, Types::NUMBER))
                    && (0..operands.len()).any(|place| may_be(place, Types::TEXT));
                takes_all && !mixed
            }
            Operator::In => takes_all && !may_be(1, Types::TEXT),
            Operator::Glob | Operator::Regex => {
                takes_all && operands.iter().skip(1).all(|pattern| pattern.part.constant().is_some())
            }
            Operator::Missing => takes_all,
            // Their value is whatever one of their operands is, so that nothing is known of their types.
            Operator::If | Operator::Ternary => operands
                .iter()
                .step_by(2)
                .all(|condition| condition.types(policy).and(Types::BOOL) == condition.types(policy)),
            _ => false,
        };
        !fits || operands.iter().any(|operand| operand.may_misfit(policy))
    }

    /// The operand that is never what the operator takes, and why.
    pub(super) fn misfit(self, policy: &'p Policy) -> Option<(Expression<'p>, String)> {
        let operator = self.part.operator().filter(|operator| *operator != Operator::Var)?;
        let operands = self.inner(policy);
        let is_choice = matches!(operator, Operator::If | Operator::Ternary);
        let orders = matches!(
            operator,
            Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast | Operator::Between
        );
        let mut common = Types::ANY;
        for (place, operand) in operands.iter().enumerate() {
            let takes = match operator {
                _ if is_choice && place % 2 == 0 && place + 1 < operands.len() => Types::BOOL,
                _ => operator.signature().takes_at(place),
            };
            let types = operand.types(policy);
            if !types.meets(takes) {
                return Some((
                    operand.part,
                    format!("`{}` takes {takes}, and {} is {types}", operator.name(), named(operand.part)),
                ));
            }
            if orders && !types.meets(common.and(takes)) {
                let message = format!(
                    "`{}` compares numbers with numbers and strings with strings, found {common} and {types}",
                    operator.name()
                );
                return Some((self.part, message));
            }
            common = common.and(types).and(Types::ORDERED);
        }
        if let (Operator::In, [needle, hay]) = (operator, operands.as_slice())
            && hay.types(policy) == Types::TEXT
            && !needle.types(policy).meets(Types::TEXT)
        {
            let (needle_is, hay_is) = (needle.types(policy), named(hay.part));
            let message =
                format!("`in` takes a string to be in {hay_is}, and {} is {needle_is}", named(needle.part));
            return Some((needle.part, message));
        }
        None
    }

    /// What a comparison with a constant can never be equal to.
    pub(super) fn never_equal(self, policy: &'p Policy) -> Option<(Expression<'p>, String)> {
        let operator = self.part.operator()?;
        let compares = matches!(
            operator,
            Operator::Equal | Operator::SameAs | Operator::Unequal | Operator::NotSameAs | Operator::In
        );
        let operands = self.inner(policy);
        let [left, right] = operands.as_slice() else { return None };
        if matches!(operator, Operator::StartsWith | Operator::EndsWith) {
            let (place, text) = (left.place(policy)?.ok()?, right.part.constant()?.as_text()?);
            let is_text = left.part.operands().len() < 2 && place.shape.types() == Types::TEXT;
            let fault = || never_has(left.part, place.shape, operator, text);
            return (is_text && !place.shape.may_have(operator, text)).then(|| (right.part, fault()));
        }
        if !compares {
            return None;
        }
        let (subject, at, constant) = match (left.part.form(), right.part.form()) {
            (Form::Variable(_), Form::Constant(constant)) => (left, right, constant),
            (Form::Constant(constant), Form::Variable(_)) => (right, left, constant),
            _ => return None,
        };
        let mut place = subject.place(policy)?.ok()?;
        if subject.part.operands().len() > 1 {
            return None;
        }
        let constants = match (operator, left.part.form()) {
            // Any item of a constant list, or an item of the variable's list.
            (Operator::In, Form::Variable(_)) => {
                Constant::from(constant).texts?.into_iter().map(Constant::from).collect()
            }
            (Operator::In, _) => {
                if place.shape.types() != Types::LIST {
                    return None;
                }
                place = Place { shape: place.shape.item(), optional: false, nullable: false };
                Vec::from([Constant::from(constant)])
            }
            _ => Vec::from([Constant::from(constant)]),
        };
        let never = constants.into_iter().find(|constant| {
            let mut domain = Domain::of(Place { optional: false, ..place });
            domain.compare(Operator::Equal, constant, Want::True);
            domain.settle();
            domain.is_empty()
        })?;
        Some((at.part, fault(subject.part, place.shape, &never)))
    }
}

/// Why something is never equal to a constant.
fn fault(part: Expression<'_>, shape: Shape, constant: &Constant<'_>) -> String {
    let subject = named(part);
    match (shape, constant.text) {
        (Shape::Words(words), Some(text)) => {
            format!("{subject} is never `{}`: {}", json::shorten(text), unknown("word", text, words))
        }
        (Shape::Path | Shape::Class, Some(text)) => {
            format!("{subject} is never `{}`: {}", json::shorten(text), form(shape, text))
        }
        _ => {
            let constant = json::write(&constant.value);
            format!("{subject} is never `{}`", json::shorten(&constant))
        }
    }
}

/// Why something never begins, or ends, with a text.
fn never_has(part: Expression<'_>, shape: Shape, operator: Operator, text: &str) -> String {
    let does = if operator == Operator::EndsWith { "ends" } else { "begins" };
    let (subject, why) = (named(part), form(shape, text));
    format!("{subject} never {does} with `{}`: {why}", json::shorten(text))
}

/// What texts of a shape are like, and what may be meant.
fn form(shape: Shape, text: &str) -> String {
    match shape {
        Shape::Path => {
            let meant = normalize(text);
            let is_usable = !meant.is_empty() && meant != text;
            let hint = if is_usable {
                format!(", did you mean `{}`?", json::shorten(&meant))
            } else {
                String::new()
            };
            format!("paths are in normal form, without `/` at either end, `.` and `..`{hint}")
        }
        Shape::Class => "a class has no `:`, which begins the detail of an event".into(),
        _ => "no word of the list does".into(),
    }
}

/// A variable by its name, anything else by its sort.
pub(super) fn named(part: Expression<'_>) -> String {
    match part.form() {
        Form::Variable(path) if path.segments().is_empty() => "the item".into(),
        Form::Variable(path) => format!("`{path}`"),
        Form::Constant(_) => "the constant".into(),
        Form::List => "the list".into(),
        Form::Operation(operator) => format!("what `{}` gives", operator.name()),
    }
}
