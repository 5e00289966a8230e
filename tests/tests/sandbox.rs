//! The corpus through `engine.wasm` in the wasmtime sandbox: the same bytes as natively, and faults with their codes.

use std::{collections::BTreeSet, path::Path, sync::OnceLock};

use adjudicate_core::Operation;
use adjudicate_sandbox::{Cache, CallError, Digest, Host, HostSettings, Limits, Module, codes};
use adjudicate_tests::{
    Fixture,
    parity::{assert_parity, expected, is_error, read},
};

use crate::engine_module;

/// The engine module under default settings: fuel, deadline, a fresh instance for every call.
fn metered() -> &'static Module {
    static MODULE: OnceLock<Module> = OnceLock::new();
    MODULE.get_or_init(|| load(HostSettings::default()))
}

/// The engine module as a known engine: without fuel, and its answers are not checked.
pub(crate) fn known() -> &'static Module {
    static MODULE: OnceLock<Module> = OnceLock::new();
    MODULE.get_or_init(|| {
        let known_engines = BTreeSet::from([Digest::sha256(&engine_module::bytes())]);
        load(HostSettings { known_engines, ..HostSettings::default() })
    })
}

/// Loads the engine module. An unoptimised compiler is slow, so the compiled module is cached.
fn load(settings: HostSettings) -> Module {
    let cache = Cache::open(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("adjudicate")).ok();
    let host = Host::new(HostSettings { cache, ..settings }).expect("the settings are sound");
    host.load(&engine_module::bytes()).expect("the engine module is accepted")
}

fn answer(module: &Module, fixture: &Fixture) -> String {
    module.call(fixture.operation, &fixture.call).unwrap_or_else(|error| error.to_json())
}

#[test]
fn the_sandbox_gives_the_same_bytes() {
    assert_parity(&read(), |fixture| answer(metered(), fixture));
}

#[test]
fn a_known_engine_gives_the_same_bytes() {
    assert_parity(&read(), |fixture| answer(known(), fixture));
}

#[test]
fn a_reused_instance_gives_the_same_bytes() {
    let mut guest = metered().start().expect("an instance starts");
    assert_parity(&read(), |fixture| {
        guest.call(fixture.operation, &fixture.call).unwrap_or_else(|error| error.to_json())
    });
}

#[test]
fn too_little_fuel_is_an_error_and_never_another_answer() {
    let limits = Limits { fuel: 20_000, ..Limits::default() };
    let module = load(HostSettings { limits, ..HostSettings::default() });
    let mut starved = BTreeSet::new();
    for fixture in read().iter().filter(|fixture| !is_error(expected(fixture))) {
        match module.call(fixture.operation, &fixture.call) {
            Ok(answer) => assert_eq!(answer, expected(fixture), "{}", fixture.name),
            Err(CallError::Fault(fault)) if fault.code() == codes::MODULE_OUT_OF_FUEL => {
                starved.insert(fixture.operation);
            }
            other => panic!("`{}` on little fuel: {other:?}", fixture.name),
        }
    }
    assert_eq!(starved, Operation::ALL.iter().copied().collect(), "operations that ran out");
}

#[test]
fn an_invalid_call_gets_the_error_of_the_core() {
    for operation in Operation::ALL {
        for input in [
            &b""[..],
            b"{",
            b"\xff\xfe",
            b"[]",
            b"7",
            b"null",
            b"{} {}",
            b"{\"x\": 1, \"x\": 1}",
            &[b'['; 200],
        ] {
            let native = operation.call(input).expect_err("this is no call").to_json();
            for module in [metered(), known()] {
                let answer = module.call(*operation, input).expect_err("nor is it for a module").to_json();
                assert_eq!(answer, native, "{operation:?}");
            }
        }
    }
}

/// The engine meets every requirement that applies to it, including those that only say *should*.
#[test]
fn the_engine_conforms() {
    let cache = Cache::open(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("adjudicate")).ok();
    let host = Host::new(HostSettings { cache, ..HostSettings::default() }).expect("the settings are sound");
    let report = adjudicate_conformance::check(&host, &engine_module::bytes()).expect("the host works");
    let failed: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| matches!(finding.result, adjudicate_conformance::RequirementResult::Fail(_)))
        .collect();
    assert!(report.conforms && failed.is_empty(), "{failed:#?}");
    assert!(report.passed >= 40, "{report:#?}");
}
