//! The variables of conditions: `input`, `facts` and `parameters`.

use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

use adjudicate_lang::{
    json::{Pointer, unknown},
    logic::{Path, Texts},
};

use super::fact::Fact;

/// The roots of variables.
const ROOTS: [&str; 3] = ["input", "facts", "parameters"];

/// A variable that conditions of a policy ask for.
#[derive(Clone, Debug)]
pub struct Variable {
    path: Path,
    /// The path as it is written.
    text: Arc<str>,
    root: Root,
    /// Where in the envelope it is, if it is a part of it.
    pointer: Option<Box<str>>,
    /// How many segments of the path the root takes.
    own: usize,
}

/// Where a variable begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The envelope as it was given.
    Input,
    /// A fact.
    Fact(Fact),
    /// A threshold of the policy, its default filled in.
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
    /// The variable that a path leads to; a fault, for people, if there is none.
    pub(crate) fn find(path: &Path) -> Result<Self, String> {
        let Some((root, names)) = path.segments().split_first() else {
            return Err("a variable begins with `input`, `facts` or `parameters`".into());
        };
        let (root, own) = match (&**root, names) {
            ("input", _) => (Root::Input, 1),
            ("facts" | "parameters", []) => return Err(format!("`{root}` is followed by a name")),
            ("facts", names) => match Fact::find(names) {
                Some((fact, own)) => (Root::Fact(fact), 1 + own),
                None => return Err(unknown("fact", &joined(names), Fact::NAMES)),
            },
            ("parameters", [name, ..]) => match Parameter::find(name) {
                Some(parameter) => (Root::Parameter(parameter), 2),
                None => return Err(unknown("parameter", name, &Parameter::NAMES)),
            },
            (other, _) => return Err(unknown("root of a variable", other, &ROOTS)),
        };
        let pointer = (root == Root::Input).then(|| {
            let pointer = names.iter().fold(Pointer::new(""), |pointer, name| pointer.key(name));
            pointer.into_string().into()
        });
        Ok(Self { path: path.clone(), text: joined(path.segments()).into(), root, pointer, own })
    }

    /// The path, as conditions spell it.
    #[must_use]
    pub const fn path(&self) -> &Path {
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

    /// Gives it a path that it shares with nobody, and a text that is one of those, or its own.
    pub(super) fn detach(&mut self, texts: &Texts) {
        self.path = self.path.detached();
        self.text = texts.detached(&self.text);
    }

    /// Where it begins.
    #[must_use]
    pub const fn root(&self) -> Root {
        self.root
    }

    /// The segments that lead on from there.
    #[must_use]
    pub fn rest(&self) -> &[Box<str>] {
        self.path.segments().get(self.own..).unwrap_or_default()
    }

    /// Where in the envelope it is looked up, if it is a part of it.
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        self.pointer.as_deref()
    }
}

/// Whether names lead into a member of the caller's own.
pub(crate) fn is_extension(names: &[Box<str>]) -> bool {
    names.first().is_some_and(|root| **root == *"input") && names.iter().any(|name| name.starts_with("x-"))
}

/// The names as they are written.
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
            let variable = Variable::find(&Path::new(path)).unwrap();
            let found: Vec<&str> = variable.rest().iter().map(|name| &**name).collect();
            assert_eq!((variable.root(), found.as_slice()), (root, rest), "{path}");
        }
        let variable = Variable::find(&Path::new("input.evidence.a/b.0")).unwrap();
        assert_eq!(variable.pointer(), Some("/evidence/a~1b/0"));
        assert_eq!(variable.text(), "input.evidence.a/b.0");
    }

    #[test]
    fn what_leads_nowhere_is_named() {
        for (path, fault) in [
            ("", "a variable begins with `input`, `facts` or `parameters`"),
            ("inputs.run_id", "unknown root of a variable `inputs`, did you mean `input`?"),
            ("fact.intent", "unknown root of a variable `fact`, did you mean `facts`?"),
            ("facts", "`facts` is followed by a name"),
            ("facts.diff.path", "unknown fact `diff.path`, did you mean `diff.paths`?"),
            ("facts.reveiw.high", "unknown fact `reveiw.high`, did you mean `review.high`?"),
            ("parameters", "`parameters` is followed by a name"),
            ("parameters.cap", "unknown parameter `cap`"),
            ("parameters.refinment_cap", "unknown parameter `refinment_cap`, did you mean `refinement_cap`?"),
        ] {
            assert_eq!(Variable::find(&Path::new(path)).unwrap_err(), fault, "{path}");
        }
    }
}
