//! The reports of test runners for Node.

use std::{fs, path::Path};

use adjudicate_core::json::{self, ReadLimits};

/// The report of a test runner, and the arguments that make the runner write it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) arguments: &'static str,
    /// The path below the root.
    pub(crate) file: &'static str,
}

const VITEST: &str = ".adjudicate/reports/vitest.xml";
const VITEST_ONCE: &str =
    "--reporter=default --reporter=junit --outputFile.junit=.adjudicate/reports/vitest.xml";

/// The commands with reporters of their own, the longest first.
const RUNNERS: &[(&str, Report)] = &[
    ("vitest run", Report { arguments: VITEST_ONCE, file: VITEST }),
    (
        "vitest",
        Report {
            arguments: "--run --reporter=default --reporter=junit --outputFile.junit=.adjudicate/reports/vitest.xml",
            file: VITEST,
        },
    ),
    (
        "jest",
        Report {
            arguments: "--json --outputFile=.adjudicate/reports/jest.json",
            file: ".adjudicate/reports/jest.json",
        },
    ),
    (
        "node --test",
        Report {
            arguments: "--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=.adjudicate/reports/node.xml",
            file: ".adjudicate/reports/node.xml",
        },
    ),
];

/// Returns the report of the package in a folder, if its script `test` is one command of a known runner.
pub(crate) fn report(root: &Path) -> Option<&'static Report> {
    let package = fs::read(root.join("package.json")).ok()?;
    let tape = json::read(&package, ReadLimits::DOCUMENT).ok()?;
    report_of(tape.root().member("scripts")?.member("test")?.as_str()?)
}

/// Returns the report of a command. Its own options follow its name: `node` takes no option behind a file, and reporters of its own
/// can exclude others.
fn report_of(script: &str) -> Option<&'static Report> {
    let script = script.trim();
    RUNNERS.iter().find_map(|(command, report)| {
        let options = script.strip_prefix(command).filter(|rest| rest.is_empty() || rest.starts_with(' '))?;
        let is_plain = |word: &str| {
            word.starts_with("--") && word.len() > 2 && !word.contains("report") && !word.contains("output")
        };
        let is_one_command = !options.contains(['&', '|', ';', '<', '>', '(', '$', '`', '"', '\'', '\\']);
        (is_one_command && options.split_whitespace().all(is_plain)).then_some(report)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_runners_write_a_report() {
        for (script, file) in [
            ("vitest", Some(VITEST)),
            ("vitest run --coverage", Some(VITEST)),
            ("jest --runInBand", Some(".adjudicate/reports/jest.json")),
            ("node --test", Some(".adjudicate/reports/node.xml")),
            ("node --test --experimental-vm-modules", Some(".adjudicate/reports/node.xml")),
            ("node --test test/", None),
            ("node --test --test-reporter=spec", None),
            ("node --test-only", None),
            ("jest --outputFile=a.json", None),
            ("jest && eslint .", None),
            ("jest; true", None),
            ("jestify", None),
            ("tsc --noEmit", None),
            ("", None),
        ] {
            assert_eq!(report_of(script).map(|report| report.file), file, "{script}");
        }
        assert!(report_of("vitest").unwrap().arguments.starts_with("--run "));
        assert!(report_of("vitest run").unwrap().arguments.starts_with("--reporter"));
    }
}
