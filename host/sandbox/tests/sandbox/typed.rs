//! Typed calls of modules.

use adjudicate_core::{
    Operation,
    evaluate::Status,
    owned::{Envelope, Evaluation, Revision},
};
use adjudicate_sandbox::TypedAnswer;

use crate::guests::{ENVELOPE, Parts, answer, good, host};

fn envelope() -> Envelope {
    Envelope::from_json(ENVELOPE.as_bytes()).unwrap()
}

fn replying(reply: &str) -> Vec<u8> {
    Parts { reply: reply.as_bytes().to_vec(), ..Parts::default() }.build()
}

#[test]
fn an_answer_has_a_text_and_a_value() {
    let decided = host().load(&good()).unwrap().evaluate(&envelope(), None).unwrap();
    assert_eq!((decided.text, decided.answer.to_json()), (answer(), answer()));
}

/// Other modules may omit pointers and have an origin.
#[test]
fn an_answer_of_another_module_is_a_value() {
    let finding = r#"{"rule":"theirs","status":"needs_human","severity":"high","summary":"s","evidence_ref":null,
        "expected":{"a":[1.50]},"resolution":{"kind":"terminal","hint":"h"},"origin":"else","x-note":7}"#;
    let answer = answer().replacen(r#""findings":[]"#, &format!(r#""findings":[{finding}]"#), 1);
    let answer = answer.replacen(r#""status":"success""#, r#""status":"needs_human""#, 1);
    let answer = answer.replacen(r#","route":{"role":"forward","by":"unclassified"}"#, "", 1);
    let module = host().load(&replying(&format!(r#"{{"ok":{answer}}}"#))).unwrap();
    let decided = module.evaluate(&envelope(), Some(r#"{"policy":"p","version":"1.0.0"}"#)).unwrap();
    let Evaluation { decision, findings, loop_state, .. } = &decided.answer;
    assert_eq!((decision.status, &loop_state.route), (Status::NeedsHuman, &None));
    assert_eq!((&findings[0].evidence_ref, findings[0].origin.as_deref()), (&None, Some("else")));
    assert!(findings[0].extra.contains_key("x-note"));
    assert_eq!(decided.text, answer);
}

#[test]
fn errors_stay_errors() {
    let module = host().load(&good()).unwrap();
    let policy = module.evaluate(&envelope(), Some("{")).unwrap_err();
    assert_eq!(policy.code(), "malformed_json");
    assert!(policy.message().starts_with("policy: "), "{policy}");
    assert_eq!(module.refine(&envelope(), None).unwrap_err().code(), "unsupported_operation");
    let broken = answer().replacen("success", "fine", 1);
    let module = host().load(&replying(&format!(r#"{{"ok":{broken}}}"#))).unwrap();
    assert_eq!(module.evaluate(&envelope(), None).unwrap_err().code(), "module_invalid_decision");
    let reported = r#"{"error":{"code":"own_code","message":"no","path":"/a"}}"#;
    let module = host().load(&replying(reported)).unwrap();
    assert_eq!(module.evaluate(&envelope(), None).unwrap_err().to_json(), reported);
}

/// The answer of a known engine of another version is not checked before it is parsed.
#[test]
fn an_answer_of_another_form_is_an_error() {
    let longer = answer().replacen(r#"{"decision":"#, r#"{"verdict":1,"decision":"#, 1);
    let error = Evaluation::read(&longer).unwrap_err();
    assert_eq!((error.code().as_str(), error.path()), ("module_invalid_decision", "/verdict"));
    let error = Revision::read(&answer()).unwrap_err();
    assert_eq!((error.code().as_str(), error.path()), ("module_invalid_decision", "/decision"));
}

/// A call of `refine` wraps its envelope; a call of `evaluate` does so only with a policy.
#[test]
fn inputs_are_those_of_the_operations() {
    let (envelope, policy) = (envelope(), r#"{"policy":"p","version":"1.0.0"}"#);
    let wrapped = format!(r#"{{"envelope":{}}}"#, envelope.to_json());
    assert_eq!(Evaluation::input(&envelope, None).unwrap(), envelope.to_json());
    assert_eq!(Revision::input(&envelope, None).unwrap(), wrapped);
    for (operation, input) in [
        (Operation::Evaluate, Evaluation::input(&envelope, Some(policy)).unwrap()),
        (Operation::Refine, Revision::input(&envelope, Some(policy)).unwrap()),
    ] {
        assert_eq!(input, format!(r#"{{"envelope":{},"policy":{policy}}}"#, envelope.to_json()));
        assert!(operation.call(input.as_bytes()).is_ok());
    }
}
