//! The corpus through the command: the same bytes as from the engine, and the documented exit status.

use adjudicate_core::Operation;
use adjudicate_tests::{
    Corpus, Fixture, artifacts,
    parity::{BARE_DOCUMENTS, assert_parity, expected, is_error, read_of},
    text::compact,
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

#[test]
fn lines_get_the_answers_in_their_order() {
    for operation in Operation::ALL {
        let mut fixtures = read_of(*operation);
        fixtures.retain(|fixture| !is_error(expected(fixture)));
        let line = |fixture: &Fixture| compact(str::from_utf8(&fixture.call).unwrap()) + "\n";
        let lines: String = fixtures.iter().map(line).collect();
        let command = operation.name().replace('_', "-");
        let run = TestFolder::new().run_with(&[&command, "-", "--ndjson"], lines.as_bytes());
        let mut answers = run.stdout.lines();
        assert_parity(&fixtures, |_| answers.next().unwrap_or_default().into());
        assert_eq!((run.status, answers.next()), (Some(ANSWERED), None));
    }
}

/// The sandbox has the bytes of the whole corpus (`tests/tests/sandbox.rs`).
#[test]
fn a_module_gets_the_call_of_each_operation() {
    let (place, module) = (TestFolder::new(), artifacts::engine());
    let firsts = Operation::ALL
        .iter()
        .filter_map(|operation| read_of(*operation).into_iter().find(|fixture| !is_error(expected(fixture))));
    assert_parity(&firsts.collect::<Vec<_>>(), |fixture| {
        let command = fixture.operation.name().replace('_', "-");
        let call = place.file("call.json", &fixture.call);
        let args = [command.as_str(), &call, "--module", module.to_str().unwrap()];
        let variables = [("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR").into())];
        place.run_where(&variables, &args, b"").stdout.trim_end().to_owned()
    });
}
