//! Hosts that are killed: the state is whole, and never says less than was spent.

use std::{
    env, fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use adjudicate_collect::{CollectOptions, run};
use adjudicate_core::{codes::Status, evaluate::Outcome};
use adjudicate_evidence::collect::OwnedCollectionState;

use super::scratch::{POLICY, Scratch, configuration, exits, status};

/// The variable with the root for [`decides_in_a_child`].
const ROOT: &str = "ADJUDICATE_COLLECT_TEST_ROOT";

/// Not a test by itself: the others start it as a process of its own. Each line of its output is a decision that a caller has seen.
#[test]
fn decides_in_a_child() {
    let Some(root) = env::var_os(ROOT).map(PathBuf::from) else { return };
    let slow = r#"{"id": "slow", "run": "test ! -e hold || sleep 60; exit 1"}"#;
    let options = CollectOptions { wait: Duration::from_secs(60), ..CollectOptions::default() };
    loop {
        let decided = run(&root, &configuration(slow), Some(POLICY), &options).unwrap();
        let history = decided.collected.envelope.evaluate_history.unwrap().len();
        fs::write(root.join("reports/seen"), format!("{}", history + 1)).unwrap();
    }
}

fn child(scratch: &Scratch) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "crashes::decides_in_a_child", "--nocapture"])
        .env(ROOT, scratch.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_run_that_is_killed_is_an_attempt_of_the_next() {
    let scratch = Scratch::with_change();
    scratch.report("");
    scratch.write("hold", "");
    scratch.run(&exits("lint", 1));
    let host = child(&scratch);
    while scratch.state().running.is_none() {
        thread::sleep(Duration::from_millis(5));
    }
    kill(host);
    let state = scratch.state();
    assert_eq!(state.running.as_ref().map(|mark| mark.since), Some(1));
    // A process that the host was starting has the lock until it runs its program.
    let patient = CollectOptions { wait: Duration::from_secs(60), ..CollectOptions::default() };
    let decided = scratch.try_run(&exits("lint", 1), &patient).unwrap();
    // The second failing round: the killed run makes nothing better.
    assert_eq!(status(&decided), Status::NeedsHuman);
    let window = &decided.collected.envelope.provenance_window;
    assert!(window.iter().any(|entry| entry.outcome == Some(Outcome::KilledTimeout)), "{window:?}");
    assert_eq!((scratch.state().running, scratch.state().evaluations()), (None, 2));
}

#[test]
#[ignore = "kills processes at random: `cargo xtask test tests-further`"]
fn a_state_is_whole_and_has_every_decision_whenever_the_host_is_killed() {
    let scratch = Scratch::with_change();
    scratch.report("");
    for round in 0..12 {
        let host = child(&scratch);
        thread::sleep(Duration::from_millis(60 + 37 * round));
        kill(host);
        let Ok(text) = fs::read(scratch.path(".adjudicate/state.json")) else { continue };
        let state = OwnedCollectionState::from_json(&text).unwrap();
        let seen = fs::read_to_string(scratch.path("reports/seen")).unwrap_or_default();
        let seen: u64 = seen.parse().unwrap_or_default();
        assert!(state.evaluations() >= seen, "{} of {seen}", state.evaluations());
        let spent =
            state.envelope.and_then(|envelope| envelope.refinement).map_or(0, |refinement| refinement.spent);
        assert!(seen == 0 || spent >= 1, "{spent}");
    }
    assert!(scratch.path("reports/seen").exists(), "no round came to a decision");
}

#[test]
#[ignore = "kills processes at random: `cargo xtask test tests-further`"]
fn two_hosts_lose_no_decision() {
    let scratch = Scratch::with_change();
    scratch.report("");
    let hosts = [child(&scratch), child(&scratch)];
    thread::sleep(Duration::from_secs(2));
    hosts.into_iter().for_each(kill);
    let history = scratch.state().envelope.unwrap().evaluate_history.unwrap();
    let seen: usize = scratch.read("reports/seen").parse().unwrap();
    assert!(history.len() >= seen && seen > 1, "{} of {seen}", history.len());
}
