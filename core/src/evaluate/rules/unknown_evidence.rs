//! Evidence that the policy asks for cannot be known: what a diff does not say of the policy's paths, and conditions of its
//! rules. So is a diff whose two forms contradict each other.

use alloc::{
    borrow::Cow,
    collections::BTreeSet,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::json::Pointer;

use super::{Facts, Phase, Reporter, Rule, policy_rules::undecided};
use crate::{
    codes::RuleCode,
    evaluate::{
        evidence::Uncollected,
        finding::{ResolutionKind, Shown},
    },
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
    let causes = [opaque(facts), undecided_paths(facts), contradiction(facts)];
    let causes: Vec<Cause> = causes.into_iter().flatten().collect();
    if causes.is_empty() {
        return self::report(facts, RuleMode::Enforce, report);
    }
    let asked = Asked::of(facts, RuleMode::Enforce);
    let mut summaries: Vec<String> = causes.iter().map(|cause| cause.summary.clone()).collect();
    if !asked.rules.is_empty() {
        summaries.push(undecidable(&asked.rules));
    }
    let expected = causes.iter().map(|cause| Cow::Borrowed(cause.expected));
    let mut expected: Vec<Cow<'_, str>> = expected.chain(asked.variables).collect();
    let expected = match expected.pop() {
        Some(only) if expected.is_empty() => Shown::Text(only),
        last => Shown::List(expected.into_iter().chain(last).collect()),
    };
    let hints: Vec<&str> = causes.iter().map(|cause| cause.hint).collect();
    let finding = report.at(facts.diff_pointer(), summaries.join("; ")).expected(expected);
    finding.resolve(ResolutionKind::ProvideEvidence, hints.join("; "));
}

/// Why the diff does not say what is asked of it.
struct Cause {
    summary: String,
    expected: &'static str,
    hint: &'static str,
}

/// The diff does not name its files, and the policy lists paths.
fn opaque(facts: &Facts<'_>) -> Option<Cause> {
    let policy = facts.policy();
    let asks_for_paths = !policy.forbidden_paths().is_empty() || !policy.protected_paths().is_empty();
    (asks_for_paths && facts.changed().is_opaque()).then(|| Cause {
        summary: "the policy is about paths, and the diff does not say which files changed".into(),
        expected: FILES,
        hint: "give the diff as `evidence.diff`, or as git prints it",
    })
}

/// A path stands for files that it does not name, or lies outside, and the policy lists paths.
fn undecided_paths(facts: &Facts<'_>) -> Option<Cause> {
    let undecided = facts.undecided_files();
    let file = undecided.first()?;
    let (why, expected, hint) = if file.outside.is_some() {
        (
            "lies outside of the workspace, and the policy is about paths in it",
            "paths of the workspace",
            "give paths relative to the root of the workspace, or set the policy's `outside`",
        )
    } else if file.is_directory {
        (
            "is a directory that may hold files that the policy is about, and the diff does not list its files",
            FILES,
            "list its files, as `git status --short -uall` does",
        )
    } else {
        (
            "lies above paths that the policy is about, and may stand for them, as a link does",
            "the files that changed below it",
            "list the files that changed below it, or have a human look at it",
        )
    };
    let summary = format!("`{}` {why}{}", file.shown(), and_others(undecided.len()));
    Some(Cause { summary, expected, hint })
}

/// The typed diff lacks files that the summary names.
fn contradiction(facts: &Facts<'_>) -> Option<Cause> {
    let lacking = facts.lacking_files();
    let path = lacking.first()?.shown();
    Some(Cause {
        summary: format!(
            "the summary names `{path}`, which the typed diff lacks{}",
            and_others(lacking.len())
        ),
        expected: "a typed diff with all files that the summary names",
        hint: "describe one change set in `evidence.diff` and `workspace_diff_summary`",
    })
}

/// How many files there are beside the first one.
fn and_others(files: usize) -> String {
    match files {
        0 | 1 => String::new(),
        2 => " (and another path)".into(),
        count => format!(" (and {} other paths)", count - 1),
    }
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
