//! The policies of `fixtures/policies/` as modules of `adjudicate build`: they give the same bytes as the engine with
//! the document.

use std::{fs, path::Path};

use adjudicate_core::{Operation, Policy};
use adjudicate_sandbox::{Cache, Host, HostSettings, Module, ModuleLabel};
use adjudicate_tests::{Fixture, artifacts, parity::read};

use crate::{engine_module, json::Json, permissive, policies::suite::Suite};

/// The number of compared calls of `explain`, which are slow because each evaluates many envelopes.
const EXPLAINED: usize = 40;

fn bytes(name: &str) -> Vec<u8> {
    let path = artifacts::baked().join(name).with_extension("wasm");
    fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; `cargo xtask test baked` makes it", path.display()))
}

/// Loads a module, which is known if `engines` has its engine. An unoptimised compiler is slow, so compiled modules are
/// cached.
fn load(bytes: &[u8], engines: &[&[u8]]) -> Module {
    let cache = Cache::open(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("adjudicate")).ok();
    let engines = engines.iter().map(|engine| (*engine).into()).collect();
    let host = Host::new(HostSettings { cache, engines, ..HostSettings::default() })
        .expect("the settings are sound");
    host.load(bytes).expect("the module is accepted")
}

/// Asserts that a module answers like the engine with the policy.
fn assert_same(module: &Module, policy: &Policy, calls: &[Fixture]) {
    for call in calls {
        let native =
            call.operation.call_with(&call.call, Some(policy)).unwrap_or_else(|error| error.to_json());
        let answer = module.call(call.operation, &call.call).unwrap_or_else(|error| error.to_json());
        assert_eq!(answer, native, "{} under `{}`", call.name, policy.name());
    }
}

/// The calls that may have a policy. A module refuses the calls that bring a policy of their own.
fn calls() -> Vec<Fixture> {
    let mut explained = 0;
    let mut is_wanted = |fixture: &Fixture| match fixture.operation {
        Operation::Evaluate | Operation::Refine => true,
        Operation::Explain => {
            explained += 1;
            explained <= EXPLAINED
        }
        _ => false,
    };
    let calls: Vec<_> = read().into_iter().filter(|fixture| is_wanted(fixture)).collect();
    assert!(calls.len() > 500, "{} calls", calls.len());
    calls
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn baked_policies_give_the_same_bytes_and_are_known() {
    let (engine, calls) = (engine_module::bytes(), calls());
    for suite in Suite::all() {
        let module = load(&bytes(&suite.name), &[&engine]);
        // The library bakes the policy again, so this also compares the library with the command.
        assert!(module.is_known(), "{}", suite.name);
        let policy = module.policy().expect("it carries its policy");
        assert_eq!((policy.name(), policy.version()), (suite.policy.name(), suite.policy.version()));
        assert_same(&module, &suite.policy, &calls);
        for case in &suite.cases {
            let input = case.input.to_text();
            let native = Operation::Evaluate.call_with(input.as_bytes(), Some(&suite.policy));
            let native = native.unwrap_or_else(|error| error.to_json());
            let answer = module.call(Operation::Evaluate, input.as_bytes());
            assert_eq!(
                answer.unwrap_or_else(|error| error.to_json()),
                native,
                "{}: {}",
                suite.name,
                case.name
            );
        }
    }
}

/// The laws of `success`, for the answers of modules.
#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn modules_keep_the_laws_of_success() {
    let engine = engine_module::bytes();
    for suite in Suite::all() {
        let module = load(&bytes(&suite.name), &[&engine]);
        let judge = |call: &str| {
            let answer = module.call(Operation::Evaluate, call.as_bytes()).ok()?;
            Some(Json::parse(answer.as_bytes()).expect("an answer is JSON"))
        };
        if suite.document.member("required_validators").is_none() {
            permissive::unchecked_evidence_is_no_success(&judge);
        }
        permissive::no_next_step_is_a_guess(&judge, true);
        permissive::no_cap_is_more_permissive_than_none(&judge);
    }
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn under_fuel_the_answers_of_modules_keep_the_contract() {
    let suite = Suite::all().into_iter().next().expect("there is a policy");
    let module = load(&bytes(&suite.name), &[]);
    assert!(!module.is_known());
    let calls: Vec<_> = calls().into_iter().filter(|call| call.operation == Operation::Evaluate).collect();
    assert_same(&module, &suite.policy, &calls);
}

#[test]
fn modules_are_at_most_the_engine_and_twice_the_document() {
    let engine = engine_module::bytes().len();
    for suite in Suite::all() {
        let [document, _] = &suite.files;
        let document = fs::read(document).expect("it is there").len();
        let baked = bytes(&suite.name).len();
        assert!(baked <= engine + 2 * document, "{}: {baked} bytes, {engine} + 2 * {document}", suite.name);
    }
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn modules_of_hundreds_of_rules_are_at_most_the_engine_and_twice_the_document() {
    let engine = engine_module::bytes();
    let host = Host::new(HostSettings::default()).expect("the settings are sound");
    for (name, when) in [("short", short as fn(usize) -> String), ("long", long)] {
        let rules: Vec<_> = (0..200)
            .map(|number| {
                let then =
                    format!(r#"{{"status":"partial","summary":"step {number} is not what it says it is"}}"#);
                format!(r#"{{"id":"rule-{number}","when":{},"then":{then}}}"#, when(number))
            })
            .collect();
        let document = format!(r#"{{"policy":"{name}","version":"1.0.0","rules":[{}]}}"#, rules.join(","));
        let baked =
            host.bake(&engine, document.as_bytes(), &ModuleLabel::default()).expect("it can be baked");
        let (baked, engine, document) = (baked.len(), engine.len(), document.len());
        assert!(baked <= engine + 2 * document, "{name}: {baked} bytes, {engine} + 2 * {document}");
    }
}

/// A condition of one comparison.
fn short(number: usize) -> String {
    format!(r#"{{"==":[{{"var":"input.workflow_id"}},"workflow-{number}"]}}"#)
}

/// One of 22 parts, which asks for a few of a dozen variables.
fn long(number: usize) -> String {
    let pair = |place: usize| {
        let (name, size) = ((number + place) % 6, (number * 7 + place * 3) % 6);
        format!(
            r#"{{"and":[{{"==":[{{"var":"input.x-part.name-{name}"}},"part-{number}-{place}"]}},{{">":[{{"var":"input.x-part.size-{size}"}},{number}]}}]}}"#
        )
    };
    format!(r#"{{"or":[{},{},{}]}}"#, pair(0), pair(1), pair(2))
}
