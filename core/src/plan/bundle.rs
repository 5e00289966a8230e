//! A bundle: merged diagnostics in three buckets, with a status and a score (5.9.4).

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::json::{self, object::write_listed};

use super::{Cause, Diagnostic, Level, Outcome, Weights, merge, score};
use crate::{bounds::MAX_DIAGNOSTICS, words::words};

words! {
    /// What becomes of what the diagnostics are about; the order is that of severity.
    BundleStatus {
        /// Nothing stands against it.
        Accepted = "accepted",
        /// Something that is not hard is not met, or there is advice.
        AcceptedWithFindings = "accepted_with_findings",
        /// Something hard is not met, or it cannot be told whether it is.
        Rejected = "rejected",
    }
}

/// Merged diagnostics and what follows from them.
///
/// ```
/// use adjudicate_core::plan::{Bundle, BundleStatus, Weights};
/// let bundle = Bundle::of(Vec::new(), Weights::default());
/// assert_eq!((bundle.status(), bundle.millionths()), (BundleStatus::Accepted, 1_000_000));
/// ```
#[derive(Clone, Debug)]
pub struct Bundle<'a> {
    diagnostics: Vec<Diagnostic<'a>>,
    status: BundleStatus,
    millionths: u32,
}

impl<'a> Bundle<'a> {
    /// Merges diagnostics, and says what follows from those that stay.
    #[must_use]
    pub fn of(diagnostics: Vec<Diagnostic<'a>>, weights: Weights) -> Self {
        let diagnostics = merge(diagnostics);
        let status = diagnostics.iter().map(consequence).max().unwrap_or(BundleStatus::Accepted);
        let millionths = score::millionths(&diagnostics, weights);
        Self { diagnostics, status, millionths }
    }

    /// The same for a plan. A rejected one scores 0 unless hard or soft constraints were judged.
    pub(super) fn of_plan(diagnostics: Vec<Diagnostic<'a>>, is_judged: bool) -> Self {
        let bundle = Self::of(diagnostics, Weights::default());
        match bundle.status == BundleStatus::Rejected && !is_judged {
            true => Self { millionths: 0, ..bundle },
            false => bundle,
        }
    }

    /// The diagnostics that stay, in their order.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic<'a>] {
        &self.diagnostics
    }

    /// What becomes of what they are about.
    #[must_use]
    pub const fn status(&self) -> BundleStatus {
        self.status
    }

    /// The satisfaction score, in millionths.
    #[must_use]
    pub const fn millionths(&self) -> u32 {
        self.millionths
    }

    /// The bundle as it is printed.
    ///
    /// A text over [`MAX_ANSWER_BYTES`](crate::json::MAX_ANSWER_BYTES) is cut off and is no JSON: refuse it, as operations do.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::from("{");
        self.write_members(&mut text, &self.listed());
        text.push('}');
        text
    }

    /// The bundle of an output, with the score once more by the name that it has after a run.
    pub(super) fn to_observed_json(&self) -> String {
        let mut text = String::from("{");
        self.write_members(&mut text, &self.listed());
        text.push_str(",\"observedSatisfaction\":");
        text.push_str(&self.score());
        text.push('}');
        text
    }

    fn score(&self) -> String {
        json::write(&(f64::from(self.millionths) / 1e6))
    }

    /// The diagnostics of an answer: all, or the first and one more that says how many are left out.
    pub(super) fn listed(&self) -> Cow<'_, [Diagnostic<'a>]> {
        match self.diagnostics.len() > MAX_DIAGNOSTICS {
            true => self.cut(self.diagnostics.iter()).into(),
            false => Cow::Borrowed(&self.diagnostics),
        }
    }

    /// What an answer lists of the diagnostics that say that something is not met, or that this is unknown.
    pub(super) fn open(&self) -> Vec<Diagnostic<'a>> {
        self.cut(self.diagnostics.iter().filter(|diagnostic| diagnostic.is_open()))
    }

    /// The first diagnostics; where there are more, one that leads to the same status says how many, in its place.
    fn cut<'d>(&'d self, mut diagnostics: impl Iterator<Item = &'d Diagnostic<'a>>) -> Vec<Diagnostic<'a>> {
        let mut listed: Vec<_> = diagnostics.by_ref().take(MAX_DIAGNOSTICS).cloned().collect();
        let left = diagnostics.count();
        if left == 0 {
            return listed;
        }
        let (level, outcome, cause) = match self.status {
            BundleStatus::Rejected => (Level::Hard, Outcome::Unsatisfied, Cause::Advisory),
            BundleStatus::AcceptedWithFindings => (Level::Soft, Outcome::Unsatisfied, Cause::Advisory),
            BundleStatus::Accepted => (Level::Soft, Outcome::Unknown, Cause::UnsatisfiedSoft),
        };
        let mut omitted = Diagnostic::new(level, outcome, cause);
        omitted.details = Some(format!("{{\"code\":\"diagnostics_omitted\",\"count\":{left}}}"));
        listed.push(omitted);
        merge(listed)
    }

    /// Status, score, and buckets of those diagnostics that are shown.
    pub(super) fn write_members(&self, out: &mut String, listed: &[Diagnostic<'a>]) {
        out.push_str("\"status\":");
        json::write_string(self.status.as_str(), out);
        out.push_str(",\"satisfactionScore\":");
        out.push_str(&self.score());
        for (name, level) in
            [("failures", Level::Hard), ("warnings", Level::Soft), ("infos", Level::Informational)]
        {
            out.push_str(",\"");
            out.push_str(name);
            out.push_str("\":");
            let of_level = listed.iter().filter(|diagnostic| diagnostic.level == level);
            write_listed(of_level, out, Diagnostic::write);
        }
    }
}

/// What one diagnostic makes of the bundle.
fn consequence(diagnostic: &Diagnostic<'_>) -> BundleStatus {
    match (diagnostic.level, diagnostic.outcome) {
        (Level::Hard, Outcome::Unsatisfied | Outcome::Unknown) => BundleStatus::Rejected,
        (Level::Soft | Level::Informational, Outcome::Unsatisfied) => BundleStatus::AcceptedWithFindings,
        (Level::Soft | Level::Informational, _) if diagnostic.cause == Cause::Advisory => {
            BundleStatus::AcceptedWithFindings
        }
        _ => BundleStatus::Accepted,
    }
}
