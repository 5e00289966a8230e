//! The command `conformance`, and the corpus that it writes.

use std::{collections::BTreeSet, fs};

use adjudicate_conformance::Corpus;
use serde_json::Value;

use crate::{command::TestFolder, modules::good, schemas::assert_described};

#[test]
fn a_module_is_judged_requirement_by_requirement() {
    let place = TestFolder::new();
    // It answers every operation.
    let module = place.file("module.wasm", good());
    let junit = place.path("report.xml");
    let run = place.run(&["conformance", &module, "--format", "json", "--junit", junit.to_str().unwrap()]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.status, &report["conforms"]), (Some(3), &Value::Bool(false)), "{run:?}");
    let findings = report["findings"].as_array().unwrap();
    let of = |id: &str| findings.iter().find(|finding| finding["id"] == id).unwrap();
    assert_eq!(of("module.valid")["outcome"], "pass");
    assert_eq!(of("operation.unsupported")["outcome"], "fail");
    assert_eq!(of("signature.form")["outcome"], "not_applicable");
    let text = place.run(&["conformance", &module]);
    assert!(text.status == Some(3) && text.stdout.contains("FAIL   operation.unsupported"), "{text:?}");
    // The report has each requirement, because none ends the check early.
    assert!(findings.iter().all(|finding| text.stdout.contains(finding["id"].as_str().unwrap())), "{text:?}");
    let junit = fs::read_to_string(junit).unwrap();
    assert!(junit.contains("<failure message=") && junit.matches("<testcase ").count() == findings.len());
}

#[test]
fn unjudged_requirements_are_listed_and_unreached_ones_counted() {
    let place = TestFolder::new();
    let corpus = Corpus::read().unwrap();
    let case = corpus.cases().iter().find(|case| case.name == "reports-a-code-of-ours").unwrap();
    let silent = place.file("silent.wasm", corpus.module(case).unwrap());
    let run = place.run(&["conformance", &silent]);
    assert!(run.stdout.contains("?      reply.contract"), "{run:?}");
    assert!(run.stdout.contains("no call was answered with `ok`"), "{run:?}");
    let broken = place.file("broken.wasm", "no module");
    let run = place.run(&["conformance", &broken]);
    let count = adjudicate_conformance::requirements().len() - 1;
    assert!(run.stdout.ends_with(&format!("1 not met, 0 not applicable, {count} not judged\n")), "{run:?}");
    assert!(!run.stdout.contains("reply.contract"), "{run:?}");
    let run = place.run(&["conformance", &broken, "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let finding = report["findings"].as_array().unwrap().iter().find(|one| one["id"] == "reply.contract");
    assert_eq!(finding.unwrap()["outcome"], "not_reached");
}

#[test]
fn only_what_must_be_decides_the_status() {
    let place = TestFolder::new();
    let corpus = Corpus::read().unwrap();
    let module = place.file("module.wasm", corpus.module(corpus.good().unwrap()).unwrap());
    let run = place.run(&["conformance", &module]);
    assert!(run.status == Some(0) && run.stdout.contains("should input.malformed"), "{run:?}");
    assert!(run.stdout.contains("conforms:") && run.stderr.is_empty(), "{run:?}");
}

#[test]
fn the_corpus_is_written_whole() {
    let place = TestFolder::new();
    let folder = place.path("corpus");
    let run = place.run(&["conformance", "--export", folder.to_str().unwrap()]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let document: Value = serde_json::from_slice(&fs::read(folder.join("cases.json")).unwrap()).unwrap();
    assert_described("conformance-cases", &document);
    let named: BTreeSet<_> = document["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| case["module"].as_str().unwrap().to_owned())
        .chain(["cases.json".to_owned()])
        .collect();
    let written: BTreeSet<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(named, written);
    let corpus = Corpus::read().unwrap();
    for case in corpus.cases() {
        let bytes = fs::read(folder.join(format!("{}.wasm", case.name))).unwrap();
        assert!(bytes == *corpus.module(case).unwrap(), "{}", case.name);
    }
}

/// Other users may be able to write to the folder.
#[cfg(unix)]
#[test]
fn the_corpus_is_written_over_files_and_through_nothing() {
    use std::os::unix::fs::symlink;

    let place = TestFolder::new();
    let folder = place.path("corpus");
    fs::create_dir(&folder).unwrap();
    let notes = place.file("notes.txt", "do not lose these");
    let export = || place.run(&["conformance", "--export", folder.to_str().unwrap()]);
    fs::write(folder.join("good.wasm"), "old").unwrap();
    // A file in the middle of the corpus, and the last one; also with a dangling link.
    for (name, leads_to) in [
        ("infinite-loop.wasm", notes.as_str()),
        ("cases.json", &notes),
        ("simd.wasm", place.path("new.txt").to_str().unwrap()),
    ] {
        // The files that were written before the next link.
        let _ = fs::remove_file(folder.join(name));
        symlink(leads_to, folder.join(name)).unwrap();
        let run = export();
        assert_eq!((run.status, run.code().as_str()), (Some(74), "unwritable_output"), "{run:?}");
        assert!(run.stderr.contains(name) && run.stderr.contains("symbolic link"), "{run:?}");
        fs::remove_file(folder.join(name)).unwrap();
    }
    fs::create_dir(folder.join("simd.wasm")).unwrap();
    assert_eq!(export().status, Some(74));
    fs::remove_dir(folder.join("simd.wasm")).unwrap();
    assert_eq!(fs::read_to_string(notes).unwrap(), "do not lose these");
    assert!(!place.path("new.txt").exists());
    assert_eq!(export().status, Some(0));
    let corpus = Corpus::read().unwrap();
    let good = corpus.module(corpus.good().unwrap()).unwrap();
    assert!(fs::read(folder.join("good.wasm")).unwrap() == *good);
    let mut names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.all(|name| !name.to_str().unwrap().starts_with('.')), "nothing is left over");
}
