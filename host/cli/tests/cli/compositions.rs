//! The corpus of compositions, on the command line: policies as files, answers of others as modules that give them.

use adjudicate_tests::{Composition, text::pretty};
use serde_json::Value;

use crate::{command::TestFolder, modules::replying};

/// Writes a member to a file; the file's name.
fn member(place: &TestFolder, name: &str, member: &Value) -> String {
    match member.get("answer") {
        Some(answer) => {
            assert_eq!(member["origin"], "constant", "the name of the module");
            place.file(&format!("{name}.wasm"), replying(&format!(r#"{{"ok":{answer}}}"#), ""))
        }
        None => place.file(&format!("{name}.json"), member.to_string()),
    }
}

#[test]
fn the_command_line_has_the_bytes_of_the_corpus() {
    let cases = Composition::read_all().unwrap();
    assert!(cases.len() >= 20, "{}", cases.len());
    // A base alone is not composed here; an invalid answer is refused before, with the host's message.
    for Composition { name, call, answer } in
        cases.iter().filter(|case| !case.name.starts_with("alone") && case.name != "bad-answer")
    {
        let call: Value = serde_json::from_slice(call).unwrap();
        let answer = &pretty(answer.as_deref().unwrap());
        let place = TestFolder::new();
        let envelope = place.file("envelope.json", call["envelope"].to_string());
        let mut args = ["evaluate", &envelope, "--format", "pretty"].map(str::to_owned).to_vec();
        let mut add = |option: &str, name: &str, one: &Value| {
            args.extend([option.to_owned(), member(&place, name, one)]);
        };
        for (option, key) in [("--policy", "policy"), ("--override", "override")] {
            if let Some(one) = call.get(key) {
                add(option, key, one);
            }
        }
        for (index, one) in call["restrict"].as_array().into_iter().flatten().enumerate() {
            add("--restrict", &format!("restrict-{index}"), one);
        }
        let run = place.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        if run.status == Some(0) {
            assert_eq!(run.stdout, *answer, "{name}");
        } else {
            // If the call has several documents, the message begins with the one that is at fault.
            let stderr = run.stderr.replace("\"envelope: ", "\"");
            let [reported, expected] =
                [&stderr, answer].map(|text| serde_json::from_str::<Value>(text).unwrap());
            assert_eq!((name.starts_with("bad-"), reported), (true, expected), "{name}");
        }
    }
}
