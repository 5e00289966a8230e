//! Conflicts as diagnostics: one for each constraint that takes part in one.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{self, object::ObjectWriter},
    schema::Schema,
};

use super::{
    Analysis, Clash,
    excluded::Excluded,
    parts::{ClashReason, Replacement, listed},
};
use crate::{
    documents::Constraint,
    plan::{
        PlanCode,
        advice::name,
        demand::Demand,
        diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    },
};

/// Reports constraints that no result can satisfy, alone or together, and those that a contract excludes. The node of an excluding
/// contract is at fault in either case.
pub(in crate::plan) fn findings<'a>(
    schema: &Schema,
    constraints: &[Constraint<'_>],
    demands: &'a [Demand<'a>],
    excluded: &[Excluded<'a>],
    report: &mut DiagnosticReport<'a, '_>,
) -> Result<(), Error> {
    let mut analysis = Analysis::new(schema, constraints);
    let clashes = analysis.clashes();
    let reasons: Vec<ClashReason> = clashes.iter().map(|clash| analysis.reason(clash)).collect();
    for (clash, reason) in clashes.iter().zip(&reasons) {
        match clash.members.as_slice() {
            [] => return report.add(impossible(reason)),
            [at] => {
                if let Some(demand) = demands.get(*at) {
                    let own = excluded.iter().find(|one| one.demand == *at);
                    report.add(unsatisfiable(demand, reason).at(own.map(|own| own.step)))?;
                }
            }
            _ => {}
        }
    }
    for one in excluded {
        if !clashes.iter().any(|clash| clash.members == [one.demand]) {
            one.report(demands, report)?;
        }
    }
    for (at, demand) in demands.iter().enumerate() {
        let own = clashes
            .iter()
            .zip(&reasons)
            .filter(|(clash, _)| clash.members.len() > 1 && clash.members.contains(&at));
        let own: Vec<_> = own.take(super::MOST_NAMED).collect();
        if !own.is_empty() {
            report.add(conflicting(&mut analysis, demands, (at, demand), &own))?;
        }
    }
    Ok(())
}

fn impossible<'a>(reason: &ClashReason) -> DiagnosticBuilder<'a> {
    let places = reason.schema.iter().map(|place| &**place);
    let finding = DiagnosticBuilder::new(PlanCode::ImpossibleOutput)
        .with("of", "outputContract")
        .with_list("schema", places);
    finding.suggest([format!("Have the task change its schema at {}.", listed(&reason.schema))])
}

fn unsatisfiable<'a>(demand: &'a Demand<'a>, reason: &ClashReason) -> DiagnosticBuilder<'a> {
    let id = name(&demand.id);
    let otherwise = || match reason.schema.is_empty() {
        true => format!("Have the task change {id}, which contradicts itself."),
        false => format!("Have the task change {id} or its schema at {}.", listed(&reason.schema)),
    };
    reason.explain(DiagnosticBuilder::about(PlanCode::UnsatisfiableConstraint, demand), demand, &otherwise)
}

impl ClashReason {
    /// Adds the conflicting parts and keywords, and a suggestion: the operator `length` if it was meant, otherwise `otherwise`.
    pub(super) fn explain<'a>(
        &self,
        finding: DiagnosticBuilder<'a>,
        demand: &Demand<'_>,
        otherwise: &dyn Fn() -> String,
    ) -> DiagnosticBuilder<'a> {
        let parts = self.parts.iter().flatten().map(|part| &**part);
        let places = self.schema.iter().map(|place| &**place);
        let write = |Replacement { given, meant }: &Replacement| {
            let (given, meant) = (name(given), name(meant));
            format!("Have the task write {meant} in place of {given} in {}.", name(&demand.id))
        };
        let mut lines: Vec<String> = self.lengths.iter().map(write).collect();
        if lines.is_empty() {
            lines.push(otherwise());
        }
        finding.with_list("parts", parts).with_list("schema", places).suggest(lines)
    }
}

/// A diagnostic for a constraint that conflicts with others, with a witness for each of them alone.
fn conflicting<'a>(
    analysis: &mut Analysis<'_>,
    demands: &[Demand<'_>],
    (at, demand): (usize, &'a Demand<'a>),
    clashes: &[(&Clash, &ClashReason)],
) -> DiagnosticBuilder<'a> {
    let mut finding = DiagnosticBuilder::about(PlanCode::ConflictingConstraints, demand);
    let mut entries = Vec::new();
    for (clash, reason) in clashes {
        let mut others = Vec::new();
        let mut names = Vec::new();
        let mut own = &Vec::new();
        for (member, parts) in clash.members.iter().zip(&reason.parts) {
            let Some(other) = demands.get(*member) else { continue };
            if *member == at {
                own = parts;
                continue;
            }
            names.push(name(&other.id));
            let mut text = String::new();
            let mut members = ObjectWriter::open(&mut text);
            members.text("constraint", Some(&other.text));
            members.text("constraintId", Some(&other.id));
            members.json("parts", Some(&json::write(parts)));
            members.json("witness", Some(&witness(analysis, *member)));
            members.close();
            others.push(text);
        }
        let others_named = names.join(" or ");
        finding = finding.suggest([format!("Have the task change {} or {others_named}.", name(&demand.id))]);
        let mut text = String::new();
        let mut members = ObjectWriter::open(&mut text);
        members.json("parts", Some(&json::write(own)));
        members.json("schema", Some(&json::write(&reason.schema)));
        members.json("with", Some(&["[", &others.join(","), "]"].concat()));
        members.close();
        entries.push(text);
    }
    finding
        .with_canonical("conflicts", &["[", &entries.join(","), "]"].concat())
        .with_canonical("witness", &witness(analysis, at))
}

/// A result that satisfies a constraint alone, or null.
fn witness(analysis: &mut Analysis<'_>, at: usize) -> String {
    analysis.witness(&[at]).map_or_else(|| "null".into(), |value| json::write(&value))
}
