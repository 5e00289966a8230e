//! The guest recognises the role of a step by the same words as the engine.

use std::{collections::BTreeSet, fs};

use adjudicate_core::{
    Operation,
    json::{self, Limits, Node},
};
use adjudicate_guest::{ClassifiedBy, Role, testing::Sample};

/// Every word in the lists, and in the comments there.
fn vocabulary() -> BTreeSet<String> {
    let source = adjudicate_tests::workspace_root().join("core/src/evaluate/route_words.rs");
    let text = fs::read_to_string(source).expect("a source");
    let found = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    found.map(str::to_ascii_lowercase).collect()
}

/// The guest's role of a step, and the source of the role.
fn of_guest(name: &str) -> (Role, ClassifiedBy) {
    Sample::new().steps([name]).read(|envelope| {
        let step = envelope.step(name).expect("the only step");
        (step.role(), step.classified_by())
    })
}

/// The engine's route to the only step, if the evidence asks for this role; empty if there is none.
fn of_engine(name: &str, role: Role) -> (String, String) {
    let sample = Sample::new().steps([name]);
    let (sample, policy) = match role {
        Role::Forward => (sample.exit_code("test", 0), "null"),
        Role::Fix => (sample.exit_code("test", 1).artifact("test.log"), "null"),
        Role::Gate | Role::Rollback | Role::Stop => {
            (sample.changed("a"), r#"{"policy":"p","version":"1.0.0","forbidden_paths":["a"]}"#)
        }
    };
    let call = format!(r#"{{"envelope":{},"policy":{policy}}}"#, sample.to_json());
    let answer = Operation::Evaluate.call(call.as_bytes()).expect("the call is accepted");
    let answer = json::read(answer.as_bytes(), Limits::ANSWER).expect("an answer is JSON");
    let route = answer.root().member("loop").and_then(|members| members.member("route"));
    let part = |name| route.and_then(|route| route.member(name)).and_then(Node::as_str).unwrap_or_default();
    (part("role").to_owned(), part("by").to_owned())
}

#[test]
fn names_have_the_same_roles_in_guest_and_engine() {
    let words = vocabulary();
    let mut told = BTreeSet::new();
    for word in &words {
        let forms = [
            word.clone(),
            format!("{word}_run"),
            format!("x_{word}"),
            format!("{word}_x"),
            format!("fix_{word}_x"),
            format!("undo-{word}"),
        ];
        for name in forms {
            let (role, by) = of_guest(&name);
            let guest = (role.as_str().to_owned(), by.as_str().to_owned());
            assert_eq!(guest, of_engine(&name, role), "guest, engine: {name}");
            told.insert(guest);
        }
    }
    // Fix, gate, rollback, stop, and none.
    assert_eq!(told.len(), 5, "{told:?}");
}
