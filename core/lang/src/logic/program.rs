//! The compiled form of an expression: a flat list of parts, the operands of each side by side.

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

use super::{
    Mode,
    compat::{COERCIONS, Coercions},
    compile::Compiler,
    evaluate::{Failed, Machine, Place},
    expression::{Expression, Form},
    operator::Operator,
    path::Path,
    scope::Scope,
    serialize::measure,
    texts::Texts,
    types::Types,
    value::Value,
};
use crate::{codes, error::Error, json, paths::Glob, pattern::Regex, steps::Steps};

/// A compiled expression, to be evaluated as often as wanted.
///
/// ```
/// use adjudicate_lang::{Steps, json::{self, Limits}, logic::{Mode, Program}};
/// let rule = json::read(br#"{"<": [{"var": "passed"}, {"*": [{"var": "total"}, 0.9]}]}"#, Limits::DOCUMENT)?;
/// let program = Program::compile(rule.root(), Mode::Strict, &mut Steps::for_patterns())?;
/// let data = json::read(br#"{"passed": 8, "total": 10}"#, Limits::DOCUMENT)?;
/// let value = program.evaluate(&data.root(), &mut Steps::default())?;
/// assert_eq!(value.as_bool(), Some(true));
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    /// What compat mode does otherwise; nothing in strict mode.
    pub(super) coercions: Option<&'static Coercions>,
    pub(super) parts: Box<[Part]>,
    pub(super) constants: Box<[Value<'static>]>,
    /// What `var` asks for where the path is known.
    pub(super) known: Box<[Known]>,
    /// Most expressions have none.
    pub(super) patterns: Option<Box<Patterns>>,
}

/// A variable whose path is known.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub path: Path,
    /// Once the variables are numbered; [`Known::UNNUMBERED`] for one that has none.
    pub number: u32,
}

/// The patterns that are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    pub globs: Vec<Glob>,
    pub regexes: Vec<Regex>,
}

// A policy that is baked into a module has all of its expressions in there.
#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Program>() <= 32);

/// One part of an expression, in 12 bytes. The last one is the whole. An expression has so few parts that 16 bits number them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub kind: PartKind,
    /// Whether its only operand was written without a list around it.
    pub bare: bool,
    /// Whether it is an operation that gives nothing but true, false and unknown.
    pub decides: bool,
    /// The first of its operands, and how many there are.
    pub first: u16,
    pub count: u16,
    /// What it is an operand of; of the whole this means nothing.
    pub parent: u16,
}

const _: () = assert!(size_of::<Part>() <= 12);

/// What a part is; numbers point into the program's tables.
#[derive(Clone, Copy, Debug)]
pub(super) enum PartKind {
    Constant(u16),
    /// `var` with a path that is known.
    Variable(u16),
    /// A list of expressions.
    List,
    Operation(Operator),
    /// `glob` and `regex` with a pattern that is known.
    Glob(u16),
    Regex(u16),
}

impl Part {
    pub(super) const fn leaf(kind: PartKind) -> Self {
        Self { kind, bare: false, decides: false, first: 0, count: 0, parent: 0 }
    }

    pub(super) fn first(&self) -> u32 {
        self.first.into()
    }

    pub(super) fn count(&self) -> u32 {
        self.count.into()
    }
}

impl PartKind {
    /// The operator, as it was written.
    pub(super) const fn operator(self) -> Option<Operator> {
        match self {
            Self::Operation(operator) => Some(operator),
            Self::Variable(_) => Some(Operator::Var),
            Self::Glob(_) => Some(Operator::Glob),
            Self::Regex(_) => Some(Operator::Regex),
            Self::Constant(_) | Self::List => None,
        }
    }
}

impl Known {
    /// What stands for the number of a variable without one.
    pub(super) const UNNUMBERED: u32 = u32::MAX;
}

impl Program {
    /// Makes constants and paths of its own of those that it shares with its clones, but for those that are given: texts that
    /// several expressions have, and the paths of the variables that are numbered.
    pub fn detach<'p>(&mut self, texts: &Texts, paths: impl Fn(u32) -> Option<&'p Path>) {
        for constant in &mut self.constants {
            *constant = constant.detached(texts);
        }
        for Known { path, number } in &mut self.known {
            *path = paths(*number).map_or_else(|| path.detached(), Path::clone);
        }
    }

    /// Makes one path of those that are equal; `shared` has the paths of the variables that are numbered.
    pub fn share_paths<'p>(&mut self, shared: impl Fn(u32) -> Option<&'p Path>) {
        for Known { path, number } in &mut self.known {
            if let Some(same) = shared(*number) {
                *path = same.clone();
            }
        }
    }

    /// The texts among its constants, each as often as it is there.
    pub fn texts(&self) -> impl Iterator<Item = &Arc<str>> {
        self.constants.iter().flat_map(Value::built_texts)
    }

    /// Compiles an expression. The budget is for its patterns: all expressions of one document share
    /// [`Steps::for_patterns`].
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_EXPRESSION`], at the sub-expression at fault, for an
    /// unknown operator, a wrong number of operands, patterns that are none, and in strict mode for whatever types
    /// and constants that cannot work; [`codes::LIMIT_EXCEEDED`] for an
    /// expression of more than 65,536 parts and for patterns that stand for too much.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, json::{self, Limits}, logic::{Mode, Program}};
    /// let rule = json::read(br#"{"and": [true, {"strts_with": ["a", "b"]}]}"#, Limits::DOCUMENT)?;
    /// let error = Program::compile(rule.root(), Mode::Strict, &mut Steps::for_patterns()).unwrap_err();
    /// assert_eq!(error.to_string(),
    ///     "invalid_expression: unknown operator `strts_with`, did you mean `starts_with`? at /and/1");
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    #[inline]
    pub fn compile(expression: json::Node<'_>, mode: Mode, patterns: &mut Steps) -> Result<Self, Error> {
        let coercions = match mode {
            Mode::Strict => None,
            Mode::Compat => Some(&COERCIONS),
        };
        Compiler::new(coercions, patterns).compile(expression)
    }

    /// Compiles an expression, strictly, that is to be asked whether it [holds](Program::holds).
    ///
    /// # Errors
    ///
    /// Those of [`Program::compile`], and [`codes::INVALID_EXPRESSION`] for one
    /// that never gives a boolean.
    pub fn condition(expression: json::Node<'_>, patterns: &mut Steps) -> Result<Self, Error> {
        let program = Self::compile(expression, Mode::Strict, patterns)?;
        let gives = program.gives();
        if gives.meets(Types::BOOL) {
            return Ok(program);
        }
        Err(Error::new(codes::INVALID_EXPRESSION, format!("a condition is a boolean, found {gives}")))
    }

    /// What it may give.
    fn gives(&self) -> Types {
        let root = self.root();
        match (root.form(), root.operator()) {
            (Form::Constant(value), _) => value.types(),
            (Form::List, _) => Types::LIST,
            (_, Some(operator)) => operator.signature().gives,
            (_, None) => Types::ANY,
        }
    }

    /// Evaluates the expression.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] when the budget runs out, writing the value
    /// included, and for numbers and values beyond their range;
    /// [`codes::INVALID_EXPRESSION`] for types that do not fit, and for a
    /// computed pattern that is none. Both point at the sub-expression where it happened.
    pub fn evaluate<'v>(&'v self, scope: &dyn Scope<'v>, steps: &mut Steps) -> Result<Value<'v>, Error> {
        self.root().evaluate(scope, steps)
    }

    /// Whether the expression, as a condition, holds; `None` if that is unknown. In compat mode any value counts as
    /// true or false. This is the quickest way to ask.
    ///
    /// # Errors
    ///
    /// Those of [`Program::evaluate`], which include a value that is no boolean in strict mode.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, json::{self, Limits}, logic::{Mode, Program}};
    /// let rule = json::read(br#"{"or": [{"var": "approved"}, {"==": [{"var": "risk"}, "low"]}]}"#, Limits::DOCUMENT)?;
    /// let program = Program::compile(rule.root(), Mode::Strict, &mut Steps::for_patterns())?;
    /// for (data, expected) in [(r#"{"risk": "low"}"#, Some(true)), (r#"{"risk": "high"}"#, None)] {
    ///     let data = json::read(data.as_bytes(), Limits::DOCUMENT)?;
    ///     assert_eq!(program.holds(&data.root(), &mut Steps::default())?, expected);
    /// }
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    pub fn holds<'v>(&'v self, scope: &dyn Scope<'v>, steps: &mut Steps) -> Result<Option<bool>, Error> {
        self.root().holds(scope, steps)
    }

    pub(super) fn evaluate_part<'v>(
        &'v self,
        at: u32,
        scope: &dyn Scope<'v>,
        steps: &mut Steps,
    ) -> Result<Value<'v>, Error> {
        let mut machine = Machine::new(self, steps);
        match machine.owned(at, &Place::Outside(scope)) {
            // What compat mode has no value for, such as `{"and": []}`.
            Ok(Value::Unknown) if self.coercions.is_some() => Ok(Value::Null),
            Ok(value) if value.is_container() => measure(&value, steps).map(|()| value),
            Ok(value) => Ok(value),
            Err(Failed) => Err(machine.failure()),
        }
    }

    pub(super) fn part_holds<'v>(
        &'v self,
        at: u32,
        scope: &dyn Scope<'v>,
        steps: &mut Steps,
    ) -> Result<Option<bool>, Error> {
        let mut machine = Machine::new(self, steps);
        machine.condition(at, &Place::Outside(scope)).map_err(|Failed| machine.failure())
    }

    /// The mode it was compiled for.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        Mode::of(self.coercions)
    }

    /// The whole expression, to look at.
    #[must_use]
    pub fn root(&self) -> Expression<'_> {
        Expression::new(self, self.root_place())
    }

    pub(super) fn part(&self, at: u32) -> &Part {
        // Every number in the tables was given out by the compiler.
        self.parts.get(at as usize).unwrap_or(const { &Part::leaf(PartKind::List) })
    }

    /// What a part is an operand of; the whole is nobody's.
    pub(super) fn parent(&self, at: u32) -> Option<u32> {
        (at != self.root_place()).then(|| self.part(at).parent.into())
    }

    fn root_place(&self) -> u32 {
        u32::try_from(self.parts.len()).unwrap_or_default().saturating_sub(1)
    }

    pub(super) fn constant(&self, index: u16) -> &Value<'static> {
        self.constants.get(usize::from(index)).unwrap_or(&Value::Unknown)
    }

    /// Where in the expression a part stands.
    pub(super) fn pointer(&self, at: u32) -> String {
        let mut steps = Vec::new();
        let mut child = at;
        while let Some(at) = self.parent(child) {
            let parent = self.part(at);
            steps.push((parent, child - parent.first()));
            child = at;
        }
        steps
            .iter()
            .rev()
            .map(|(parent, place)| segment(parent.kind.operator(), parent.bare, *place))
            .collect()
    }
}

/// The way from a part to one of its operands.
pub(super) fn segment(operator: Option<Operator>, bare: bool, place: u32) -> String {
    match operator {
        None => format!("/{place}"),
        // The one name with a character that pointers escape.
        Some(Operator::Divide) if bare => "/~1".into(),
        Some(Operator::Divide) => format!("/~1/{place}"),
        Some(operator) if bare => format!("/{}", operator.name()),
        Some(operator) => format!("/{}/{place}", operator.name()),
    }
}
