//! PlanIR itself, as others write it: words in other spellings, and ids that are none.

use alloc::{borrow::Cow, string::String};
use core::mem;

use adjudicate_lang::{Error, json::Node};

use super::Format;
use crate::ir::{
    PlanIr,
    ids::Ids,
    plan::Scope,
    read::{Draft, given},
    report::{Normalized, Origin, Reason, Report},
    slot::Slot,
    source::Origins,
};

pub(super) fn read(source: Node<'_>) -> Result<Normalized<'_>, Error> {
    let Draft { mut plan, intents, complexity, .. } = Draft::read(source, true)?;
    let mut report = Report::new(Format::PlanIr, "/steps");
    let ids = Ids::of(plan.steps.iter().map(|step| given(&step.id)).collect());
    let settled = ids.settle();
    for (place, ((step, renamed), intent)) in (0..).zip(plan.steps.iter_mut().zip(settled).zip(intents)) {
        if let Some((id, renamed)) = renamed {
            let given = mem::replace(&mut step.id, Cow::Owned(id));
            report.infer(Some(place), Slot::Id, renamed.reason(), Origin::of("id", given));
        }
        if step.intent.as_str() != intent {
            report.infer(Some(place), Slot::Intent, Reason::Alias, Origin::of("intent", intent));
        }
    }
    if plan.complexity.as_str() != complexity {
        report.infer(None, Slot::Complexity, Reason::Alias, Origin::of("complexity", complexity));
    }
    Ok(Normalized { plan, report })
}

/// The way back: as it was spelt.
pub(super) fn write(plan: &PlanIr<'_>, origins: &Origins<'_>) -> String {
    let mut out = String::new();
    plan.write(Scope::Whole, plan.confidence, &|step, slot| origins.given(step, slot), &mut out);
    out
}
