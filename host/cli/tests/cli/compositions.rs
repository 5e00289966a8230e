//! The corpus of compositions, on the command line: policies as files, answers of others as modules that give them.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{command::TestFolder, modules::replying};

/// A case: its name, its call, and the answer it must have, laid out for people.
fn cases() -> Vec<(String, Value, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/compose");
    let read = |name: &str| fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let names = files.filter_map(|file| Some(file.strip_suffix(".json")?.to_owned()));
    let names = names.filter(|name| !name.ends_with(".answer"));
    let mut cases: Vec<_> = names
        .map(|name| {
            (name.clone(), serde_json::from_str(&read(&name)).unwrap(), read(&format!("{name}.answer")))
        })
        .collect();
    cases.sort_by(|left, right| left.0.cmp(&right.0));
    cases
}

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
    let cases = cases();
    assert!(cases.len() >= 20, "{}", cases.len());
    // A base alone is not composed here; an invalid answer is refused before, with the host's message.
    for (name, call, answer) in
        cases.iter().filter(|(name, ..)| !name.starts_with("alone") && name != "bad-answer")
    {
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
            let [said, expected] = [&stderr, answer].map(|text| serde_json::from_str::<Value>(text).unwrap());
            assert_eq!((name.starts_with("bad-"), said), (true, expected), "{name}");
        }
    }
}
