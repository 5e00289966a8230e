//! Properties of a call of every operation.

use adjudicate_core::{
    Operation,
    json::{self, ReadLimits, Tape},
};

/// Calls an operation twice: both return the same answer or error. An answer keeps the output contract; `look` gets it
/// with its call.
pub fn answered(operation: Operation, call: &[u8], look: impl FnOnce(&Tape<'_>, &Tape<'_>)) {
    let answer = operation.call(call);
    assert_eq!(answer, operation.call(call));
    if let Ok(answer) = answer {
        let answer = json::read(answer.as_bytes(), ReadLimits::ANSWER).expect("an answer is JSON");
        let call = operation.read(call).expect("what has an answer is JSON");
        assert_eq!(operation.check_answer(call.root(), answer.root()), Ok(()));
        look(&call, &answer);
    }
}
