//! The compiled form of an expression: a flat list of parts, in which the operands of a part are adjacent.

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

use super::{
    Mode,
    compat::Coercions,
    interner::StringInterner,
    operator::Operator,
    part::{Part, PartKind},
    path::VariablePath,
    value::Value,
};
use crate::{paths::Glob, pattern::Regex};

/// A compiled expression, which you can evaluate any number of times.
///
/// ```
/// use adjudicate_lang::{Steps, json::{self, ReadLimits}, logic::{Mode, Program}};
/// let rule = json::read(br#"{"<": [{"var": "passed"}, {"*": [{"var": "total"}, 0.9]}]}"#, ReadLimits::DOCUMENT)?;
/// let program = Program::compile(rule.root(), Mode::Strict, &mut Steps::for_patterns())?;
/// let data = json::read(br#"{"passed": 8, "total": 10}"#, ReadLimits::DOCUMENT)?;
/// let value = program.evaluate(&data.root(), &mut Steps::default())?;
/// assert_eq!(value.as_bool(), Some(true));
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    /// The functions of compat mode; `None` in strict mode.
    pub(super) coercions: Option<&'static Coercions>,
    pub(super) parts: Box<[Part]>,
    pub(super) constants: Box<[Value<'static>]>,
    /// The variables of `var` with constant paths.
    pub(super) constant_variables: Box<[ConstantVariable]>,
    /// `None` in most expressions.
    pub(super) patterns: Option<Box<Patterns>>,
}

/// A variable with a constant path.
#[derive(Clone, Debug)]
pub(super) struct ConstantVariable {
    pub path: VariablePath,
    /// The number from [`Program::number_variables`], or [`ConstantVariable::UNNUMBERED`].
    pub number: u32,
}

/// The precompiled constant patterns.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    pub globs: Vec<Glob>,
    pub regexes: Vec<Regex>,
}

// A baked module contains all expressions of its policy.
#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Program>() <= 32);

impl ConstantVariable {
    /// The number of a variable without one.
    pub(super) const UNNUMBERED: u32 = u32::MAX;
}

impl Program {
    /// Replaces memory shared with clones by copies. Constants use the strings of `texts`, and numbered variables the paths of
    /// `paths`.
    pub fn detach<'p>(&mut self, texts: &StringInterner, paths: impl Fn(u32) -> Option<&'p VariablePath>) {
        for constant in &mut self.constants {
            *constant = constant.detached(texts);
        }
        for ConstantVariable { path, number } in &mut self.constant_variables {
            *path = paths(*number).map_or_else(|| path.detached(), VariablePath::clone);
        }
    }

    /// Replaces the paths of numbered variables by the equal paths in `shared`.
    pub fn share_paths<'p>(&mut self, shared: impl Fn(u32) -> Option<&'p VariablePath>) {
        for ConstantVariable { path, number } in &mut self.constant_variables {
            if let Some(same) = shared(*number) {
                *path = same.clone();
            }
        }
    }

    /// Returns the strings among the constants, with repetitions.
    pub fn texts(&self) -> impl Iterator<Item = &Arc<str>> {
        self.constants.iter().flat_map(Value::built_texts)
    }

    /// Returns the mode of the program.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        Mode::from_coercions(self.coercions)
    }

    pub(super) fn part(&self, at: u32) -> &Part {
        // The compiler assigned every index, so each is in range.
        self.parts.get(at as usize).unwrap_or(const { &Part::leaf(PartKind::List) })
    }

    /// Returns the index of the operation around a part, or `None` for the whole.
    pub(super) fn parent(&self, at: u32) -> Option<u32> {
        (at != self.root_place()).then(|| self.part(at).parent.into())
    }

    pub(super) fn root_place(&self) -> u32 {
        u32::try_from(self.parts.len()).unwrap_or_default().saturating_sub(1)
    }

    pub(super) fn constant(&self, index: u16) -> &Value<'static> {
        self.constants.get(usize::from(index)).unwrap_or(&Value::Unknown)
    }

    /// Returns the JSON Pointer of a part.
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

/// Returns the JSON Pointer from a part to one of its operands.
pub(super) fn segment(operator: Option<Operator>, bare: bool, place: u32) -> String {
    match operator {
        None => format!("/{place}"),
        // The only name with a character that pointers escape.
        Some(Operator::Divide) if bare => "/~1".into(),
        Some(Operator::Divide) => format!("/~1/{place}"),
        Some(operator) if bare => format!("/{}", operator.name()),
        Some(operator) => format!("/{}/{place}", operator.name()),
    }
}
