//! The facts that conditions see: one table of names, types and meanings.
//!
//! `FACTS.md` beside this crate's `Cargo.toml` is written from this table. What each fact is in an evaluation is the
//! evaluator's (`evaluate/variables.rs`); whatever the evidence does not say is unknown there, never a default.

use alloc::boxed::Box;

use adjudicate_lang::logic::Types;

/// What the table says about one fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactRow {
    /// The name, as conditions spell it after `facts.`.
    pub name: &'static str,
    /// The variable, as conditions spell it.
    pub variable: &'static str,
    /// What it is where it is known.
    pub gives: Types,
    /// When it is unknown, if it ever is.
    pub unknown: Option<&'static str>,
}

/// Declares the facts: name, type, meaning, and when it is unknown.
macro_rules! facts {
    ($($fact:ident = $name:literal $gives:ident, $meaning:literal $(, unless $unknown:expr)?;)+) => {
        /// Something that the evidence says, as conditions see it under `facts`.
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
                        unknown: unknown!($($unknown)?),
                    } },)+
                }
            }

            /// One line on what it says. Beside the row and not in it: who does not ask, does not carry the texts.
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

/// When it is unknown which files changed.
const UNNAMED: &str = "the diff is opaque, or has a directory or, unless the policy's `outside` is `refuse` or `allow`, an outside path";
/// When it is unknown how many files changed.
const UNCOUNTED: &str = "the diff is opaque and more than totals, or has a directory or, unless the policy's `outside` is `refuse` or `allow`, an outside path";
/// When it is unknown which changed files are under a list of paths.
const UNDECIDED: &str = "there are such paths and the diff is opaque, or has a path below which one of them may lie or, unless the policy's `outside` is `refuse` or `allow`, an outside path";

facts! {
    Intent = "intent" TEXT, "what the step was for: `implement`, `fix`, `review`, `investigate`, `document`, `other`",
        unless "it is not said, or said twice and differently";
    Claims = "claims" LIST,
        "what the agent claims: `implemented`, `fixed`, `tests_passed`, `error_reported`, `no_change_needed`",
        unless "no known claim is found";
    Outcome = "outcome" TEXT, "how the step ended, mechanically";
    DiffEmpty = "diff.empty" BOOL, "whether nothing changed";
    DiffOpaque = "diff.opaque" BOOL, "whether something changed and it is not said what";
    DiffPaths = "diff.paths" LIST, "the changed paths in normal form, both names of a rename", unless UNNAMED;
    DiffFiles = "diff.files" LIST, "the changes, `{path, change}`; without `change` where the diff does not say",
        unless UNNAMED;
    DiffCount = "diff.count" NUMBER, "how many paths changed; of totals alone, how many files", unless UNCOUNTED;
    DiffForbidden = "diff.forbidden" LIST, "the changed paths under the policy's `forbidden_paths`", unless UNDECIDED;
    DiffProtected = "diff.protected" LIST,
        "the changed paths under the policy's `protected_paths`, approved or not", unless UNDECIDED;
    DiffInsertions = "diff.insertions" NUMBER, "how many lines came",
        unless "some file of the typed diff does not say, there is no typed diff, or it has a directory or, unless the policy's `outside` is `refuse` or `allow`, an outside path";
    DiffDeletions = "diff.deletions" NUMBER, "how many lines went",
        unless "some file of the typed diff does not say, there is no typed diff, or it has a directory or, unless the policy's `outside` is `refuse` or `allow`, an outside path";
    DiffImproved = "diff.improved" BOOL, "whether there is a net improvement against the latest evaluation",
        unless "there is no earlier evaluation";
    Failures = "failures" NUMBER, "how many checks failed: validators, and cases of the harness";
    ValidatorsPassing = "validators.passing" LIST, "the validators that passed";
    ValidatorsFailing = "validators.failing" LIST, "the validators that exited non-zero or timed out";
    ValidatorsTimedOut = "validators.timed_out" LIST, "the validators that timed out";
    ValidatorsMissing = "validators.missing" LIST, "the required validators without a result";
    ValidatorsCount = "validators.count" NUMBER, "how many validators have a result";
    HarnessPresent = "harness.present" BOOL, "whether there is a report of a test harness";
    HarnessPasses = "harness.passes" BOOL, "whether something passed and nothing failed", unless "there is no report, or it lists no case and counts none";
    HarnessPassed = "harness.passed" NUMBER, "how many cases passed", unless "there is no report, or it lists no case and counts none";
    HarnessFailed = "harness.failed" NUMBER, "how many cases failed, listed or only counted", unless "there is no report, or it lists no case and counts none";
    HarnessSkipped = "harness.skipped" NUMBER, "how many cases were skipped", unless "no case is listed";
    HarnessFlaky = "harness.flaky" NUMBER, "how many cases were flaky", unless "no case is listed, nor are they counted";
    HarnessFailing = "harness.failing" LIST, "the ids of the listed cases that failed", unless "there is no report, or it lists no case and counts none";
    HarnessGoldens = "harness.goldens" LIST, "the goldens that the harness proposes", unless "there is no report";
    UxHigh = "harness.ux.high" NUMBER, "how many grave remarks on the user's experience there are",
        unless "there is no report";
    UxMedium = "harness.ux.medium" NUMBER, "how many medium ones", unless "there is no report";
    UxLow = "harness.ux.low" NUMBER, "how many minor ones", unless "there is no report";
    ArtifactsMissing = "artifacts.missing" LIST, "the required artifacts that are absent, as they are asked for";
    ApprovalsMissing = "approvals.missing" LIST, "what needs an approval that is not granted, protected files too";
    ApprovalsGranted = "approvals.granted" LIST, "what has been approved";
    ReviewPresent = "review.present" BOOL, "whether there is a review";
    ReviewHigh = "review.high" NUMBER, "how many grave issues the review has", unless "there is no review";
    ReviewMedium = "review.medium" NUMBER, "how many medium ones", unless "there is no review";
    ReviewLow = "review.low" NUMBER, "how many minor ones", unless "there is no review";
    EventsClasses = "events.classes" LIST, "the classes of the policy events, each once";
    EventsViolations = "events.violations" LIST, "the events that are violations";
    EventsWarnings = "events.warnings" LIST, "the events that are warnings";
    HistoryCount = "history.count" NUMBER, "how many earlier evaluations there are";
    HistoryLast = "history.last" TEXT, "the status of the latest one", unless "there is none";
    HistoryPartials = "history.partials" NUMBER, "how many of the latest ones in a row are `partial`, without this one";
    HistoryFlags = "history.flags" LIST, "the flags raised by earlier steps, each once";
    RefinementCap = "refinement.cap" NUMBER, "how many refinements are allowed";
    RefinementSpent = "refinement.spent" NUMBER, "how many were made";
    Contradictions = "contradictions" LIST, "the built-in rules by which the evidence contradicts itself";
}

impl Fact {
    /// The fact that some names lead to, and how many of them are its own: the rest lead into its value.
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
    use super::*;
    use alloc::{format, string::String};

    /// `FACTS.md` as the table has it.
    fn page() -> String {
        let mut page = String::from(
            "# Facts\n\nWhat the conditions of a policy see under `facts`. What is not known is unknown, never a default.\n\n\
            | name | is | what it says | unknown when |\n| --- | --- | --- | --- |\n",
        );
        for fact in Fact::ALL {
            let (row, meaning) = (fact.row(), fact.meaning());
            let unknown = row.unknown.unwrap_or("never");
            page += &format!("| `{}` | {} | {meaning} | {unknown} |\n", row.name, row.gives);
        }
        page
    }

    #[test]
    fn the_page_is_the_table() {
        let page = page();
        assert!(include_str!("../../FACTS.md") == page, "FACTS.md must be:\n{page}");
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
