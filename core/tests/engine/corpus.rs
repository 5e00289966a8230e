//! Every fixture, answered natively, and the form of the files.

use std::fs;

use adjudicate_core::Operation;
use adjudicate_tests::{
    Composition, Fixture,
    parity::{assert_parity, expected, read, read_of},
    text,
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
        let answer = text::pretty(&composition.native_answer());
        let file =
            fs::read_to_string(&composition.answer_file).expect("`cargo xtask bless` writes the answer");
        assert_eq!(answer, file, "{}", composition.name);
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
fn answer_files_are_laid_out_as_bless_lays_them_out() {
    for fixture in read() {
        let file = fs::read_to_string(&fixture.answer_file).expect("the answer was read before");
        assert_eq!(file, text::pretty(expected(&fixture)), "{}", fixture.name);
    }
}
