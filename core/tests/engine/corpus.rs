//! Every fixture, answered natively, and the form of the files.

use std::fs;

use adjudicate_core::Operation;
use adjudicate_tests::{
    COMPOSITIONS, CaseFile, Composition, Fixture,
    parity::{assert_parity, expected, is_error, read, read_of},
    workspace_root,
};

/// The least number of cases of each operation.
const FEWEST_CASES: usize = 60;

#[test]
fn native_answers_are_the_answers() {
    assert_parity(&read(), Fixture::native_answer);
}

#[test]
fn native_compositions_are_the_answers() {
    let compositions = Composition::read_all().expect("the compositions can be read");
    assert!(compositions.len() >= 20, "{}", compositions.len());
    for composition in compositions {
        let answer = composition.answer.as_ref().expect("`cargo xtask bless` writes the answer");
        assert_eq!(composition.native_answer(), *answer, "{}", composition.name);
    }
}

#[test]
fn refused_cases_are_refused() {
    let is_bad = |name: &str| ["bad-", "garbage-"].iter().any(|start| name.starts_with(start));
    for fixture in read().iter().filter(|one| is_bad(&one.name) && !one.name.ends_with("-passes")) {
        assert!(is_error(expected(fixture)), "{}", fixture.name);
    }
}

#[test]
fn there_are_enough_cases() {
    for operation in Operation::ALL {
        let count = read_of(*operation).len();
        assert!(count >= FEWEST_CASES, "only {count} cases of `{}`", operation.name());
    }
}

#[test]
fn case_files_are_laid_out_as_bless_lays_them_out() {
    for folder in Operation::ALL.iter().map(|operation| operation.name()).chain([COMPOSITIONS]) {
        let files = CaseFile::read_folder(&workspace_root().join("fixtures").join(folder));
        for file in files.expect("the corpus can be read") {
            let text = fs::read_to_string(&file.path).expect("it was read before");
            assert!(text == file.to_text(), "{}: run `cargo xtask bless`", file.path.display());
        }
    }
}
