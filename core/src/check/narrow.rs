//! Narrows the domain of a variable by a part of a condition that uses it alone.

use adjudicate_lang::logic::{Expression, Form, Operator, Types, VariablePath};

use super::{
    constant::Constant,
    domain::{Domain, add},
    expected_truth::ExpectedTruth,
    orders::{Orders, comparisons},
    scope::VariableScope,
};

/// Narrows the domain to the values for which `part`, an expression over this one variable, can evaluate to `expected`.
#[inline(never)]
pub(super) fn narrow<'p>(
    scope: VariableScope<'p>,
    domain: &mut Domain<'p>,
    part: Expression<'p>,
    expected: ExpectedTruth,
) {
    let mut operands = part.operands();
    let (first, second) = (operands.next(), operands.next());
    if variable(part).is_some() {
        if expected.is_strict() {
            domain.keep(Types::BOOL);
        }
        return domain.be(expected.holds());
    }
    let (Some(operator), Some(first)) = (part.operator(), first) else { return };
    // A strict result needs a known operand of an accepted type.
    if expected.is_strict() && variable(first).is_some() {
        domain.keep(operator.signature().takes_at(0));
    }
    let Some(second) = second else { return };
    if operator.iterates() {
        if variable(first).is_some() {
            quantify(domain, operator, second, expected);
        }
        return;
    }
    match operator {
        Operator::StartsWith | Operator::EndsWith if expected.holds() => {
            let text = second.constant().and_then(|text| text.as_text());
            if variable(first).is_some() && text.is_some_and(|text| !domain.shape.may_have(operator, text)) {
                domain.drop_type(Types::TEXT);
            }
        }
        Operator::In => contain(domain, [first, second], expected),
        _ => {
            for (orders, operands) in comparisons((part, expected)) {
                compare(scope, domain, orders, operands, expected);
            }
        }
    }
}

/// The variable of a part, with or without a default.
fn variable(part: Expression<'_>) -> Option<&VariablePath> {
    match part.form() {
        Form::Variable(path) => Some(path),
        _ => None,
    }
}

/// The variable of a part without a default.
pub(super) fn plain_variable(part: Expression<'_>) -> Option<&VariablePath> {
    variable(part).filter(|_| part.operands().len() < 2)
}

/// The other operand, if it is a constant or a parameter of the policy.
fn constant<'p>(scope: VariableScope<'p>, part: Expression<'p>) -> Option<Constant<'p>> {
    match part.form() {
        Form::Constant(value) => Some(Constant::from(value)),
        Form::Variable(path) => scope.parameter(path).map(Constant::from),
        _ => None,
    }
}

fn compare<'p>(
    scope: VariableScope<'p>,
    domain: &mut Domain<'p>,
    orders: Orders,
    [left, right]: [Expression<'p>; 2],
    expected: ExpectedTruth,
) {
    let (subject, orders, constant) = match (constant(scope, left), constant(scope, right)) {
        (None, Some(constant)) => (left, orders, constant),
        (Some(constant), None) => (right, orders.reversed(), constant),
        _ => return,
    };
    if variable(subject).is_some() {
        domain.compare(orders, &constant, expected.is_strict());
    } else if subject.operator() == Some(Operator::Length)
        && subject.operands().next().is_some_and(|inner| variable(inner).is_some())
        && let Some(number) = constant.value.as_number()
    {
        for length in [&mut domain.texts.length, &mut domain.list.length, &mut domain.members] {
            length.compare(orders, number);
        }
    }
}

fn contain<'p>(domain: &mut Domain<'p>, [needle, hay]: [Expression<'p>; 2], expected: ExpectedTruth) {
    match (needle.form(), hay.form()) {
        (Form::Variable(_), Form::Constant(list)) => {
            let constant = Constant::from(list);
            let Some(texts) = constant.texts else { return };
            if expected.holds() {
                domain.keep(Types::TEXT);
                domain.one_of(&texts);
            } else {
                domain.texts.not.extend(texts);
            }
        }
        (Form::Constant(needle), Form::Variable(_)) => {
            if expected.is_strict() {
                domain.keep(Types::LIST.or(Types::TEXT));
            }
            let Some(text) = needle.as_text() else { return };
            if expected.holds() {
                add(&mut domain.list.has, &[text]);
            } else {
                add(&mut domain.list.lacks, &[text]);
            }
        }
        _ => {}
    }
}

/// Narrows a list by a quantifier over its items.
fn quantify<'p>(domain: &mut Domain<'p>, operator: Operator, body: Expression<'p>, expected: ExpectedTruth) {
    let list = &mut domain.list;
    match (operator, expected.holds()) {
        (Operator::SomeOf, true) => list.some.push((body, expected)),
        (Operator::SomeOf, false) => list.each.push((body, expected)),
        (Operator::NoneOf, true) => list.each.push((body, expected.negated())),
        (Operator::NoneOf, false) => list.some.push((body, expected.negated())),
        (Operator::AllOf, true) => {
            list.each.push((body, expected));
            list.length.be_positive();
        }
        _ => {}
    }
}
