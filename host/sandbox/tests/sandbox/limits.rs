//! The limits of a host.

use std::{
    collections::BTreeSet,
    sync::{Arc, Barrier},
    time::Duration,
};

use adjudicate_core::Operation;
use adjudicate_sandbox::{Digest, Host, HostSettings, Limits, codes};

use crate::guests::{ENVELOPE, Parts, answer, ask, good, host, host_with};

const LOOP: &str = "(loop $again (br $again)) (unreachable)";

#[test]
fn fuel_is_deterministic() {
    let module = good();
    let passes = |fuel: u64| {
        let host = host_with(Limits { fuel, ..Limits::default() });
        host.load(&module).is_ok_and(|module| ask(&module).is_ok())
    };
    let needed = (1..100).find(|fuel| passes(*fuel)).unwrap();
    assert!(needed > 1);
    for _ in 0..5 {
        assert!(passes(needed) && !passes(needed - 1));
    }
}

#[test]
fn the_deadline_ends_calls_that_fuel_does_not() {
    let hung = Parts { call: LOOP, ..Parts::default() }.build();
    let deadline = Duration::from_secs(1);
    let host = host_with(Limits { fuel: u64::MAX, deadline, ..Limits::default() });
    assert_eq!(ask(&host.load(&hung).unwrap()), Err("module_deadline".to_owned()));
    assert_eq!(ask(&host.load(&good()).unwrap()), Ok(answer()));
}

#[test]
fn a_known_engine_runs_without_fuel_and_unchecked() {
    let reply = br#"{"ok":{"any":"thing"}}"#.to_vec();
    let module = Parts { reply, ..Parts::default() }.build();
    assert_eq!(ask(&host().load(&module).unwrap()), Err("module_invalid_decision".to_owned()));
    let settings = HostSettings {
        known_engines: BTreeSet::from([Digest::sha256(&module)]),
        limits: Limits { fuel: 1, ..Limits::default() },
        ..HostSettings::default()
    };
    let module = Host::new(settings).unwrap().load(&module).unwrap();
    assert_eq!(ask(&module), Ok(r#"{"any":"thing"}"#.to_owned()));
}

#[test]
fn known_engines_are_still_bounded() {
    for (parts, code) in [
        (Parts { call: "(i32.const -8)", ..Parts::default() }, "module_bad_pointer"),
        (Parts { call: "unreachable", ..Parts::default() }, "module_trap"),
        (Parts { reply: b"{\"ok\":\xff}".to_vec(), ..Parts::default() }, "module_not_utf8"),
        (Parts { reply: b"{}".to_vec(), ..Parts::default() }, "module_malformed_reply"),
    ] {
        let module = parts.build();
        let settings = HostSettings {
            known_engines: BTreeSet::from([Digest::sha256(&module)]),
            ..HostSettings::default()
        };
        assert_eq!(ask(&Host::new(settings).unwrap().load(&module).unwrap()), Err(code.to_owned()));
    }
}

#[test]
fn input_and_output_have_limits() {
    let limits =
        Limits { input_bytes: ENVELOPE.len(), output_bytes: answer().len() + 7, ..Limits::default() };
    let exact = host_with(limits).load(&good()).unwrap();
    assert_eq!(ask(&exact), Ok(answer()));
    let longer = format!("{ENVELOPE} ");
    let error = exact.call(Operation::Evaluate, longer.as_bytes()).unwrap_err();
    assert_eq!(error.code(), "module_input_too_large");
    let narrow = Limits { output_bytes: answer().len() + 6, ..Limits::default() };
    assert_eq!(ask(&host_with(narrow).load(&good()).unwrap()), Err("module_output_too_large".to_owned()));
}

#[test]
fn memory_and_module_have_limits() {
    for (limits, code) in [
        (Limits { memory_bytes: 15 << 16, ..Limits::default() }, codes::MODULE_TOO_LARGE),
        (Limits { module_bytes: 100, ..Limits::default() }, codes::MODULE_TOO_LARGE),
    ] {
        assert_eq!(host_with(limits).load(&good()).unwrap_err().code(), code);
    }
}

#[test]
fn the_stack_limit_is_the_hosts() {
    // Recurses as often as the input is long, so only the stack limits the depth.
    let call = "(if (local.get $len) (then (drop
        (call $call (local.get $op) (local.get $ptr) (i32.sub (local.get $len) (i32.const 1)))))) (i32.const 16)";
    let module = Parts { call, memory: r#"(memory (export "memory") 8 16)"#, ..Parts::default() }.build();
    let input = ENVELOPE.to_owned() + &" ".repeat(4000);
    let ask = |stack_bytes| {
        let module = host_with(Limits { stack_bytes, ..Limits::default() }).load(&module).unwrap();
        module.call(Operation::Evaluate, input.as_bytes()).map_err(|error| error.code().to_owned())
    };
    assert_eq!(ask(16 << 10), Err("module_stack".to_owned()));
    assert_eq!(ask(512 << 10), Ok(answer()));
}

#[test]
fn instances_are_counted_and_waiting_ends() {
    let settings = HostSettings { instances: 2, wait: Duration::ZERO, ..HostSettings::default() };
    let module = Host::new(settings).unwrap().load(&good()).unwrap();
    let held = (module.start().unwrap(), module.start().unwrap());
    assert_eq!(ask(&module), Err("host_overloaded".to_owned()));
    drop(held);
    assert_eq!(ask(&module), Ok(answer()));
}

#[test]
fn without_space_for_the_pool_instances_are_created_on_demand() {
    // More address space than exists: 4 GiB per instance.
    let settings = HostSettings { instances: 1 << 20, ..HostSettings::default() };
    let host = Host::new(settings).unwrap();
    let module = host.load(&good()).unwrap();
    assert!(!module.is_pooled() && crate::guests::host().load(&good()).unwrap().is_pooled());
    assert_eq!((ask(&module), ask(&module)), (Ok(answer()), Ok(answer())));
    let hostile = Parts { call: "(i32.load (i32.const -4))", ..Parts::default() }.build();
    assert_eq!(ask(&host.load(&hostile).unwrap()), Err("module_trap".to_owned()));
}

#[test]
fn threads_share_a_module() {
    let settings = HostSettings { instances: 2, wait: Duration::from_secs(60), ..HostSettings::default() };
    let module = Host::new(settings).unwrap().load(&good()).unwrap();
    let barrier = Arc::new(Barrier::new(8));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (module, barrier) = (module.clone(), Arc::clone(&barrier));
            std::thread::spawn(move || {
                barrier.wait();
                (0..50).all(|_| ask(&module) == Ok(answer()))
            })
        })
        .collect();
    assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
}

#[test]
fn settings_that_cannot_work_are_refused() {
    for settings in [
        HostSettings { instances: 0, ..HostSettings::default() },
        HostSettings {
            limits: Limits { deadline: Duration::from_millis(100), ..Limits::default() },
            ..HostSettings::default()
        },
    ] {
        assert_eq!(Host::new(settings).unwrap_err().code(), codes::WRONG_USAGE);
    }
}

#[test]
fn each_module_may_have_limits_of_its_own() {
    let host = host();
    let module = good();
    let starved = host.load_with(&module, Limits { fuel: 1, ..*host.limits() });
    assert_eq!(starved.unwrap_err().code(), codes::MODULE_OUT_OF_FUEL, "its start takes more");
    let narrow = Limits { output_bytes: 10, ..*host.limits() };
    let narrow = host.load_with(&module, narrow).unwrap();
    let wide = host.load(&module).unwrap();
    for _ in 0..2 {
        assert_eq!(ask(&narrow), Err("module_output_too_large".to_owned()));
        assert_eq!(ask(&wide), Ok(answer()));
    }
    for (limits, code) in [
        (Limits { memory_bytes: 15 << 16, ..*host.limits() }, codes::MODULE_TOO_LARGE),
        (Limits { module_bytes: 100, ..*host.limits() }, codes::MODULE_TOO_LARGE),
        (Limits { stack_bytes: 200 << 10, ..*host.limits() }, codes::WRONG_USAGE),
    ] {
        assert_eq!(host.load_with(&module, limits).unwrap_err().code(), code);
    }
}

#[test]
fn a_memory_grows_up_to_its_own_limit() {
    // Grows page by page up to its limit, and answers if it reached the expected size.
    let call = "(loop $again (br_if $again (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
        (if (i32.ne (memory.size) (i32.const 300)) (then unreachable)) (i32.const 16)";
    let module = Parts { call, memory: r#"(memory (export "memory") 2 300)"#, ..Parts::default() }.build();
    let on_demand = Host::new(HostSettings { instances: 1 << 20, ..HostSettings::default() }).unwrap();
    for host in [host(), on_demand] {
        assert_eq!(host.load(&module).unwrap_err().code(), codes::MODULE_TOO_LARGE);
        let wide = Limits { memory_bytes: 300 << 16, ..*host.limits() };
        assert_eq!(ask(&host.load_with(&module, wide).unwrap()), Ok(answer()));
    }
}

#[test]
fn all_modules_share_the_permits_for_instances() {
    let settings = HostSettings { instances: 1, wait: Duration::ZERO, ..HostSettings::default() };
    let host = Host::new(settings).unwrap();
    let one = host.load(&good()).unwrap();
    let other = host.load_with(&good(), Limits { stack_bytes: 32 << 10, ..*host.limits() }).unwrap();
    let held = one.start().unwrap();
    assert_eq!(ask(&other), Err("host_overloaded".to_owned()));
    drop(held);
    assert_eq!((ask(&one), ask(&other)), (Ok(answer()), Ok(answer())));
}

#[test]
fn a_module_is_loaded_even_if_all_permits_are_taken() {
    let settings = HostSettings { instances: 1, wait: Duration::ZERO, ..HostSettings::default() };
    let host = Host::new(settings).unwrap();
    let module = host.load(&good()).unwrap();
    let held = module.start().unwrap();
    let other = host.load(&Parts { more: "(func)", ..Parts::default() }.build()).unwrap();
    assert_eq!(ask(&other), Err("host_overloaded".to_owned()));
    drop(held);
    assert_eq!(ask(&other), Ok(answer()));
}

/// Each of them takes a while to return its version of the interface.
#[test]
fn concurrent_loads_wait_for_each_other() {
    let settings = HostSettings { instances: 1, wait: Duration::ZERO, ..HostSettings::default() };
    let host = Host::new(settings).unwrap();
    let abi = "(local $i i32) (loop (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if 0 (i32.lt_u (local.get $i) (i32.const 1000000)))) (i32.const 0)";
    let modules = ["(func)", "(func) (func)", "(func) (func) (func)", "(func (param i32))"]
        .map(|more| Parts { abi, more, ..Parts::default() }.build());
    let barrier = Barrier::new(modules.len());
    std::thread::scope(|scope| {
        for module in &modules {
            let (host, barrier) = (&host, &barrier);
            scope.spawn(move || {
                barrier.wait();
                for _ in 0..5 {
                    host.load(module).unwrap();
                }
            });
        }
    });
}

/// Unloading a module takes a slot of the pool for a moment.
#[test]
fn calls_and_loads_wait_for_modules_that_are_unloaded() {
    let host = Host::new(HostSettings { instances: 1, ..HostSettings::default() }).unwrap();
    let module = host.load(&good()).unwrap();
    std::thread::scope(|scope| {
        for number in 1..=4 {
            let host = &host;
            let other = Parts { more: Box::leak("(func)".repeat(number).into()), ..Parts::default() }.build();
            scope.spawn(move || (0..100).for_each(|_| drop(host.load(&other).unwrap())));
        }
        for _ in 0..2000 {
            assert_eq!(ask(&module), Ok(answer()));
        }
    });
}
