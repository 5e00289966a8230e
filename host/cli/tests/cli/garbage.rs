//! Garbage of every kind gives a clear error with its code and the documented status, and no panic.

use std::{fs, io::Write};

use crate::command::{ENVELOPE, TestFolder};

/// Feeds `[` without end, and returns the number of bytes that the command read before it ended.
fn feed_endlessly(place: &TestFolder, args: &[&str]) -> (usize, crate::command::Run) {
    let mut child = place.spawn(args);
    let mut stdin = child.stdin.take().unwrap();
    let chunk = vec![b'['; 1 << 20];
    let mut taken = 0;
    while taken < 100 << 20 && stdin.write_all(&chunk).is_ok() {
        taken += chunk.len();
    }
    drop(stdin);
    (taken, child.wait_with_output().unwrap().into())
}

#[test]
fn a_hundred_megabytes_are_not_read_to_the_end() {
    let place = TestFolder::new();
    let envelope = place.file("envelope.json", ENVELOPE);
    for args in [
        &["evaluate", "-"][..],
        &["evaluate", "-", "--input-format", "yaml"],
        &["evaluate", &envelope, "--policy", "-"],
    ] {
        let (taken, run) = feed_endlessly(&place, args);
        assert_eq!((run.code().as_str(), run.status), ("limit_exceeded", Some(2)), "{args:?}");
        assert!(taken <= 16 << 20, "{args:?} took {taken} bytes");
    }
}

#[test]
fn one_endless_line_is_one_error() {
    let (taken, run) = feed_endlessly(&TestFolder::new(), &["evaluate", "-", "--ndjson"]);
    assert_eq!((taken, run.status), (100 << 20, Some(2)));
    assert_eq!(crate::command::error_code(&run.stdout), "limit_exceeded");
    assert_eq!(run.stderr, "");
}

#[test]
fn a_module_over_the_limit_is_not_read_to_the_end() {
    let place = TestFolder::new();
    let envelope = place.file("envelope.json", ENVELOPE);
    let module = place.path("huge.wasm");
    std::fs::File::create(&module).unwrap().set_len(1 << 40).unwrap();
    let run = place.run(&["evaluate", &envelope, "--module", module.to_str().unwrap()]);
    assert_eq!((run.code().as_str(), run.status), ("module_too_large", Some(3)));
}

#[test]
fn every_verb_has_a_manual_page_and_every_shell_its_completions() {
    let place = TestFolder::new();
    let run = place.run(&["dist-assets", "assets"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    for name in ["adjudicate", "adjudicate-evaluate", "adjudicate-trust", "adjudicate-records-verify"] {
        let page = fs::read_to_string(place.path(&format!("assets/man/{name}.1"))).unwrap();
        assert!(page.contains(".TH ") && page.contains("SYNOPSIS"), "{name}: {page}");
    }
    for file in ["adjudicate.bash", "adjudicate.elv", "adjudicate.fish", "_adjudicate.ps1", "_adjudicate"] {
        let script = fs::read_to_string(place.path(&format!("assets/completions/{file}"))).unwrap();
        assert!(script.contains("validate-plan"), "{file}");
    }
    let printed = place.run(&["completions", "bash"]).stdout;
    assert_eq!(printed, fs::read_to_string(place.path("assets/completions/adjudicate.bash")).unwrap());
    let file = place.file("taken", "");
    assert_eq!(place.run(&["dist-assets", &file]).code(), "unwritable_output");
}
