//! The result schema allows the number of variants that the task asks for (docs/reference/plans.md).

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{self, Kind, Node, push_segment, unescape_segment},
    logic::Number,
};

use crate::plan::{
    PlanCode,
    advice::{FEW, listed},
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    facts::PlanFacts,
    schema,
};

pub(super) fn check<'a>(facts: &PlanFacts<'a>, report: &mut DiagnosticReport<'a, '_>) -> Result<(), Error> {
    let contract = &facts.call.task.contract;
    for count in &facts.call.task.variant_counts {
        let list = match contract.variant_path() {
            Some(path) => find(contract.schema.0, path),
            None => only_list(contract.schema.0),
        };
        let Some(list) = list else {
            report.add(
                DiagnosticBuilder::new(PlanCode::UncheckedVariantCount)
                    .with_number("variantCount", *count)
                    .suggest([ways_to_say(contract.schema.0)]),
            )?;
            continue;
        };
        let wanted = Number::from(*count);
        for (bound, is_broken) in
            [("maxItems", core::cmp::Ordering::Greater), ("minItems", core::cmp::Ordering::Less)]
        {
            let Some(given) = list.member(bound) else { continue };
            let Some(limit) = given.as_number() else { continue };
            if wanted.compare(&Number::read(limit)) != Some(is_broken) {
                continue;
            }
            let limit = json::canonical(given);
            // The number as a whole, however the schema writes it.
            let whole = limit.strip_suffix(".0").unwrap_or(&limit);
            let way = if bound == "maxItems" { "at most" } else { "at least" };
            report.add(
                DiagnosticBuilder::new(PlanCode::VariantCount)
                    .with_number("variantCount", *count)
                    .with("bound", bound)
                    .suggest([format!(
                        "Have the task ask for {way} {whole} variants, or allow {count} in {bound} of its schema."
                    )])
                    .with_json("limit", limit),
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
            // All items of an array share one schema.
            true => item()?,
            false => schema::member(schema, &name, false)?,
        };
    }
    schema::has_type(schema, "array").then_some(schema)
}

/// A suggestion that names the lists to which `hints.variantPath` could point.
fn ways_to_say(schema: Node<'_>) -> String {
    let described = schema.member("properties");
    let is_list = |name: &&str| {
        described.and_then(|all| all.member(name)).is_some_and(|member| schema::has_type(member, "array"))
    };
    let way = |list: &str| {
        let mut path = String::new();
        push_segment(&mut path, list);
        path
    };
    let ways: Vec<String> = schema::properties(schema).filter(is_list).take(FEW).map(way).collect();
    let ways: Vec<&str> = ways.iter().map(|way| &**way).collect();
    let list = if ways.is_empty() { "the list that the variants are".into() } else { listed(&ways, " or ") };
    format!("Have the task set hints.variantPath to {list}.")
}

/// The schema of the only field of the result whose type is, or may be, an array.
fn only_list(schema: Node<'_>) -> Option<Node<'_>> {
    let described = schema.member("properties")?;
    let mut lists = schema::properties(schema)
        .filter_map(|name| described.member(name))
        .filter(|member| schema::names_type(*member, "array"));
    lists.next().filter(|_| lists.next().is_none())
}
