//! A bundle: merged diagnostics in three buckets, with a status and a score (docs/reference/plans.md).

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::json::{self, object::write_listed};

use super::{merge, score};
use crate::{
    bounds::MAX_DIAGNOSTICS,
    documents::{
        BundleStatus, Weights,
        diagnostic::{Cause, Diagnostic, DiagnosticStatus, Level},
    },
};

/// Merged diagnostics with their status and score.
///
/// ```
/// use adjudicate_core::{documents::{BundleStatus, Weights}, plan::Bundle};
/// let bundle = Bundle::new(Vec::new(), Weights::default());
/// assert_eq!((bundle.status(), bundle.millionths()), (BundleStatus::Accepted, 1_000_000));
/// ```
#[derive(Clone, Debug)]
pub struct Bundle<'a> {
    diagnostics: Vec<Diagnostic<'a>>,
    status: BundleStatus,
    millionths: u32,
}

impl<'a> Bundle<'a> {
    /// Merges diagnostics and computes status and score.
    #[must_use]
    pub fn new(diagnostics: Vec<Diagnostic<'a>>, weights: Weights) -> Self {
        let diagnostics = merge(diagnostics);
        let status = diagnostics.iter().map(consequence).max().unwrap_or(BundleStatus::Accepted);
        let millionths = score::millionths(&diagnostics, weights);
        Self { diagnostics, status, millionths }
    }

    /// The bundle of a plan. A rejected plan scores 0 unless its constraints were judged.
    pub(super) fn for_plan(diagnostics: Vec<Diagnostic<'a>>, is_judged: bool) -> Self {
        let bundle = Self::new(diagnostics, Weights::default());
        match bundle.status == BundleStatus::Rejected && !is_judged {
            true => Self { millionths: 0, ..bundle },
            false => bundle,
        }
    }

    /// The merged diagnostics, in order.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic<'a>] {
        &self.diagnostics
    }

    /// The status that follows from the diagnostics.
    #[must_use]
    pub const fn status(&self) -> BundleStatus {
        self.status
    }

    /// The satisfaction score, in millionths.
    #[must_use]
    pub const fn millionths(&self) -> u32 {
        self.millionths
    }

    /// The bundle as JSON.
    ///
    /// The text can exceed [`MAX_ANSWER_BYTES`](crate::json::MAX_ANSWER_BYTES). It is then cut off and invalid JSON, so reject it, as
    /// the operations do.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::from("{");
        self.write_members(&mut text, &self.listed());
        text.push('}');
        text
    }

    /// The bundle of an output: the score appears again as `observedSatisfaction`.
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

    /// The diagnostics of an answer: all, or the first ones and a last one with the number left out.
    pub(super) fn listed(&self) -> Cow<'_, [Diagnostic<'a>]> {
        match self.diagnostics.len() > MAX_DIAGNOSTICS {
            true => self.cut(self.diagnostics.iter()).into(),
            false => Cow::Borrowed(&self.diagnostics),
        }
    }

    /// The diagnostics with an unmet or undecided outcome, up to the limit of an answer.
    pub(super) fn open(&self) -> Vec<Diagnostic<'a>> {
        self.cut(self.diagnostics.iter().filter(|diagnostic| diagnostic.is_open()))
    }

    /// The first diagnostics, up to the limit. A last one stands for the rest: it leads to the same status and has their number.
    fn cut<'d>(&'d self, mut diagnostics: impl Iterator<Item = &'d Diagnostic<'a>>) -> Vec<Diagnostic<'a>> {
        let mut listed: Vec<_> = diagnostics.by_ref().take(MAX_DIAGNOSTICS).cloned().collect();
        let left = diagnostics.count();
        if left == 0 {
            return listed;
        }
        let (level, outcome, cause) = match self.status {
            BundleStatus::Rejected => (Level::Hard, DiagnosticStatus::Unsatisfied, Cause::Advisory),
            BundleStatus::AcceptedWithFindings => {
                (Level::Soft, DiagnosticStatus::Unsatisfied, Cause::Advisory)
            }
            BundleStatus::Accepted => (Level::Soft, DiagnosticStatus::Unknown, Cause::UnsatisfiedSoft),
        };
        let mut omitted = Diagnostic::new(level, outcome, cause);
        omitted.details = Some(format!("{{\"code\":\"diagnostics_omitted\",\"count\":{left}}}"));
        listed.push(omitted);
        merge(listed)
    }

    /// Writes status, score, and the listed diagnostics in three buckets.
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

/// The bundle status that one diagnostic alone leads to.
fn consequence(diagnostic: &Diagnostic<'_>) -> BundleStatus {
    match (diagnostic.level, diagnostic.outcome) {
        (Level::Hard, DiagnosticStatus::Unsatisfied | DiagnosticStatus::Unknown) => BundleStatus::Rejected,
        (Level::Soft | Level::Informational, DiagnosticStatus::Unsatisfied) => {
            BundleStatus::AcceptedWithFindings
        }
        (Level::Soft | Level::Informational, _) if diagnostic.cause == Cause::Advisory => {
            BundleStatus::AcceptedWithFindings
        }
        _ => BundleStatus::Accepted,
    }
}
