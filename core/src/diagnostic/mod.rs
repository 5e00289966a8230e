//! Diagnostics: what one validator says about a plan or an output (5.9.3), its code, and how one is made.

mod code;
mod finding;

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        self, Node,
        object::{Field, Form, Members, extensions, optional, read_object, required},
    },
    order,
};

pub use self::code::PlanCode;
pub(crate) use self::finding::Finding;
use crate::{codes, words::words};

words! {
    /// How much hangs on a constraint (5.9.1), and on a diagnostic; the hardest comes first.
    Level {
        /// Nothing is accepted without it.
        Hard = "hard",
        /// Without it the score is lower.
        Soft = "soft",
        /// Nothing hangs on it.
        Informational = "informational",
    }
}

words! {
    /// What a validator found; the worst comes first.
    Outcome {
        /// It does not hold.
        Unsatisfied = "unsatisfied",
        /// It cannot be told whether it holds.
        Unknown = "unknown",
        /// It holds.
        Satisfied = "satisfied",
    }
}

words! {
    /// Why (5.9.3); the order is that of the source.
    Cause {
        /// Nothing gives what is needed.
        MissingProducer = "missing_producer",
        /// Nothing sees to it that the constraint holds.
        MissingEnforcer = "missing_enforcer",
        /// Parts of the plan, its schemas or its policies do not go together.
        SchemaIncompatible = "schema_incompatible",
        /// A soft constraint is not met.
        UnsatisfiedSoft = "unsatisfied_soft",
        /// For the planner to know.
        Advisory = "advisory",
    }
}

/// What one validator says about a plan or an output.
///
/// ```
/// use adjudicate_core::{json::{self, Limits}, plan::Diagnostic};
/// let text = br#"{"cause":"missing_producer","severity":"hard","status":"unsatisfied","suggestion":"b\na\n\nb"}"#;
/// let tape = json::read(text, Limits::DOCUMENT)?;
/// let diagnostic = Diagnostic::read(tape.root())?;
/// assert_eq!(
///     diagnostic.to_json(),
///     r#"{"severity":"hard","status":"unsatisfied","cause":"missing_producer","suggestion":"a\nb"}"#,
/// );
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<'a> {
    /// How much hangs on it.
    pub level: Level,
    /// What was found.
    pub outcome: Outcome,
    /// The constraint, as people read it.
    pub constraint: Option<Cow<'a, str>>,
    /// The constraint's id.
    pub constraint_id: Option<Cow<'a, str>>,
    /// The node at fault.
    pub node_id: Option<Cow<'a, str>>,
    /// The capability at fault.
    pub capability_id: Option<Cow<'a, str>>,
    /// Why.
    pub cause: Cause,
    /// What would help, line by line: sorted, without repeats and without blank ones.
    pub(crate) suggestions: Vec<Cow<'a, str>>,
    /// An object of whatever else is known, as canonical JSON.
    pub(crate) details: Option<String>,
    /// Members whose names begin with `x-`, sorted, with their values as canonical JSON.
    pub(crate) extensions: Vec<(Cow<'a, str>, String)>,
}

/// The members of a diagnostic, in the order in which they are written.
const FIELDS: &[Field] = &[
    required("severity", Form::Word(Level::WORDS)),
    required("status", Form::Word(Outcome::WORDS)),
    optional("constraint", Form::Text),
    optional("constraintId", Form::Id),
    optional("nodeId", Form::Id),
    optional("capabilityId", Form::Id),
    required("cause", Form::Word(Cause::WORDS)),
    optional("suggestion", Form::Text),
    optional("details", Form::Object),
];

impl<'a> Diagnostic<'a> {
    /// A diagnostic that says no more than it must.
    #[must_use]
    pub const fn new(level: Level, outcome: Outcome, cause: Cause) -> Self {
        Self {
            level,
            outcome,
            constraint: None,
            constraint_id: None,
            node_id: None,
            capability_id: None,
            cause,
            suggestions: Vec::new(),
            details: None,
            extensions: Vec::new(),
        }
    }

    /// Reads a diagnostic.
    ///
    /// # Errors
    ///
    /// The first in document order; paths begin at the diagnostic.
    pub fn read(value: Node<'a>) -> Result<Self, Error> {
        // What is required replaces these.
        let mut read = Self::new(Level::Hard, Outcome::Unknown, Cause::Advisory);
        read_object(value, FIELDS, &mut |at, member| {
            let text = member.as_str().unwrap_or_default();
            let shared = || Some(Cow::Borrowed(text));
            match at {
                0 => read.level = Level::from_text(text).unwrap_or(read.level),
                1 => read.outcome = Outcome::from_text(text).unwrap_or(read.outcome),
                2 => read.constraint = shared(),
                3 => read.constraint_id = shared(),
                4 => read.node_id = shared(),
                5 => read.capability_id = shared(),
                6 => read.cause = Cause::from_text(text).unwrap_or(read.cause),
                7 => read.suggest(text),
                _ => read.details = Some(json::canonical(member)),
            }
            Ok(())
        })?;
        let extensions = extensions(value).into_iter();
        read.extensions = extensions.map(|(name, value)| (name.into(), json::canonical(value))).collect();
        Ok(read)
    }

    /// Reads a diagnostic of the bucket that holds this level.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), and [`codes::INVALID_VALUE`] where it has another level.
    pub(crate) fn read_in_bucket(value: Node<'a>, level: Level) -> Result<Self, Error> {
        let read = Self::read(value)?;
        if read.level == level {
            return Ok(read);
        }
        let message = "the diagnostic is in the bucket of another severity";
        Err(Error::new(codes::INVALID_VALUE, message).under("severity"))
    }

    /// Returns whether it says that something is not met, or that this is unknown.
    pub(crate) fn is_open(&self) -> bool {
        self.outcome != Outcome::Satisfied
    }

    /// Returns whether it is advice that names this node and this capability, or none where there is none.
    pub(crate) fn is_advice(&self, node: Option<&str>, capability: Option<&str>) -> bool {
        (self.level, self.cause) == (Level::Informational, Cause::Advisory)
            && (self.node_id.as_deref(), self.capability_id.as_deref()) == (node, capability)
    }

    /// Adds the lines of a suggestion.
    pub fn suggest(&mut self, lines: &'a str) {
        let lines = lines.split('\n').filter(|line| !line.trim().is_empty());
        self.suggestions.extend(lines.map(Cow::Borrowed));
        self.order_suggestions();
    }

    pub(crate) fn order_suggestions(&mut self) {
        order::sort_by(&mut self.suggestions, Ord::cmp);
        self.suggestions.dedup();
    }

    /// The diagnostic as it is printed: members in the order of the source, extensions last.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::with_capacity(160);
        self.write(&mut text);
        text
    }

    pub(crate) fn write(&self, out: &mut String) {
        let mut members = Members::open(out);
        members.text("severity", Some(self.level.as_str()));
        members.text("status", Some(self.outcome.as_str()));
        members.text("constraint", self.constraint.as_deref());
        members.text("constraintId", self.constraint_id.as_deref());
        members.text("nodeId", self.node_id.as_deref());
        members.text("capabilityId", self.capability_id.as_deref());
        members.text("cause", Some(self.cause.as_str()));
        members.text("suggestion", self.suggestion().as_deref());
        members.json("details", self.details.as_deref());
        self.write_extensions(members);
    }

    /// The lines of the suggestion, if there are some.
    fn suggestion(&self) -> Option<String> {
        (!self.suggestions.is_empty()).then(|| self.suggestions.join("\n"))
    }

    /// Canonical JSON without the suggestion: what tells diagnostics of one key apart.
    pub(crate) fn canonical(&self) -> String {
        let mut text = String::with_capacity(160);
        let mut members = Members::open(&mut text);
        members.text("capabilityId", self.capability_id.as_deref());
        members.text("cause", Some(self.cause.as_str()));
        members.text("constraint", self.constraint.as_deref());
        members.text("constraintId", self.constraint_id.as_deref());
        members.json("details", self.details.as_deref());
        members.text("nodeId", self.node_id.as_deref());
        members.text("severity", Some(self.level.as_str()));
        members.text("status", Some(self.outcome.as_str()));
        self.write_extensions(members);
        text
    }

    fn write_extensions(&self, mut members: Members<'_>) {
        for (name, value) in &self.extensions {
            members.json(name, Some(value));
        }
        members.close();
    }
}
