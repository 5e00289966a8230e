//! Verbs that look something over and report.

/// The statuses of `check`.
pub(crate) const CHECK_HELP: &str = "\
Exit status:
  0   no errors were found
  2   errors were found, or warnings with `--deny warnings`, or a file cannot be read
  64  wrong usage
  74  the report could not be written
  141 whoever read the report went away";

/// The statuses of `conformance`.
pub(crate) const CONFORMANCE_HELP: &str = "\
Exit status:
  0   the module meets all that it must, or the corpus was written
  2   the module cannot be read
  3   the module breaks what it must keep
  64  wrong usage
  74  the report, or a file of the corpus, could not be written
  141 whoever read the report went away";

/// The statuses of `test`.
pub(crate) const TEST_HELP: &str = "\
Exit status:
  0   all tests passed
  1   a test failed, none ran, or the coverage is below what is asked for
  2   a policy or a file of cases is invalid, or cannot be read
  64  wrong usage
  74  the report could not be written
  141 whoever read the report went away
Of an object in `expect` the answer must have the members that are there; a list must have exactly
those items. A test whose input gets no answer fails with the error (`no decision: ...`), unless its
expect is {\"error\": ...} and the error has what it says. A rule is covered when it fired
in some test and stayed quiet in another.";
