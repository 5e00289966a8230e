//! The example program does what its documentation says.

use std::{env, process::Command};

/// The output of `examples/kernel.rs` up to the history.
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
";

/// The same if the first fix does not help.
const PRINTED_WITH_A_FIX_THAT_DOES_NOT_HELP: &str = "\
test
  EVALUATE 1: partial, next fix_findings   (1 module(s), entry 2)
    `cargo-test` exited 101
fix_findings
test
  EVALUATE 2: needs_human, next ask_release_manager   (1 module(s), entry 2)
    the blocker `validation_failed` came 2 times, and the diff has not improved
    `cargo-test` exited 101
    `repeated_blocker` raised the status from partial
  -- elsewhere, a change freeze is put in force
ask_release_manager
test
  EVALUATE 3: needs_human, next ask_release_manager   (2 module(s), entry 3)
    changes are frozen
  -- elsewhere, the freeze is lifted
ask_release_manager
test
  EVALUATE 4: success, next publish   (1 module(s), entry 4)
publish
";

const HISTORY: &str = "\n\
What the slot's history says:
   1  configure  a slot for releases
   2  activate   the engine decides
   3  activate   change freeze: nothing ships today
   4  rollback   the freeze is over
";

fn printed(arguments: &[&str]) -> String {
    // Cargo builds the examples of a package with its tests, in the directory next to them.
    let tests = env::current_exe().unwrap();
    let kernel = tests.ancestors().nth(2).unwrap().join("examples/kernel");
    let run =
        Command::new(kernel).arg(adjudicate_tests::artifacts::engine()).args(arguments).output().unwrap();
    let [printed, failed] = [run.stdout, run.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(failed, "");
    printed
}

#[test]
fn the_policy_is_swapped_in_the_middle_of_a_run() {
    let records = "6 calls are on record, and none was changed since.\n";
    assert_eq!(printed(&[]), [PRINTED, HISTORY, records].concat());
}

#[test]
fn a_blocker_that_comes_again_is_escalated() {
    let records = "8 calls are on record, and none was changed since.\n";
    assert_eq!(printed(&["2"]), [PRINTED_WITH_A_FIX_THAT_DOES_NOT_HELP, HISTORY, records].concat());
}
