//! The list of cases that a reader fills: unique ids, merged results, counts of what was listed.

use alloc::{collections::BTreeMap, string::String, vec::Vec};

use adjudicate_core::Error;

use crate::{
    CaseResult, CaseStatus, TestReport, limits::MAX_CASES, lines::over_limit, reading::IncompleteReasons,
};

/// The cases so far.
#[derive(Debug, Default)]
pub(crate) struct CaseList {
    cases: Vec<CaseResult>,
    index: BTreeMap<String, usize>,
    listed: usize,
    /// The reasons why the report cannot be complete.
    pub(crate) incomplete: IncompleteReasons,
    /// The lines that are not a part of the report.
    pub(crate) unread_lines: u64,
}

impl CaseList {
    /// Adds a result. Results with one id become one case.
    ///
    /// # Errors
    ///
    /// `limit_exceeded` beyond [`MAX_CASES`] results, with the line that `line` finds.
    pub(crate) fn add(&mut self, case: CaseResult, line: impl FnOnce() -> usize) -> Result<(), Error> {
        self.listed += 1;
        if self.listed > MAX_CASES {
            return Err(over_limit(line(), format_args!("the report has more than {MAX_CASES} cases")));
        }
        match self.index.get(&case.id).and_then(|index| self.cases.get_mut(*index)) {
            Some(known) => merge(known, case),
            None => {
                self.index.insert(case.id.clone(), self.cases.len());
                self.cases.push(case);
            }
        }
        Ok(())
    }

    /// Ends the report.
    pub(crate) fn finish(mut self) -> TestReport {
        if self.cases.is_empty() {
            self.incomplete.add("the report lists no case");
        }
        TestReport {
            cases: self.cases,
            incomplete: self.incomplete.into_text(),
            unread_lines: self.unread_lines,
        }
    }
}

/// Merges another result of the same id into a case. Of two equal statuses, the first keeps its message.
fn merge(known: &mut CaseResult, other: CaseResult) {
    let duration = match (known.duration_ms, other.duration_ms) {
        (Some(left), Some(right)) => Some(left.saturating_add(right)),
        (left, right) => left.or(right),
    };
    // Two files of one id are no file.
    let file = known.file.take().filter(|file| other.file.as_ref() == Some(file));
    if rank(other.status) > rank(known.status) {
        *known = other;
    } else if rank(other.status) == rank(known.status) {
        known.message = known.message.take().or(other.message);
        known.location = known.location.take().or(other.location);
    }
    known.file = file;
    known.duration_ms = duration;
}

/// The order in which one result wins over another.
const fn rank(status: CaseStatus) -> u8 {
    match status {
        CaseStatus::Skipped => 0,
        CaseStatus::Passed => 1,
        CaseStatus::Flaky => 2,
        CaseStatus::Failed => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn the_worst_result_of_an_id_counts() {
        let mut list = CaseList::default();
        let case = |status, message: &str| CaseResult {
            id: "a".to_string(),
            status,
            message: Some(message.to_string()),
            file: None,
            location: None,
            duration_ms: Some(2),
        };
        for (status, message) in [
            (CaseStatus::Skipped, "1"),
            (CaseStatus::Failed, "2"),
            (CaseStatus::Failed, "3"),
            (CaseStatus::Flaky, "4"),
            (CaseStatus::Passed, "5"),
        ] {
            list.add(case(status, message), || 1).unwrap();
        }
        let report = list.finish();
        let expected = CaseResult { duration_ms: Some(10), ..case(CaseStatus::Failed, "2") };
        assert_eq!(report.cases, [expected]);
    }

    #[test]
    fn cases_are_limited() {
        let mut list = CaseList { listed: MAX_CASES, ..CaseList::default() };
        let case = CaseResult {
            id: String::new(),
            status: CaseStatus::Passed,
            message: None,
            file: None,
            location: None,
            duration_ms: None,
        };
        let error = list.add(case, || 7).unwrap_err();
        assert_eq!(error.message(), "line 7: the report has more than 100000 cases");
    }
}
