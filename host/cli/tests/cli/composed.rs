//! `--restrict` and `--override` with modules. `compositions` has the answers.

use serde_json::Value;

use crate::{
    command::{ENVELOPE, POLICY, TestFolder, answer},
    modules::replying,
};

fn evaluate(place: &TestFolder, more: &[&str]) -> Value {
    let run = place.run(&[&["evaluate", "envelope.json"], more].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{more:?}");
    run.json()
}

fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("envelope.json", ENVELOPE);
    place.file("strict.json", POLICY);
    place.file("claims-success.wasm", replying(&format!(r#"{{"ok":{}}}"#, answer(ENVELOPE)), ""));
    place
}

#[test]
fn a_module_restricts_like_a_policy() {
    let place = place();
    let blocked = answer(&ENVELOPE.replace("completed", "error"));
    place.file("blocks.WASM", replying(&format!(r#"{{"ok":{blocked}}}"#), ""));
    let composed = evaluate(&place, &["--restrict", "blocks.WASM"]);
    assert_eq!(composed["decision"]["status"], "blocked");
    assert_eq!(composed["findings"][0]["origin"], "constant");
    // A module that fails leaves no answer.
    place.file("traps.wasm", replying("{}", "unreachable"));
    let run = place.run(&["evaluate", "envelope.json", "--restrict", "traps.wasm"]);
    assert_eq!((run.code().as_str(), run.status), ("module_trap", Some(3)));
    // The base may be a module too.
    let composed = evaluate(&place, &["--module", "claims-success.wasm", "--restrict", "strict.json"]);
    assert_eq!(composed["decision"]["status"], "unsafe");
}

#[test]
fn the_options_of_the_sandbox_hold_for_modules_that_restrict_or_override() {
    let place = place();
    place.file("loops.wasm", replying("{}", "(loop (br 0))"));
    for option in ["--restrict", "--override"] {
        let composed = evaluate(&place, &[option, "claims-success.wasm", "--no-cache"]);
        assert_eq!(composed["decision"]["status"], "success", "{option}");
        assert!(!place.path("cache").exists(), "{option}");
        let run =
            place.run(&["evaluate", "envelope.json", option, "loops.wasm", "--no-cache", "--fuel", "5"]);
        assert_eq!((run.code().as_str(), run.status), ("module_out_of_fuel", Some(3)), "{option}");
    }
    evaluate(&place, &["--restrict", "claims-success.wasm"]);
    assert!(place.path("cache").exists());
}
