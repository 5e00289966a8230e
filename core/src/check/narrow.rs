//! What a part of a condition says of the one variable that it asks for.

use adjudicate_lang::logic::{Expression, Form, Operator, Path, Types};

use super::{
    constant::Constant,
    domain::{Domain, add},
    want::Want,
    world::World,
};

/// Narrows a variable, where it is known, to what a part that asks for it alone can come to what is wanted with.
#[inline(never)]
pub(super) fn narrow<'p>(world: World<'p>, domain: &mut Domain<'p>, part: Expression<'p>, want: Want) {
    let mut operands = part.operands();
    let [first, second, third] = [operands.next(), operands.next(), operands.next()];
    if variable(part).is_some() {
        if want.is_strict() {
            domain.keep(Types::BOOL);
        }
        let [no, yes] = domain.truths;
        domain.truths = [no && !want.holds(), yes && want.holds()];
        return;
    }
    let (Some(operator), Some(first)) = (part.operator(), first) else { return };
    // What it takes, it takes known.
    if want.is_strict() && variable(first).is_some() {
        domain.keep(operator.signature().takes_at(0));
    }
    let Some(second) = second else { return };
    if operator.iterates() {
        if variable(first).is_some() {
            quantify(domain, operator, second, want);
        }
        return;
    }
    match (operator, third) {
        (Operator::Less | Operator::AtMost, Some(third)) if want.holds() => {
            compare(world, domain, operator, [first, second], want);
            compare(world, domain, operator, [second, third], want);
        }
        (Operator::Between, Some(third)) if want.holds() => {
            compare(world, domain, Operator::AtLeast, [first, second], want);
            compare(world, domain, Operator::AtMost, [first, third], want);
        }
        (_, Some(_)) => {}
        (Operator::StartsWith | Operator::EndsWith, None) if want.holds() => {
            let text = second.constant().and_then(|text| text.as_text());
            if variable(first).is_some() && text.is_some_and(|text| !domain.shape.may_have(operator, text)) {
                domain.drop_type(Types::TEXT);
            }
        }
        (Operator::In, None) => contain(domain, [first, second], want),
        (operator, None) if reversed(operator).is_some() => {
            compare(world, domain, operator, [first, second], want);
        }
        _ => {}
    }
}

/// The variable that a part is, with or without a default.
fn variable(part: Expression<'_>) -> Option<&Path> {
    match part.form() {
        Form::Variable(path) => Some(path),
        _ => None,
    }
}

/// The variable that a part is, without a default.
pub(super) fn plain_variable(part: Expression<'_>) -> Option<&Path> {
    variable(part).filter(|_| part.operands().len() < 2)
}

/// The same comparison with its operands the other way round.
const fn reversed(operator: Operator) -> Option<Operator> {
    Some(match operator {
        Operator::Less => Operator::Greater,
        Operator::AtMost => Operator::AtLeast,
        Operator::Greater => Operator::Less,
        Operator::AtLeast => Operator::AtMost,
        Operator::Equal | Operator::SameAs | Operator::Unequal | Operator::NotSameAs => operator,
        _ => return None,
    })
}

/// What is compared with, if it is known: a constant, or a parameter of the policy.
fn constant<'p>(world: World<'p>, part: Expression<'p>) -> Option<Constant<'p>> {
    match part.form() {
        Form::Constant(value) => Some(Constant::from(value)),
        Form::Variable(path) => world.parameter(path).map(Constant::from),
        _ => None,
    }
}

fn compare<'p>(
    world: World<'p>,
    domain: &mut Domain<'p>,
    operator: Operator,
    [left, right]: [Expression<'p>; 2],
    want: Want,
) {
    let (subject, operator, constant) = match (constant(world, left), constant(world, right)) {
        (None, Some(constant)) => (left, Some(operator), constant),
        (Some(constant), None) => (right, reversed(operator), constant),
        _ => return,
    };
    let Some(operator) = operator else { return };
    if variable(subject).is_some() {
        domain.compare(operator, &constant, want);
    } else if subject.operator() == Some(Operator::Length)
        && subject.operands().next().is_some_and(|inner| variable(inner).is_some())
        && let Some(number) = constant.value.as_number()
    {
        for kind in [Types::TEXT, Types::LIST, Types::OBJECT] {
            if let Some(length) = domain.length_mut(kind) {
                length.compare(operator, number, want.holds());
            }
        }
    }
}

fn contain<'p>(domain: &mut Domain<'p>, [needle, hay]: [Expression<'p>; 2], want: Want) {
    match (needle.form(), hay.form()) {
        (Form::Variable(_), Form::Constant(list)) => {
            let constant = Constant::from(list);
            let Some(texts) = constant.texts else { return };
            if want.holds() {
                domain.keep(Types::TEXT);
                domain.one_of(&texts);
            } else {
                domain.texts.not.extend(texts);
            }
        }
        (Form::Constant(needle), Form::Variable(_)) => {
            if want.is_strict() {
                domain.keep(Types::LIST.or(Types::TEXT));
            }
            let Some(text) = needle.as_text() else { return };
            if want.holds() {
                add(&mut domain.list.has, &[text]);
            } else {
                add(&mut domain.list.lacks, &[text]);
            }
        }
        _ => {}
    }
}

/// What a quantifier says of the items of a list.
fn quantify<'p>(domain: &mut Domain<'p>, operator: Operator, body: Expression<'p>, want: Want) {
    let list = &mut domain.list;
    match (operator, want.holds()) {
        (Operator::SomeOf, true) => list.some.push((body, want)),
        (Operator::SomeOf, false) => list.each.push((body, want)),
        (Operator::NoneOf, true) => list.each.push((body, want.negated())),
        (Operator::NoneOf, false) => list.some.push((body, want.negated())),
        (Operator::AllOf, true) => {
            list.each.push((body, want));
            list.length.be_positive();
        }
        _ => {}
    }
}
