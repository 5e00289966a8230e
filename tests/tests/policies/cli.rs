//! The command `test` over the same policies. `cargo xtask` runs this after building the command.

use std::ffi::OsStr;

use super::{
    VERDICTS, conditions,
    suite::{self, Suite},
};
use crate::{cli::adjudicate, json::Json};

/// The command `test` runs the same cases, passes all of them, and counts the same.
#[test]
fn the_command_test_gives_the_same_results() {
    let (shared, shared_file) = suite::shared();
    for suite in Suite::all() {
        let [document, cases] = suite.files.each_ref().map(|file| file.as_os_str());
        let [test, case, min, all, format, json] =
            ["test", "--case", "--min-coverage", "100", "--format", "json"].map(OsStr::new);
        let arguments = [test, document, case, cases, case, shared_file.as_os_str(), min, all, format, json];
        let run = adjudicate(arguments, b"");
        assert_eq!((run.status, &*run.stderr), (Some(0), ""), "{}: {}", suite.name, run.stdout);
        let report = Json::parse(run.stdout.as_bytes()).expect("a report is JSON");
        let [observed] = report.member("policies").expect("of each policy").items() else { panic!("of one") };
        let all: Vec<_> = suite.cases.iter().chain(&shared).cloned().collect();
        let names = observed.member("tests").expect("which tests").items().iter();
        let names = names.filter_map(|test| test.member("name")?.as_text()?.split(" / ").last());
        assert!(names.eq(all.iter().map(|case| &*case.name)), "{}: {}", suite.name, run.stdout);
        let ours = conditions(&suite, &all);
        for rule in observed.at(&["coverage", "rules"]).expect("what they cover").items() {
            let id = rule.member("id").and_then(Json::as_text).expect("which rule");
            let counts = VERDICTS.map(|verdict| rule.member(verdict).cloned());
            assert_eq!(counts, ours[id].map(|count| Some(Json::Integer(count))), "{}: {id}", suite.name);
        }
    }
}
