//! The origins of a plan's values, and the objects of a source that adapters write back.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        self, Kind, Node,
        object::{ObjectWriter, refuse},
        write_verbatim,
    },
};

use super::{PlanIr, PlanStep, ids::Ids, plan::Extra, slot::Slot};
use crate::documents::plan_ir::{AdapterReport, InferenceReason, InferredValue, PlanFormat};

/// The origins of a plan's values, from the adapter's report.
pub(super) struct Origins<'a> {
    pub format: PlanFormat,
    /// True if the source is the list of steps itself.
    pub is_list: bool,
    paths: Ids<'a>,
    inferred: Vec<InferredValue<'a>>,
}

impl<'a> Origins<'a> {
    pub(super) fn new(adapter: AdapterReport<'a>) -> Self {
        let AdapterReport { format, items, inferred, .. } = adapter;
        let paths = Ids::new(inferred.iter().map(|value| Some(value.path)).collect());
        Self { format, is_list: items.is_empty(), paths, inferred }
    }

    /// The original text in the source, if it differs.
    pub(super) fn given(&self, step: Option<u32>, slot: Slot) -> Option<&'a str> {
        self.inferred_value(step, slot)?.given
    }

    fn inferred_value(&self, step: Option<u32>, slot: Slot) -> Option<&InferredValue<'a>> {
        let place = self.paths.find(&slot.path(step))?;
        self.inferred.get(place as usize)
    }

    /// Returns true if the source has the value.
    pub(super) fn has(&self, step: Option<u32>, slot: Slot) -> bool {
        let is_absent = |value: &InferredValue<'_>| {
            matches!(value.reason, InferenceReason::Default | InferenceReason::Derived)
        };
        !self.inferred_value(step, slot).is_some_and(is_absent)
    }

    /// The confidence as JSON, if the source has it.
    pub(super) fn confidence(&self, plan: &PlanIr<'_>) -> Option<String> {
        self.has(None, Slot::Confidence).then(|| json::write(&plan.confidence))
    }
}

/// The kept fields of an object.
pub(super) fn kept<'a>(extra: &Extra<'a>) -> Result<Option<Node<'a>>, Error> {
    let Extra::Given(object, _) = extra else { return Ok(None) };
    match object.member("x-source") {
        Some(kept) if kept.kind() != Kind::Object => Err(refuse(kept, "an object").under("x-source")),
        kept => Ok(kept),
    }
}

pub(super) fn kept_in_plan<'a>(plan: &PlanIr<'a>) -> Result<Option<Node<'a>>, Error> {
    kept(&plan.extra).map_err(|error| error.under("plan"))
}

/// Writes the list of a plan's steps in the form of the source.
pub(super) fn write_steps(
    plan: &PlanIr<'_>,
    write: impl Fn(Option<u32>, &PlanStep<'_>, &mut Back<'_, '_>),
) -> Result<String, Error> {
    let mut list = String::from("[");
    for (place, step) in (0..).zip(&plan.steps) {
        if place > 0 {
            list.push(',');
        }
        let kept = kept(&step.extra)
            .map_err(|error| error.under(&format!("{place}")).under("steps").under("plan"))?;
        let mut item = Back::open(kept, &mut list);
        write(Some(place), step, &mut item);
        item.close();
    }
    list.push(']');
    Ok(list)
}

/// An object being restored: its kept fields replace the values made from them.
pub(super) struct Back<'o, 'k> {
    kept: Option<Node<'k>>,
    members: ObjectWriter<'o>,
}

impl<'o, 'k> Back<'o, 'k> {
    pub(super) fn open(kept: Option<Node<'k>>, out: &'o mut String) -> Self {
        Self { kept, members: ObjectWriter::open(out) }
    }

    pub(super) fn text(&mut self, name: &str, value: Option<&str>) {
        if !self.has(name) {
            self.members.text(name, value);
        }
    }

    pub(super) fn json(&mut self, name: &str, value: Option<&str>) {
        if !self.has(name) {
            self.members.json(name, value);
        }
    }

    fn has(&self, name: &str) -> bool {
        self.kept.is_some_and(|kept| kept.member(name).is_some())
    }

    pub(super) fn close(mut self) {
        for (name, value) in self.kept.into_iter().flat_map(Node::members) {
            self.members.part(name, |out| write_verbatim(value, out));
        }
        self.members.close();
    }
}
