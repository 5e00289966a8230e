//! The results of the validators on the base revision: the state before the change.

use alloc::{format, string::String, vec::Vec};

use adjudicate_core::{
    Error,
    document::{Extra, FormatVersion},
    evaluate::OwnedBaseline,
    json::{self, OwnedValue, ReadLimits},
    owned::{Case, HarnessReport},
};

use super::{
    bounds::UncollectedList,
    configuration::OwnedConfiguration,
    observation::{OwnedMissingEvidence, OwnedObservation, OwnedStoredBaseline},
    reports::CasesLeftOut,
    validators::results,
};

impl OwnedConfiguration {
    /// Returns a digest of all fields that decide about a baseline, and of the version of the readers.
    ///
    /// # Errors
    ///
    /// `limit_exceeded` for a configuration that is longer than a document may be.
    pub fn baseline_digest(&self) -> Result<String, Error> {
        let setup = self.baseline.as_ref().map(json::write).unwrap_or_default();
        let fields = [env!("CARGO_PKG_VERSION").into(), json::write(&self.validators), setup];
        let text = json::write(&OwnedValue::texts(fields));
        Ok(json::digest(json::read(text.as_bytes(), ReadLimits::ANSWER)?.root()))
    }
}

impl OwnedStoredBaseline {
    /// Reads the results of a run on the commit `base`, of which `tree` is the tree. The observation has the results of the validators;
    /// other parts of it are not read.
    ///
    /// ```
    /// use adjudicate_evidence::collect::{OwnedConfiguration, OwnedObservation, OwnedStoredBaseline};
    ///
    /// let configuration = OwnedConfiguration::from_json(br#"{
    ///   "workflow": "feature",
    ///   "next_steps": [],
    ///   "validators": [{"id": "unit", "run": "npm test", "output": "tap"}]
    /// }"#)?;
    /// let observation = OwnedObservation::from_json(br#"{
    ///   "run_id": "base",
    ///   "workspace": {},
    ///   "validators": [{"id": "unit", "exit_code": 1, "output": "1..1\nnot ok 1 - pays\n"}]
    /// }"#)?;
    /// let stored = OwnedStoredBaseline::new("abc", "git:def", &configuration, &observation)?;
    /// assert_eq!(
    ///     adjudicate_core::json::write(&stored.baseline),
    ///     r#"{"tree":"git:def","exit_codes":{"unit":1},"cases":[{"id":"pays","status":"failed","validator":"unit"}],"summary":{"passed":0,"failed":1,"flaky":0}}"#
    /// );
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `limit_exceeded` for a configuration that is longer than a document may be.
    pub fn new(
        base: &str,
        tree: &str,
        configuration: &OwnedConfiguration,
        observation: &OwnedObservation,
    ) -> Result<Self, Error> {
        let mut uncollected = UncollectedList::default();
        let results = results(configuration, observation, &mut uncollected);
        let (report, .., left_out) = results.reports.into_parts(&mut uncollected);
        let HarnessReport { cases, mut summary, .. } = report.unwrap_or_default();
        if let Some(summary) = &mut summary {
            summary.passed += left_out.passed;
        }
        let cases: Vec<_> = cases.unwrap_or_default().into_iter().map(compared).collect();
        let problems = uncollected.into_items().unwrap_or_default().into_iter();
        let problem = |what, reason| OwnedMissingEvidence { what, reason, extra: Extra::new() };
        let problems: Vec<_> = problems.map(|item| problem(item.what, item.reason)).collect();
        Ok(Self {
            version: FormatVersion,
            base: base.into(),
            configuration: configuration.baseline_digest()?,
            baseline: OwnedBaseline {
                tree: Some(tree.into()),
                exit_codes: results.validation.exit_codes,
                timeouts: Some(results.validation.timeouts).filter(|timeouts| !timeouts.is_empty()),
                cases: Some(cases).filter(|cases| !cases.is_empty()),
                summary,
                extra: Extra::new(),
            },
            left_out: Some(left_out.all).filter(|count| *count > 0),
            problems: Some(problems).filter(|problems| !problems.is_empty()),
            extra: Extra::new(),
        })
    }

    /// Returns the results as evidence, and adds the problems to `uncollected`. If the baseline leaves cases out, only the sums are
    /// compared, without the cases that the report leaves out. If the report alone does, a lost case could hide among new ones.
    pub(super) fn into_evidence(
        self,
        left_out: CasesLeftOut,
        uncollected: &mut UncollectedList,
    ) -> OwnedBaseline {
        for problem in self.problems.into_iter().flatten() {
            uncollected.add(&format!("baseline: {}", problem.what), &problem.reason);
        }
        let OwnedBaseline { mut cases, mut summary, .. } = self.baseline;
        let is_cut = self.left_out.is_some_and(|count| count > 0);
        if left_out.all > 0 && cases.is_some() && !is_cut {
            uncollected.add("baseline: cases", "the reports have more cases than an envelope lists");
        }
        cases = cases.filter(|_| left_out.all == 0 && !is_cut);
        if let Some(summary) = &mut summary {
            summary.passed = summary.passed.saturating_sub(left_out.passed);
        }
        OwnedBaseline { cases, summary, ..self.baseline }
    }
}

/// Returns a case with the fields that are compared.
fn compared(case: Case) -> Case {
    Case { kind: None, repro: None, observations: None, artifacts: None, ..case }
}
