//! Files that verbs write beside their answer.
#![cfg(unix)]

use std::{fs, os::unix::fs::FileTypeExt, process::Command, thread};

use crate::{command::Place, modules::good};

const POLICY: &str = r#"{"policy":"p","version":"1.0.0","tests":[{"name":"t","input":{},"expect":{"error":{"code":"missing_field"}}}]}"#;

fn place() -> Place {
    let place = Place::new();
    place.file("policy.json", POLICY);
    place.file("calls.ndjson", "{}\n");
    place.file("gate.wasm", good());
    place
}

/// Verbs that write a report, but for its name.
const REPORTS: [&[&str]; 3] = [
    &["test", "policy.json", "--junit"],
    &["conformance", "gate.wasm", "--junit"],
    &["replay", "calls.ndjson", "--policy", "policy.json", "--report"],
];

/// Another name of the file keeps what was there: it was not written into, but replaced.
#[test]
fn a_report_is_there_whole_or_not_at_all() {
    for args in REPORTS {
        let place = place();
        place.file("report", "the last one");
        fs::hard_link(place.path("report"), place.path("last")).unwrap();
        std::os::unix::fs::symlink("report", place.path("link")).unwrap();
        let run = place.run(&[args, &["link"]].concat());
        assert!(run.status == Some(0) || run.status == Some(3), "{run:?}");
        let [report, last] = ["report", "last"].map(|name| fs::read_to_string(place.path(name)).unwrap());
        assert!(report.starts_with('<') && last == "the last one", "{args:?}: {report}");
        assert!(fs::symlink_metadata(place.path("link")).unwrap().is_symlink());
        let names = fs::read_dir(place.path(".")).unwrap().map(|file| file.unwrap().file_name());
        assert!(!names.into_iter().any(|name| name.to_str().unwrap().ends_with(".new")), "{args:?}");
    }
}

fn pipe(place: &Place) -> std::path::PathBuf {
    let pipe = place.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    pipe
}

#[test]
fn a_report_can_be_read_off_a_pipe() {
    for args in REPORTS {
        let place = place();
        let pipe = pipe(&place);
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        place.run(&[args, &["pipe"]].concat());
        assert!(fs::metadata(pipe).unwrap().file_type().is_fifo());
        assert!(reader.join().unwrap().starts_with('<'), "{args:?}");
    }
}

/// Whoever may do anything, such as `root`, would otherwise have a file where a device was.
#[test]
fn what_is_no_file_is_not_replaced_by_a_module() {
    let place = place();
    let pipe = pipe(&place);
    assert_eq!(place.run(&["keygen", "--out", "a"]).status, Some(0));
    let run = place.run(&["sign", "gate.wasm", "--key", "a.key", "-o", "pipe"]);
    assert_eq!((run.status, run.code().as_str()), (Some(74), "unwritable_output"), "{run:?}");
    assert!(fs::metadata(pipe).unwrap().file_type().is_fifo());
}
