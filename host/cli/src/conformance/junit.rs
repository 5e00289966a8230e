//! The report as JUnit XML: a case for each requirement.

use std::fmt::Write as _;

use adjudicate_conformance::{ConformanceReport, Finding, RequirementLevel, RequirementResult};

use crate::xml::escaped;

/// Returns the document. An optional requirement is never a failure, because the module still conforms.
pub(super) fn document(module: &str, report: &ConformanceReport) -> String {
    let failures = report.findings.iter().filter(|finding| is_failure(finding)).count();
    let skipped = report.findings.len() - failures - report.passed;
    let (tests, name) = (report.findings.len(), escaped(module));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<testsuites name=\"adjudicate conformance\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">\n  \
         <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">"
    );
    report.findings.iter().for_each(|finding| case(&mut out, finding));
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn is_failure(finding: &Finding) -> bool {
    finding.requirement.level == RequirementLevel::Must
        && matches!(finding.result, RequirementResult::Fail(_))
}

fn case(out: &mut String, finding: &Finding) {
    let (id, sentence) = (finding.requirement.id, escaped(finding.requirement.sentence));
    let _ = write!(out, "    <testcase classname=\"conformance\" name=\"{id}: {sentence}\"");
    let _ = match &finding.result {
        RequirementResult::Pass => writeln!(out, "/>"),
        RequirementResult::Fail(detail) if is_failure(finding) => writeln!(
            out,
            ">\n      <failure message=\"{}\" type=\"requirement\"/>\n    </testcase>",
            escaped(detail)
        ),
        RequirementResult::Fail(detail)
        | RequirementResult::NotApplicable(detail)
        | RequirementResult::NotJudged(detail)
        | RequirementResult::NotReached(detail) => {
            writeln!(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>", escaped(detail))
        }
    };
}
