//! Diagnostics about plans and outputs (docs/reference/plans.md).

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{Content, Definition, Describe, Document, Id, Object, Reader, Shape, Type},
    json::{
        self, Node,
        object::{ObjectWriter, extensions},
    },
    order,
};

use crate::codes;

/// The level of a constraint and of a diagnostic. The hardest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
#[document(name = "ConstraintLevel")]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The constraint must hold: a plan that does not satisfy it is rejected.
    Hard,
    /// The constraint should hold: the score is lower without it.
    Soft,
    /// The constraint has no effect on the status or the score.
    Informational,
}

/// The result of a validator. The worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
#[document(name = "DiagnosticStatus")]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticStatus {
    /// The requirement does not hold.
    Unsatisfied,
    /// No evidence shows whether the requirement holds.
    Unknown,
    /// The requirement holds.
    Satisfied,
}

/// The cause of a diagnostic, in the order of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
#[document(name = "DiagnosticCause")]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// No node produces what is needed.
    MissingProducer,
    /// No node enforces the constraint.
    MissingEnforcer,
    /// Parts of the plan, its schemas or its policies contradict each other.
    SchemaIncompatible,
    /// A soft constraint is not satisfied.
    UnsatisfiedSoft,
    /// Advice for the planner.
    Advisory,
}

/// A diagnostic of one validator about a plan or an output.
///
/// ```
/// use adjudicate_core::{document, json::{self, ReadLimits}, plan::Diagnostic};
/// let text = br#"{"cause":"missing_producer","severity":"hard","status":"unsatisfied","suggestion":"b\na\n\nb"}"#;
/// let tape = json::read(text, ReadLimits::DOCUMENT)?;
/// let diagnostic: Diagnostic<'_> = document::read(tape.root())?;
/// assert_eq!(
///     diagnostic.to_json(),
///     r#"{"severity":"hard","status":"unsatisfied","cause":"missing_producer","suggestion":"a\nb"}"#,
/// );
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<'a> {
    /// The level of the constraint or finding.
    pub level: Level,
    /// The result.
    pub outcome: DiagnosticStatus,
    /// The constraint in readable form.
    pub constraint: Option<Cow<'a, str>>,
    /// The constraint's id.
    pub constraint_id: Option<Cow<'a, str>>,
    /// The node at fault.
    pub node_id: Option<Cow<'a, str>>,
    /// The capability at fault.
    pub capability_id: Option<Cow<'a, str>>,
    /// The cause.
    pub cause: Cause,
    /// Suggestions, one a line: sorted, without repeats and blank lines.
    pub(crate) suggestions: Vec<Cow<'a, str>>,
    /// An object with further data, as canonical JSON.
    pub(crate) details: Option<String>,
    /// Fields whose names begin with `x-`, sorted, with their values as canonical JSON.
    pub(crate) extensions: Vec<(Cow<'a, str>, String)>,
}

/// A diagnostic as it is declared.
#[derive(Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object", name = "PlanDiagnostic")]
pub(crate) struct DiagnosticFields<'a> {
    /// The level of the constraint, or of the finding.
    severity: Level,
    /// The result.
    status: DiagnosticStatus,
    /// The constraint as humans read it, for example `qaFindings.overallScore >= 0.8`.
    constraint: Option<&'a str>,
    /// The id of the constraint, for example `min_qa`.
    constraint_id: Option<Id<'a>>,
    /// The id of the node at fault, for example `publish-1`.
    node_id: Option<Id<'a>>,
    /// The id of the capability at fault, for example `PublishAgent.post`.
    capability_id: Option<Id<'a>>,
    /// The cause.
    cause: Cause,
    /// The ways to fix it, one a line.
    suggestion: Option<&'a str>,
    /// Everything else that is known; `code` says which check found it.
    #[document(described = "Details")]
    details: Option<Object<'a>>,
    /// The diagnostic as it was written, with its extensions.
    #[document(source)]
    source: Node<'a>,
}

/// The description of details.
struct Details;

static DETAILS: Definition = Definition {
    name: "PlanDetails",
    source: "adjudicate_core::documents::diagnostic::Details",
    about: "Everything else that is known of a finding. Findings of the engine have a `code`; other producers choose their own. Beyond \
            100,000 findings, the code `diagnostics_omitted` has in `count` how many are left out.",
    content: Content::Type(|| Type::Object),
    keywords: "",
};

impl Describe for Details {
    #[inline]
    fn describe() -> Type {
        Type::Named(&DETAILS)
    }
}

impl<'t: 'a, 'a> Document<'t> for Diagnostic<'a> {
    const SHAPE: Shape = DiagnosticFields::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        DiagnosticFields::read(node, reader).map(Self::from)
    }
}

impl<'a> From<DiagnosticFields<'a>> for Diagnostic<'a> {
    fn from(fields: DiagnosticFields<'a>) -> Self {
        let id = |id: Option<Id<'a>>| id.map(|Id(id)| Cow::Borrowed(id));
        let extensions = extensions(fields.source).into_iter();
        let mut diagnostic = Self {
            constraint: fields.constraint.map(Cow::Borrowed),
            constraint_id: id(fields.constraint_id),
            node_id: id(fields.node_id),
            capability_id: id(fields.capability_id),
            details: fields.details.map(|Object(details)| json::canonical(details)),
            extensions: extensions.map(|(name, value)| (name.into(), json::canonical(value))).collect(),
            ..Self::new(fields.severity, fields.status, fields.cause)
        };
        if let Some(lines) = fields.suggestion {
            diagnostic.suggest(lines);
        }
        diagnostic
    }
}

/// The diagnostics of one level.
#[derive(Clone, Debug)]
pub struct Bucket<'a, const LEVEL: usize>(pub Vec<Diagnostic<'a>>);

impl<'t: 'a, 'a, const LEVEL: usize> Document<'t> for Bucket<'a, LEVEL> {
    const SHAPE: Shape = <Vec<Diagnostic<'_>>>::SHAPE;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        bucket(node, LEVEL, reader).map(Self)
    }
}

/// Reads diagnostics. Notes [`codes::INVALID_VALUE`] for a diagnostic of another level.
fn bucket<'t>(node: Node<'t>, level: usize, reader: &mut Reader) -> Option<Vec<Diagnostic<'t>>> {
    let mut diagnostics = Vec::new();
    let is_list = reader.items(node, &mut |item, reader| match Diagnostic::read(item, reader) {
        Some(diagnostic) if diagnostic.level as usize == level => diagnostics.push(diagnostic),
        Some(_) => {
            let message = "the diagnostic is in the bucket of another severity";
            reader.note(Error::new(codes::INVALID_VALUE, message).under("severity"));
        }
        None => {}
    });
    is_list.then_some(diagnostics)
}

impl<'a> Diagnostic<'a> {
    /// A diagnostic with only the required fields.
    #[must_use]
    pub const fn new(level: Level, outcome: DiagnosticStatus, cause: Cause) -> Self {
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

    /// Returns true if the outcome is unsatisfied or unknown.
    pub(crate) fn is_open(&self) -> bool {
        self.outcome != DiagnosticStatus::Satisfied
    }

    /// Returns true for an informational advisory with exactly this node and this capability.
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

    /// The suggestions: sorted, without repeats and blank lines.
    #[must_use]
    pub fn suggestions(&self) -> &[Cow<'a, str>] {
        &self.suggestions
    }

    /// An object with further data, as canonical JSON. Findings of the engine have a `code` in it.
    #[must_use]
    pub fn details(&self) -> Option<&str> {
        self.details.as_deref()
    }

    pub(crate) fn order_suggestions(&mut self) {
        order::sort_by(&mut self.suggestions, Ord::cmp);
        self.suggestions.dedup();
    }

    /// The diagnostic as JSON: declared fields in order, extensions last.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::with_capacity(160);
        self.write(&mut text);
        text
    }

    pub(crate) fn write(&self, out: &mut String) {
        let mut members = ObjectWriter::open(out);
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

    /// The suggestions joined by line feeds, if there are any.
    fn suggestion(&self) -> Option<String> {
        (!self.suggestions.is_empty()).then(|| self.suggestions.join("\n"))
    }

    /// Canonical JSON without the suggestions: a tie breaker between diagnostics of one key.
    pub(crate) fn canonical(&self) -> String {
        let mut text = String::with_capacity(160);
        let mut members = ObjectWriter::open(&mut text);
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

    fn write_extensions(&self, mut members: ObjectWriter<'_>) {
        for (name, value) in &self.extensions {
            members.json(name, Some(value));
        }
        members.close();
    }
}
