//! The command `conformance`, and the corpus that it writes.

use std::{collections::BTreeSet, fs};

use adjudicate_conformance::Corpus;
use serde_json::Value;

use crate::{command::TestFolder, schemas::assert_described};

#[test]
fn only_requirements_that_must_be_met_decide_the_status_and_unjudged_ones_are_listed() {
    let place = TestFolder::new();
    let corpus = Corpus::read().unwrap();
    let silent = corpus.cases().iter().find(|case| case.name == "reports-a-code-of-ours").unwrap();
    for (case, words) in [
        (corpus.good().unwrap(), ["should input.malformed", "conforms:"]),
        (silent, ["?      reply.contract", "no call was answered with `ok`"]),
    ] {
        let module = place.file("module.wasm", corpus.module(case).unwrap());
        let run = place.run(&["conformance", &module]);
        let has_words = words.iter().all(|words| run.stdout.contains(words));
        assert!(run.status == Some(0) && run.stderr.is_empty() && has_words, "{run:?}");
    }
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
