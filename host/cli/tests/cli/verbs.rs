//! What holds for every verb, those that are still to come included: they are found by the help.

use adjudicate_core::Operation;

use crate::command::{Place, Run};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";

/// A verb, such as `records verify`.
struct Verb {
    name: Vec<String>,
    help: String,
    /// How many documents or names it takes.
    takes: usize,
}

impl Verb {
    fn args<'a>(&'a self, more: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        self.name.iter().map(String::as_str).chain(more).collect()
    }
}

/// The entries below a title of a help text.
fn listed(text: &str, title: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| *line != title).skip(1);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    let entries = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    entries.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// All verbs, but for those that only group others, and `help`.
fn verbs(place: &Place) -> Vec<Verb> {
    let (mut found, mut open) = (Vec::new(), vec![Vec::new()]);
    while let Some(name) = open.pop() {
        let args: Vec<_> = name.iter().map(String::as_str).chain(["--help"]).collect();
        let help = place.run(&args).stdout;
        let below: Vec<_> = listed(&help, "Commands:").into_iter().filter(|name| name != "help").collect();
        if below.is_empty() {
            let takes = listed(&help, "Arguments:").len();
            found.push(Verb { name: name.clone(), help, takes });
        }
        open.extend(below.into_iter().map(|last| [name.clone(), vec![last]].concat()));
    }
    assert!(found.len() > 35, "{}", found.len());
    found
}

/// SPEC section 14 names them, and the operations by their names with dashes.
#[test]
fn every_verb_that_there_must_be_is_there() {
    let found: Vec<_> = verbs(&Place::new()).into_iter().map(|verb| verb.name[0].clone()).collect();
    let operations = Operation::ALL.iter().map(|operation| operation.name().replace('_', "-"));
    let others = "logic schema build check test inspect install list activate shadow canary rollback history trust sign verify \
                  keygen replay serve new completions uninstall gc";
    for name in operations.chain(others.split_whitespace().map(str::to_owned)) {
        assert!(found.contains(&name), "{name}");
    }
}

#[test]
fn every_verb_ends_with_what_its_help_says() {
    let place = Place::new();
    for Verb { name, help, .. } in verbs(&place).iter().filter(|verb| verb.name != ["completions"]) {
        assert!(help.contains("Exit status:\n  0 "), "{name:?}\n{help}");
        // Nobody is told of an option that there is not.
        let (is_there, is_told) =
            (help.contains("\n      --exit-status"), help.contains("With --exit-status"));
        assert_eq!(is_there, is_told, "{name:?}\n{help}");
    }
}

#[test]
fn garbage_for_every_verb() {
    let place = Place::new();
    let files = [
        place.file("image.png", PNG),
        place.file("empty", ""),
        place.file("null.json", "null"),
        place.file("list.json", "[1,2]"),
        place.file("deep.json", "[".repeat(5000)),
        place.file("truncated.wasm", b"\0asm\x01\0\0\0\x01\x7f"),
        place.file("open.yaml", "a: ["),
        place.path(".").to_str().unwrap().to_owned(),
        place.path("missing").to_str().unwrap().to_owned(),
        "\u{202e}%00../..".to_owned(),
        String::new(),
        "-".to_owned(),
    ];
    // A server that can be started does not end.
    for verb in verbs(&place).iter().filter(|verb| verb.name != ["serve"]) {
        for file in &files {
            let args = verb.args((0..verb.takes).map(|_| file.as_str()));
            let mut command = place.command(&args);
            let run: Run = command.env("ADJUDICATE_STORE", place.path("store")).output().unwrap().into();
            let status = run.status.unwrap_or(-1);
            assert!([0, 1, 2, 3, 64, 74].contains(&status), "{args:?}: {run:?}");
            // What `check` and `conformance` find out is their answer.
            let is_told = if run.stdout.is_empty() { !run.code().is_empty() } else { run.stderr.is_empty() };
            assert!(is_told || verb.name == ["test"], "{args:?}: {run:?}");
        }
    }
}
