//! Evidence that the policy needs is unknown: the files behind a diff, its declared inputs, or the conditions of its rules. A
//! contradiction between summary and typed diff counts too.

use alloc::{borrow::Cow, collections::BTreeSet, format, string::String, vec::Vec};

use adjudicate_lang::json::Pointer;

use super::{BuiltInRule, ConditionVerdict, Facts, Phase, RuleReporter, undecided::undecided};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::{evidence::Uncollected, finding::Shown, rule::RuleMode},
    evaluate::baseline::BaselineFault,
    policy::Variable,
};

/// The expected evidence if the diff does not name its files.
const FILES: &str = "a diff that names its files";

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::UnknownEvidence, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    asked_for(facts, report);
    trees(facts, report);
    baseline(facts, report);
    uncollected(facts, report);
    undeclared(facts, report);
}

/// The tree that is judged, if the policy asks for it, and trees without a result.
fn trees<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let evidence = facts.evidence();
    if evidence.tree.is_none() && facts.policy().requires_tree() {
        report
            .at("/evidence/tree", "the policy asks for the tree that is judged")
            .expected("the id of a tree")
            .resolve(ResolutionKind::ProvideEvidence, "give the tree that is judged as `evidence.tree`");
    }
    let validation = &evidence.validation;
    let is_result = |id: &str| validation.exit_codes.contains_key(id) || validation.timeouts.contains(&id);
    for id in validation.trees.keys().filter(|id| !is_result(id)) {
        let pointer = Pointer::new("/evidence/validation/trees").key(id).into_string();
        report
            .at(pointer, format_args!("`{id}` has a tree, and no result"))
            .item(*id)
            .expected("the result of the validator")
            .resolve(ResolutionKind::ProvideEvidence, "run the validator and report its exit code");
    }
}

/// A baseline that cannot be used.
fn baseline<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let Some(fault) = facts.comparison().and_then(|comparison| comparison.fault) else { return };
    let (summary, expected) = match fault {
        BaselineFault::OfJudgedTree => (
            "the baseline is of the tree that is judged, and files changed",
            "the results on the base revision",
        ),
        BaselineFault::WithoutTree => {
            ("the policy asks for trees, and the baseline names none", "the tree of the baseline")
        }
    };
    report.at("/evidence/baseline", summary).expected(expected).resolve(
        ResolutionKind::ProvideEvidence,
        "run the checks on the base revision, and give its tree as `evidence.baseline.tree`",
    );
}

/// Values that the policy's declared inputs do not allow.
fn undeclared<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    for breach in facts.breaches().all() {
        report
            .at(&*breach.pointer, "the policy's `inputs` do not allow this value")
            .item(breach.item())
            .expected(Shown::Text(Cow::Borrowed(&breach.expected)))
            .resolve(ResolutionKind::ProvideEvidence, "give the value as the policy's `inputs` declare it");
    }
}

/// Evidence that the envelope reports as uncollected, each once.
fn uncollected<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
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

/// Evidence that the policy needs and that is unknown.
fn asked_for<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let causes = [opaque(facts), undecided_paths(facts), contradiction(facts)];
    let causes: Vec<DiffGap> = causes.into_iter().flatten().collect();
    if causes.is_empty() {
        return self::report(facts, RuleMode::Enforce, report);
    }
    let undecided = UndecidedRules::new(facts, report.verdicts, RuleMode::Enforce);
    let mut summaries: Vec<String> = causes.iter().map(|cause| cause.summary.clone()).collect();
    if !undecided.rules.is_empty() {
        summaries.push(undecidable(&undecided.rules));
    }
    let expected = causes.iter().map(|cause| Cow::Borrowed(cause.expected));
    let mut expected: Vec<Cow<'_, str>> = expected.chain(undecided.variables).collect();
    let expected = match expected.pop() {
        Some(only) if expected.is_empty() => Shown::Text(only),
        last => Shown::List(expected.into_iter().chain(last).collect()),
    };
    let hints: Vec<&str> = causes.iter().map(|cause| cause.hint).collect();
    let finding = report.at(facts.diff_pointer(), summaries.join("; ")).expected(expected);
    finding.resolve(ResolutionKind::ProvideEvidence, hints.join("; "));
}

/// A reason why the diff is inconclusive.
struct DiffGap {
    summary: String,
    expected: &'static str,
    hint: &'static str,
}

/// The diff does not name its files, and the policy lists paths or the agent claims a change.
fn opaque(facts: &Facts<'_>) -> Option<DiffGap> {
    let asking = if facts.changed().is_opaque() && facts.asks_for_paths() {
        "the policy is about paths"
    } else if facts.hides_claimed_change() {
        "the agent claims a change"
    } else {
        return None;
    };
    Some(DiffGap {
        summary: format!("{asking}, and the diff does not say which files changed"),
        expected: FILES,
        hint: "give the diff as `evidence.diff`, or as git prints it",
    })
}

/// The policy lists paths, and a path stands for unnamed files or lies outside of the workspace.
fn undecided_paths(facts: &Facts<'_>) -> Option<DiffGap> {
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
    } else if facts.is_one_reading(file) {
        (
            "may be the name of one file, or part of a rename, and the policy allows one of the two",
            "a diff that tells a rename from a name, such as `git diff --raw -z`",
            "give a diff in a format that is not ambiguous",
        )
    } else if facts.is_other_form(file) {
        (
            "may be another spelling in Unicode of a path that the policy is about",
            "paths that no other spelling in Unicode makes equal to a pattern",
            "rename the file, or write the pattern as the path is written",
        )
    } else {
        (
            "lies above paths that the policy is about, and may stand for them, as a link does",
            "the files that changed below it",
            "list the files that changed below it, or have a human look at it",
        )
    };
    let summary = format!("`{}` {why}{}", file.shown(), and_others(undecided.len()));
    Some(DiffGap { summary, expected, hint })
}

/// The typed diff lacks files that the summary names.
fn contradiction(facts: &Facts<'_>) -> Option<DiffGap> {
    let lacking = facts.lacking_files();
    let path = lacking.first()?.shown();
    Some(DiffGap {
        summary: format!(
            "the summary names `{path}`, which the typed diff lacks{}",
            and_others(lacking.len())
        ),
        expected: "a typed diff with all files that the summary names",
        hint: "describe one change set in `evidence.diff` and `workspace_diff_summary`",
    })
}

/// The number of files after the first one, in words.
fn and_others(files: usize) -> String {
    match files {
        0 | 1 => String::new(),
        2 => " (and another path)".into(),
        count => format!(" (and {} other paths)", count - 1),
    }
}

/// Reports the rules of a mode whose conditions are unknown, in one finding.
pub(super) fn report<'a>(facts: &'a Facts<'a>, mode: RuleMode, report: &mut RuleReporter<'_, 'a>) {
    let undecided = UndecidedRules::new(facts, report.verdicts, mode);
    if undecided.rules.is_empty() {
        return;
    }
    let finding = report.at(undecided.pointer, undecidable(&undecided.rules));
    // If none is listed, only computed paths are unknown.
    if !undecided.variables.is_empty() {
        finding.expected(Shown::List(undecided.variables));
    }
    finding.resolve(ResolutionKind::ProvideEvidence, "give the evidence that the conditions ask for");
}

/// The evidence that the undecided rules of a mode need.
struct UndecidedRules<'a> {
    rules: Vec<&'a str>,
    /// The unknown variables, each once.
    variables: Vec<Cow<'a, str>>,
    /// The pointer to the first unknown part of the envelope.
    pointer: String,
}

impl<'a> UndecidedRules<'a> {
    fn new(facts: &'a Facts<'a>, verdicts: &'a [ConditionVerdict], mode: RuleMode) -> Self {
        let variables = facts.policy().variables();
        let undecided = undecided(facts.policy(), verdicts, mode);
        let unknown = undecided.clone().flat_map(move |(verdict, _)| {
            let numbers = verdict.unknown.iter().flatten();
            numbers.filter_map(move |number| variables.get(*number as usize)).chain(&verdict.unknown_of_items)
        });
        let mut seen = BTreeSet::new();
        Self {
            rules: undecided.map(|(_, rule)| rule.id()).collect(),
            pointer: unknown.clone().find_map(Variable::pointer).unwrap_or_default().into(),
            variables: unknown
                .filter(|variable| seen.insert(variable.path()))
                .map(|variable| variable.text().into())
                .collect(),
        }
    }
}

/// The message for rules whose conditions are unknown.
fn undecidable(rules: &[&str]) -> String {
    match rules {
        [rule] => format!("the condition of the rule `{rule}` cannot be decided"),
        rules => format!("the conditions of the rules `{}` cannot be decided", rules.join("`, `")),
    }
}
