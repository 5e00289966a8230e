//! The result of normalizing a plan: its canonical form and the adapter's report of inferred and kept values.

use alloc::{
    borrow::Cow,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Error,
    json::{MAX_DEPTH, Node, object::ObjectWriter, write_string, write_verbatim},
};

use super::{
    PlanIr,
    plan::Extra,
    slot::{Slot, pointer_to},
    verbatim::depth,
};
use crate::{
    codes,
    documents::plan_ir::{HashMode, InferenceReason, PlanFormat},
};

/// A normalised plan and the adapter's report.
#[derive(Clone, Debug)]
pub struct Normalized<'a> {
    pub(super) plan: PlanIr<'a>,
    pub(super) report: NormalizationReport<'a>,
}

/// The report of an adapter.
#[derive(Clone, Debug)]
pub struct NormalizationReport<'a> {
    format: PlanFormat,
    is_detected: bool,
    items: &'static str,
    inferred: Vec<Inferred<'a>>,
    kept: Vec<KeptField<'a>>,
}

/// A value that was inferred.
#[derive(Clone, Debug)]
pub struct Inferred<'a> {
    step: Option<u32>,
    slot: Slot,
    reason: InferenceReason,
    origin: InferenceSource<'a>,
}

/// The origin of an inferred value.
#[derive(Clone, Debug, Default)]
pub(super) struct InferenceSource<'a> {
    /// The field of the source, if a pointer leads to it.
    member: Option<&'static str>,
    /// The text of the source.
    given: Option<Cow<'a, str>>,
}

impl<'a> InferenceSource<'a> {
    /// From the field named `member`, with the text `given`.
    pub(super) fn new(member: &'static str, given: impl Into<Cow<'a, str>>) -> Self {
        Self { member: Some(member), given: Some(given.into()) }
    }

    /// From a field inside a JSON text, to which no pointer leads.
    pub(super) fn in_text(self) -> Self {
        Self { member: None, ..self }
    }
}

/// A field of the source kept in `x-source`.
#[derive(Clone, Copy, Debug)]
pub struct KeptField<'a> {
    step: Option<u32>,
    name: &'a str,
}

/// The depth of `x-source` fields in an answer: 3 within the plan's, 5 within a step's.
const DEPTH: [usize; 2] = [3, 5];

impl<'a> NormalizationReport<'a> {
    /// A report about a source whose steps are at the pointer `items`.
    pub(super) const fn new(format: PlanFormat, items: &'static str) -> Self {
        Self { format, is_detected: false, items, inferred: Vec::new(), kept: Vec::new() }
    }

    pub(super) const fn detected(&mut self, is_detected: bool) {
        self.is_detected = is_detected;
    }

    /// Records a value that the source does not have there.
    pub(super) fn infer(
        &mut self,
        step: Option<u32>,
        slot: Slot,
        reason: InferenceReason,
        origin: InferenceSource<'a>,
    ) {
        self.inferred.push(Inferred { step, slot, reason, origin });
    }

    /// Records a default for a value without any origin in the source.
    pub(super) fn default(&mut self, step: Option<u32>, slot: Slot) {
        self.infer(step, slot, InferenceReason::Default, InferenceSource::default());
    }

    /// Keeps the fields of an object that the plan does not reproduce.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] for a field nested too deep, with a pointer that begins at the object.
    pub(super) fn keep(
        &mut self,
        step: Option<u32>,
        object: Option<Node<'a>>,
        used: &[&str],
    ) -> Result<Extra<'a>, Error> {
        let mut source = String::new();
        for (name, value) in object.into_iter().flat_map(Node::members) {
            if used.contains(&name) {
                continue;
            }
            let [in_plan, in_step] = DEPTH;
            let above = if step.is_some() { in_step } else { in_plan };
            if depth(value) + above > MAX_DEPTH {
                let message = "nested too deeply to be kept in `x-source`";
                return Err(Error::new(codes::LIMIT_EXCEEDED, message).under(name));
            }
            source.push(if source.is_empty() { '{' } else { ',' });
            write_string(name, &mut source);
            source.push(':');
            write_verbatim(value, &mut source);
            self.kept.push(KeptField { step, name });
        }
        if source.is_empty() {
            return Ok(Extra::Nothing);
        }
        source.push('}');
        Ok(Extra::Source(source))
    }

    /// Adds the pointer of an item to an error.
    pub(super) fn under_item(&self, error: Error, place: u32) -> Error {
        let error = error.under(&place.to_string());
        match self.items.strip_prefix('/') {
            Some(items) => error.under(items),
            None => error,
        }
    }

    /// The form of the source.
    #[must_use]
    pub const fn format(&self) -> PlanFormat {
        self.format
    }

    /// The pointer to the steps in the source; empty if the source is the list of them.
    #[must_use]
    pub const fn items(&self) -> &'static str {
        self.items
    }

    /// Returns true if the form was detected rather than named by the call.
    #[must_use]
    pub const fn is_detected(&self) -> bool {
        self.is_detected
    }

    /// The inferred values, in the order of the plan's fields.
    #[must_use]
    pub fn inferred(&self) -> &[Inferred<'a>] {
        &self.inferred
    }

    /// The fields kept in `x-source`, in the order of the plan's fields, then of the source's.
    #[must_use]
    pub fn kept(&self) -> &[KeptField<'a>] {
        &self.kept
    }

    /// The pointer to a field of the source.
    fn source(&self, step: Option<u32>, name: &str) -> String {
        pointer_to(self.items, step).key(name).into_string()
    }

    /// `{format, detected, items, inferred[{path, value, reason, source?, given?}], kept[{path, source}]}`; pointers begin at
    /// the plan, and at the source.
    pub(super) fn write(&self, plan: &PlanIr<'_>, out: &mut String) {
        let mut members = ObjectWriter::open(out);
        members.text("format", Some(self.format.as_str()));
        members.flag("detected", self.is_detected);
        members.text("items", Some(self.items));
        members.list("inferred", &self.inferred, |one, out| {
            let mut members = ObjectWriter::open(out);
            members.text("path", Some(&one.path()));
            members.json("value", Some(&plan.value_of(one.slot, one.step)));
            members.text("reason", Some(one.reason.as_str()));
            members.text("source", one.origin.member.map(|name| self.source(one.step, name)).as_deref());
            members.text("given", one.given());
            members.close();
        });
        members.list("kept", &self.kept, |one, out| {
            let mut members = ObjectWriter::open(out);
            members.text("path", Some(&one.path()));
            members.text("source", Some(&self.source(one.step, one.name)));
            members.close();
        });
        members.close();
    }
}

impl Inferred<'_> {
    /// The pointer to the value in the plan.
    #[must_use]
    pub fn path(&self) -> String {
        self.slot.path(self.step)
    }

    /// The reason why the value is not the source's.
    #[must_use]
    pub const fn reason(&self) -> InferenceReason {
        self.reason
    }

    /// The source's text in its place, if it has one.
    #[must_use]
    pub fn given(&self) -> Option<&str> {
        self.origin.given.as_deref()
    }
}

impl KeptField<'_> {
    /// The pointer to the field in the plan.
    #[must_use]
    pub fn path(&self) -> String {
        pointer_to("/steps", self.step).key("x-source").key(self.name).into_string()
    }
}

impl<'a> Normalized<'a> {
    /// The plan.
    #[must_use]
    pub const fn plan(&self) -> &PlanIr<'a> {
        &self.plan
    }

    /// The adapter's report.
    #[must_use]
    pub const fn report(&self) -> &NormalizationReport<'a> {
        &self.report
    }

    /// `{plan, plan_hash, adapter, plan_start, quality}`, the answer of `normalize_plan`.
    ///
    /// Refuse a text over [`MAX_ANSWER_BYTES`](crate::json::MAX_ANSWER_BYTES), as operations do: it is truncated and no valid JSON.
    #[must_use]
    pub fn to_json(&self, mode: HashMode) -> String {
        let hash = self.plan.plan_hash(mode);
        let mut out = String::new();
        let mut members = ObjectWriter::open(&mut out);
        members.part("plan", |out| self.plan.write_whole(out));
        members.text("plan_hash", Some(&hash));
        members.part("adapter", |out| self.report.write(&self.plan, out));
        members.json("plan_start", Some(&self.plan.plan_start_with(&hash)));
        members.json("quality", Some(&self.plan.quality().to_json()));
        members.close();
        out
    }
}
