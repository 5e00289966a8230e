//! The number of variants that the planner is asked for is one that the schema of the result allows (5.9.5).

use alloc::format;

use crate::{
    error::Error,
    json::{Kind, Node, unescape_segment},
    logic::Number,
    plan::{
        PlanCode,
        facts::Facts,
        report::{Finding, Report},
        schema,
    },
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    let contract = &facts.call.task.contract;
    for count in &facts.call.task.variant_counts {
        let list = match contract.variant_path {
            Some(path) => find(contract.schema, path),
            None => only_list(contract.schema),
        };
        let Some(list) = list else {
            report.add(
                Finding::new(PlanCode::UncheckedVariantCount)
                    .with_number("variantCount", *count)
                    .suggest(["Say in hints.variantPath which list the variants are.".into()]),
            )?;
            continue;
        };
        let asked = Number::from(*count);
        for (bound, is_broken) in
            [("maxItems", core::cmp::Ordering::Greater), ("minItems", core::cmp::Ordering::Less)]
        {
            let Some(limit) = list.member(bound).and_then(Node::as_number) else { continue };
            if asked.compare(&Number::read(limit)) != Some(is_broken) {
                continue;
            }
            let way = if bound == "maxItems" { "at most" } else { "at least" };
            report.add(
                Finding::new(PlanCode::VariantCount)
                    .with_number("variantCount", *count)
                    .with("bound", bound)
                    .with("limit", limit)
                    .suggest([format!(
                        "Ask for {way} {limit} variants, or have {bound} of the schema allow {count}."
                    )]),
            )?;
        }
    }
    Ok(())
}

/// The schema of the list at a pointer into the result.
fn find<'t>(mut schema: Node<'t>, path: &str) -> Option<Node<'t>> {
    for segment in path.split('/').skip(1) {
        let name = unescape_segment(segment);
        let item = || schema.member("items").filter(|items| items.kind() == Kind::Object);
        schema = match schema::has_type(schema, "array") {
            // All items of a list are alike.
            true => item()?,
            false => schema::member(schema, &name, false)?,
        };
    }
    schema::has_type(schema, "array").then_some(schema)
}

/// The schema of the only list among the members of the result. What may be a list, too, leaves open which is meant.
fn only_list(schema: Node<'_>) -> Option<Node<'_>> {
    let described = schema.member("properties")?;
    let mut lists = schema::properties(schema)
        .filter_map(|name| described.member(name))
        .filter(|member| schema::may_have_type(*member, "array"));
    lists.next().filter(|only| lists.next().is_none() && schema::has_type(*only, "array"))
}
