//! PlanIR from other writers: words in other spellings, and invalid ids.

use alloc::{borrow::Cow, string::String};
use core::mem;

use adjudicate_lang::{Error, json::Node};

use crate::{
    documents::plan_ir::{InferenceReason, PlanFormat},
    ir::{
        PlanIr,
        ids::Ids,
        origins::Origins,
        plan::WriteScope,
        read::{SpelledPlan, given},
        report::{InferenceSource, NormalizationReport, Normalized},
        slot::Slot,
    },
};

pub(super) fn read(source: Node<'_>) -> Result<Normalized<'_>, Error> {
    let SpelledPlan { mut plan, intents, complexity, .. } = SpelledPlan::import(source)?;
    let mut report = NormalizationReport::new(PlanFormat::PlanIr, "/steps");
    let ids = Ids::new(plan.steps.iter().map(|step| given(&step.id)).collect());
    let settled = ids.settle();
    for (place, ((step, renamed), intent)) in (0..).zip(plan.steps.iter_mut().zip(settled).zip(intents)) {
        if let Some((id, renamed)) = renamed {
            let given = mem::replace(&mut step.id, Cow::Owned(id));
            report.infer(Some(place), Slot::Id, renamed.reason(), InferenceSource::new("id", given));
        }
        if step.intent.as_str() != intent {
            report.infer(
                Some(place),
                Slot::Intent,
                InferenceReason::Alias,
                InferenceSource::new("intent", intent),
            );
        }
    }
    if plan.complexity.as_str() != complexity {
        report.infer(
            None,
            Slot::Complexity,
            InferenceReason::Alias,
            InferenceSource::new("complexity", complexity),
        );
    }
    Ok(Normalized { plan, report })
}

/// Writes the source with its original spellings.
pub(super) fn write(plan: &PlanIr<'_>, origins: &Origins<'_>) -> String {
    let mut out = String::new();
    plan.write(WriteScope::Whole, plan.confidence, &|step, slot| origins.given(step, slot), &mut out);
    out
}
