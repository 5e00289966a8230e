//! Files that commands write in addition to their answer.
#![cfg(unix)]

use std::{fs, os::unix::fs::FileTypeExt, process::Command, thread};

use crate::{command::TestFolder, modules::good};

const POLICY: &str = r#"{"policy":"p","version":"1.0.0","tests":[{"name":"t","input":{},"expect":{"error":{"code":"missing_field"}}}]}"#;

fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("policy.json", POLICY);
    place.file("calls.ndjson", "{}\n");
    place.file("gate.wasm", good());
    place
}

/// Commands that write a report, without the name of the report.
const REPORTS: [&[&str]; 3] = [
    &["test", "policy.json", "--junit"],
    &["conformance", "gate.wasm", "--junit"],
    &["replay", "calls.ndjson", "--policy", "policy.json", "--report"],
];

/// A hard link keeps the old content: the file is replaced, not written into.
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

fn pipe(place: &TestFolder) -> std::path::PathBuf {
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

/// Otherwise `root` would replace a device by a file.
#[test]
fn a_module_does_not_replace_a_pipe_or_device() {
    let place = place();
    let pipe = pipe(&place);
    assert_eq!(place.run(&["keygen", "--out", "a"]).status, Some(0));
    let run = place.run(&["sign", "gate.wasm", "--key", "a.key", "-o", "pipe"]);
    assert_eq!((run.status, run.code().as_str()), (Some(74), "unwritable_output"), "{run:?}");
    assert!(fs::metadata(pipe).unwrap().file_type().is_fifo());
}
