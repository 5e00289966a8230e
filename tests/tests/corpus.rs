//! Every fixture, answered natively; and that the files are what they should be.

use std::fs;

use adjudicate_core::Operation;
use adjudicate_tests::{Corpus, Fixture, text};

/// How many cases of each operation the corpus must not fall below.
const FEWEST_CASES: usize = 60;
/// How many differing answers are shown in full.
const SHOWN: usize = 3;

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

/// The fixtures whose answer is an evaluation, not an error.
pub(crate) fn accepted() -> Vec<Fixture> {
    let accepted: Vec<_> =
        read_of(Operation::Evaluate).into_iter().filter(|fixture| !is_error(expected(fixture))).collect();
    assert!(!accepted.is_empty(), "no fixture is accepted");
    accepted
}

/// The answer that a fixture must have.
pub(crate) fn expected(fixture: &Fixture) -> &str {
    fixture.answer.as_deref().expect("`read` has checked that there is an answer")
}

/// Whether an answer says that there is none.
pub(crate) fn is_error(answer: &str) -> bool {
    answer.starts_with(r#"{"error":"#)
}

/// Asserts that a face gives the answer of every fixture, byte by byte.
pub(crate) fn assert_parity<'a>(
    fixtures: impl IntoIterator<Item = &'a Fixture>,
    mut face: impl FnMut(&Fixture) -> String,
) {
    let mut different = Vec::new();
    let mut compared = 0;
    for fixture in fixtures {
        compared += 1;
        let actual = face(fixture);
        if actual != expected(fixture) {
            different.push((fixture, actual));
        }
    }
    assert!(compared > 0, "no fixture was compared");
    let names: Vec<_> = different.iter().map(|(fixture, _)| fixture.name.as_str()).collect();
    let shown = different.iter().take(SHOWN).map(|(fixture, actual)| {
        format!("{}\n  expected {}\n  actual   {actual}\n", fixture.name, expected(fixture))
    });
    let shown: String = shown.collect();
    assert!(different.is_empty(), "{} of {compared} answers differ: {names:?}\n{shown}", different.len());
}

#[test]
fn native_answers_are_the_answers() {
    assert_parity(&read(), Fixture::native_answer);
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
