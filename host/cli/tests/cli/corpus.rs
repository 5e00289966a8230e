//! The corpus through the command: the same bytes as from the engine, and the documented exit status.

use adjudicate_tests::{
    Corpus, Fixture,
    parity::{BARE_DOCUMENTS, assert_parity, expected, is_error},
};

use crate::command::TestFolder;

/// The exit status of an answer.
const ANSWERED: i32 = 0;
/// The exit status of an invalid input or policy.
const INVALID_INPUT: i32 = 2;

#[test]
fn a_file_gets_the_answer() {
    let place = TestFolder::new();
    let fixtures = Corpus::read().unwrap().fixtures;
    let is_called = |fixture: &&Fixture| !BARE_DOCUMENTS.contains(&fixture.name.as_str());
    assert_parity(fixtures.iter().filter(is_called), |fixture| {
        let command = fixture.operation.name().replace('_', "-");
        let run = place.run(&[&command, &place.file("call.json", &fixture.call)]);
        let (printed, other, status) = match is_error(expected(fixture)) {
            true => (run.stderr, run.stdout, INVALID_INPUT),
            false => (run.stdout, run.stderr, ANSWERED),
        };
        assert_eq!((run.status, other.as_str()), (Some(status), ""), "{}: {printed}", fixture.name);
        printed.strip_suffix('\n').unwrap_or("the output does not end in a newline").to_owned()
    });
}
