//! The report as JUnit XML, which CI systems read.

use std::fmt::Write as _;

use super::{
    items::ItemDifference,
    report::{PolicyReport, SuiteReport, TestReport},
};
use crate::{layout::json, xml::escaped};

/// Returns the document, with a suite for each policy.
pub(super) fn document(report: &SuiteReport) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let tests = report.passed + report.failed;
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<testsuites name=\"adjudicate\" tests=\"{tests}\" failures=\"{}\" errors=\"0\">",
        report.failed
    );
    report.policies.iter().for_each(|policy| suite(&mut out, policy));
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, policy: &PolicyReport) {
    let failures = policy.tests.iter().filter(|test| !test.passed).count();
    let seconds: f64 = policy.tests.iter().map(|test| test.took.as_secs_f64()).sum();
    let name = escaped(&format!("{} {}", policy.policy, policy.version));
    let _ = writeln!(
        out,
        "  <testsuite name=\"{name}\" file=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" time=\"{seconds:.6}\">",
        escaped(&policy.file),
        policy.tests.len(),
    );
    let percent = policy.coverage.percent();
    let _ = writeln!(
        out,
        "    <properties>\n      <property name=\"coverage.rules.percent\" value=\"{percent}\"/>\n    </properties>"
    );
    policy.tests.iter().for_each(|test| case(out, &policy.policy, test));
    out.push_str("  </testsuite>\n");
}

fn case(out: &mut String, policy: &str, test: &TestReport) {
    let _ = write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" time=\"{:.6}\"",
        escaped(policy),
        escaped(&test.name),
        escaped(&test.file),
        test.took.as_secs_f64()
    );
    if test.passed {
        out.push_str("/>\n");
        return;
    }
    let (message, kind) = match &test.error {
        Some(error) => (error.to_string(), "no_decision"),
        None => {
            let places: Vec<_> = test.differences.iter().map(|difference| difference.path.as_str()).collect();
            (format!("not as expected at {}", places.join(", ")), "difference")
        }
    };
    let _ = write!(out, ">\n      <failure message=\"{}\" type=\"{kind}\">", escaped(&message));
    for difference in &test.differences {
        let mut text = format!("{}\n", difference.path);
        let mut line = |label: &str, value: &str| {
            let _ = writeln!(text, "  {label} {value}");
        };
        match ItemDifference::new(difference) {
            Some(ItemDifference { missing, extra }) => {
                missing.iter().for_each(|item| line("- missing", item));
                extra.iter().for_each(|item| line("+ extra  ", item));
            }
            None => {
                line("- expected", &json(&difference.expected));
                let actual = difference.actual.as_ref().map_or_else(|| "nothing".to_owned(), json);
                line("+ actual  ", &actual);
            }
        }
        out.push_str(&escaped(&text));
    }
    out.push_str("</failure>\n    </testcase>\n");
}
