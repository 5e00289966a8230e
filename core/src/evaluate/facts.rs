//! Facts: the evidence with every format read and every path compared.
//!
//! Facts are built once for an evaluation, without running a rule; rules only look them up. All work beyond linear time is done
//! here, under the step budget.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{Node, Pointer},
    order::{self, SortedSet},
    paths::normalize,
};

use super::{
    allowed::Disallowed,
    baseline::{Comparison, ShrunkTests},
    checks::{FailingCase, FailingValidator, failed_cases, failed_validators, numbered},
    diff::{Changed, ChangedFile},
    matches::{Match, Matches, Missing, matching, missing_artifacts},
    results::Results,
    route::routes,
    transcript::Transcript,
};
use crate::{
    codes::Severity,
    documents::{
        envelope::Envelope,
        evaluation::{KnownFailure, PolicyName, Route},
        evidence::{Case, CaseStatus, Claim, Evidence, HarnessReport, Intent, ReviewIssue},
        policy::Outside,
    },
    policy::{Breaches, Policy, STANDARD},
};

/// The evidence of one envelope under one policy, ready for lookups.
#[derive(Debug)]
pub struct Facts<'a> {
    envelope: &'a Envelope<'a>,
    /// The policy of the call, which answers name.
    given_policy: Option<&'a Policy>,
    intent: Option<Intent>,
    claims: Option<Cow<'a, [Claim]>>,
    changed: Changed<'a>,
    /// The files that only the summary has, and the typed diff lacks.
    lacking: Vec<ChangedFile<'a>>,
    forbidden: Matches,
    protected: Matches,
    disallowed: Disallowed,
    missing_artifacts: Vec<Missing<'a>>,
    granted_paths: Vec<Cow<'a, str>>,
    results: Results<'a>,
    comparison: Option<Comparison<'a>>,
    failed_validators: Vec<FailingValidator<'a>>,
    failed_cases: Vec<FailingCase<'a>>,
    /// True if any failed case has a command that reproduces it.
    any_repro: bool,
    routes: Vec<Route>,
    breaches: Breaches,
}

impl<'a> Facts<'a> {
    /// Builds the facts of an envelope, with a policy or without.
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) if patterns have too many alternatives, if comparisons exceed the step
    /// budget, or if a harness counts more than 1,000 unlisted failures.
    pub fn new(envelope: &'a Envelope<'a>, policy: Option<&'a Policy>) -> Result<Self, Error> {
        Self::within(envelope, policy, &mut Steps::default())
    }

    /// The same, under a shared budget.
    pub(crate) fn within(
        envelope: &'a Envelope<'a>,
        policy: Option<&'a Policy>,
        steps: &mut Steps,
    ) -> Result<Self, Error> {
        let evidence = &envelope.evidence;
        let applied = policy.unwrap_or(&STANDARD);
        let asks_transcript = evidence.step_intent.is_none() || evidence.claims.is_none();
        let transcript = if asks_transcript { evidence.transcript_summary } else { "" };
        let transcript = Transcript::read(transcript);
        let summary = evidence.workspace_diff_summary;
        let (changed, lacking) = match &evidence.diff {
            Some(diff) => {
                let typed = Changed::from_typed(summary, diff);
                let lacking = typed.lacking(summary);
                (typed, lacking)
            }
            None => (Changed::from_text(summary), Vec::new()),
        };
        let changed = if applied.outside() == Outside::Allow { changed.admit_outside() } else { changed };
        let results = Results::new(evidence, applied.requires_tree());
        let granted = evidence.approvals.as_ref().map_or(&[][..], |approvals| &approvals.granted);
        let comparison = Comparison::new(evidence, &results, &changed, applied, steps)?;
        let compared = comparison.as_ref().filter(|_| applied.accepts_known_failures());
        let failed_cases = failed_cases(&results, compared.map_or(&[], |compared| &compared.known))?;
        let [forbidden, protected] = matching(applied, changed.files(), steps)?;
        Ok(Self {
            envelope,
            given_policy: policy,
            intent: evidence.step_intent.or(transcript.intent),
            claims: match &evidence.claims {
                Some(claims) => Some(Cow::Borrowed(claims)),
                None => transcript.claims.map(Cow::Owned),
            },
            disallowed: Disallowed::new(applied, &changed, steps)?,
            changed,
            lacking,
            forbidden,
            protected,
            missing_artifacts: missing_artifacts(evidence, applied, steps)?,
            failed_validators: failed_validators(evidence, &results, compared, steps)?,
            any_repro: failed_cases.iter().any(|case| case.repro.is_some()),
            failed_cases,
            comparison,
            granted_paths: granted.iter().map(|grant| normalize(grant)).collect(),
            results,
            routes: routes(envelope, applied, steps)?,
            breaches: match applied.inputs() {
                Some(inputs) => inputs.breaches(envelope.source, steps)?,
                None => Breaches::NONE,
            },
        })
    }

    /// The values that break the declared inputs of the policy.
    pub(crate) const fn breaches(&self) -> &Breaches {
        &self.breaches
    }

    /// The envelope.
    #[must_use]
    pub const fn envelope(&self) -> &'a Envelope<'a> {
        self.envelope
    }

    /// The node from which the envelope was read.
    pub(crate) const fn input(&self) -> Node<'a> {
        self.envelope.source
    }

    pub(crate) const fn evidence(&self) -> &'a Evidence<'a> {
        &self.envelope.evidence
    }

    /// The name and version of the policy of the call.
    pub(crate) fn policy_name(&self) -> Option<PolicyName<'a>> {
        self.given_policy.map(|policy| PolicyName { name: policy.name(), version: policy.version() })
    }

    /// The policy of the call, if any.
    pub(crate) const fn given_policy(&self) -> Option<&'a Policy> {
        self.given_policy
    }

    /// The active policy: that of the call, or the standard one.
    pub(crate) fn policy(&self) -> &'a Policy {
        self.given_policy.unwrap_or(&STANDARD)
    }

    /// The purpose of the step; `None` is unknown.
    pub(crate) const fn intent(&self) -> Option<Intent> {
        self.intent
    }

    /// The claims of the agent; `None` is unknown.
    pub(crate) fn claims(&self) -> Option<&[Claim]> {
        self.claims.as_deref()
    }

    /// Returns true if the step should change something; `None` is unknown.
    pub(super) fn intends_change(&self) -> Option<bool> {
        self.intent.map(|intent| matches!(intent, Intent::Implement | Intent::Fix))
    }

    /// The pointer to the first mention of a claim, if it is made.
    pub(super) fn claim(&self, claim: Claim) -> Option<String> {
        let index = self.claims.as_ref()?.iter().position(|made| *made == claim)?;
        Some(match self.evidence().claims {
            Some(_) => Pointer::new("/evidence/claims").index(index).into_string(),
            None => "/evidence/transcript_summary".into(),
        })
    }

    /// Returns true if any of these claims is made; unknown claims are not made.
    pub(super) fn claims_any(&self, claims: &[Claim]) -> bool {
        self.claims.as_ref().is_some_and(|made| made.iter().any(|claim| claims.contains(claim)))
    }

    /// The pointer to the claims.
    pub(crate) const fn claims_pointer(&self) -> &'static str {
        match self.envelope.evidence.claims {
            Some(_) => "/evidence/claims",
            None => "/evidence/transcript_summary",
        }
    }

    /// The changed files.
    pub(crate) const fn changed(&self) -> &Changed<'a> {
        &self.changed
    }

    /// The pointer to the diff.
    pub(crate) const fn diff_pointer(&self) -> &'static str {
        match self.envelope.evidence.diff {
            Some(_) => "/evidence/diff",
            None => "/evidence/workspace_diff_summary",
        }
    }

    /// The pointer to a changed file.
    pub(super) fn file_pointer(&self, file: &ChangedFile<'_>) -> String {
        match file.index {
            Some(index) => Pointer::new("/evidence/diff/files").index(index).into_string(),
            None => "/evidence/workspace_diff_summary".into(),
        }
    }

    /// Changed files under the policy's forbidden paths.
    pub(super) fn forbidden_files(&self) -> impl Iterator<Item = &ChangedFile<'a>> {
        let forbidden = self.forbidden.matched.iter().filter(|found| found.pattern.is_some());
        forbidden.filter_map(|found| self.changed.files().get(found.file))
    }

    /// The changed files that violate the policy's lists of paths, each once, in document order.
    pub(super) fn violating_files(&self) -> Vec<(&ChangedFile<'a>, PathFault<'a>)> {
        let patterns = self.policy().forbidden_paths();
        let forbidden = self.forbidden.matched.iter().map(|found| {
            let pattern = found.pattern.and_then(|pattern| patterns.get(pattern));
            (found.file, pattern.map_or(PathFault::Outside, |pattern| PathFault::Forbidden(pattern.text())))
        });
        let disallowed = self.disallowed.refused.iter().map(|file| (*file, PathFault::NotAllowed));
        let mut all: Vec<(usize, PathFault<'_>)> = forbidden.chain(disallowed).collect();
        let path = |file: usize| self.changed.files().get(file).map(|file| (&file.path, &file.outside));
        if !self.disallowed.refused.is_empty() {
            order::sort_by(&mut all, |left, right| left.0.cmp(&right.0));
            all = order::without_repeats(all, |left, right| path(left.0).cmp(&path(right.0)));
        }
        all.into_iter().filter_map(|(file, fault)| Some((self.changed.files().get(file)?, fault))).collect()
    }

    /// Changed files under the policy's protected paths.
    pub(super) fn protected_files(&self) -> impl Iterator<Item = &ChangedFile<'a>> {
        self.protected.matched.iter().filter_map(|found| self.changed.files().get(found.file))
    }

    /// Returns true if it is known which changed files are under the policy's forbidden paths.
    pub(super) fn knows_forbidden(&self) -> bool {
        self.policy().forbidden_paths().is_empty()
            || !self.changed.is_opaque() && self.forbidden.unknown.is_empty()
    }

    /// Returns true if it is known which changed files are under the policy's protected paths.
    pub(super) fn knows_protected(&self) -> bool {
        self.policy().protected_paths().is_empty()
            || !self.changed.is_opaque() && self.protected.unknown.is_empty()
    }

    /// Returns true if every changed file is named. A directory without its files is not, and neither is a path outside of the
    /// workspace unless the policy refuses such paths.
    pub(crate) fn names_each_file(&self) -> bool {
        let asks = self.policy().outside() != Outside::Refuse;
        let is_unnamed = |file: &ChangedFile<'_>| file.is_directory || asks && file.outside.is_some();
        !self.changed.is_opaque() && !self.changed.files().iter().any(is_unnamed)
    }

    /// Returns true if the policy lists paths.
    pub(crate) fn asks_for_paths(&self) -> bool {
        let policy = self.policy();
        let is_listed = !policy.forbidden_paths().is_empty() || !policy.protected_paths().is_empty();
        is_listed || policy.allowed_paths().is_some()
    }

    /// Returns true if the agent claims a change, and the diff tells neither which files changed nor that none did.
    pub(crate) fn hides_claimed_change(&self) -> bool {
        self.changed.is_opaque() && !self.changed.seems_empty() && self.claims_change()
    }

    /// The changed files that the policy's path lists cannot decide, in document order.
    pub(crate) fn undecided_files(&self) -> Vec<&ChangedFile<'a>> {
        let lists = [&self.forbidden.unknown, &self.protected.unknown];
        let found = lists.into_iter().flatten().map(|found| found.file);
        let files = SortedSet::from_values(found.chain(self.disallowed.unknown.iter().copied()));
        files.into_iter().filter_map(|file| self.changed.files().get(file)).collect()
    }

    /// Returns true if an undecided file is one reading of a name that may also be a rename.
    pub(super) fn is_one_reading(&self, file: &ChangedFile<'_>) -> bool {
        let is_name = |name: &Cow<'_, str>| *name == file.path;
        self.policy().allowed_paths().is_some() && self.changed.ambiguous().iter().flatten().any(is_name)
    }

    /// Returns true if a pattern matches an undecided file only after Unicode normalization.
    pub(super) fn is_other_form(&self, file: &ChangedFile<'_>) -> bool {
        let mut unknown = self.forbidden.unknown.iter().chain(&self.protected.unknown);
        let is_file =
            |found: &Match| self.changed.files().get(found.file).is_some_and(|of| of.path == file.path);
        let is_allowed_elsewhere = || {
            let mut unknown =
                self.disallowed.unknown.iter().filter_map(|file| self.changed.files().get(*file));
            unknown.any(|of| of.path == file.path && !of.is_directory && of.outside.is_none())
        };
        unknown.any(|found| found.is_other_form && is_file(found)) || is_allowed_elsewhere()
    }

    /// The files that only the summary has; any such file is a contradiction.
    pub(crate) fn lacking_files(&self) -> &[ChangedFile<'a>] {
        &self.lacking
    }

    /// Required artifacts that are absent.
    pub(crate) fn missing_artifacts(&self) -> &[Missing<'a>] {
        &self.missing_artifacts
    }

    /// The granted approvals, as paths in normal form.
    pub(super) fn granted_paths(&self) -> &[Cow<'a, str>] {
        &self.granted_paths
    }

    /// The failed validators, in document order.
    pub(crate) fn failed_validators(&self) -> &[FailingValidator<'a>] {
        &self.failed_validators
    }

    /// The failed validators that are failing checks: all but excused ones.
    pub(crate) fn failing_validators(&self) -> impl Iterator<Item = &FailingValidator<'a>> {
        self.failed_validators.iter().filter(|validator| !validator.is_excused)
    }

    /// The comparison with the baseline, if there is one.
    pub(crate) const fn comparison(&self) -> Option<&Comparison<'a>> {
        self.comparison.as_ref()
    }

    /// The tests that are gone, and that nothing accounts for.
    pub(crate) fn shrunk_tests(&self) -> &[ShrunkTests<'a>] {
        self.comparison.as_ref().map_or(&[], |comparison| &comparison.shrunk)
    }

    /// The results of the tree that is judged.
    pub(crate) const fn results(&self) -> &Results<'a> {
        &self.results
    }

    /// Returns true if a validator has a result; a timeout is one.
    pub(super) fn has_result(&self, validator: &str) -> bool {
        self.results.exit_codes().contains_key(validator) || self.timeouts().contains(validator)
    }

    /// The required validators without a result, each once. Those of the envelope come first, with their indices, then those of the
    /// policy alone.
    pub(crate) fn missing_validators(&self) -> Vec<(Option<usize>, &'a str)> {
        let count = self.evidence().required_validators.as_ref().map_or(0, Vec::len);
        let mut missing = Vec::with_capacity(count + self.policy().required_validators().len());
        let from_envelope = self.evidence().required_validators.iter().flatten().enumerate();
        let from_envelope = from_envelope.map(|(index, id)| (Some(index), *id));
        let from_policy = self.policy().required_validators().iter().map(|id| (None, &**id));
        missing.extend(from_envelope.chain(from_policy).filter(|(_, id)| !self.has_result(id)));
        order::without_repeats(missing, |(_, left), (_, right)| left.cmp(right))
    }

    /// Returns true if the envelope or the policy has a list of required validators, even an empty one.
    pub(super) fn says_required_validators(&self) -> bool {
        self.evidence().required_validators.is_some() || self.policy().says_required_validators()
    }

    /// Returns true if any check has a result: a validator, or a passed or failed case of the harness. The counts matter only if no
    /// case is listed.
    pub(crate) fn has_any_check(&self) -> bool {
        let has_case = |report: &HarnessReport<'_>| match report.cases.as_slice() {
            [] => report.summary.is_some_and(|summary| summary.passed > 0 || summary.failed > 0),
            cases => cases.iter().any(|case| matches!(case.status, CaseStatus::Passed | CaseStatus::Failed)),
        };
        self.has_any_result() || self.harness().is_some_and(has_case)
    }

    /// Returns true if failures count as known, and no check passed.
    pub(crate) fn has_known_failures_alone(&self) -> bool {
        let is_passed = |case: &Case<'_>| case.status == CaseStatus::Passed;
        let any_case_passed = || self.harness().is_some_and(|report| report.cases.iter().any(is_passed));
        self.known_failures().next().is_some()
            && self.passing_validators().next().is_none()
            && !any_case_passed()
    }

    /// Returns true if any validator has a result.
    pub(super) fn has_any_result(&self) -> bool {
        !self.results.exit_codes().is_empty() || !self.timeouts().is_empty()
    }

    /// The validators that passed.
    pub(super) fn passing_validators(&self) -> impl Iterator<Item = &'a str> {
        let passed = |(id, exit): &(&&'a str, &i64)| **exit == 0 && !self.timeouts().contains(**id);
        self.results.exit_codes().iter().filter(passed).map(|(id, _)| *id)
    }

    /// The harness's report.
    pub(crate) fn harness(&self) -> Option<&'a HarnessReport<'a>> {
        self.results.harness()
    }

    /// The validators that timed out.
    pub(crate) const fn timeouts(&self) -> &SortedSet<&'a str> {
        self.results.timeouts()
    }

    /// The granted approvals.
    pub(super) fn granted(&self) -> &'a [&'a str] {
        self.evidence().approvals.as_ref().map_or(&[][..], |approvals| &approvals.granted)
    }

    /// Returns true if the harness reports success: something passed and nothing failed. `None` if it neither lists nor counts
    /// cases.
    pub(super) fn harness_outcome(&self) -> Option<bool> {
        let report = self.harness()?;
        let any_passed = match (report.cases.as_slice(), report.summary) {
            ([], None) => return None,
            ([], Some(summary)) => summary.passed > 0,
            (cases, _) => cases.iter().any(|case| case.status == CaseStatus::Passed),
        };
        let none_counted = report.summary.is_none_or(|summary| summary.failed == 0);
        Some(any_passed && none_counted && report.count(CaseStatus::Failed) == 0)
    }

    /// Returns true if the harness is known to report success.
    pub(super) fn harness_passes(&self) -> bool {
        self.harness_outcome() == Some(true)
    }

    /// Returns true if the harness reports success, without the failures that count as known.
    pub(super) fn harness_supports(&self) -> bool {
        let any_passed =
            |report: &HarnessReport<'_>| report.cases.iter().any(|case| case.status == CaseStatus::Passed);
        let has_new = self.failing_cases().next().is_some();
        self.harness_passes() || !has_new && self.harness().is_some_and(any_passed)
    }

    /// The validators that pass according to the harness. If every case names a validator, each validator's own cases decide;
    /// otherwise the whole report does.
    pub(super) fn harness_passing(&self) -> HarnessPassing<'a> {
        let cases = self.harness().map_or(&[][..], |report| &report.cases);
        if cases.is_empty() || cases.iter().any(|case| case.validator.is_none()) {
            return HarnessPassing::All(self.harness_passes());
        }
        let of = |status| {
            let cases = cases.iter().filter(move |case| case.status == status);
            order::names(cases.filter_map(|case| case.validator))
        };
        let (mut passing, failing) = (of(CaseStatus::Passed), of(CaseStatus::Failed));
        passing.retain(|validator| !failing.contains(*validator));
        HarnessPassing::Validators(passing)
    }

    /// Returns true if there is a review and its artifact exists.
    pub(crate) fn has_review(&self) -> bool {
        let is_there =
            |artifact: &str| self.missing_artifacts.iter().all(|missing| missing.wanted != artifact);
        self.results.review().is_some_and(|review| is_there(review.artifact_ref))
    }

    /// The failed cases, then the failures that are only counted.
    pub(crate) fn failed_cases(&self) -> &[FailingCase<'a>] {
        &self.failed_cases
    }

    /// The failed cases that are failing checks: all but known ones.
    pub(crate) fn failing_cases(&self) -> impl Iterator<Item = &FailingCase<'a>> {
        self.failed_cases.iter().filter(|case| !case.is_known)
    }

    /// The failed cases that count as known.
    pub(crate) fn known_failures(&self) -> impl Iterator<Item = KnownFailure<'a>> {
        let known = self.failed_cases.iter().filter(|case| case.is_known).filter_map(|known| known.case);
        known.map(|case| KnownFailure { id: case.id, validator: case.validator })
    }

    /// The number of failed checks.
    pub(crate) fn failures(&self) -> u64 {
        let failing = self.failing_validators().count() + self.failing_cases().count();
        (failing + self.results.stale().len() + self.shrunk_tests().len()) as u64
    }

    /// Returns true if the evidence shows how to fix a failing validator.
    pub(super) fn has_fix_path(&self, validator: &FailingValidator<'_>) -> bool {
        validator.artifact.is_some() || self.any_repro
    }

    /// Returns true if some evidence reports success, which a missing artifact then contradicts.
    pub(super) fn claims_success(&self) -> bool {
        let exit_codes = self.results.exit_codes();
        let all_exits_zero = !exit_codes.is_empty()
            && exit_codes.values().all(|exit| *exit == 0)
            && self.timeouts().is_empty();
        all_exits_zero
            || self.harness_passes()
            || self.claims_any(&[Claim::Implemented, Claim::Fixed, Claim::TestsPassed])
    }

    /// The route of each allowed next step, in the order of the list.
    pub(super) fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// The review issues of at least medium severity: index, issue, and item. The item is the id, numbered if it repeats.
    pub(crate) fn review_issues(&self) -> Vec<(usize, &'a ReviewIssue<'a>, Cow<'a, str>)> {
        let items = numbered(self.counted_issues().map(|(_, issue)| issue.id));
        self.counted_issues().zip(items).map(|((index, issue), item)| (index, issue, item)).collect()
    }

    /// The same without the items.
    pub(super) fn counted_issues(&self) -> impl Iterator<Item = (usize, &'a ReviewIssue<'a>)> {
        let issues = self.results.review().map_or(&[][..], |review| &review.issues);
        issues.iter().enumerate().filter(|(_, issue)| issue.severity > Severity::Low)
    }
}

/// The reason for which a changed file violates the policy.
#[derive(Clone, Copy, Debug)]
pub(super) enum PathFault<'a> {
    /// It is under this forbidden path.
    Forbidden(&'a str),
    /// It is outside of the workspace, and the policy refuses that.
    Outside,
    /// No allowed path matches it.
    NotAllowed,
}

/// The validators that pass according to the harness.
pub(super) enum HarnessPassing<'a> {
    /// All or none, because not every case names a validator.
    All(bool),
    Validators(SortedSet<&'a str>),
}

impl HarnessPassing<'_> {
    pub(super) fn includes(&self, validator: &str) -> bool {
        match self {
            Self::All(passes) => *passes,
            Self::Validators(passing) => passing.contains(validator),
        }
    }
}
