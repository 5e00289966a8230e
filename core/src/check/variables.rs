//! Unsatisfiable parts of conditions: variables that lead nowhere, types that never fit, and values that never occur.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Steps, json,
    logic::{Expression, Form, Number, Operator, Types, VariablePath},
};

use super::{
    abstract_state::AbstractState,
    constant::Constant,
    finding::CheckFindings,
    inputs::Checked,
    relate::propagate,
    scope::{Key, Target, VariableScope},
    subject::{Subject, share},
    verifier::Verifier,
};
use crate::documents::{
    check_code::CheckCode,
    check_finding::{CheckFinding, Witness},
};

/// The most findings about the condition of one rule.
const MOST_FINDINGS: usize = 16;

/// The most variables of a condition that a witness makes known.
const MOST_VARIABLES: usize = 256;

/// Checks every part of every condition. Returns the indices of the rules for which a finding explains why the condition never
/// holds.
pub(super) fn check<'p>(
    checked: Checked<'p>,
    verifier: &mut Verifier<'p>,
    findings: &mut CheckFindings,
) -> Vec<usize> {
    let mut explained = Vec::new();
    for (place, rule) in checked.policy.rules().iter().enumerate() {
        let subject = Subject::new(checked, place, rule);
        let mut found = Vec::new();
        let mut steps = share(checked.policy);
        let mut pending = Vec::from([Part::whole(rule.condition().root(), checked)]);
        while let Some(part) = pending.pop()
            && found.len() < MOST_FINDINGS
        {
            part.check(&subject, verifier, &mut steps, &mut found);
            let mut inner: Vec<_> = part.inner();
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

/// A part of a condition, with the scope of its variables.
#[derive(Clone, Copy)]
pub(super) struct Part<'p> {
    pub part: Expression<'p>,
    /// The scope of its variables; `None` in the body of `reduce`, where it is not known.
    pub scope: Option<VariableScope<'p>>,
}

impl<'p> Part<'p> {
    #[inline(never)]
    pub(super) fn inner(self) -> Vec<Self> {
        let operator = self.part.operator();
        let iterates = operator.is_some_and(Operator::iterates);
        let mut inner: Vec<Self> = self.part.operands().map(|part| Self { part, ..self }).collect();
        if iterates {
            // The body of `reduce` sees more than the item.
            let list = inner.first().filter(|_| operator != Some(Operator::Reduce));
            let scope = list.and_then(|list| list.items());
            if let Some(body) = inner.get_mut(1) {
                *body = Self { part: body.part, scope };
            }
        }
        inner
    }

    pub(super) const fn whole(part: Expression<'p>, checked: Checked<'p>) -> Self {
        Self { part, scope: Some(VariableScope::Policy(checked)) }
    }

    /// Returns true if the part is in the body of an iteration, for example of `all`.
    const fn is_inside(self) -> bool {
        !matches!(self.scope, Some(VariableScope::Policy(_)))
    }

    /// The target of a variable, if its scope is known.
    #[inline(never)]
    pub(super) fn target(self) -> Option<Result<Target<'p>, String>> {
        let Form::Variable(path) = self.part.form() else { return None };
        Some(self.scope?.target(path))
    }

    /// The scope in which a body sees the items of this part, if the part is a variable whose list is known.
    #[inline(never)]
    pub(super) fn items(self) -> Option<VariableScope<'p>> {
        let Form::Variable(path) = self.part.form() else { return None };
        let (scope, list) = (self.scope?, self.target()?.ok()?);
        Some(scope.items(Key::Path(path), list.shape()))
    }

    /// The possible types of its known values.
    #[inline(never)]
    pub(super) fn types(self) -> Types {
        match (self.part.form(), self.part.operator()) {
            (Form::Constant(value), _) => value.types(),
            (Form::List, _) => Types::LIST,
            (Form::Variable(_), _) if self.part.operands().len() > 1 => Types::ANY,
            (Form::Variable(_), _) => match self.target() {
                Some(Ok(target)) => target.types(),
                _ => Types::ANY,
            },
            (_, Some(Operator::If | Operator::Ternary | Operator::Log)) => Types::ANY,
            (_, Some(operator)) => operator.signature().gives,
            _ => Types::ANY,
        }
    }

    fn check(
        self,
        subject: &Subject<'p>,
        verifier: &mut Verifier<'p>,
        steps: &mut Steps,
        found: &mut Vec<CheckFinding>,
    ) {
        let at = |part: Expression<'_>| format!("/when{}", part.pointer());
        if let (Form::Variable(path), Some(Err(fault))) = (self.part.form(), self.target()) {
            let witness = all_known(subject, verifier, &|witness| witness.is_undecided(subject.place));
            found.push(leads_nowhere(subject, &at(self.part), path, &fault).shown_by(witness));
        }
        if matches!(self.part.operator(), Some(Operator::Missing | Operator::MissingSome)) {
            self.check_missing(subject, verifier, found);
        }
        if let Some((part, message)) = self.type_error() {
            let witness = all_known(subject, verifier, &|witness| witness.error.is_some());
            found.push(subject.finding(CheckCode::TypeError, &at(part), message).shown_by(witness));
        } else if let Some((part, fault)) = self.never_equal() {
            let (message, hint) = split(&fault);
            found.push(CheckFinding { hint, ..subject.finding(CheckCode::NeverEqual, &at(part), message) });
        } else if let Some(message) = self.fixed_comparison(steps) {
            found.push(subject.finding(CheckCode::FixedComparison, &at(self.part), message));
        }
    }

    /// Checks the paths of `missing`, which are no variable lookups.
    fn check_missing(
        self,
        subject: &Subject<'p>,
        verifier: &mut Verifier<'p>,
        found: &mut Vec<CheckFinding>,
    ) {
        if self.is_inside() {
            return;
        }
        let path = format!("/when{}", self.part.pointer());
        for operand in self.part.operands() {
            let Some(constant) = operand.constant() else { continue };
            for known in Constant::from(constant).all_texts().into_iter().map(VariablePath::new) {
                if found.len() >= MOST_FINDINGS {
                    return;
                }
                if let Err(fault) = VariableScope::Policy(subject.checked).target(&known) {
                    // `missing` is always known, so its result for such a path holds for any envelope.
                    let witness = all_known(subject, verifier, &|witness| witness.error.is_none());
                    found.push(leads_nowhere(subject, &path, &known, &fault).shown_by(witness));
                }
            }
        }
    }
}

#[inline(never)]
fn leads_nowhere(subject: &Subject<'_>, at: &str, path: &VariablePath, fault: &str) -> CheckFinding {
    let (fault, hint) = split(fault);
    let message = format!("`{}` never has a value: {fault}", json::shorten(&path.to_string()));
    CheckFinding { hint, ..subject.finding(CheckCode::UnknownVariable, at, message) }
}

/// The problem, and the probable correction.
fn split(fault: &str) -> (String, Option<String>) {
    match fault.split_once(", did you mean ") {
        Some((fault, meant)) => (fault.into(), Some(format!("did you mean {meant}"))),
        None => (fault.into(), None),
    }
}

/// An envelope in which every variable of a rule's condition is known, if `shows` holds for it; with items in its lists, or
/// without.
#[inline(never)]
fn all_known<'p>(
    subject: &Subject<'p>,
    verifier: &mut Verifier<'p>,
    shows: &dyn Fn(&Witness) -> bool,
) -> Option<Witness> {
    [1, 0].into_iter().find_map(|items| {
        let state = known(subject, items)?;
        verifier.drafted(&state).filter(|witness| shows(witness))
    })
}

/// The state in which every variable of a rule's condition is known.
fn known<'p>(subject: &Subject<'p>, items: u64) -> Option<AbstractState<'p>> {
    let mut state = AbstractState::new(VariableScope::Policy(subject.checked));
    let variables = subject.rule.condition().variables();
    if variables.len() > MOST_VARIABLES {
        return None;
    }
    for variable in variables {
        if let Form::Variable(path) = variable.expression.form()
            && !variable.in_iteration
            && let Some(key) = state.scope.key(path)
        {
            let domain = state.domain(key);
            domain.unknown = domain.types == Types::NONE;
            domain.list.length.at_least(&Number::from(items), true);
            domain.settle();
        }
    }
    propagate(&mut state).ok()?;
    Some(state)
}
