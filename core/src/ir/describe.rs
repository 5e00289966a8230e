//! The descriptions of plans whose readers are written by hand.

use adjudicate_lang::document::{Content, Definition, Type, describe};

use super::{adapters::AnyPlan, plan::PlanIr};
use crate::documents::plan_ir::PlanDocument;

describe! {
    [] AnyPlan => Type::Named(&PLANNER_OUTPUT);
    [] PlanIr<'_> => PlanDocument::<false>::describe();
}

static PLANNER_OUTPUT: Definition = Definition {
    name: "PlannerOutput",
    source: "adjudicate_core::ir::adapters::AnyPlan",
    about: "A plan in a form that an adapter knows.",
    content: Content::Type(|| Type::Either(AnyPlan::forms())),
    keywords: "",
};
