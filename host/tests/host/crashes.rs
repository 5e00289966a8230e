//! kill -9 at random times: the store still opens, and every acknowledged change is in it.
//!
//! The test starts its own program as the process to kill. The process installs, activates and rolls back in turns, and prints
//! each finished step.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use adjudicate_core::Operation;
use adjudicate_host::{ChangeReason, Composition, DecidedBy, InstallOptions, SlotSettings, Slots, Store};
use adjudicate_sandbox::{Digest, Host, HostSettings};

use super::{guests::ENVELOPE, slots::flagging};

/// The number of processes to kill.
const KILLS: u32 = 120;
/// The variable with the store of the started process.
const STORE: &str = "ADJUDICATE_TEST_CRASHING_STORE";

fn open(directory: &Path) -> Slots {
    let store = Store::open(directory).unwrap();
    let cache = store.cache().ok();
    Slots::open(store, Host::new(HostSettings { cache, instances: 2, ..HostSettings::default() }).unwrap())
        .unwrap()
}

/// Not a test: the work of the killed process.
#[test]
fn installs_activates_and_rolls_back_until_it_is_killed() {
    let Some(directory) = env::var_os(STORE) else { return };
    let slots = open(&PathBuf::from(directory));
    let mut out = std::io::stdout().lock();
    let slot = slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    let begun = slot.entry().id;
    for round in 0_u64.. {
        let module = flagging("test", "1.0.0", &format!("flag-{begun}-{round}"));
        let digest = slots
            .install(&module, &InstallOptions { unsigned: true, ..InstallOptions::default() })
            .unwrap()
            .module
            .digest;
        writeln!(out, "\ninstalled {digest}").unwrap();
        out.flush().unwrap();
        let entry = slot.activate(Composition::new(digest).unsigned(), &ChangeReason::default()).unwrap();
        writeln!(out, "\nactivated {} {digest}", entry.id).unwrap();
        out.flush().unwrap();
        if round > 0 {
            let entry = slot.rollback(None, &ChangeReason::default()).unwrap();
            let digest = entry.state.active.as_ref().unwrap().base.module;
            writeln!(out, "\nrolled-back {} {digest}", entry.id).unwrap();
            out.flush().unwrap();
        }
    }
}

/// The process to kill, and its output.
struct Process {
    child: Child,
    reported: Receiver<String>,
}

impl Process {
    fn start(directory: &Path) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args([
                "--exact",
                "crashes::installs_activates_and_rolls_back_until_it_is_killed",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(STORE, directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, reported) = mpsc::channel();
        thread::spawn(move || {
            // The last line may be incomplete. It was not acknowledged then.
            for line in out.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { child, reported }
    }

    /// Lets the process run until its first activation, then until it prints `last`, and a while longer. Returns its output.
    fn kill_after(mut self, last: &str, while_longer: Duration) -> Vec<String> {
        let mut reported: Vec<String> = Vec::new();
        let deadline = Instant::now() + Duration::from_secs(60);
        for done in ["activated", last] {
            while !reported.last().is_some_and(|line| line.starts_with(done)) {
                let left = deadline.saturating_duration_since(Instant::now());
                let line = self.reported.recv_timeout(left);
                reported.push(line.unwrap_or_else(|_| panic!("the process says nothing: {reported:?}")));
            }
        }
        thread::sleep(while_longer);
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        reported.extend(self.reported.iter());
        reported
    }
}

#[test]
#[ignore = "kills processes at random: `cargo xtask test tests-further`"]
fn a_process_that_is_killed_leaves_the_old_state_or_the_new_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let mut acknowledged: Vec<Digest> = Vec::new();
    let mut moment = 12_345_u64;
    for kill in 0..KILLS {
        // A round takes some milliseconds, so every moment of it is hit on slow machines, too. After `installed` it activates,
        // after `activated` it rolls back, after `rolled-back` it installs. The sequence of moments is always the same.
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let last = ["installed", "activated", "rolled-back"][kill as usize % 3];
        let reported = Process::start(&path).kill_after(last, Duration::from_micros((moment >> 33) % 20_000));

        let slots = open(&path);
        let slot = slots.slot("release").unwrap();
        let entry = slot.entry();
        let mut last = None;
        for line in &reported {
            let mut words = line.split(' ');
            match (words.next(), words.next(), words.next()) {
                (Some("installed"), Some(digest), None) => acknowledged.push(digest.parse().unwrap()),
                (Some("activated" | "rolled-back"), Some(id), Some(digest)) => {
                    last = Some((id.parse::<i64>().unwrap(), digest.parse::<Digest>().unwrap()));
                }
                _ => {}
            }
        }
        let (id, digest) = last.unwrap();
        let active = entry.state.active.as_ref().unwrap().base.module;
        // The last acknowledged entry, or the next one, which became active without an acknowledgment.
        match entry.id {
            current if current == id => assert_eq!(active, digest, "kill {kill}"),
            current => assert_eq!(current, id + 1, "kill {kill}: {reported:?}"),
        }
        assert!(slots.store().entry("release", id).is_ok_and(|entry| entry.state.active.is_some()));
        let decided = slot.call(Operation::Evaluate, ENVELOPE.as_bytes()).unwrap();
        assert_eq!((decided.by, decided.modules), (DecidedBy::Active, vec![active]), "kill {kill}");
    }
    let store = Store::open(&path).unwrap();
    for digest in &acknowledged {
        assert_eq!(Digest::sha256(&store.module_bytes(*digest).unwrap()), *digest);
    }
    assert!(acknowledged.len() >= KILLS as usize);
    // The history is complete and in order.
    let history = store.history("release", u32::MAX).unwrap();
    assert!(history.windows(2).all(|pair| pair[0].id == pair[1].id + 1));
}
