//! The comparison of an interface with the corpus.

use adjudicate_core::Operation;

use crate::{Corpus, Fixture};

/// The calls that the command line accepts and every other interface refuses: a policy, a list of diagnostics or a plan
/// without a call around it.
pub const BARE_DOCUMENTS: [&str; 3] = ["bad-bare-policy", "garbage-diagnostics-alone", "garbage-plan-alone"];

/// The number of differing answers that are printed in full.
const SHOWN: usize = 3;

/// Returns the whole corpus, each fixture with its answer.
///
/// # Panics
///
/// If a file cannot be read or is no case file, or a case has no answer.
#[must_use]
pub fn read() -> Vec<Fixture> {
    Operation::ALL.iter().flat_map(|operation| read_of(*operation)).collect()
}

/// Returns the fixtures of one operation.
///
/// # Panics
///
/// As [`read`] does.
#[expect(clippy::panic, reason = "in a test, panicking is how to fail")]
#[must_use]
pub fn read_of(operation: Operation) -> Vec<Fixture> {
    let fixtures = Corpus::read_of(operation).unwrap_or_else(|error| panic!("the corpus: {error}"));
    let unanswered: Vec<_> =
        fixtures.iter().filter(|fixture| fixture.answer.is_none()).map(|one| &one.name).collect();
    assert!(unanswered.is_empty(), "no answer: {unanswered:?}; `cargo xtask bless` writes them");
    fixtures
}

/// The answer that a fixture must have.
#[must_use]
pub fn expected(fixture: &Fixture) -> &str {
    fixture.answer.as_deref().unwrap_or_default()
}

/// Returns whether an answer is an error.
#[must_use]
pub fn is_error(answer: &str) -> bool {
    answer.starts_with(r#"{"error":"#)
}

/// Asserts that an interface gives the answer of every fixture, byte by byte.
///
/// # Panics
///
/// If an answer differs, or no fixture is compared.
pub fn assert_parity<'a>(
    fixtures: impl IntoIterator<Item = &'a Fixture>,
    mut interface: impl FnMut(&Fixture) -> String,
) {
    let mut different = Vec::new();
    let mut compared = 0;
    for fixture in fixtures {
        compared += 1;
        let actual = interface(fixture);
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
