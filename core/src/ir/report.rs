//! A plan in its canonical form, and the report of how it came to it: what was inferred, and what is kept aside.

use alloc::{
    borrow::Cow,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Error,
    json::{MAX_DEPTH, Node, object::Members, write_string, write_verbatim},
};

use super::{
    Format, HashMode, PlanIr,
    plan::Extra,
    slot::{Slot, pointer_to},
    verbatim::depth,
};
use crate::{codes, words::words};

/// A normalised plan and the adapter's report.
#[derive(Clone, Debug)]
pub struct Normalized<'a> {
    pub(super) plan: PlanIr<'a>,
    pub(super) report: Report<'a>,
}

/// What an adapter did.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    format: Format,
    is_detected: bool,
    items: &'static str,
    inferred: Vec<Inferred<'a>>,
    kept: Vec<Kept<'a>>,
}

words! {
    /// Why the plan has a value that its source does not have there.
    Reason {
        /// The source says nothing.
        Default = "default",
        /// It is from a member that is something else first.
        Derived = "derived",
        /// The source has another word for it.
        Alias = "alias",
        /// What the source has is no step id.
        InvalidId = "invalid_id",
        /// An earlier step has the id.
        RepeatedId = "repeated_id",
    }
}

/// A value that was inferred.
#[derive(Clone, Debug)]
pub struct Inferred<'a> {
    step: Option<u32>,
    slot: Slot,
    reason: Reason,
    origin: Origin<'a>,
}

/// Where an inferred value is from.
#[derive(Clone, Debug, Default)]
pub(super) struct Origin<'a> {
    /// The member of the source, if it can be pointed at.
    member: Option<&'static str>,
    /// The text of the source.
    given: Option<Cow<'a, str>>,
}

impl<'a> Origin<'a> {
    /// From `member` of the source, where `given` stands.
    pub(super) fn of(member: &'static str, given: impl Into<Cow<'a, str>>) -> Self {
        Self { member: Some(member), given: Some(given.into()) }
    }

    /// From a member of the source that no pointer leads to, because it is inside of a text.
    pub(super) fn in_text(self) -> Self {
        Self { member: None, ..self }
    }
}

/// A member that is kept aside.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    step: Option<u32>,
    name: &'a str,
}

/// How deep the members of a step's `x-source` are in an answer, within the answer, `plan`, `steps`, the step and `x-source`; those
/// of the plan's are within three.
const DEPTH: [usize; 2] = [3, 5];

impl<'a> Report<'a> {
    /// A report about a source whose steps are where `items` points.
    pub(super) const fn new(format: Format, items: &'static str) -> Self {
        Self { format, is_detected: false, items, inferred: Vec::new(), kept: Vec::new() }
    }

    pub(super) const fn detected(&mut self, is_detected: bool) {
        self.is_detected = is_detected;
    }

    /// Notes a value that the source does not have there.
    pub(super) fn infer(&mut self, step: Option<u32>, slot: Slot, reason: Reason, origin: Origin<'a>) {
        self.inferred.push(Inferred { step, slot, reason, origin });
    }

    /// Notes a value that the source says nothing of.
    pub(super) fn default(&mut self, step: Option<u32>, slot: Slot) {
        self.infer(step, slot, Reason::Default, Origin::default());
    }

    /// Keeps the members of an object that the plan does not give back.
    ///
    /// # Errors
    ///
    /// [`codes::LIMIT_EXCEEDED`] for one that would be too deep, with a pointer that begins at the object.
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
            self.kept.push(Kept { step, name });
        }
        if source.is_empty() {
            return Ok(Extra::Nothing);
        }
        source.push('}');
        Ok(Extra::Source(source))
    }

    /// An error of an item, with the pointer to it.
    pub(super) fn under_item(&self, error: Error, place: u32) -> Error {
        let error = error.under(&place.to_string());
        match self.items.strip_prefix('/') {
            Some(items) => error.under(items),
            None => error,
        }
    }

    /// The form of the source.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The pointer to the steps in the source; empty if the source is the list of them.
    #[must_use]
    pub const fn items(&self) -> &'static str {
        self.items
    }

    /// Whether nobody named the form.
    #[must_use]
    pub const fn is_detected(&self) -> bool {
        self.is_detected
    }

    /// The values that the source does not have, in the order of the plan's members.
    #[must_use]
    pub fn inferred(&self) -> &[Inferred<'a>] {
        &self.inferred
    }

    /// What is kept in `x-source`, in the order of the plan's members, and of the source's there.
    #[must_use]
    pub fn kept(&self) -> &[Kept<'a>] {
        &self.kept
    }

    /// The pointer to a member of the source.
    fn source(&self, step: Option<u32>, name: &str) -> String {
        pointer_to(self.items, step).key(name).into_string()
    }

    /// `{format, detected, items, inferred[{path, value, reason, source?, given?}], kept[{path, source}]}`; pointers begin at
    /// the plan, and at the source.
    pub(super) fn write(&self, plan: &PlanIr<'_>, out: &mut String) {
        let mut members = Members::open(out);
        members.text("format", Some(self.format.as_str()));
        members.flag("detected", self.is_detected);
        members.text("items", Some(self.items));
        members.list("inferred", &self.inferred, |one, out| {
            let mut members = Members::open(out);
            members.text("path", Some(&one.path()));
            members.json("value", Some(&one.slot.value_in(plan, one.step)));
            members.text("reason", Some(one.reason.as_str()));
            members.text("source", one.origin.member.map(|name| self.source(one.step, name)).as_deref());
            members.text("given", one.given());
            members.close();
        });
        members.list("kept", &self.kept, |one, out| {
            let mut members = Members::open(out);
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

    /// Why it is not the source's.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// What the source has in its place, if it has something.
    #[must_use]
    pub fn given(&self) -> Option<&str> {
        self.origin.given.as_deref()
    }
}

impl Kept<'_> {
    /// The pointer to it in the plan.
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

    /// What was done to bring it into this form.
    #[must_use]
    pub const fn report(&self) -> &Report<'a> {
        &self.report
    }

    /// `{plan, plan_hash, adapter, plan_start, quality}`, the answer of `normalize_plan`.
    ///
    /// A text over [`MAX_ANSWER_BYTES`](crate::json::MAX_ANSWER_BYTES) is cut off and is no JSON: refuse it, as operations do.
    #[must_use]
    pub fn to_json(&self, mode: HashMode) -> String {
        let hash = self.plan.plan_hash(mode);
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.part("plan", |out| self.plan.write_whole(out));
        members.text("plan_hash", Some(&hash));
        members.part("adapter", |out| self.report.write(&self.plan, out));
        members.json("plan_start", Some(&self.plan.plan_start_with(&hash)));
        members.json("quality", Some(&self.plan.quality().to_json()));
        members.close();
        out
    }
}
