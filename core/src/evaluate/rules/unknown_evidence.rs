//! Evidence that the policy asks for cannot be known: an opaque diff under path policies, conditions of its rules.

use alloc::{
    borrow::Cow,
    collections::BTreeSet,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use super::{Facts, Phase, Reporter, Rule, policy_rules::undecided};
use crate::{
    codes::RuleCode,
    evaluate::{
        evidence::Uncollected,
        finding::{ResolutionKind, Shown},
    },
    json::Pointer,
    policy::{RuleMode, Variable},
};

/// What is asked for when the diff does not name its files.
const FILES: &str = "a diff that names its files";

pub(super) const RULE: Rule = Rule { code: RuleCode::UnknownEvidence, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    asked_for(facts, report);
    uncollected(facts, report);
}

/// Evidence that the envelope says could not be collected, each thing once.
fn uncollected<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let mut seen = BTreeSet::new();
    for (index, missing) in facts.evidence().uncollected.iter().enumerate() {
        if !seen.insert(missing.what) {
            continue;
        }
        let Uncollected { what, reason } = *missing;
        let pointer = Pointer::new("/evidence/uncollected").index(index).into_string();
        report
            .at(pointer, format_args!("`{what}` could not be collected: {reason}"))
            .item(what)
            .expected(what)
            .resolve(ResolutionKind::ProvideEvidence, "collect the evidence and evaluate again");
    }
}

/// Evidence that the policy asks for and that is unknown.
fn asked_for<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let policy = facts.policy();
    let asks_for_paths = !policy.forbidden_paths().is_empty() || !policy.protected_paths().is_empty();
    if !(asks_for_paths && facts.changed().is_opaque()) {
        return self::report(facts, RuleMode::Enforce, report);
    }
    let asked = Asked::of(facts, RuleMode::Enforce);
    let summary = "the policy is about paths, and the diff does not say which files changed";
    let finding = match asked.rules.as_slice() {
        [] => report.at(facts.diff_pointer(), summary).expected(FILES),
        rules => {
            let summary = format!("{summary}; {}", undecidable(rules));
            let expected = [Cow::Borrowed(FILES)].into_iter().chain(asked.variables).collect();
            report.at(facts.diff_pointer(), summary).expected(Shown::List(expected))
        }
    };
    finding.resolve(ResolutionKind::ProvideEvidence, "give the diff as `evidence.diff`, or as git prints it");
}

/// Reports the rules of a mode whose conditions are unknown, in one finding.
pub(super) fn report<'a>(facts: &'a Facts<'a>, mode: RuleMode, report: &mut Reporter<'_, 'a>) {
    let asked = Asked::of(facts, mode);
    if asked.rules.is_empty() {
        return;
    }
    let finding = report.at(asked.pointer, undecidable(&asked.rules));
    // Only computed paths are unknown if none is listed.
    if !asked.variables.is_empty() {
        finding.expected(Shown::List(asked.variables));
    }
    finding.resolve(ResolutionKind::ProvideEvidence, "give the evidence that the conditions ask for");
}

/// What the undecided rules of a mode ask for.
struct Asked<'a> {
    rules: Vec<&'a str>,
    /// What is unknown, each once.
    variables: Vec<Cow<'a, str>>,
    /// Where the first of it that belongs into the envelope should be.
    pointer: String,
}

impl<'a> Asked<'a> {
    fn of(facts: &'a Facts<'a>, mode: RuleMode) -> Self {
        let variables = facts.policy().variables();
        let unknown = undecided(facts, mode).flat_map(|(verdict, _)| verdict.unknown.iter().flatten());
        let unknown = unknown.filter_map(|number| variables.get(*number as usize));
        let mut seen = BTreeSet::new();
        Self {
            rules: undecided(facts, mode).map(|(_, rule)| rule.id()).collect(),
            pointer: unknown.clone().find_map(Variable::pointer).unwrap_or_default().into(),
            variables: unknown
                .filter(|variable| seen.insert(variable.path()))
                .map(|variable| variable.path().to_string().into())
                .collect(),
        }
    }
}

/// That the conditions of some rules are unknown.
fn undecidable(rules: &[&str]) -> String {
    match rules {
        [rule] => format!("the condition of the rule `{rule}` cannot be decided"),
        rules => format!("the conditions of the rules `{}` cannot be decided", rules.join("`, `")),
    }
}
