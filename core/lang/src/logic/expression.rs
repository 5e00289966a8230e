//! A read-only view of a compiled expression, for analysis and explanation.

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::{
    check,
    operator::Operator,
    part::PartKind,
    path::VariablePath,
    program::{ConstantVariable, Program},
    scope::Scope,
    value::Value,
};
use crate::{error::Error, steps::Steps};

/// An expression, or a part of one.
///
/// ```
/// use adjudicate_lang::{Steps, json::{self, ReadLimits}, logic::{Mode, Operator, Program}};
/// let rule = json::read(br#"{"and": [{"<=": [{"var": "failed"}, 0]}]}"#, ReadLimits::DOCUMENT)?;
/// let program = Program::compile(rule.root(), Mode::Strict, &mut Steps::for_patterns())?;
/// let data = json::read(br#"{"failed": 3}"#, ReadLimits::DOCUMENT)?;
/// // Why is it false? Look at the operands of the comparison.
/// let comparison = program.root().operands().next().unwrap();
/// assert_eq!((comparison.operator(), comparison.pointer()), (Some(Operator::AtMost), "/and/0".into()));
/// let mut actual = comparison.operands().map(|operand| operand.evaluate(&data.root(), &mut Steps::default()));
/// assert_eq!(serde_json::to_string(&actual.next().unwrap()?).unwrap(), "3");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Expression<'p> {
    program: &'p Program,
    at: u32,
}

/// The form of an expression.
#[derive(Clone, Copy, Debug)]
pub enum Form<'p> {
    /// A constant. The compiler has already evaluated lists of constants.
    Constant(&'p Value<'p>),
    /// `var` with a constant path. Its operands are the path and the default, as far as they are present.
    Variable(&'p VariablePath),
    /// A list of expressions.
    List,
    /// Any other operation.
    Operation(Operator),
}

impl<'p> Expression<'p> {
    pub(super) const fn new(program: &'p Program, at: u32) -> Self {
        Self { program, at }
    }

    /// Returns the form.
    #[must_use]
    pub fn form(self) -> Form<'p> {
        match self.program.part(self.at).kind {
            PartKind::Constant(index) => Form::Constant(self.program.constant(index)),
            PartKind::List => Form::List,
            PartKind::Variable(index) => match self.program.constant_variables.get(usize::from(index)) {
                Some(known) => Form::Variable(&known.path),
                // The compiler assigned every index, so each is in range.
                None => Form::Operation(Operator::Var),
            },
            PartKind::Operation(operator) => Form::Operation(operator),
            PartKind::Glob(_) => Form::Operation(Operator::Glob),
            PartKind::Regex(_) => Form::Operation(Operator::Regex),
        }
    }

    /// Returns the operator of an operation, including `var`.
    #[must_use]
    pub fn operator(self) -> Option<Operator> {
        self.program.part(self.at).kind.operator()
    }

    /// Returns the value of a constant.
    #[must_use]
    pub fn constant(self) -> Option<&'p Value<'p>> {
        match self.form() {
            Form::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the operands of an operation or the items of a list, in order.
    pub fn operands(self) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        let part = self.program.part(self.at);
        let range = usize::from(part.first)..usize::from(part.first) + usize::from(part.count);
        range.map(move |at| Self { program: self.program, at: u32::try_from(at).unwrap_or_default() })
    }

    /// Returns the JSON Pointer from the whole expression to this part.
    #[must_use]
    pub fn pointer(self) -> String {
        self.program.pointer(self.at)
    }

    /// Returns the innermost iteration whose body contains this part.
    #[must_use]
    pub fn iteration(self) -> Option<Self> {
        let mut at = self.at;
        loop {
            let parent = self.program.parent(at)?;
            let around = self.program.part(parent);
            let iterates = around.kind.operator().is_some_and(Operator::iterates);
            if iterates && at == around.first() + 1 {
                return Some(Self { program: self.program, at: parent });
            }
            at = parent;
        }
    }

    /// Returns every variable that this part reads, as [`Program::variables`] does for the whole.
    #[must_use]
    pub fn variables(self) -> Vec<ExpressionVariable<'p>> {
        let mut found = Vec::new();
        let mut pending = Vec::from([(self, false)]);
        while let Some((expression, in_iteration)) = pending.pop() {
            let mut add = |path| found.push(ExpressionVariable { expression, path, in_iteration });
            match (expression.form(), expression.operator()) {
                (Form::Variable(path), _) => add(Some(path.clone())),
                (_, Some(Operator::Var)) => add(None),
                (_, Some(Operator::Missing)) => expression.add_keys(0, &mut add),
                (_, Some(Operator::MissingSome)) => expression.add_keys(1, &mut add),
                _ => {}
            }
            let iterates = expression.operator().is_some_and(Operator::iterates);
            let inner = expression.operands().enumerate().rev();
            pending.extend(inner.map(|(place, operand)| (operand, in_iteration || (iterates && place == 1))));
        }
        found
    }

    /// Adds the constant paths among the operands of `missing` from an index on, and `None` for each computed operand.
    fn add_keys(self, first: usize, add: &mut impl FnMut(Option<VariablePath>)) {
        let coercions = self.program.coercions;
        for operand in self.operands().skip(first) {
            match operand.constant() {
                None => add(None),
                Some(keys) => match keys.items() {
                    Some(keys) => keys.for_each(|key| add(check::path(&key, coercions).ok())),
                    None => add(check::path(keys, coercions).ok()),
                },
            }
        }
    }

    /// Evaluates this part alone. Within the body of an iteration, pass the item, a [`Value`], as the scope.
    ///
    /// # Errors
    ///
    /// As in [`Program::evaluate`].
    pub fn evaluate<'v>(self, scope: &dyn Scope<'v>, steps: &mut Steps) -> Result<Value<'v>, Error>
    where
        'p: 'v,
    {
        self.program.evaluate_part(self.at, scope, steps)
    }

    /// Evaluates this part as a condition. Returns `None` if it is unknown.
    ///
    /// # Errors
    ///
    /// As in [`Program::holds`].
    pub fn holds<'v>(self, scope: &dyn Scope<'v>, steps: &mut Steps) -> Result<Option<bool>, Error>
    where
        'p: 'v,
    {
        self.program.part_holds(self.at, scope, steps)
    }
}

/// Prints the form and the pointer, without the rest of the program.
impl fmt::Debug for Expression<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expression").field("form", &self.form()).field("pointer", &self.pointer()).finish()
    }
}

/// A variable that an expression reads with `var`, `missing` or `missing_some`.
#[derive(Clone, Debug)]
pub struct ExpressionVariable<'p> {
    /// The operation that reads it.
    pub expression: Expression<'p>,
    /// The path, or `None` for a computed path, which can be any.
    pub path: Option<VariablePath>,
    /// True if it is read from the items of an iteration instead of the data.
    pub in_iteration: bool,
}

impl Program {
    /// Returns the whole expression.
    #[must_use]
    pub fn root(&self) -> Expression<'_> {
        Expression::new(self, self.root_place())
    }

    /// Returns every variable that the expression reads, in the order of the text: one per `var`, and one per constant path of
    /// `missing` and `missing_some`.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, json::{self, ReadLimits}, logic::{Mode, Program}};
    /// let rule = json::read(br#"{"some": [{"var": "runs"}, {"<": [{"var": "exit"}, 1]}]}"#, ReadLimits::DOCUMENT)?;
    /// let program = Program::compile(rule.root(), Mode::Strict, &mut Steps::for_patterns())?;
    /// let found: Vec<_> = program.variables().into_iter()
    ///     .map(|v| (v.path.unwrap().to_string(), v.in_iteration, v.expression.pointer())).collect();
    /// assert_eq!(found, [("runs".into(), false, "/some/0".into()), ("exit".into(), true, "/some/1/</0".into())]);
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    #[must_use]
    pub fn variables(&self) -> Vec<ExpressionVariable<'_>> {
        self.root().variables()
    }

    /// Assigns numbers to the variables with constant paths outside of iterations. A scope can then cache values by number
    /// ([`Scope::numbered`]) for many expressions. `number` returns `None` for a variable without a number.
    pub fn number_variables(&mut self, mut number: impl FnMut(&VariablePath) -> Option<u32>) {
        let mut numbers = [ConstantVariable::UNNUMBERED].repeat(self.constant_variables.len());
        for variable in self.variables().into_iter().filter(|variable| !variable.in_iteration) {
            if let PartKind::Variable(index) = self.part(variable.expression.at).kind
                && let Some(slot) = numbers.get_mut(usize::from(index))
            {
                *slot = variable.path.as_ref().and_then(&mut number).unwrap_or(ConstantVariable::UNNUMBERED);
            }
        }
        for (known, number) in self.constant_variables.iter_mut().zip(numbers) {
            known.number = number;
        }
    }
}
