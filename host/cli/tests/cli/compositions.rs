//! `--restrict` and `--override`: the corpus of compositions, with policies as files and answers of others as modules that give them, and
//! the options of modules.

use adjudicate_tests::{Composition, text::pretty};
use serde_json::Value;

use crate::{
    command::{ENVELOPE, POLICY, TestFolder, answer},
    modules::replying,
};

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

#[test]
fn the_options_of_the_sandbox_hold_for_modules_that_restrict_or_override() {
    let place = TestFolder::new();
    place.file("envelope.json", ENVELOPE);
    place.file("strict.json", POLICY);
    place.file("success.WASM", replying(&format!(r#"{{"ok":{}}}"#, answer(ENVELOPE)), ""));
    place.file("loops.wasm", replying("{}", "(loop (br 0))"));
    let evaluate = |more: &[&str]| place.run(&[&["evaluate", "envelope.json"], more].concat());
    for option in ["--restrict", "--override"] {
        let composed = evaluate(&[option, "success.WASM", "--no-cache"]).json();
        assert_eq!(composed["decision"]["status"], "success", "{option}");
        assert!(!place.path("cache").exists(), "{option}");
        let run = evaluate(&[option, "loops.wasm", "--no-cache", "--fuel", "5"]);
        assert_eq!((run.code().as_str(), run.status), ("module_out_of_fuel", Some(3)), "{option}");
    }
    // The base may be a module, too.
    let composed = evaluate(&["--module", "success.WASM", "--restrict", "strict.json"]).json();
    assert_eq!(composed["decision"]["status"], "unsafe");
    assert!(place.path("cache").exists());
}
