//! The worked examples of policy modules in our host: the expected replies, their own tests, and their effect, which is
//! to tighten.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "the whole binary is tests: to panic is how they fail"
)]

use std::{env, fs, path::PathBuf};

use adjudicate_core::Operation;
use adjudicate_host::{ChangeReason, Composition, InstallOptions, SlotSettings, Slots, Store};
use adjudicate_sandbox::{CallError, Host, HostSettings, Module};
use adjudicate_tests::workspace_root;
use adjudicate_trust::{ComposedMember, compose};

use serde_json::Value;

const LANGUAGES: [&str; 4] = ["rust", "assemblyscript", "zig", "wat"];

fn bytes(language: &str) -> Vec<u8> {
    let folder = env::var_os("ADJUDICATE_GUESTS")
        .map_or_else(|| workspace_root().join("target/artifacts/guests"), PathBuf::from);
    let path = folder.join(format!("{language}.wasm"));
    fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; `cargo xtask test guests` makes it", path.display()))
}

fn module(language: &str) -> Module {
    let host = Host::new(HostSettings::default()).expect("the settings are sound");
    host.load(&bytes(language)).unwrap_or_else(|error| panic!("{language}: {error}"))
}

/// Name, input and reply of each line.
fn cases(language: &str) -> Vec<[String; 3]> {
    let path = workspace_root().join(format!("fixtures/modules/{language}.ndjson"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let part = |line: &Value, name: &str| line[name].as_str().expect("a text").to_owned();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"))
        .map(|line| ["name", "input", "reply"].map(|name| part(&line, name)))
        .collect()
}

#[test]
fn each_example_gives_the_expected_replies() {
    for language in LANGUAGES {
        let module = module(language);
        let mut answers = 0;
        for [name, input, reply] in cases(language) {
            let what = format!("{language}: {name}");
            match module.call(Operation::Evaluate, input.as_bytes()) {
                Ok(answer) => {
                    assert_eq!(format!("{{\"ok\":{answer}}}"), reply, "{what}");
                    answers += 1;
                }
                Err(CallError::Reported(report)) => {
                    assert_eq!(CallError::Reported(report).to_json(), reply, "{what}");
                }
                // The host reads the input first, and knows that there is no list of steps.
                Err(CallError::Fault(fault)) => match Operation::Evaluate.read(input.as_bytes()) {
                    Err(refused) => assert_eq!(fault, refused, "{what}"),
                    Ok(_) => assert_eq!(fault.code().as_str(), "module_invalid_decision", "{what}"),
                },
            }
        }
        assert!(answers > 5, "{language}");
    }
}

#[test]
fn each_example_passes_its_own_tests() {
    for (language, least) in LANGUAGES.into_iter().zip([6, 9, 6, 0]) {
        let count = module(language).pass_tests().unwrap_or_else(|error| panic!("{language}: {error}"));
        assert!(count >= least, "{language}: {count}");
    }
}

#[test]
fn with_the_engine_each_example_only_tightens() {
    for language in LANGUAGES {
        let module = module(language);
        let (mut tightened, mut composed) = (0, 0);
        for [name, input, _] in cases(language) {
            let Ok(answer) = Operation::Evaluate.call(input.as_bytes()) else { continue };
            let Ok(both) = compose(None, input.as_bytes(), &answer, None, [ComposedMember::Module(&module)])
            else {
                continue;
            };
            let status = |answer: &str| {
                let answer: Value = serde_json::from_str(answer).expect("an answer");
                let order = ["success", "partial", "blocked", "needs_human", "unsafe"];
                let status = &answer["decision"]["status"];
                order.iter().position(|known| status == known).expect("a status")
            };
            assert!(status(&both) >= status(&answer), "{language}: {name}");
            tightened += usize::from(status(&both) > status(&answer));
            composed += 1;
        }
        assert!(tightened > 0 && composed > tightened, "{language}: {tightened} of {composed}");
    }
}

/// An envelope of a run of this name that the engine calls a success.
fn envelope(run: &str) -> String {
    let [_, input, _] = cases("rust").into_iter().next().expect("the first of them has no objection");
    let named = input.replacen(r#""run_id":"r""#, &format!(r#""run_id":"{run}""#), 1);
    assert!(run == "r" || named != input, "the run has another name");
    named
}

/// Runs in which the policy `faulty` fails, and their errors.
const FAULTS: [(&str, &str); 4] = [
    ("panic", "module_trap"),
    ("index", "module_trap"),
    ("error", "rates_unknown"),
    ("forged", "invalid_value"),
];

#[test]
fn a_panic_of_a_policy_traps_and_its_errors_have_code_and_path() {
    let module = module("faulty");
    let reply = |run| module.call(Operation::Evaluate, envelope(run).as_bytes());
    for (run, code) in FAULTS {
        match reply(run) {
            Err(CallError::Fault(fault)) => assert_eq!(fault.code().as_str(), code, "{run}"),
            Err(CallError::Reported(report)) => {
                let text = CallError::Reported(report).to_json();
                assert!(text.contains(&format!(r#""code":"{code}""#)), "{run}: {text}");
                assert!(run != "error" || text.contains(r#""path":"/evidence""#), "{text}");
            }
            Ok(answer) => panic!("{run}: {answer}"),
        }
        assert!(reply("r").is_ok(), "what fails leaves nothing behind: {run}");
        // If the module that restricts the engine fails, the engine's answer does not stand alone.
        let input = envelope(run);
        let answer = Operation::Evaluate.call(input.as_bytes()).expect("the engine answers");
        assert!(answer.contains(r#""status":"success""#), "{answer}");
        let both = compose(None, input.as_bytes(), &answer, None, [ComposedMember::Module(&module)]);
        assert!(both.is_err(), "{run}: {both:?}");
    }
}

#[test]
fn no_setting_of_a_slot_makes_a_panic_permissive() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("store")).expect("a store");
    let host = Host::new(HostSettings::default()).expect("the settings are sound");
    let slots = Slots::open(store, host).expect("its slots");
    let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
    let digest = slots.install(&bytes("faulty"), &terms).expect("it is a good module").module.digest;
    for on_fault in ["error", "fail_closed", "last_good"] {
        let settings = SlotSettings::parse(format!(r#"{{"on_fault":"{on_fault}"}}"#).as_bytes());
        let slot = slots
            .create(&on_fault.replace('_', "-"), settings.expect("settings"), &ChangeReason::default())
            .expect("a slot");
        slot.activate(Composition::new(digest).unsigned(), &ChangeReason::default()).expect("it is active");
        let decided = |run| slot.call(Operation::Evaluate, envelope(run).as_bytes());
        assert!(decided("r").expect("no objection").text.contains(r#""status":"success""#));
        for run in ["panic", "index"] {
            match decided(run) {
                Err(error) => assert_eq!((on_fault, error.code()), ("error", "module_trap")),
                Ok(decided) => {
                    assert_ne!(on_fault, "error", "{}", decided.text);
                    assert!(decided.text.contains(r#""status":"unsafe""#), "{on_fault}: {}", decided.text);
                    assert!(decided.text.contains("policy_module_fault"), "{on_fault}: {}", decided.text);
                }
            }
        }
        // The policy's own errors and forged decisions are no success either.
        for run in ["error", "forged"] {
            let answer = decided(run).map(|decided| decided.text);
            assert!(!answer.is_ok_and(|text| text.contains(r#""status":"success""#)), "{on_fault}: {run}");
        }
    }
}
