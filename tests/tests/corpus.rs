//! Every fixture, answered natively, and the form of the files.

use std::fs;

use adjudicate_core::Operation;
pub(crate) use adjudicate_tests::parity::{assert_parity, expected, is_error};
use adjudicate_tests::{Composition, Corpus, Fixture, text};

/// The least number of cases of each operation.
const FEWEST_CASES: usize = 60;

/// The whole corpus, each fixture with its answer.
pub(crate) fn read() -> Vec<Fixture> {
    let corpus = Corpus::read().expect("the corpus can be read");
    assert_eq!(
        corpus.strays,
        Vec::<std::path::PathBuf>::new(),
        "files that are neither a call nor its answer"
    );
    let unanswered: Vec<_> =
        corpus.fixtures.iter().filter(|fixture| fixture.answer.is_none()).map(|one| &one.name).collect();
    assert!(unanswered.is_empty(), "no answer: {unanswered:?}; `cargo xtask bless` writes them");
    corpus.fixtures
}

/// The fixtures of one operation.
pub(crate) fn read_of(operation: Operation) -> Vec<Fixture> {
    read().into_iter().filter(|fixture| fixture.operation == operation).collect()
}

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
