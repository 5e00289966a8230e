//! What conditions ask for and can never get: variables that lead nowhere, types that never fit, values that never come.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    code::CheckCode,
    domain::{Constant, Domain, Want},
    env::{Env, World},
    finding::{CheckFinding, Witness},
    relations::propagate,
    rules::Subject,
    shape::{self, Place, Shape},
    witness::Bench,
};
use crate::{
    json::{self, unknown},
    logic::{Expression, Form, Number, Operator, Path, Types},
    policy::Policy,
};

/// How many findings there are about the condition of one rule.
const MOST_FINDINGS: usize = 16;

/// What the variables of a part lead into; `None` where that is not known.
type Scope = Option<Shape>;

/// Looks at each part of each condition.
pub(super) fn check<'p>(policy: &'p Policy, bench: &mut Bench<'p>, findings: &mut Vec<CheckFinding>) {
    for (place, rule) in policy.rules().iter().enumerate() {
        let subject = Subject::new(policy, place, rule);
        let mut found = Vec::new();
        let mut pending = Vec::from([Part { part: rule.condition().root(), scope: None, inside: false }]);
        while let Some(part) = pending.pop()
            && found.len() < MOST_FINDINGS
        {
            part.check(&subject, bench, &mut found);
            let mut inner: Vec<_> = part.inner(policy);
            inner.reverse();
            pending.extend(inner);
        }
        findings.extend(found);
    }
}

/// A part of a condition, with what its variables lead into.
#[derive(Clone, Copy)]
struct Part<'p> {
    part: Expression<'p>,
    scope: Scope,
    /// Whether it is in the body of an iteration.
    inside: bool,
}

impl<'p> Part<'p> {
    /// Its operands.
    fn inner(self, policy: &'p Policy) -> Vec<Self> {
        let operator = self.part.operator();
        let iterates = operator.is_some_and(Operator::iterates);
        let mut inner: Vec<Self> = self.part.operands().map(|part| Self { part, ..self }).collect();
        if iterates {
            let list = inner.first().and_then(|list| list.place(policy)).and_then(Result::ok);
            // The body of `reduce` sees more than the item.
            let item = list.map(|list| list.shape.item()).filter(|_| operator != Some(Operator::Reduce));
            if let Some(body) = inner.get_mut(1) {
                *body = Self { part: body.part, scope: item, inside: true };
            }
        }
        inner
    }

    /// Where it leads, if it is a variable that leads into something known.
    fn place(self, policy: &Policy) -> Option<Result<Place, String>> {
        let Form::Variable(path) = self.part.form() else { return None };
        let mut place =
            if self.inside { self.scope?.lead(path.segments()) } else { shape::of_path(policy, path) };
        if let (Ok(place), true) = (&mut place, self.part.operands().len() > 1) {
            // A default may be anything.
            place.optional = false;
        }
        Some(place)
    }

    /// The types that it may have where it is known.
    fn types(self, policy: &Policy) -> Types {
        match (self.part.form(), self.part.operator()) {
            (Form::Constant(value), _) => value.types(),
            (Form::List, _) => Types::LIST,
            (Form::Variable(_), _) if self.part.operands().len() > 1 => Types::ANY,
            (Form::Variable(_), _) => match self.place(policy) {
                Some(Ok(place)) if place.nullable => place.shape.types().or(Types::NULL),
                Some(Ok(place)) => place.shape.types(),
                _ => Types::ANY,
            },
            (_, Some(Operator::If | Operator::Ternary | Operator::Log)) => Types::ANY,
            (_, Some(operator)) => operator.signature().gives,
            _ => Types::ANY,
        }
    }

    fn check(self, subject: &Subject<'p>, bench: &mut Bench<'p>, found: &mut Vec<CheckFinding>) {
        let policy = subject.policy;
        let at = |part: Expression<'_>| format!("/when{}", part.pointer());
        if let (Form::Variable(path), Some(Err(fault))) = (self.part.form(), self.place(policy)) {
            found.push(leads_nowhere(subject, &at(self.part), path, &fault, bench));
        }
        if matches!(self.part.operator(), Some(Operator::Missing | Operator::MissingSome)) {
            self.check_missing(subject, bench, found);
        }
        if let Some((part, message)) = self.misfit(policy) {
            let witness = all_known(subject, bench, &|witness| witness.error.is_some());
            found.push(subject.finding(CheckCode::TypeError, &at(part), message).shown_by(witness));
        } else if let Some((part, fault)) = self.never_equal(policy) {
            let (message, hint) = split(&fault);
            let finding = subject.finding(CheckCode::NeverEqual, &at(part), message);
            found.push(match hint {
                Some(hint) => finding.hint(hint),
                None => finding,
            });
        }
    }

    /// The paths of `missing`, which are no variables to be looked up.
    fn check_missing(self, subject: &Subject<'p>, bench: &mut Bench<'p>, found: &mut Vec<CheckFinding>) {
        if self.inside {
            return;
        }
        let path = format!("/when{}", self.part.pointer());
        for operand in self.part.operands() {
            let Some(constant) = operand.constant() else { continue };
            let texts = constant.items().into_iter().flatten().chain([constant.clone()]);
            for text in texts {
                let Some(known) = text.as_text().map(Path::new) else { continue };
                if let Err(fault) = shape::of_path(subject.policy, &known) {
                    found.push(leads_nowhere(subject, &path, &known, &fault, bench));
                }
            }
        }
    }

    /// The operand that is never what the operator takes, and why.
    fn misfit(self, policy: &'p Policy) -> Option<(Expression<'p>, String)> {
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
        None
    }

    /// What a comparison with a constant can never be equal to.
    fn never_equal(self, policy: &'p Policy) -> Option<(Expression<'p>, String)> {
        let operator = self.part.operator()?;
        let compares = matches!(
            operator,
            Operator::Equal | Operator::SameAs | Operator::Unequal | Operator::NotSameAs | Operator::In
        );
        let operands = self.inner(policy);
        let [left, right] = operands.as_slice() else { return None };
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
        _ => {
            let constant = json::write(&constant.value);
            format!("{subject} is never `{}`", json::shorten(&constant))
        }
    }
}

/// A variable by its name, anything else by its sort.
fn named(part: Expression<'_>) -> String {
    match part.form() {
        Form::Variable(path) if path.segments().is_empty() => "the item".into(),
        Form::Variable(path) => format!("`{path}`"),
        Form::Constant(_) => "the constant".into(),
        Form::List => "the list".into(),
        Form::Operation(operator) => format!("what `{}` gives", operator.name()),
    }
}

fn leads_nowhere<'p>(
    subject: &Subject<'p>,
    at: &str,
    path: &Path,
    fault: &str,
    bench: &mut Bench<'p>,
) -> CheckFinding {
    let (fault, hint) = split(fault);
    let message = format!("`{}` leads nowhere: {fault}", json::shorten(&path.to_string()));
    let witness = all_known(subject, bench, &|witness| witness.is_undecided(subject.place));
    let finding = subject.finding(CheckCode::UnknownVariable, at, message).shown_by(witness);
    match hint {
        Some(hint) => finding.hint(hint),
        None => finding,
    }
}

/// What is wrong, and what may be meant.
fn split(fault: &str) -> (String, Option<String>) {
    match fault.split_once(", did you mean ") {
        Some((fault, meant)) => (fault.into(), Some(format!("did you mean {meant}"))),
        None => (fault.into(), None),
    }
}

/// An envelope in which all is known that the condition of a rule asks for, if that shows what it is to show: with items
/// in its lists, or without.
fn all_known<'p>(
    subject: &Subject<'p>,
    bench: &mut Bench<'p>,
    shows: &dyn Fn(&Witness) -> bool,
) -> Option<Witness> {
    [1, 0].into_iter().find_map(|items| {
        let env = known(subject, items)?;
        bench.drafted(&env).filter(|witness| shows(witness))
    })
}

/// That all is known that the condition of a rule asks for.
fn known<'p>(subject: &Subject<'p>, items: u64) -> Option<Env<'p>> {
    let mut env = Env::new(World::Policy(subject.policy));
    for variable in subject.rule.condition().variables() {
        if let Form::Variable(path) = variable.expression.form()
            && !variable.in_iteration
            && let Some(key) = env.world.key(path)
        {
            let domain = env.domain(key);
            domain.unknown = domain.types == Types::NONE;
            domain.list.length.at_least(&Number::from(items), true);
            domain.settle();
        }
    }
    propagate(&mut env).ok()?;
    Some(env)
}
