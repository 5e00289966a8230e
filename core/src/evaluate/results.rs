//! The results of the tree that is judged. A result of another tree is stale, and no result (docs/reference/rules.md).

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    json::Pointer,
    order::{self, SortedMap, SortedSet},
};

use crate::documents::{
    evidence::{Evidence, HarnessReport, Review, Validation},
    tree::Tree,
};

/// The results that count, and those that do not.
#[derive(Clone, Debug)]
pub(crate) struct Results<'a> {
    exit_codes: &'a SortedMap<&'a str, i64>,
    /// The exit codes that are not stale, if some are.
    fresh_exit_codes: Option<SortedMap<&'a str, i64>>,
    timeouts: SortedSet<&'a str>,
    harness: Option<&'a HarnessReport<'a>>,
    review: Option<&'a Review<'a>>,
    stale: Vec<StaleResult<'a>>,
    trees: &'a SortedMap<&'a str, Tree<'a>>,
    rule: TreeRule<'a>,
}

/// The tree that is judged, and whether every result needs one.
#[derive(Clone, Copy, Debug)]
struct TreeRule<'a> {
    judged: Option<Tree<'a>>,
    is_required: bool,
}

impl TreeRule<'_> {
    /// Returns true if a result of this tree is stale.
    fn is_stale(self, tree: Option<Tree<'_>>) -> bool {
        match (tree, self.judged) {
            (Some(own), Some(judged)) => own != judged,
            (Some(_), None) => false,
            (None, _) => self.is_required,
        }
    }
}

/// A result of another tree, or under `require_tree` of none.
#[derive(Clone, Debug)]
pub(crate) struct StaleResult<'a> {
    pub source: ResultSource<'a>,
    /// The tree of the result.
    pub tree: Option<&'a str>,
    /// The pointer to the result.
    pub pointer: String,
}

/// The part of the evidence that has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultSource<'a> {
    Validator(&'a str),
    Harness,
    Review,
}

impl<'a> ResultSource<'a> {
    /// The id of the validator, or the name of the part.
    pub(crate) const fn item(self) -> &'a str {
        match self {
            Self::Validator(id) => id,
            Self::Harness => "harness_report",
            Self::Review => "review",
        }
    }

    /// The pointer to the tree of the result.
    pub(crate) fn tree_pointer(self) -> String {
        match self {
            Self::Validator(id) => Pointer::new("/evidence/validation/trees").key(id).into_string(),
            Self::Harness => "/evidence/harness_report/tree".into(),
            Self::Review => "/evidence/review/tree".into(),
        }
    }
}

impl<'a> Results<'a> {
    /// Sorts out stale results. If `is_required`, a result needs a tree.
    pub(super) fn new(evidence: &'a Evidence<'a>, is_required: bool) -> Self {
        let Validation { exit_codes, timeouts, trees, .. } = &evidence.validation;
        let rule = TreeRule { judged: evidence.tree, is_required };
        let mut results = Self {
            exit_codes,
            fresh_exit_codes: None,
            timeouts: order::names(timeouts.iter().copied()),
            harness: evidence.harness_report.as_ref(),
            review: evidence.review.as_ref(),
            stale: Vec::new(),
            trees,
            rule,
        };
        if !is_required && evidence.tree.is_none() {
            return results;
        }
        let tree_of = |id: &str| trees.get(id).copied();
        let is_fresh = |id: &&str| !rule.is_stale(tree_of(id));
        let ids = order::names(exit_codes.keys().chain(results.timeouts.iter()).copied());
        for id in ids.iter().copied().filter(|id| !is_fresh(id)) {
            let timeout = || timeouts.iter().position(|other| *other == id).unwrap_or_default();
            let pointer = match exit_codes.contains_key(id) {
                true => Pointer::new("/evidence/validation/exit_codes").key(id),
                false => Pointer::new("/evidence/validation/timeouts").index(timeout()),
            };
            results.add(ResultSource::Validator(id), tree_of(id), pointer.into_string());
        }
        if !results.stale.is_empty() {
            let fresh = exit_codes.iter().filter(|(id, _)| is_fresh(id));
            results.fresh_exit_codes =
                Some(SortedMap::from_entries(fresh.map(|(id, exit)| (*id, *exit)).collect()));
            results.timeouts = order::names(timeouts.iter().copied().filter(is_fresh));
        }
        if let Some(report) = results.harness.filter(|report| rule.is_stale(report.tree)) {
            results.harness = None;
            results.add(ResultSource::Harness, report.tree, "/evidence/harness_report".into());
        }
        if let Some(review) = results.review.filter(|review| rule.is_stale(review.tree)) {
            results.review = None;
            results.add(ResultSource::Review, review.tree, "/evidence/review".into());
        }
        results
    }

    /// Returns true if a result of a validator is stale, or would be if there was one.
    pub(crate) fn would_be_stale(&self, validator: &str) -> bool {
        self.rule.is_stale(self.trees.get(validator).copied())
    }

    fn add(&mut self, source: ResultSource<'a>, tree: Option<Tree<'a>>, pointer: String) {
        self.stale.push(StaleResult { source, tree: tree.map(|Tree(tree)| tree), pointer });
    }

    /// The exit code of each validator.
    pub(crate) fn exit_codes(&self) -> &SortedMap<&'a str, i64> {
        self.fresh_exit_codes.as_ref().unwrap_or(self.exit_codes)
    }

    /// The validators that timed out.
    pub(crate) const fn timeouts(&self) -> &SortedSet<&'a str> {
        &self.timeouts
    }

    /// The report of the harness.
    pub(crate) const fn harness(&self) -> Option<&'a HarnessReport<'a>> {
        self.harness
    }

    /// The review.
    pub(crate) const fn review(&self) -> Option<&'a Review<'a>> {
        self.review
    }

    /// The stale results: of validators by id, then of the harness, then of the review.
    pub(crate) fn stale(&self) -> &[StaleResult<'a>] {
        &self.stale
    }

    /// Returns true if the result of a validator is stale.
    pub(super) fn is_stale(&self, validator: &str) -> bool {
        self.stale.iter().any(|stale| stale.source == ResultSource::Validator(validator))
    }

    /// Returns true if the result of a validator or of the harness is stale.
    pub(super) fn has_stale_check(&self) -> bool {
        self.stale.iter().any(|stale| stale.source != ResultSource::Review)
    }
}
