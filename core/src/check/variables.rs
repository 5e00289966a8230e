//! What conditions ask for and can never get: variables that lead nowhere, types that never fit, values that never come.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    json,
    logic::{Expression, Form, Number, Operator, Path, Types},
};

use super::{
    code::CheckCode,
    constant::Constant,
    env::Env,
    finding::{CheckFinding, Findings, Witness},
    relate::propagate,
    rules::Subject,
    shape::{self, Place, Shape},
    verifier::Verifier,
    world::World,
};
use crate::policy::Policy;

/// How many findings there are about the condition of one rule.
const MOST_FINDINGS: usize = 16;

/// How many variables of a condition are known at once in a witness.
const MOST_VARIABLES: usize = 256;

/// What the variables of a part lead into; `None` where that is not known.
type Scope = Option<Shape>;

/// Looks at each part of each condition. The answer is the places of the rules of which it is said why their conditions never hold.
pub(super) fn check<'p>(
    policy: &'p Policy,
    verifier: &mut Verifier<'p>,
    findings: &mut Findings,
) -> Vec<usize> {
    let mut explained = Vec::new();
    for (place, rule) in policy.rules().iter().enumerate() {
        let subject = Subject::new(policy, place, rule);
        let mut found = Vec::new();
        let mut pending = Vec::from([Part::whole(rule.condition().root())]);
        while let Some(part) = pending.pop()
            && found.len() < MOST_FINDINGS
        {
            part.check(&subject, verifier, &mut found);
            let mut inner: Vec<_> = part.inner(policy);
            inner.reverse();
            pending.extend(inner);
        }
        let explains = |finding: &CheckFinding| {
            matches!(finding.code, CheckCode::UnknownVariable | CheckCode::TypeError)
        };
        if found.iter().any(explains) {
            explained.push(place);
        }
        findings.extend(found);
    }
    explained
}

/// A part of a condition, with what its variables lead into.
#[derive(Clone, Copy)]
pub(super) struct Part<'p> {
    pub part: Expression<'p>,
    scope: Scope,
    /// Whether it is in the body of an iteration.
    inside: bool,
}

impl<'p> Part<'p> {
    /// Its operands.
    #[inline(never)]
    pub(super) fn inner(self, policy: &'p Policy) -> Vec<Self> {
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

    /// A whole condition.
    pub(super) const fn whole(part: Expression<'p>) -> Self {
        Self { part, scope: None, inside: false }
    }

    /// Where it leads, if it is a variable that leads into something known.
    #[inline(never)]
    pub(super) fn place(self, policy: &Policy) -> Option<Result<Place, String>> {
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
    #[inline(never)]
    pub(super) fn types(self, policy: &Policy) -> Types {
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

    fn check(self, subject: &Subject<'p>, verifier: &mut Verifier<'p>, found: &mut Vec<CheckFinding>) {
        let policy = subject.policy;
        let at = |part: Expression<'_>| format!("/when{}", part.pointer());
        if let (Form::Variable(path), Some(Err(fault))) = (self.part.form(), self.place(policy)) {
            let witness = all_known(subject, verifier, &|witness| witness.is_undecided(subject.place));
            found.push(leads_nowhere(subject, &at(self.part), path, &fault).shown_by(witness));
        }
        if matches!(self.part.operator(), Some(Operator::Missing | Operator::MissingSome)) {
            self.check_missing(subject, verifier, found);
        }
        if let Some((part, message)) = self.misfit(policy) {
            let witness = all_known(subject, verifier, &|witness| witness.error.is_some());
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
    fn check_missing(
        self,
        subject: &Subject<'p>,
        verifier: &mut Verifier<'p>,
        found: &mut Vec<CheckFinding>,
    ) {
        if self.inside {
            return;
        }
        let path = format!("/when{}", self.part.pointer());
        for operand in self.part.operands() {
            let Some(constant) = operand.constant() else { continue };
            for known in Constant::from(constant).all_texts().into_iter().map(Path::new) {
                if found.len() >= MOST_FINDINGS {
                    return;
                }
                if let Err(fault) = shape::of_path(subject.policy, &known) {
                    // `missing` is known whatever is: what it says of such a path, it says of any envelope.
                    let witness = all_known(subject, verifier, &|witness| witness.error.is_none());
                    found.push(leads_nowhere(subject, &path, &known, &fault).shown_by(witness));
                }
            }
        }
    }
}

#[inline(never)]
fn leads_nowhere(subject: &Subject<'_>, at: &str, path: &Path, fault: &str) -> CheckFinding {
    let (fault, hint) = split(fault);
    let message = format!("`{}` leads nowhere: {fault}", json::shorten(&path.to_string()));
    let finding = subject.finding(CheckCode::UnknownVariable, at, message);
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
#[inline(never)]
fn all_known<'p>(
    subject: &Subject<'p>,
    verifier: &mut Verifier<'p>,
    shows: &dyn Fn(&Witness) -> bool,
) -> Option<Witness> {
    [1, 0].into_iter().find_map(|items| {
        let env = known(subject, items)?;
        verifier.drafted(&env).filter(|witness| shows(witness))
    })
}

/// That all is known that the condition of a rule asks for.
fn known<'p>(subject: &Subject<'p>, items: u64) -> Option<Env<'p>> {
    let mut env = Env::new(World::Policy(subject.policy));
    let variables = subject.rule.condition().variables();
    if variables.len() > MOST_VARIABLES {
        return None;
    }
    for variable in variables {
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
