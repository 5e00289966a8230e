//! The example kernel does what its documentation says.

use std::{env, path::Path, process::Command};

/// What `examples/kernel.rs` prints.
const PRINTED: &str = "\
test
  EVALUATE 1: partial, next fix_findings   (1 module(s), entry 2)
    `cargo-test` exited 101
  -- elsewhere, a change freeze is put in force
fix_findings
test
  EVALUATE 2: needs_human, next ask_release_manager   (2 module(s), entry 3)
    changes are frozen
  -- elsewhere, the freeze is lifted
ask_release_manager
test
  EVALUATE 3: success, next publish   (1 module(s), entry 4)
publish

What the slot's history says:
   1  configure  a slot for releases
   2  activate   the engine decides
   3  activate   change freeze: nothing ships today
   4  rollback   the freeze is over
3 decisions are on record, and none was changed since.
";

#[test]
fn the_policy_is_swapped_in_the_middle_of_a_run() {
    // Cargo builds the examples of a package with its tests, and puts them beside.
    let tests = env::current_exe().unwrap();
    let kernel = tests.ancestors().nth(2).unwrap().join("examples/kernel");
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/artifacts/engine.wasm");
    assert!(engine.is_file(), "there is no engine; `cargo xtask build` makes it");
    let run = Command::new(kernel).arg(engine).output().unwrap();
    let [printed, failed] = [run.stdout, run.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!((failed.as_str(), printed.as_str()), ("", PRINTED));
}
