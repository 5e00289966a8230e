//! The methods of the evidence that do more than read one field.

use alloc::vec::Vec;

use crate::{
    change::ChangedFile,
    value::Value,
    views::{Evidence, HarnessReport, Review},
};

impl<'a> Evidence<'a> {
    /// The exit code of one validator; `None` if it did not run.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().exit_code("test", 1);
    /// sample.read(|envelope| {
    ///     let evidence = envelope.evidence();
    ///     assert_eq!((evidence.exit_code("test"), evidence.exit_code("lint")), (Some(1), None));
    /// });
    /// ```
    #[must_use]
    pub fn exit_code(self, validator: &str) -> Option<i64> {
        self.validation().exit_codes().find(|(id, _)| *id == validator).map(|(_, code)| code)
    }

    /// The changed files; `None` if they are unknown, which is never the same as no files.
    ///
    /// The files of a typed `diff` are known. If the summary is blank, there are none. Any other summary is git's text,
    /// which this crate does not read: send a typed `diff`, or ask a human.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().changed("src/lib.rs");
    /// sample.read(|envelope| {
    ///     let files = envelope.evidence().changed_files().unwrap();
    ///     assert_eq!(files[0].path(), "src/lib.rs");
    /// });
    /// // This crate does not read git's text, so the files are unknown.
    /// let sample = Sample::new().diff_summary(" M src/lib.rs");
    /// sample.read(|envelope| assert!(envelope.evidence().changed_files().is_none()));
    /// ```
    #[must_use]
    pub fn changed_files(self) -> Option<Vec<ChangedFile<'a>>> {
        match self.diff() {
            Some(diff) => {
                let files = diff.files().enumerate();
                Some(files.map(|(index, file)| ChangedFile { file, index }).collect())
            }
            None if self.workspace_diff_summary().trim_ascii().is_empty() => Some(Vec::new()),
            None => None,
        }
    }

    /// The results of another tree than the one that is judged: the ids of validators, then `harness_report`, then `review`. They are
    /// no results, but the other methods return them, too.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let review = r#"{"artifact_ref":"review.md","issues":[],"tree":"git:9f3b1c"}"#;
    /// let sample = Sample::new().extension("tree", r#""git:41d70e""#).extension("review", review);
    /// sample.read(|envelope| assert_eq!(envelope.evidence().stale_results().next(), Some("review")));
    /// ```
    pub fn stale_results(self) -> impl Iterator<Item = &'a str> {
        let judged = self.tree();
        let is_stale = move |tree: &str| judged.is_some_and(|judged| tree != judged);
        let validators = self.validation().trees().filter(move |(_, tree)| is_stale(tree)).map(|(id, _)| id);
        let reports = [
            ("harness_report", self.harness_report().and_then(HarnessReport::tree)),
            ("review", self.review().and_then(Review::tree)),
        ];
        let stale = reports.into_iter().filter(move |(_, tree)| tree.is_some_and(is_stale));
        validators.chain(stale.map(|(report, _)| report))
    }

    /// Returns whether an approval is granted.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().approved("dba");
    /// sample.read(|envelope| {
    ///     let evidence = envelope.evidence();
    ///     assert!(evidence.is_approved("dba") && !evidence.is_approved("security"));
    /// });
    /// ```
    #[must_use]
    pub fn is_approved(self, what: &str) -> bool {
        self.approvals().is_some_and(|approvals| approvals.granted().any(|granted| granted == what))
    }

    /// A field of the evidence whose name begins with `x-`; pass the whole name.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension("x-cost", r#"{"spent": 12.5}"#);
    /// let spent = sample.read(|envelope| {
    ///     envelope.evidence().extension("x-cost").and_then(|cost| cost.member("spent")?.scaled(2))
    /// });
    /// assert_eq!(spent, Some(1250));
    /// ```
    #[must_use]
    pub fn extension(self, name: &str) -> Option<&'a Value<'a>> {
        self.0.member(name).filter(|_| name.starts_with("x-"))
    }
}
