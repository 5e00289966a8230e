//! Reports of `check`, `test` and `inspect`: files that are no text, odd names, and colors.

use crate::command::TestFolder;

#[test]
fn a_file_that_is_no_text_is_named_and_the_others_are_checked() {
    let place = TestFolder::new();
    place.file("good.json", r#"{"policy":"p","version":"1.0.0"}"#);
    place.file("binary.json", b"\x89PNG\r\n\x1a\n\0");
    place.file("binary.yaml", b"\xff\xfe\0a");
    let run = place.run(&["check", "binary.json", "good.json", "binary.yaml"]);
    for words in ["malformed_json]: not UTF-8", "malformed_yaml]: not UTF-8", "3 files checked: 2 errors"] {
        assert!(run.status == Some(2) && run.stdout.contains(words), "{words}: {run:?}");
    }
    let run = place.run(&["test", "good.json", "binary.yaml"]);
    assert!(run.code() == "malformed_yaml" && run.stderr.contains("binary.yaml"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_unicode_is_read_and_shown() {
    use std::os::unix::ffi::OsStrExt as _;

    let place = TestFolder::new();
    let name = std::ffi::OsStr::from_bytes(b"p\xff\x1b.yaml");
    std::fs::write(place.path("").join(name), "policy: p\nversion: 1.0.0\nrulez: []\n").unwrap();
    for verb in ["check", "test"] {
        let output = place.command(&[verb]).arg(name).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{verb}");
        let stated = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(
            stated.contains("p\u{fffd}\\u{1b}.yaml") || stated.contains("p\u{fffd}\\u001b.yaml"),
            "{stated}"
        );
    }
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let place = TestFolder::new();
    place.file("bad.yaml", "policy: p\nversion: 1.0.0\nrulez: []\n");
    let styled = |args: &[&str], variables: &[(&str, &str)]| {
        let output = place.command(args).envs(variables.iter().copied()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains('\u{1b}')
    };
    for verb in
        [&["check", "bad.yaml"][..], &["test", "plain.yaml"], &["inspect", "m.wasm", "--format", "table"]]
    {
        place.file("plain.yaml", "policy: p\nversion: 1.0.0\n");
        place.file("m.wasm", crate::modules::replying("{}", ""));
        let asked = |when| [verb, &["--color", when]].concat();
        assert!(!styled(verb, &[]), "{verb:?}: no terminal");
        assert!(styled(&asked("always"), &[("NO_COLOR", "1")]), "{verb:?}: what is asked for comes first");
        assert!(!styled(&asked("never"), &[("CLICOLOR_FORCE", "1")]), "{verb:?}");
        assert!(styled(verb, &[("CLICOLOR_FORCE", "1")]), "{verb:?}: forced");
        assert!(
            !styled(verb, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]),
            "{verb:?}: NO_COLOR comes first"
        );
    }
}
