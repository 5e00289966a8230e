//! Modules are compiled in a child of this binary: what fits its limits runs, and what does not is refused.

use std::time::Duration;

use adjudicate_core::Operation;
use adjudicate_sandbox::{Child, Compiler, Digest, Host, HostSettings, Module};
use adjudicate_serve::codes;

use crate::{
    command::{ENVELOPE, TestFolder, answer},
    modules::good,
};

/// The binary as a compiler.
fn child() -> Child {
    Child::new(env!("CARGO_BIN_EXE_adjudicate"), ["compile-module"])
}

fn settings(child: Child) -> HostSettings {
    HostSettings { compiler: Compiler::Child(child), instances: 1, ..HostSettings::default() }
}

fn ask(module: &Module) -> Result<String, String> {
    module.call(Operation::Evaluate, ENVELOPE.as_bytes()).map_err(|error| error.code().to_owned())
}

/// A module that takes long to compile and passes inspection: the highest number of branches, in functions with many
/// locals, which make each branch expensive for the compiler.
fn slow() -> Vec<u8> {
    let function = format!(
        "(func (param i32) (local{}) {})",
        " i32".repeat(2_000),
        "(loop (br_if 0 (local.get 0)))".repeat(1_500)
    );
    let module = [
        r#"(module (memory (export "memory") 1 1)
        (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
        (func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 8))
        (func (export "adjudicate_call") (param i32 i32 i32) (result i32) (i32.const 8))"#,
        &function.repeat(3),
        ")",
    ]
    .concat();
    let manifest = r#"{"abi":1,"name":"slow","version":"0.1.0","operations":["evaluate"]}"#;
    adjudicate_sandbox::manifest::append(&wat::parse_str(module).unwrap(), manifest).unwrap()
}

#[test]
fn a_module_compiled_by_a_child_runs() {
    let module = good();
    let known = [Digest::sha256(&module)].into();
    // More instances than there is address space for: no pool.
    for (instances, known_engines) in [(1, Default::default()), (1, known), (1 << 20, Default::default())] {
        let settings = HostSettings { instances, known_engines, ..settings(child()) };
        let module = Host::new(settings).unwrap().load(&module).unwrap();
        assert_eq!((module.is_pooled(), ask(&module)), (instances == 1, Ok(answer(ENVELOPE))));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_child_over_its_limits_is_ended_and_the_host_continues() {
    let slow = slow();
    // On a fast machine, no module that passes inspection takes a second to compile.
    let endless = Child::new("/bin/sh", ["-c", "while :; do :; done"]);
    for (child, words) in [
        (Child { cpu: Duration::from_millis(500), ..endless }, "more than 1 s of computing time"),
        // The program itself is in there, and is large where it is not optimised.
        (Child { memory_bytes: 128 << 20, ..child() }, "more than 134217728 bytes of memory"),
    ] {
        let host = Host::new(settings(child)).unwrap();
        let error = host.load(&slow).unwrap_err();
        assert!(error.code() == codes::MODULE_COMPILE && error.message().contains(words), "{error}");
    }
}

#[test]
fn the_hidden_command_is_for_hosts() {
    let place = TestFolder::new();
    for (args, input) in [
        (&["compile-module"][..], &b""[..]),
        (&["compile-module"], b"\0asm\x01\0\0\0"),
        (&["compile-module", "--help"], b""),
    ] {
        let run = place.process_with(args, input);
        assert_eq!(
            (run.status, run.stdout.as_str(), run.stderr.lines().count()),
            (Some(1), "", 1),
            "{run:?}"
        );
    }
    assert!(!place.run(&["--help"]).stdout.contains("compile-module"));
}

#[test]
#[cfg(target_os = "linux")]
fn the_command_has_its_modules_compiled_so() {
    /// Returns true if a process is the compiling child of another one.
    fn compiles_for(parent: u32, process: &std::path::Path) -> bool {
        let read = |name: &str| std::fs::read_to_string(process.join(name)).unwrap_or_default();
        // Behind the name in parentheses: the state, and the parent.
        let status = read("stat");
        let mut fields = status.rsplit(')').next().unwrap_or_default().split_whitespace();
        fields.nth(1) == Some(&parent.to_string()) && read("cmdline").contains("compile-module")
    }
    let place = TestFolder::new();
    let (module, envelope) = (place.file("module.wasm", slow()), place.file("envelope.json", ENVELOPE));
    let mut command = place.spawn(&["evaluate", &envelope, "--no-cache", "--module", &module]);
    let mut was_seen = false;
    while !was_seen && command.try_wait().unwrap().is_none() {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        was_seen =
            processes.map(|process| process.path()).any(|process| compiles_for(command.id(), &process));
    }
    command.kill().unwrap();
    command.wait().unwrap();
    assert!(was_seen);
}
