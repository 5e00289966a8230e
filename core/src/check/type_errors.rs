//! Type errors: operands of types that an operator never accepts, and comparisons that always have the same result.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::{self, unknown},
    logic::{Expression, Form, Number, Operator, Types},
    paths::normalize,
};

use super::{
    abstract_state::{AbstractState, Conflict},
    constant::Constant,
    expected_truth::ExpectedTruth,
    orders::Orders,
    range::Range,
    scope::{Target, UsedVariables, VariableScope, used_variables},
    search::{Satisfiability, judge},
    shape::Shape,
    variables::Part,
};

impl<'p> VariableScope<'p> {
    /// Returns true if evaluating a part could fail with a type error or another error of the data, as far as known.
    pub(super) fn may_have_type_error(self, part: Expression<'p>) -> bool {
        match self {
            Self::Policy(checked) => Part::whole(part, checked).may_have_type_error(),
            Self::Item(_) | Self::Output(_) => true,
        }
    }
}

impl<'p> Part<'p> {
    fn may_have_type_error(self) -> bool {
        let Some(operator) = self.part.operator() else { return self.part.constant().is_none() };
        let operands = self.inner();
        let may_be =
            |place: usize, types: Types| operands.get(place).is_some_and(|part| part.types().meets(types));
        let takes_all = operands.iter().enumerate().all(|(place, operand)| {
            let takes = operator.signature().takes_at(place);
            operand.types().and(takes) == operand.types()
        });
        let fits = match operator {
            Operator::Var => return operands.iter().skip(1).any(|default| default.may_have_type_error()),
            Operator::And | Operator::Or | Operator::Not | Operator::Truth => takes_all,
            Operator::Equal | Operator::SameAs | Operator::Unequal | Operator::NotSameAs => takes_all,
            Operator::StartsWith | Operator::EndsWith | Operator::Length | Operator::Missing => takes_all,
            Operator::SomeOf | Operator::AllOf | Operator::NoneOf => takes_all,
            operator if operator.orders() => {
                let mixed = (0..operands.len()).any(|place| may_be(place, Types::NUMBER))
                    && (0..operands.len()).any(|place| may_be(place, Types::TEXT));
                takes_all && !mixed
            }
            Operator::In => takes_all && !may_be(1, Types::TEXT),
            Operator::Glob | Operator::Regex => {
                takes_all && operands.iter().skip(1).all(|pattern| pattern.part.constant().is_some())
            }
            // Their value is that of one of their operands, so its type is unknown.
            Operator::If | Operator::Ternary => operands
                .iter()
                .step_by(2)
                .all(|condition| condition.types().and(Types::BOOL) == condition.types()),
            _ => false,
        };
        !fits || operands.iter().any(|operand| operand.may_have_type_error())
    }

    /// The operand whose types the operator never accepts, with the reason.
    pub(super) fn type_error(self) -> Option<(Expression<'p>, String)> {
        let operator = self.part.operator().filter(|operator| *operator != Operator::Var)?;
        let operands = self.inner();
        let is_choice = matches!(operator, Operator::If | Operator::Ternary);
        let mut common = Types::ANY;
        for (place, operand) in operands.iter().enumerate() {
            let takes = match operator {
                _ if is_choice && place % 2 == 0 && place + 1 < operands.len() => Types::BOOL,
                _ => operator.signature().takes_at(place),
            };
            let types = operand.types();
            if !types.meets(takes) {
                return Some((
                    operand.part,
                    format!("`{}` takes {takes}, and {} is {types}", operator.name(), named(operand.part)),
                ));
            }
            if operator.orders() && !types.meets(common.and(takes)) {
                let message = format!(
                    "`{}` compares numbers with numbers and strings with strings, found {common} and {types}",
                    operator.name()
                );
                return Some((self.part, message));
            }
            common = common.and(types).and(Types::ORDERED);
        }
        if let (Operator::In, [needle, hay]) = (operator, operands.as_slice())
            && hay.types() == Types::TEXT
            && !needle.types().meets(Types::TEXT)
        {
            let (needle_is, hay_is) = (needle.types(), named(hay.part));
            let message =
                format!("`in` takes a string to be in {hay_is}, and {} is {needle_is}", named(needle.part));
            return Some((needle.part, message));
        }
        None
    }

    /// The operand that a comparison with a constant can never equal, with the reason.
    pub(super) fn never_equal(self) -> Option<(Expression<'p>, String)> {
        let operator = self.part.operator()?;
        let operands = self.inner();
        let [left, right] = operands.as_slice() else { return None };
        if matches!(operator, Operator::StartsWith | Operator::EndsWith) {
            let (shape, text) = (left.target()?.ok()?.shape(), right.part.constant()?.as_text()?);
            let is_text = left.part.operands().len() < 2 && shape.types() == Types::TEXT;
            let fault = || never_has(left.part, shape, operator, text);
            return (is_text && !shape.may_have(operator, text)).then(|| (right.part, fault()));
        }
        if !operator.equates() {
            return None;
        }
        let (subject, at, constant) = match (left.part.form(), right.part.form()) {
            (Form::Variable(_), Form::Constant(constant)) => (left, right, constant),
            (Form::Constant(constant), Form::Variable(_)) => (right, left, constant),
            _ => return None,
        };
        let mut target = subject.target()?.ok()?;
        if subject.part.operands().len() > 1 {
            return None;
        }
        let constants = match (operator, left.part.form()) {
            // Any item of a constant list, or an item of the variable's list.
            (Operator::In, Form::Variable(_)) => {
                Constant::from(constant).texts?.into_iter().map(Constant::from).collect()
            }
            (Operator::In, _) => {
                if target.types() != Types::LIST {
                    return None;
                }
                target = subject.items()?.whole();
                Vec::from([Constant::from(constant)])
            }
            _ => Vec::from([Constant::from(constant)]),
        };
        let never = constants.into_iter().find(|constant| {
            let mut domain = target.domain();
            domain.unknown = false;
            domain.compare(Orders::EQUAL, constant, true);
            domain.settle();
            domain.is_empty()
        })?;
        Some((at.part, fault(subject.part, &target, &never)))
    }

    /// The reason why an order comparison in a condition has the same result for all values of its only variable. A comparison that is the
    /// whole condition has other findings.
    pub(super) fn fixed_comparison(self, steps: &mut Steps) -> Option<String> {
        let operator = self.part.operator().filter(|operator| operator.orders())?;
        let scope = self.scope?;
        let UsedVariables::One(key) = used_variables(scope, self.part, steps) else { return None };
        if self.part.pointer().is_empty() {
            return None;
        }
        let mut is_impossible = |expected| {
            let result = judge(AbstractState::new(scope), &[(self.part, expected)], steps);
            result == Satisfiability::Never(Conflict::Values)
        };
        let holds = match [ExpectedTruth::True, ExpectedTruth::False].map(&mut is_impossible) {
            [true, false] => "never holds",
            [false, true] => "always holds",
            _ => return None,
        };
        let subject = self.part.operands().find(|operand| operand.constant().is_none())?;
        let range = match subject.form() {
            Form::Variable(_) => limits(&scope.domain(key).range),
            _ => String::new(),
        };
        Some(format!("`{}` {holds} for {}{range}", operator.name(), named(subject)))
    }
}

/// The limits of a range in words, as part of a sentence about a variable; empty without a limit.
fn limits(range: &Range) -> String {
    let limit = |limit: &Option<(Number, bool)>, [inclusive, exclusive]: [&str; 2]| {
        let (number, is_inclusive) = limit.as_ref()?;
        let words = if *is_inclusive { inclusive } else { exclusive };
        Some(format!("{words} {}", json::write(number)))
    };
    let low = limit(&range.low, ["at least", "more than"]);
    let limits = low.into_iter().chain(limit(&range.high, ["at most", "less than"]));
    let limits = limits.collect::<Vec<_>>().join(" and ");
    if limits.is_empty() { limits } else { format!(", which is {limits}") }
}

/// The reason why something never equals a constant.
fn fault(part: Expression<'_>, target: &Target<'_>, constant: &Constant<'_>) -> String {
    let subject = named(part);
    let shape = target.shape();
    match (target.domain().texts.only, constant.text) {
        (Some(words), Some(text)) => {
            format!("{subject} is never `{}`: {}", json::shorten(text), unknown("word", text, &words))
        }
        (_, Some(text)) if matches!(shape, Shape::Path | Shape::Class) => {
            format!("{subject} is never `{}`: {}", json::shorten(text), form(shape, text))
        }
        _ => {
            let constant = json::write(&constant.value);
            format!("{subject} is never `{}`", json::shorten(&constant))
        }
    }
}

/// The reason why something never begins or ends with a text.
fn never_has(part: Expression<'_>, shape: Shape, operator: Operator, text: &str) -> String {
    let does = if operator == Operator::EndsWith { "ends" } else { "begins" };
    let (subject, why) = (named(part), form(shape, text));
    format!("{subject} never {does} with `{}`: {why}", json::shorten(text))
}

/// A description of texts of a shape, with a correction if one is likely.
fn form(shape: Shape, text: &str) -> String {
    match shape {
        Shape::Path => {
            let meant = normalize(text);
            let is_usable = !meant.is_empty() && meant != text;
            let hint = format!(", did you mean `{}`?", json::shorten(&meant));
            let hint = if is_usable { &*hint } else { "" };
            format!("paths are in normal form, without `/` at either end, `.` and `..`{hint}")
        }
        Shape::Class => "a class has no `:`, which begins the detail of an event".into(),
        _ => "no word of the list does".into(),
    }
}

/// A variable by its name, and anything else by its type.
pub(super) fn named(part: Expression<'_>) -> String {
    match part.form() {
        Form::Variable(path) if path.segments().is_empty() => "the item".into(),
        Form::Variable(path) => format!("`{path}`"),
        Form::Constant(_) => "the constant".into(),
        Form::List => "the list".into(),
        Form::Operation(operator) => format!("what `{}` gives", operator.name()),
    }
}
