//! What a module answers is held to the output contract of the operation that it was asked, whichever that is.

use adjudicate_core::Operation;
use adjudicate_host::{Host, Module};

use crate::guests::{ENVELOPE, Parts, host};

const MANIFEST: &str = r#"{"abi":1,"name":"test","version":"0.1.0",
    "operations":["evaluate","refine","check_policy","explain"]}"#;

/// A policy under which the envelope is a step to fix, and which has something to find.
const POLICY: &str = r#"{"policy": "p", "version": "1.0.0", "rules": [{"id": "late", "when": true,
    "then": {"status": "partial", "summary": "late"}}], "tests": [{"name": "t", "input": {}, "expect":
    {"decision": {"status": "unsafe"}}}]}"#;

fn input(operation: Operation) -> String {
    match operation {
        Operation::CheckPolicy => format!(r#"{{"policy": {POLICY}}}"#),
        _ => format!(r#"{{"envelope": {ENVELOPE}, "policy": {POLICY}}}"#),
    }
}

/// What the engine itself answers.
fn own(operation: Operation) -> String {
    operation.call(input(operation).as_bytes()).unwrap()
}

/// A module that answers every call with this text.
fn answering(host: &Host, answer: &str) -> Module {
    let reply = format!(r#"{{"ok":{answer}}}"#).into_bytes();
    // Long answers need room.
    let memory = r#"(memory (export "memory") 4 16)"#;
    let alloc = "(i32.const 196608)";
    host.load(&Parts { reply, memory, alloc, manifest: Some(MANIFEST), ..Parts::default() }.build()).unwrap()
}

fn ask(module: &Module, operation: Operation) -> Result<String, String> {
    module.call(operation, input(operation).as_bytes()).map_err(|error| error.code().to_owned())
}

#[test]
fn the_manifest_lists_every_operation() {
    let module = answering(&host(), "null");
    assert_eq!(module.manifest().operations, Operation::ALL);
}

#[test]
fn our_own_answers_pass() {
    let host = host();
    for &operation in Operation::ALL {
        let own = own(operation);
        assert_eq!(ask(&answering(&host, &own), operation), Ok(own.clone()), "{operation:?}");
        let annotated = own.replacen('{', r#"{"x-note":[1],"#, 1);
        assert_eq!(ask(&answering(&host, &annotated), operation), Ok(annotated.clone()), "{operation:?}");
    }
}

#[test]
fn what_has_not_the_shape_of_an_answer_does_not_pass() {
    let host = host();
    for &operation in Operation::ALL {
        let own = own(operation);
        let renamed = own.replacen(r#"{"#, r#"{"more":1,"#, 1);
        for answer in ["null", "true", "7", r#""success""#, "[]", "{}", r#"{"ok":{}}"#, &renamed] {
            let outcome = ask(&answering(&host, answer), operation);
            assert_eq!(outcome, Err("module_invalid_decision".to_owned()), "{operation:?}: {answer}");
        }
        // The answer to another question.
        for &other in Operation::ALL.iter().filter(|other| **other != operation) {
            let outcome = ask(&answering(&host, &self::own(other)), operation);
            assert_eq!(outcome, Err("module_invalid_decision".to_owned()), "{operation:?}: {other:?}");
        }
    }
}

#[test]
fn words_and_steps_that_there_are_not_do_not_pass() {
    let host = host();
    for (operation, from, to, code) in [
        (Operation::Evaluate, r#""status":"partial""#, r#""status":"fine""#, "module_invalid_decision"),
        (Operation::Evaluate, r#""next_step":"fix""#, r#""next_step":"ship""#, "module_illegal_next_step"),
        (Operation::Refine, r#""reason":null"#, r#""reason":"success""#, "module_invalid_decision"),
        (Operation::Refine, r#""next_step":"fix""#, r#""next_step":"ship""#, "module_illegal_next_step"),
        (
            Operation::Refine,
            r#""selected_step":"fix""#,
            r#""selected_step":"ship""#,
            "module_illegal_next_step",
        ),
        (Operation::CheckPolicy, r#""severity":"error""#, r#""severity":"fatal""#, "module_invalid_decision"),
        (Operation::CheckPolicy, r#""findings":["#, r#""findings":[null,"#, "module_invalid_decision"),
        (Operation::Explain, r#""status":"partial""#, r#""status":"fine""#, "module_invalid_decision"),
        (Operation::Explain, r#""reasons":["#, r#""reasons":[7,"#, "module_invalid_decision"),
        (Operation::Explain, r#""next_step":"fix""#, r#""next_step":"ship""#, "module_illegal_next_step"),
    ] {
        let own = own(operation);
        let broken = own.replacen(from, to, 1);
        assert_ne!(broken, own, "{operation:?}: {from}");
        assert_eq!(ask(&answering(&host, &broken), operation), Err(code.to_owned()), "{operation:?}: {to}");
    }
}

/// JSON without a list of next steps has no answer, whatever the next step.
#[test]
fn inputs_that_allow_no_answer_get_none() {
    let host = host();
    for operation in [Operation::Evaluate, Operation::Refine, Operation::Explain] {
        let module = answering(&host, &own(operation));
        for input in
            ["{}", "[]", "null", r#"{"envelope":{}}"#, r#"{"envelope":{"allowed_next_steps":"fix"}}"#]
        {
            let error = module.call(operation, input.as_bytes()).unwrap_err();
            assert_eq!(error.code(), "module_invalid_decision", "{operation:?}: {input}");
        }
    }
}
