//! The facts that conditions see: one table of names, types and meanings.
//!
//! `docs/reference/facts.md` is written from this table. The evaluator computes the values of the facts
//! (`evaluate/variables.rs`). A fact without evidence is unknown there, never a default.

use alloc::boxed::Box;

use adjudicate_lang::logic::Types;

/// A row of the table: one fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactRow {
    /// The name, as conditions spell it after `facts.`.
    pub name: &'static str,
    /// The variable, as conditions spell it.
    pub variable: &'static str,
    /// The type of the value, if it is known.
    pub gives: Types,
    /// The JSON Pointer to the part of the envelope from which the fact is usually read.
    pub source: &'static str,
    /// The case in which the value is unknown, if there is one.
    pub unknown: Option<&'static str>,
}

/// Declares the facts: name, type, source, meaning, and when it is unknown.
macro_rules! facts {
    ($($fact:ident = $name:literal $gives:ident at $source:literal, $meaning:literal $(, unless $unknown:expr)?;)+) => {
        /// A fact of the evidence, which conditions read under `facts`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Fact { $(#[doc = $meaning] $fact,)+ }

        impl Fact {
            /// All facts, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$fact,)+];

            /// All names, in the order of the table.
            pub(super) const NAMES: &'static [&'static str] = &[$($name,)+];

            /// The fact's row of the table.
            ///
            /// ```
            /// use adjudicate_core::policy::Fact;
            /// let row = Fact::DiffPaths.row();
            /// assert_eq!((row.name, row.variable), ("diff.paths", "facts.diff.paths"));
            /// assert!(row.unknown.is_some_and(|unknown| unknown.starts_with("the diff is opaque")));
            /// ```
            #[must_use]
            pub const fn row(self) -> &'static FactRow {
                match self {
                    $(Self::$fact => &const { FactRow {
                        name: $name,
                        variable: concat!("facts.", $name),
                        gives: Types::$gives,
                        source: $source,
                        unknown: unknown!($($unknown)?),
                    } },)+
                }
            }

            /// The meaning in one line. It is not a field of the row, so that a program that does not call this contains
            /// none of these texts.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$fact => $meaning,)+ }
            }
        }
    };
}

macro_rules! unknown {
    () => {
        None
    };
    ($unknown:expr) => {
        Some($unknown)
    };
}

/// The case in which the changed files are unknown.
const UNNAMED: &str =
    "the diff is opaque, names a directory, or names an outside path while the policy's `outside` is `ask`";
/// The case in which the number of changed files is unknown.
const UNCOUNTED: &str = "the diff is opaque and not totals alone, names a directory, or names an outside path while the policy's `outside` is `ask`";
/// The case in which the changed files under a list of paths are unknown.
const UNDECIDED: &str = "the policy lists such paths, and the diff is opaque, names a folder that may contain one, or names an outside path while the policy's `outside` is `ask`";
/// The case in which the changed lines are not counted.
const UNMEASURED: &str = "there is no typed diff, a file of it has no count, or it names a directory, or an outside path while the policy's `outside` is `ask`";

/// The case in which tests are not compared.
const UNCOMPARED: &str = "the baseline or the report lists no cases, or the report is stale";

facts! {
    Intent = "intent" TEXT at "/evidence/step_intent", "what the step was for: `implement`, `fix`, `review`, `investigate`, `document`, `other`",
        unless "it is missing, or stated twice with different values";
    Claims = "claims" LIST at "/evidence/claims",
        "what the agent claims: `implemented`, `fixed`, `tests_passed`, `error_reported`, `no_change_needed`",
        unless "no known claim is found";
    Outcome = "outcome" TEXT at "/evidence/validation/mechanical_outcome", "how the step ended, mechanically";
    DiffEmpty = "diff.empty" BOOL at "/evidence/workspace_diff_summary", "whether nothing changed";
    DiffOpaque = "diff.opaque" BOOL at "/evidence/workspace_diff_summary", "whether the diff says that something changed, but not which files";
    DiffPaths = "diff.paths" LIST at "/evidence/workspace_diff_summary", "the changed paths in normal form, both names of a rename", unless UNNAMED;
    DiffFiles = "diff.files" LIST at "/evidence/workspace_diff_summary", "the changes, `{path, change}`; without `change` where the diff does not say",
        unless UNNAMED;
    DiffCount = "diff.count" NUMBER at "/evidence/workspace_diff_summary", "how many paths changed, a rename once; of totals alone, how many files", unless UNCOUNTED;
    DiffForbidden = "diff.forbidden" LIST at "/evidence/workspace_diff_summary", "the changed paths under the policy's `forbidden_paths`", unless UNDECIDED;
    DiffProtected = "diff.protected" LIST at "/evidence/workspace_diff_summary",
        "the changed paths under the policy's `protected_paths`, approved or not", unless UNDECIDED;
    DiffInsertions = "diff.insertions" NUMBER at "/evidence/diff", "how many lines were added",
        unless UNMEASURED;
    DiffDeletions = "diff.deletions" NUMBER at "/evidence/diff", "how many lines were removed",
        unless UNMEASURED;
    DiffImproved = "diff.improved" BOOL at "/evidence/workspace_diff_summary", "whether there is a net improvement against the latest evaluation",
        unless "there is no earlier evaluation";
    Failures = "failures" NUMBER at "/evidence/validation", "how many checks failed: validators, cases of the harness, stale results and lost tests; without known failures that the policy accepts";
    ValidatorsPassing = "validators.passing" LIST at "/evidence/validation/exit_codes", "the validators that passed";
    ValidatorsFailing = "validators.failing" LIST at "/evidence/validation/exit_codes", "the validators that exited non-zero or timed out, excused or not";
    ValidatorsTimedOut = "validators.timed_out" LIST at "/evidence/validation/timeouts", "the validators that timed out";
    ValidatorsMissing = "validators.missing" LIST at "/evidence/validation/exit_codes", "the required validators without a result";
    ValidatorsCount = "validators.count" NUMBER at "/evidence/validation/exit_codes", "how many validators have a result";
    HarnessPresent = "harness.present" BOOL at "/evidence/harness_report", "whether there is a report of a test harness";
    HarnessPasses = "harness.passes" BOOL at "/evidence/harness_report", "whether something passed and nothing failed", unless "there is no report, or it neither lists nor counts cases";
    HarnessPassed = "harness.passed" NUMBER at "/evidence/harness_report/summary", "how many cases passed", unless "there is no report, or it neither lists nor counts cases";
    HarnessFailed = "harness.failed" NUMBER at "/evidence/harness_report/summary", "how many cases failed, listed or only counted", unless "there is no report, or it neither lists nor counts cases";
    HarnessSkipped = "harness.skipped" NUMBER at "/evidence/harness_report/summary", "how many cases were skipped", unless "no case is listed";
    HarnessFlaky = "harness.flaky" NUMBER at "/evidence/harness_report/summary", "how many cases were flaky", unless "flaky cases are neither listed nor counted";
    HarnessFailing = "harness.failing" LIST at "/evidence/harness_report/cases", "the ids of the listed cases that failed, known or not", unless "there is no report, or it neither lists nor counts cases";
    HarnessRepeats = "harness.repeats" NUMBER at "/evidence/harness_report/cases", "in how many evaluations, this one included, the case failed that failed most often; of the cases that fail now",
        unless "there is no report, a failed case is only counted, or an earlier evaluation lists no blockers";
    HarnessGoldens = "harness.goldens" LIST at "/evidence/harness_report/proposed_goldens", "the goldens that the harness proposes", unless "there is no report";
    UxHigh = "harness.ux.high" NUMBER at "/evidence/harness_report/ux_flags", "how many UX flags of high severity",
        unless "there is no report";
    UxMedium = "harness.ux.medium" NUMBER at "/evidence/harness_report/ux_flags", "how many UX flags of medium severity", unless "there is no report";
    UxLow = "harness.ux.low" NUMBER at "/evidence/harness_report/ux_flags", "how many UX flags of low severity", unless "there is no report";
    TestsKnown = "tests.known" NUMBER at "/evidence/baseline", "how many failed cases failed on the base revision, too", unless UNCOMPARED;
    TestsNewFailures = "tests.new_failures" NUMBER at "/evidence/baseline", "how many failures are not known from the baseline", unless UNCOMPARED;
    TestsLost = "tests.lost" NUMBER at "/evidence/baseline", "how many cases of the baseline do not run now, approved or not", unless UNCOMPARED;
    TestsSkippedNow = "tests.skipped_now" NUMBER at "/evidence/baseline", "how many of them are skipped now", unless UNCOMPARED;
    ArtifactsMissing = "artifacts.missing" LIST at "/evidence/artifacts", "the required artifacts that are missing";
    ApprovalsMissing = "approvals.missing" LIST at "/evidence/approvals/granted", "items without a required approval, including protected files";
    ApprovalsGranted = "approvals.granted" LIST at "/evidence/approvals/granted", "the granted approvals, each once";
    ReviewPresent = "review.present" BOOL at "/evidence/review", "whether there is a review";
    ReviewHigh = "review.high" NUMBER at "/evidence/review/issues", "how many review issues of high severity", unless "there is no review";
    ReviewMedium = "review.medium" NUMBER at "/evidence/review/issues", "how many review issues of medium severity", unless "there is no review";
    ReviewLow = "review.low" NUMBER at "/evidence/review/issues", "how many review issues of low severity", unless "there is no review";
    EventsClasses = "events.classes" LIST at "/evidence/policy_events", "the classes of the policy events, each once";
    EventsViolations = "events.violations" LIST at "/evidence/policy_events", "the events that are violations";
    EventsWarnings = "events.warnings" LIST at "/evidence/policy_events", "the events that are warnings";
    HistoryCount = "history.count" NUMBER at "/evaluate_history", "how many earlier evaluations there are";
    HistoryLast = "history.last" TEXT at "/evaluate_history", "the status of the latest one", unless "there is none";
    HistoryPartials = "history.partials" NUMBER at "/evaluate_history", "how many of the latest ones in a row are `partial`; this one does not count";
    HistoryFlags = "history.flags" LIST at "/evaluate_history", "the flags raised by earlier steps, each once";
    RefinementCap = "refinement.cap" NUMBER at "/refinement", "how many refinements are allowed";
    RefinementSpent = "refinement.spent" NUMBER at "/refinement", "how many refinements were made";
    Contradictions = "contradictions" LIST at "/evidence/claims", "the built-in rules that report contradictions in the evidence";
}

impl Fact {
    /// Finds the fact that some names lead to. Also returns how many of the names are its own: the others lead into its value.
    pub(super) fn find(segments: &[Box<str>]) -> Option<(Self, usize)> {
        Self::ALL.iter().zip(Self::NAMES).find_map(|(fact, name)| {
            let own = name.split('.').count();
            let names = segments.get(..own)?.iter().map(|segment| &**segment);
            name.split('.').eq(names).then_some((*fact, own))
        })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use alloc::{format, string::String};

    /// The text of `facts.md`, written from the table.
    fn page() -> String {
        let mut page = String::from(
            "# Facts\n\nThe conditions of your policy read these values under `facts`. Missing evidence is unknown, never a default.\n\n",
        );
        for fact in Fact::ALL {
            let (row, meaning) = (fact.row(), fact.meaning());
            let unknown = row.unknown.map_or_else(String::new, |unknown| format!(". Unknown if {unknown}"));
            page += &format!("- `{}` ({}): {meaning}{unknown}\n", row.name, row.gives);
        }
        page
    }

    #[test]
    fn the_page_is_the_table() {
        let page = page();
        // Read at run time, so that the tests of the packed crate compile.
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/facts.md");
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(found == page, "facts.md must be:\n{page}");
    }

    #[test]
    fn names_lead_to_one_fact_each() {
        for (index, name) in Fact::NAMES.iter().enumerate() {
            let segments: Box<[Box<str>]> = name.split('.').chain(["0"]).map(Box::from).collect();
            assert_eq!(Fact::find(&segments), Some((Fact::ALL[index], segments.len() - 1)), "{name}");
        }
        for name in ["", "diff", "harness.ux", "diffs.empty", "DIFF.empty"] {
            let segments: Box<[Box<str>]> = name.split('.').map(Box::from).collect();
            assert_eq!(Fact::find(&segments), None, "{name}");
        }
    }
}
