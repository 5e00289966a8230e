//! Calls of modules. The corpus (`hostile`) covers their faults.

use adjudicate_core::{
    Operation,
    evaluate::Status,
    owned::{Envelope, Evaluation, Revision},
};
use adjudicate_sandbox::{CallError, Limits, Module, TypedAnswer};

use crate::guests::{ENVELOPE, Parts, answer, ask, good, host, host_with};

fn calling(call: &'static str) -> Parts {
    Parts { call, ..Parts::default() }
}

fn replying(reply: &[u8]) -> Parts {
    Parts { reply: reply.to_vec(), ..Parts::default() }
}

const LOOP: &str = "(loop $again (br $again)) (unreachable)";

const GROW_THEN_TRAP: &str = "(loop $again
    (br_if $again (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (unreachable)";

/// An input that the engine rejects does not reach a module.
#[test]
fn inputs_that_are_not_json_get_the_engines_own_error() {
    let module = host().load(&good()).unwrap();
    let deep = [b"[".repeat(129), b"]".repeat(129)].concat();
    for input in [
        &b""[..],
        b" ",
        b"\xff",
        b"\x89PNG",
        b"{",
        b"nope",
        br#"{"a":1,"a":2}"#,
        br#"{"envelope":{"a":1,"a":2},"policy":null}"#,
        br#"{"envelope":{},"policy":"#,
        &deep,
        &[ENVELOPE.as_bytes(), b"}"].concat(),
    ] {
        let error = module.call(Operation::Evaluate, input).unwrap_err();
        let expected = Operation::Evaluate.call(input).unwrap_err();
        assert_eq!(error.to_json(), expected.to_json(), "{}", String::from_utf8_lossy(input));
        let mut guest = module.start().unwrap();
        assert_eq!(guest.call(Operation::Evaluate, input).unwrap_err(), error);
    }
}

/// JSON without a list of next steps has no answer.
#[test]
fn inputs_that_allow_no_answer_get_none() {
    let stepless = answer().replacen(r#""next_step":"publish""#, r#""next_step":null"#, 1);
    for reply in [answer(), stepless] {
        let module = host().load(&replying(format!(r#"{{"ok":{reply}}}"#).as_bytes()).build()).unwrap();
        for input in ["{}", "[]", "null", r#"{"allowed_next_steps":"publish"}"#, r#"{"envelope":{}}"#] {
            let error = module.call(Operation::Evaluate, input.as_bytes()).unwrap_err();
            assert_eq!(error.code(), "module_invalid_decision", "{input}");
        }
    }
}

/// Calls `memory.grow` with these pages, a hundred times.
fn growing(pages: u32) -> Vec<u8> {
    let call = format!(
        "(loop $again (drop (memory.grow (i32.const {pages})))
            (br_if $again (i32.le_u (local.tee $op (i32.add (local.get $op) (i32.const 1))) (i32.const 100))))
        (i32.const 16)"
    );
    Parts { call: call.leak(), ..Parts::default() }.build()
}

#[test]
fn growth_costs_fuel() {
    for (pages, cost) in [(0, 255), (1, 255 + 8), (1000, 255 + 8 * 1000)] {
        let passes = |fuel| {
            let host = host_with(Limits { fuel, ..Limits::default() });
            ask(&host.load(&growing(pages)).unwrap()).is_ok()
        };
        // The loop itself costs fuel, and the last round is not checked.
        assert!(!passes(99 * cost) && passes(110 * cost), "{pages}");
    }
}

#[test]
fn a_limit_that_was_hit_says_how_to_raise_it() {
    for (parts, words) in [
        (calling(LOOP), "`--fuel` or `Limits::fuel`"),
        (calling(GROW_THEN_TRAP), "`Limits::memory_bytes`"),
        (calling("(call $call (local.get $op) (local.get $ptr) (local.get $len))"), "`Limits::stack_bytes`"),
    ] {
        let module = host().load(&parts.build()).unwrap();
        let error = module.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap_err();
        assert!(error.to_json().contains(words), "{error}");
    }
}

#[test]
fn a_reported_error_is_returned_unchanged() {
    let text = r#"{ "error": {"code": "own_code", "path": "/a", "message": "\u00e9"} }"#;
    let module = host().load(&replying(text.as_bytes()).build()).unwrap();
    let error = module.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap_err();
    assert!(matches!(error, CallError::Reported(_)), "{error:?}");
    assert_eq!((error.code(), error.to_json().as_str()), ("own_code", text));
}

#[test]
fn the_answer_is_what_the_module_wrote_byte_for_byte() {
    let spaced = answer().replacen(':', " :\n\t", 1);
    let module = host().load(&replying(format!(" {{\"ok\" : {spaced}\n}} ").as_bytes()).build()).unwrap();
    assert_eq!(ask(&module), Ok(spaced));
}

/// Answers `success` if its cell is 0, and traps otherwise. Sets the cell.
const REMEMBERS: &str = "(if (i32.load (i32.const 8)) (then unreachable))
    (if (global.get $seen) (then unreachable))
    (i32.store (i32.const 8) (i32.const 1)) (global.set $seen (i32.const 1)) (i32.const 16)";

fn remembering() -> Module {
    let parts = Parts { more: "(global $seen (mut i32) (i32.const 0))", ..calling(REMEMBERS) };
    host().load(&parts.build()).unwrap()
}

#[test]
fn no_state_is_kept_between_calls() {
    let module = remembering();
    for _ in 0..3 {
        assert_eq!(ask(&module), Ok(answer()));
    }
    // The same module does remember in one instance, so the test can fail.
    let mut guest = module.start().unwrap();
    let mut twice =
        || guest.call(Operation::Evaluate, ENVELOPE.as_bytes()).map_err(|error| error.code().to_owned());
    assert_eq!((twice(), twice()), (Ok(answer()), Err("module_trap".to_owned())));
}

#[test]
fn grown_memory_does_not_reach_the_next_call() {
    let call = "(if (i32.ne (memory.size) (i32.const 2)) (then unreachable))
        (drop (memory.grow (i32.const 14)))
        (if (i32.load (i32.const 1048000)) (then unreachable))
        (memory.fill (i32.const 131072) (i32.const 170) (i32.const 917504)) (i32.const 16)";
    let module = host().load(&calling(call).build()).unwrap();
    for _ in 0..5 {
        assert_eq!(ask(&module), Ok(answer()));
    }
}

#[test]
fn initialize_runs_before_every_call() {
    let more = r#"(func (export "_initialize") (i32.store (i32.const 8) (i32.const 7)))"#;
    let call = "(if (i32.ne (i32.load (i32.const 8)) (i32.const 7)) (then unreachable)) (i32.const 16)";
    let module = host().load(&Parts { more, ..calling(call) }.build()).unwrap();
    assert_eq!((ask(&module), ask(&module)), (Ok(answer()), Ok(answer())));
}

#[test]
fn the_module_sees_the_operation_and_the_input() {
    let call = "(if (i32.ne (local.get $op) (i32.const 1)) (then unreachable))
        (if (i32.ne (local.get $ptr) (i32.const 65536)) (then unreachable))
        (if (i32.ne (i32.load8_u (local.get $ptr)) (i32.const 0x7b)) (then unreachable))
        (if (i32.ne (i32.load8_u (i32.sub (i32.add (local.get $ptr) (local.get $len)) (i32.const 1))) (i32.const 0x7d)) (then unreachable))
        (i32.const 16)";
    assert_eq!(ask(&host().load(&calling(call).build()).unwrap()), Ok(answer()));
}

#[test]
fn nan_has_one_bit_pattern() {
    // 0/0 is a negative NaN on x86 unless it is made canonical.
    let call = "(if (i64.ne (i64.reinterpret_f64 (f64.div (f64.const 0) (f64.const 0))) (i64.const 0x7ff8000000000000))
        (then unreachable)) (i32.const 16)";
    assert_eq!(ask(&host().load(&calling(call).build()).unwrap()), Ok(answer()));
}

fn envelope() -> Envelope {
    Envelope::from_json(ENVELOPE.as_bytes()).unwrap()
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
    let module = host().load(&replying(format!(r#"{{"ok":{answer}}}"#).as_bytes()).build()).unwrap();
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
    let module = host().load(&replying(format!(r#"{{"ok":{broken}}}"#).as_bytes()).build()).unwrap();
    assert_eq!(module.evaluate(&envelope(), None).unwrap_err().code(), "module_invalid_decision");
    let reported = r#"{"error":{"code":"own_code","message":"no","path":"/a"}}"#;
    let module = host().load(&replying(reported.as_bytes()).build()).unwrap();
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
