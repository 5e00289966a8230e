//! The corpus of `hostile` on this host: each module has its outcome, and a good module still works after it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use adjudicate_conformance::{
    self as conformance, ConformanceCase, Corpus, ExpectedOutcome, RequirementLevel, RequirementResult,
    requirements,
};
use adjudicate_sandbox::{Host, HostSettings, Limits, Module, codes, inspect};

use crate::guests::Parts;

/// The outcome of a case, in the form of the expectation.
fn outcome(host: &Host, corpus: &Corpus, case: &ConformanceCase) -> ExpectedOutcome {
    let bytes = corpus.module(case).unwrap();
    refused_on_sight(host, case, &bytes);
    let module = match host.load_with(&bytes, corpus.limits(case)) {
        Ok(module) => module,
        Err(error) => return ExpectedOutcome::Load(error.code().as_str().to_owned()),
    };
    let call = corpus.call(case).unwrap();
    let mut outcomes = (0..call.times).map(|_| match module.call(call.operation, call.input.as_bytes()) {
        Ok(answer) if answer == corpus.answer() => ExpectedOutcome::Answer,
        Ok(answer) => ExpectedOutcome::Ok(answer),
        Err(error) => ExpectedOutcome::Call(error.code().to_owned()),
    });
    let first = outcomes.next().unwrap();
    for other in outcomes {
        assert_eq!(other, first, "{}", case.name);
    }
    first
}

/// Fails unless inspection rejects a bomb before compiling. These tests compile in their own process without limits: a bomb that
/// got so far took 22 GB of memory.
fn refused_on_sight(host: &Host, case: &ConformanceCase, module: &[u8]) {
    if case.name.ends_with("-bomb") && case.file().is_none() && module.len() <= host.limits().module_bytes {
        let error = inspect(module).unwrap_err();
        assert_eq!(ExpectedOutcome::Load(error.code().as_str().to_owned()), case.outcome, "{}", case.name);
    }
}

fn host() -> Host {
    Host::new(HostSettings { instances: 1, ..HostSettings::default() }).unwrap()
}

fn load(host: &Host, corpus: &Corpus, case: &ConformanceCase) -> Module {
    host.load_with(&corpus.module(case).unwrap(), corpus.limits(case)).unwrap()
}

#[test]
fn each_module_has_its_outcome_and_a_good_module_still_answers() {
    let corpus = Corpus::read().unwrap();
    let host = host();
    let good = corpus.good().unwrap();
    let loaded = load(&host, &corpus, good);
    let call = corpus.call(good).unwrap();
    let mut wrong = Vec::new();
    for case in corpus.cases() {
        let outcome = outcome(&host, &corpus, case);
        if outcome != case.outcome {
            wrong.push((&case.name, outcome, &case.outcome));
        }
        // Inspection alone rejects modules that are rejected without running. Only the length of the file is a limit of each host.
        let module = corpus.module(case).unwrap();
        if let Err(error) = inspect(&module)
            && module.len() <= host.limits().module_bytes
        {
            assert_eq!(
                ExpectedOutcome::Load(error.code().as_str().to_owned()),
                case.outcome,
                "{}",
                case.name
            );
        }
        let answer = loaded.call(call.operation, call.input.as_bytes());
        assert_eq!(answer.as_deref(), Ok(corpus.answer()), "after {}", case.name);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_code_is_documented() {
    for case in Corpus::read().unwrap().cases() {
        for outcome in case.without.values().flatten().chain([&case.outcome]) {
            let (ExpectedOutcome::Load(code) | ExpectedOutcome::Call(code)) = outcome else { continue };
            assert!(codes::TABLE.find(code).is_some() || code.starts_with("own_"), "{}: {code}", case.name);
        }
    }
}

/// Four threads share the cases on a host with three instances.
#[test]
fn each_module_has_its_outcome_with_several_threads() {
    let corpus = Arc::new(Corpus::read().unwrap());
    let wait = std::time::Duration::from_secs(60);
    let host = Arc::new(Host::new(HostSettings { instances: 3, wait, ..HostSettings::default() }).unwrap());
    let next = Arc::new(AtomicUsize::new(0));
    let good = corpus.good().unwrap();
    let loaded = load(&host, &corpus, good);
    let threads = (0..4).map(|_| {
        let (corpus, host, next, loaded) =
            (Arc::clone(&corpus), Arc::clone(&host), Arc::clone(&next), loaded.clone());
        std::thread::spawn(move || {
            while let Some(case) = corpus.cases().get(next.fetch_add(1, Ordering::Relaxed)) {
                // Bombs behave the same for one thread as for four.
                if case.file().is_some() {
                    assert_eq!(outcome(&host, &corpus, case), case.outcome, "{}", case.name);
                }
                let call = corpus.call(corpus.good().unwrap()).unwrap();
                let answer = loaded.call(call.operation, call.input.as_bytes());
                assert_eq!(answer.as_deref(), Ok(corpus.answer()), "beside {}", case.name);
            }
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        thread.join().unwrap();
    }
}

/// Each module fails at the requirement that it breaks. A module that breaks none conforms.
#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn the_check_of_a_module_finds_what_it_breaks() {
    let corpus = Corpus::read().unwrap();
    // The corpus breaks the limits that it names, and modules that hang do so hundreds of times.
    let limits = Limits { fuel: 10_000_000, ..corpus.limits(corpus.good().unwrap()) };
    let host = Host::new(HostSettings { instances: 1, limits, ..HostSettings::default() }).unwrap();
    // A live module keeps the engine that the others need.
    let _kept = load(&host, &corpus, corpus.good().unwrap());
    let mut wrong = Vec::new();
    let mut broken = std::collections::BTreeSet::new();
    for case in corpus.cases() {
        let module = corpus.module(case).unwrap();
        refused_on_sight(&host, case, &module);
        let report = conformance::check(&host, &module).unwrap();
        let fails = |finding: &&conformance::Finding| matches!(finding.result, RequirementResult::Fail(_));
        let failed: Vec<_> = report.findings.iter().filter(fails).collect();
        let is_right = match &case.breaks {
            Some(id) => failed.iter().any(|finding| finding.requirement.id == id),
            None => report.conforms,
        };
        if !is_right {
            let failed: Vec<_> =
                failed.iter().map(|one| format!("{}: {:?}", one.requirement.id, one.result)).collect();
            wrong.push((&case.name, &case.breaks, failed));
        }
        broken.extend(failed.iter().map(|finding| finding.requirement.id));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let never: Vec<_> = requirements()
        .iter()
        .filter(|one| one.level == RequirementLevel::Must && !broken.contains(one.id))
        .map(|one| one.id)
        .collect();
    // A module without imports is deterministic, unless the host is not. The check covers that, too.
    assert_eq!(never, ["determinism.fresh"], "no module breaks these");
}

/// The inputs of the check are small, so a call that takes much fuel fails the check, whatever a host grants for large envelopes.
#[test]
fn a_call_of_the_check_has_fuel_for_small_inputs_or_as_much_as_the_manifest_asks_for() {
    const LOOP: &str = r"(local $n i32) (loop (br_if 0 (i32.lt_u
        (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 3000000)))) (i32.const 16)";
    const START: &str = r#"(func (export "_initialize") (local $n i32) (loop (br_if 0 (i32.lt_u
        (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 40000)))))"#;
    let host = Host::new(HostSettings { instances: 1, ..HostSettings::default() }).unwrap();
    let judged = |parts: Parts, id: &str| {
        conformance::check(&host, &parts.build()).unwrap().finding(id).unwrap().result.clone()
    };
    let slow = || Parts { call: LOOP, ..Parts::default() };
    assert!(matches!(judged(slow(), "call.ends"), RequirementResult::Fail(_)));
    let manifest =
        r#"{"abi":1,"name":"m","version":"1.0.0","operations":["evaluate"],"limits":{"fuel":60000000}}"#;
    let asking = || Parts { manifest: Some(manifest), ..slow() };
    assert_eq!(judged(asking(), "call.ends"), RequirementResult::Pass);
    assert_eq!(judged(asking(), "cost.fuel"), RequirementResult::Pass);
    let starting = Parts { more: START, ..asking() };
    assert!(matches!(judged(starting, "cost.start"), RequirementResult::Fail(_)));
}

/// Requirements that were not shown are not reported as met.
#[test]
fn the_contract_of_a_module_that_never_answers_is_not_judged() {
    let corpus = Corpus::read().unwrap();
    let host = host();
    let report = |name: &str| {
        let case = corpus.cases().iter().find(|case| case.name == name).unwrap();
        conformance::check(&host, &corpus.module(case).unwrap()).unwrap()
    };
    let contract = ["reply.contract", "reply.next_step"];
    let silent = report("reports-a-code-of-its-own");
    for id in contract {
        let result = &silent.finding(id).unwrap().result;
        assert_eq!(
            *result,
            RequirementResult::NotJudged("no call was answered with `ok`".to_owned()),
            "{id}"
        );
    }
    assert!(silent.conforms && silent.not_judged >= 2, "{silent:?}");
    let good = report("good");
    for id in contract {
        assert_eq!(good.finding(id).unwrap().result, RequirementResult::Pass, "{id}");
    }
    // Answers without a next step.
    let manifest = r#"{"abi":1,"name":"m","version":"1.0.0","operations":["observe_output"]}"#;
    let parts = Parts { manifest: Some(manifest), ..Parts::default() };
    let other = conformance::check(&host, &parts.build()).unwrap();
    let step = &other.finding("reply.next_step").unwrap().result;
    assert!(matches!(step, RequirementResult::NotApplicable(_)), "{step:?}");
    // The same if the check ended before.
    let ended = conformance::check(&host, b"no module").unwrap();
    let reached =
        |finding: &conformance::Finding| !matches!(finding.result, RequirementResult::NotReached(_));
    assert_eq!(ended.findings.iter().filter(|finding| reached(finding)).count(), 1);
    assert_eq!(ended.findings.len(), 1 + ended.not_judged);
}
