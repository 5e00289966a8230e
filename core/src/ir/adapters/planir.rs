//! PlanIR itself, as others write it: words in other spellings, and ids that are none.

use alloc::string::String;

use super::Format;
use crate::{
    error::Error,
    ir::{
        PlanIr,
        ids::Ids,
        plan::Scope,
        read::{Draft, given},
        report::{Normalized, Reason, Report},
        slot::Slot,
        source::Origins,
    },
    json::Node,
};

pub(super) fn read(source: Node<'_>) -> Result<Normalized<'_>, Error> {
    let Draft { mut plan, intents, complexity, .. } = Draft::read(source, true)?;
    let mut report = Report::new(Format::PlanIr, "/steps");
    let ids = Ids::of(plan.steps.iter().map(|step| given(&step.id)).collect());
    let settled = ids.settle();
    for (place, ((step, (id, renamed)), intent)) in (0..).zip(plan.steps.iter_mut().zip(settled).zip(intents))
    {
        if let Some(renamed) = renamed {
            let from = given(&step.id).map(|given| ("id", given));
            report.infer(Some(place), Slot::Id, renamed.reason(), from);
        }
        if step.intent.as_str() != intent {
            report.infer(Some(place), Slot::Intent, Reason::Alias, Some(("intent", intent)));
        }
        step.id = id;
    }
    if plan.complexity.as_str() != complexity {
        report.infer(None, Slot::Complexity, Reason::Alias, Some(("complexity", complexity)));
    }
    Ok(Normalized { plan, report })
}

/// The way back: as it was spelt.
pub(super) fn write(plan: &PlanIr<'_>, origins: &Origins<'_>) -> String {
    plan.write(Scope::Whole, plan.confidence, &|step, slot| origins.given(step, slot))
}
