//! Compiling in a child: handling of children that misbehave.
//!
//! The children here are scripts. The tests of the command cover the real child.

use std::{
    error::Error as _,
    fs, io,
    path::Path,
    sync::{Arc, Barrier},
    time::Duration,
};

use adjudicate_core::Error;
use adjudicate_sandbox::{Cache, Child, Compiler, Host, HostSettings, codes};
use tempfile::TempDir;

use crate::guests::{Parts, answer, ask, good};

/// A child that is a shell script.
fn script(text: &str) -> Child {
    Child { cpu: Duration::from_secs(10), ..Child::new("/bin/sh", ["-c", text]) }
}

fn host(child: Child, cache: Option<Cache>) -> Host {
    let compiler = Compiler::Child(child);
    Host::new(HostSettings { compiler, cache, instances: 1, ..HostSettings::default() }).unwrap()
}

/// The error for a good module with this child.
fn refusal(child: Child) -> Error {
    host(child, None).load(&good()).unwrap_err()
}

#[test]
fn each_failure_of_a_child_is_described() {
    for (text, words) in [
        ("exit 0", "ended without code"),
        ("cat > /dev/null; exit 3", "failed with status 3"),
        ("echo 'no room for it' >&2; exit 1", "status 1: no room for it"),
        ("kill -KILL $$", "was killed"),
        ("kill -XCPU $$", "more than 10 s of computing time"),
        (
            "echo 'memory allocation of 9 bytes failed' >&2; kill -ABRT $$",
            "more than 1073741824 bytes of memory",
        ),
        ("kill -SEGV $$", "ran out of stack"),
        ("kill -TERM $$", "was ended by signal: 15"),
        ("cat > /dev/null; echo 'sixteen bytes and more'", "unknown beginning of a reply"),
        ("cat", "unknown beginning of a reply"),
        ("yes", "unknown beginning of a reply"),
        // A reply without an end, and code without a seal.
        (r"printf 'adjudicate cc 1:\0\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0abc'", "ended without code"),
        (r"printf 'adjudicate cc 1:\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0abc'", "code of another module"),
        (r"printf 'adjudicate cc 1:\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0abcd'", "bytes after the end"),
        (r"printf 'adjudicate cc 1:\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0why'; cat > /dev/null", "compiled: why"),
    ] {
        let error = refusal(script(text));
        assert!(error.code() == codes::MODULE_COMPILE && error.message().contains(words), "{text}: {error}");
    }
    assert!(refusal(script("cat")).source().is_some_and(|source| source.is::<io::Error>()));
}

#[test]
fn a_child_that_is_stuck_is_ended() {
    let directory = TempDir::new().unwrap();
    let started = directory.path().join("started");
    for text in ["sleep 600", "sleep 600 & cat > /dev/null; wait", "exec > /dev/null; sleep 600"] {
        let child = script(&format!("echo $$ > {}; {text}", started.display()));
        let error = refusal(Child { idle: Duration::from_secs(1), ..child });
        assert_eq!(error.code(), codes::MODULE_COMPILE);
        assert!(error.message().contains("computed nothing for 1 s"), "{text}: {error}");
        let number = fs::read_to_string(&started).unwrap();
        assert!(!Path::new("/proc").join(number.trim()).exists(), "{text}: it is still there");
    }
}

/// A child ends at its limit of computing time, even if that takes longer than it may be idle.
#[cfg(target_os = "linux")]
#[test]
fn a_child_that_computes_is_waited_for() {
    let child = script("ulimit -S -t 4; while :; do :; done");
    let error = refusal(Child { idle: Duration::from_secs(3), ..child });
    assert!(error.message().contains("of computing time"), "{error}");
}

#[test]
fn a_missing_program_is_a_fault_of_the_host() {
    let error = refusal(Child::new("/nowhere/compiler", ["compile"]));
    assert!(error.code() == codes::HOST_FAULT && error.message().contains("`/nowhere/compiler`"), "{error}");
}

#[test]
fn a_child_inherits_nothing() {
    // Every test has this variable.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let error = refusal(script("echo \"$CARGO_MANIFEST_DIR,$HOME,$(pwd)\" >&2; exit 1"));
    assert!(error.message().ends_with("status 1: ,,/"), "{error}");
}

#[test]
fn long_error_output_is_cut() {
    let error = refusal(script("yes 'out of luck' | head -c 1000000 >&2; exit 1"));
    assert!(error.message().contains("out of luck") && error.message().len() < 1_200, "{error}");
}

#[test]
fn cached_code_needs_no_child() {
    let directory = TempDir::new().unwrap();
    let cache = || Some(Cache::open(&directory.path().join("cache")).unwrap());
    let module = good();
    Host::new(HostSettings { cache: cache(), ..HostSettings::default() }).unwrap().load(&module).unwrap();
    let host = host(script("exit 1"), cache());
    assert_eq!(ask(&host.load(&module).unwrap()), Ok(answer()));
    let other = Parts { reply: br#"{"ok":{}}"#.to_vec(), ..Parts::default() }.build();
    assert_eq!(host.load(&other).unwrap_err().code(), codes::MODULE_COMPILE);
}

/// A child that fails if another one runs: it creates a directory that must not exist.
fn lonely(directory: &TempDir) -> Child {
    let place = directory.path().join("place");
    script(&format!("mkdir {0} && sleep 0.05 && rmdir {0} && echo alone >&2; exit 1", place.display()))
}

/// The errors of threads that each load a module concurrently.
fn observed(host: Host, module: impl Fn(u8) -> Vec<u8>) -> Vec<String> {
    let (host, barrier) = (Arc::new(host), Arc::new(Barrier::new(6)));
    let threads = (0..6).map(|index| {
        let (host, barrier, module) = (Arc::clone(&host), Arc::clone(&barrier), module(index));
        std::thread::spawn(move || {
            barrier.wait();
            host.load(&module).unwrap_err().message().to_owned()
        })
    });
    let threads: Vec<_> = threads.collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn the_number_of_concurrent_children_is_bounded() {
    let directory = TempDir::new().unwrap();
    let host = host(lonely(&directory), None);
    for reported in observed(host, |index| Parts { reply: vec![b'0' + index], ..Parts::default() }.build()) {
        assert!(reported.ends_with("status 1: alone"), "{reported}");
    }
}

#[test]
fn one_module_has_one_child_however_many_load_it() {
    let directory = TempDir::new().unwrap();
    let host = host(Child { at_once: 6, ..lonely(&directory) }, None);
    for reported in observed(host, |_| good()) {
        assert!(reported.ends_with("status 1: alone"), "{reported}");
    }
}

#[test]
fn limits_that_cannot_work_are_refused() {
    let good = script("exit 0");
    for bad in [
        Child { memory_bytes: (64 << 20) - 1, ..good.clone() },
        Child { cpu: Duration::ZERO, ..good.clone() },
        Child { idle: Duration::ZERO, ..good.clone() },
        Child { at_once: 0, ..good.clone() },
    ] {
        let settings = HostSettings { compiler: Compiler::Child(bad), ..HostSettings::default() };
        assert_eq!(Host::new(settings).unwrap_err().code(), codes::WRONG_USAGE);
    }
}
