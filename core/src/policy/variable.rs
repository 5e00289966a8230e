//! The variables of conditions: `input`, `facts` and `parameters`.

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

use adjudicate_lang::{
    json::{Pointer, closest, shorten, unknown},
    logic::{StringInterner, VariablePath},
};

use super::fact::Fact;

/// The roots of variables.
const ROOTS: [&str; 3] = ["input", "facts", "parameters"];

/// The rule about the roots, for messages.
const ROOT_RULE: &str = "variables begin with `input.`, `facts.` or `parameters.`";

/// A variable that conditions of a policy read.
#[derive(Clone, Debug)]
pub struct Variable {
    path: VariablePath,
    /// The path as text.
    text: Arc<str>,
    root: Root,
    /// The JSON Pointer of a part of the envelope.
    pointer: Option<Box<str>>,
    /// The number of segments that belong to the root.
    own: usize,
}

/// The value in which a variable's path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The envelope.
    Input,
    /// A fact.
    Fact(Fact),
    /// A threshold of the policy, or its default.
    Parameter(Parameter),
}

/// A threshold of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `partial_threshold`
    PartialThreshold,
    /// `blocker_repeat`
    BlockerRepeat,
    /// `refinement_cap`
    RefinementCap,
}

impl Parameter {
    /// All thresholds.
    pub(crate) const ALL: [Self; 3] = [Self::PartialThreshold, Self::BlockerRepeat, Self::RefinementCap];

    const NAMES: [&str; 3] = ["partial_threshold", "blocker_repeat", "refinement_cap"];

    /// The variable, as conditions spell it.
    pub(crate) const fn variable(self) -> &'static str {
        match self {
            Self::PartialThreshold => "parameters.partial_threshold",
            Self::BlockerRepeat => "parameters.blocker_repeat",
            Self::RefinementCap => "parameters.refinement_cap",
        }
    }

    fn find(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .zip(Self::NAMES)
            .find_map(|(parameter, known)| (known == name).then_some(parameter))
    }
}

impl Variable {
    /// Finds the variable that a path leads to.
    pub(crate) fn find(path: &VariablePath) -> Option<Self> {
        let (root, own) = locate(path)?;
        let names = path.segments().get(1..).unwrap_or_default();
        let pointer = (root == Root::Input).then(|| {
            let pointer = names.iter().fold(Pointer::new(""), |pointer, name| pointer.key(name));
            pointer.into_string().into()
        });
        Some(Self { path: path.clone(), text: joined(path.segments()).into(), root, pointer, own })
    }

    /// Returns whether a path leads to a variable.
    pub(crate) fn exists(path: &VariablePath) -> bool {
        locate(path).is_some()
    }

    /// The path, as conditions spell it.
    #[must_use]
    pub const fn path(&self) -> &VariablePath {
        &self.path
    }

    /// The path, as text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The path, as text that conditions may share.
    pub(super) const fn shared_text(&self) -> &Arc<str> {
        &self.text
    }

    /// Replaces the path with a copy that is not shared, and the text with that of `texts` or with a copy.
    pub(super) fn detach(&mut self, texts: &StringInterner) {
        self.path = self.path.detached();
        self.text = texts.detached(&self.text);
    }

    /// The value in which the path begins.
    #[must_use]
    pub const fn root(&self) -> Root {
        self.root
    }

    /// The segments after the root.
    #[must_use]
    pub fn rest(&self) -> &[Box<str>] {
        self.path.segments().get(self.own..).unwrap_or_default()
    }

    /// Returns whether it leads into an `x-` field of the envelope's root.
    pub(crate) fn is_input(&self) -> bool {
        self.root == Root::Input && self.rest().first().is_some_and(|name| name.starts_with("x-"))
    }

    /// The JSON Pointer of the variable in the envelope, if it is a part of the envelope.
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        self.pointer.as_deref()
    }
}

/// Returns whether names lead into an `x-` field of the envelope.
pub(crate) fn is_extension(names: &[Box<str>]) -> bool {
    names.first().is_some_and(|root| **root == *"input") && names.iter().any(|name| name.starts_with("x-"))
}

/// Returns the value in which a path begins, and the number of segments that belong to it.
fn locate(path: &VariablePath) -> Option<(Root, usize)> {
    let (root, names) = path.segments().split_first()?;
    match &**root {
        "input" => Some((Root::Input, 1)),
        "facts" => Fact::find(names).map(|(fact, own)| (Root::Fact(fact), 1 + own)),
        "parameters" => Parameter::find(names.first()?).map(|parameter| (Root::Parameter(parameter), 2)),
        _ => None,
    }
}

/// Returns the message for a path that leads to no variable.
pub(super) fn unknown_variable(path: &VariablePath) -> String {
    let Some((root, names)) = path.segments().split_first() else {
        return format!("empty name of a variable; {ROOT_RULE}");
    };
    match (&**root, names) {
        ("facts" | "parameters", []) => format!("`{root}` is followed by a name"),
        ("facts", names) => unknown("fact", &joined(names), Fact::NAMES),
        ("parameters", [name, ..]) => unknown("parameter", name, &Parameter::NAMES),
        (root, names) => unknown_root(root, names),
    }
}

/// Returns the message for a path with an unknown root.
fn unknown_root(root: &str, names: &[Box<str>]) -> String {
    let rest: String = names.iter().flat_map(|name| [".", &**name]).collect();
    let path = format!("{root}{rest}");
    let suggested = [
        closest(root, &ROOTS).map(|known| format!("{known}{rest}")),
        Some(format!("facts.{path}")),
        Some(format!("parameters.{path}")),
        closest(&path, Fact::NAMES).map(|name| format!("facts.{name}")),
    ];
    let hint = suggested.into_iter().flatten().find(|path| locate(&VariablePath::new(path)).is_some());
    let hint = hint.map_or_else(String::new, |path| format!("; did you mean `{}`?", shorten(&path)));
    format!("unknown variable `{}`; {ROOT_RULE}{hint}", shorten(&path))
}

/// The names, joined by dots.
fn joined(names: &[Box<str>]) -> String {
    names.iter().map(|name| &**name).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_variables() {
        for (path, root, rest) in [
            ("input", Root::Input, &[][..]),
            ("input.evidence.x", Root::Input, &["evidence", "x"]),
            ("facts.diff.paths.0", Root::Fact(Fact::DiffPaths), &["0"]),
            ("parameters.blocker_repeat", Root::Parameter(Parameter::BlockerRepeat), &[]),
        ] {
            let variable = Variable::find(&VariablePath::new(path)).unwrap();
            let found: Vec<&str> = variable.rest().iter().map(|name| &**name).collect();
            assert_eq!((variable.root(), found.as_slice()), (root, rest), "{path}");
        }
        let variable = Variable::find(&VariablePath::new("input.evidence.a/b.0")).unwrap();
        assert_eq!(variable.pointer(), Some("/evidence/a~1b/0"));
        assert_eq!(variable.text(), "input.evidence.a/b.0");
    }

    #[test]
    fn unknown_facts_and_parameters_are_named() {
        for (path, fault) in [
            ("facts", "`facts` is followed by a name"),
            ("facts.diff.path", "unknown fact `diff.path`, did you mean `diff.paths`?"),
            ("facts.reveiw.high", "unknown fact `reveiw.high`, did you mean `review.high`?"),
            ("parameters", "`parameters` is followed by a name"),
            ("parameters.cap", "unknown parameter `cap`"),
            ("parameters.refinment_cap", "unknown parameter `refinment_cap`, did you mean `refinement_cap`?"),
        ] {
            assert_eq!(unknown_variable(&VariablePath::new(path)), fault, "{path}");
        }
    }

    #[test]
    fn unknown_roots_come_with_the_roots_and_a_suggestion() {
        for (path, message, hint) in [
            ("", "empty name of a variable", ""),
            ("inputs.run_id", "unknown variable `inputs.run_id`", "; did you mean `input.run_id`?"),
            ("fact.intent", "unknown variable `fact.intent`", "; did you mean `facts.intent`?"),
            ("diff.count", "unknown variable `diff.count`", "; did you mean `facts.diff.count`?"),
            ("diff.paths.0", "unknown variable `diff.paths.0`", "; did you mean `facts.diff.paths.0`?"),
            ("dif.count", "unknown variable `dif.count`", "; did you mean `facts.diff.count`?"),
            (
                "blocker_repeat",
                "unknown variable `blocker_repeat`",
                "; did you mean `parameters.blocker_repeat`?",
            ),
            ("fact.nothing", "unknown variable `fact.nothing`", ""),
        ] {
            let expected =
                format!("{message}; variables begin with `input.`, `facts.` or `parameters.`{hint}");
            assert_eq!(unknown_variable(&VariablePath::new(path)), expected, "{path}");
        }
    }
}
