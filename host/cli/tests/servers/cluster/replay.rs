//! `replay --nats`, decided by `serve --nats`: processes that are killed and interrupted, and reports that do not show it.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use adjudicate_core::Operation;
use adjudicate_host::{
    ChangeReason, Composition, DecidedBy, InstallOptions, Observation, RecordSettings, Recorder,
    SlotSettings, Slots, Store,
};
use adjudicate_sandbox::{Digest, Host};
use serde_json::Value;
use tempfile::TempDir;

use super::{
    looping::looping,
    nats::{Nats, until},
    nats_client::NatsClient,
};
use crate::client::ENVELOPE;

const POLICY: &str = "policy: strict\nversion: 1.0.0\nforbidden_paths: [secret/**]\n";

/// A folder to run the command in.
struct TestFolder(TempDir);

/// The result of a run.
#[derive(Debug, PartialEq)]
struct Run {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl TestFolder {
    fn new() -> Self {
        let place = Self(TempDir::new().unwrap());
        place.write("policy.yaml", POLICY);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_adjudicate"));
        command.args(args).current_dir(&self.0).env_clear().env("XDG_CACHE_HOME", self.path("cache"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        let output = self.command(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Envelopes, and lines that are none.
    fn calls(&self, count: usize) {
        let call = |number: usize| match number % 40 {
            11 => "{broken\n".to_owned(),
            _ => {
                let path = if number.is_multiple_of(7) { "secret/key" } else { "src/lib.rs" };
                ENVELOPE.replace(r#""r""#, &format!("\"run-{number}\"")).replace("src/lib.rs", path) + "\n"
            }
        };
        self.write("calls.ndjson", (0..count).map(call).collect::<String>());
    }
}

/// A host of the cluster. Dropping it ends its process.
struct Serving {
    child: Child,
    _place: TestFolder,
}

impl Serving {
    fn start(nats: &Nats, more: &[&str]) -> Self {
        let place = TestFolder::new();
        let url = nats.url();
        let args = ["serve", "--listen", "127.0.0.1:0", "--store", "store", "--nats", &url];
        let mut child = place.command(&[&args[..], more].concat()).spawn().unwrap();
        let mut line = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stderr.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(said["listening"].is_string(), "{line}");
        // The process would block if nothing read its output.
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).for_each(drop));
        Self { child, _place: place }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the number of jobs in the queue, and the number of those that hosts are working on.
fn queue(nats_client: &NatsClient) -> (u64, u64) {
    let said = nats_client.ask("$JS.API.STREAM.INFO.adjudicate-replay", "").json();
    let queued = said["state"]["messages"].as_u64().unwrap();
    let said = nats_client.ask("$JS.API.CONSUMER.INFO.adjudicate-replay.hosts", "").json();
    (queued, said["num_ack_pending"].as_u64().unwrap_or_default())
}

/// A module that answers the same to every envelope, after so many turns of a loop.
fn module(turns: u32) -> Vec<u8> {
    looping("slow", turns, ENVELOPE)
}

/// The report of the cluster, which must equal that of this host, and standard error.
fn same(place: &TestFolder, nats: &Nats, args: &[&str]) -> Value {
    let here = place.run(&[args, &["--report", "here.html"]].concat());
    assert_eq!(here.stderr, "", "{here:?}");
    let there = place.run(&[args, &["--report", "there.html", "--nats", &nats.url()]].concat());
    assert_eq!((there.status, &there.stdout), (here.status, &here.stdout), "{args:?} {}", there.stderr);
    let page = |name| std::fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(page("there.html"), page("here.html"), "{args:?}");
    let said: Value = serde_json::from_str(&there.stderr).unwrap_or_else(|_| panic!("{}", there.stderr));
    said["replayed"].clone()
}

/// A store with a slot, and records of what its module decided.
fn store(place: &TestFolder) -> i64 {
    let store = Store::open(&place.path("store")).unwrap();
    let slots =
        Slots::open(store.clone(), Host::new(adjudicate_sandbox::Settings::default()).unwrap()).unwrap();
    let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
    let digest = slots.install(&module(1), &terms).unwrap().module.digest;
    let slot = slots.create("s", SlotSettings::default(), &ChangeReason::default()).unwrap();
    let entry = slot.activate(Composition::new(digest).unsigned(), &ChangeReason::default()).unwrap().id;
    let (recorder, settings) = (Recorder::new(store), RecordSettings::default());
    for number in 0..300 {
        let input = ENVELOPE.replace(r#""r""#, &format!("\"run-{number}\""));
        let answer = slot.call(Operation::Evaluate, input.as_bytes()).unwrap().text;
        let observation = Observation {
            slot: "s",
            settings: &settings,
            at: number,
            operation: Operation::Evaluate,
            input: input.as_bytes(),
            outcome: Ok(&answer),
            by: DecidedBy::Active,
            entry,
            modules: &[digest],
            fault: None,
            microseconds: 1,
        };
        recorder.record(&observation).unwrap();
    }
    recorder.close().unwrap();
    entry
}

#[test]
fn every_replay_gives_the_report_of_a_single_host() {
    let nats = Nats::start();
    let _hosts = [(); 3].map(|()| Serving::start(&nats, &["--nats-allow-unsigned"]));
    let place = TestFolder::new();
    place.calls(700);
    place.write("slow.wasm", module(1));
    let entry = store(&place).to_string();
    let digest = Digest::sha256(&module(1)).to_string();
    let slot = ["replay", "--slot", "s", "--store", "store", "--format", "json"];
    let calls = ["replay", "calls.ndjson", "--format", "json"];
    for (args, more, least) in [
        (&calls, &["--policy", "policy.yaml"][..], 1300),
        (&calls, &["--policy", "policy.yaml", "--against", "slow.wasm", "--fail-on", "*->unsafe"], 1300),
        (&calls, &["--module", "slow.wasm", "--fuel", "5000000"], 1300),
    ] {
        let replayed = same(&place, &nats, &[&args[..], more].concat());
        assert!(replayed["elsewhere"].as_u64() >= Some(least) && replayed["here"] == 0, "{replayed}");
    }
    for more in [&[][..], &["--policy", "policy.yaml"], &["--installed", &digest], &["--entry", &entry]] {
        let replayed = same(&place, &nats, &[&slot[..], more].concat());
        assert!(replayed["elsewhere"] == 300 && replayed["here"] == 0, "{more:?} {replayed}");
    }
    // As a table, too.
    same(&place, &nats, &["replay", "calls.ndjson", "--policy", "policy.yaml"]);
    let (nats_client, url) = (NatsClient::to(&nats.url()), nats.url());
    until("the queue is empty", || queue(&nats_client).0 == 0);
    let run = place
        .run(&[&calls[..], &["--policy", "policy.yaml", "--nats", &url, "--nats-allow-unsigned"]].concat());
    assert_eq!(run.status, Some(64), "{run:?}");
}

#[test]
fn a_host_that_is_killed_costs_time_and_no_outcome() {
    let nats = Nats::start();
    let mut hosts = [(); 2].map(|()| Serving::start(&nats, &["--nats-allow-unsigned"]));
    let place = TestFolder::new();
    place.calls(1000);
    place.write("slow.wasm", module(4_000_000));
    let url = nats.url();
    let args = ["replay", "calls.ndjson", "--format", "json", "--module", "slow.wasm", "--fuel", "50000000"];
    let here = place.run(&args);
    assert_eq!(here.stderr, "");
    let nats_client = NatsClient::to(&url);
    let there = place.command(&[&args[..], &["--nats", &url]].concat()).spawn().unwrap();
    // Each takes so many at once, so with more than that both have some; there are 16 to begin with.
    let at_once = std::thread::available_parallelism().unwrap().get().div_ceil(2).min(7) as u64;
    until("all hosts have jobs", || queue(&nats_client).1 > at_once);
    hosts[0].kill();
    assert!(queue(&nats_client).0 > 0, "the replay is not over");
    let there = there.wait_with_output().unwrap();
    let said = String::from_utf8(there.stderr).unwrap();
    assert_eq!(there.status.code(), here.status, "{said}");
    assert_eq!(String::from_utf8(there.stdout).unwrap(), here.stdout);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["replayed"]["elsewhere"], 2 * 975, "{said}");
    until("the queue is empty", || queue(&nats_client).0 == 0);
}

#[test]
fn without_hosts_or_trust_a_replay_is_an_error_without_a_report() {
    let nats = Nats::start();
    let place = TestFolder::new();
    place.calls(50);
    place.write("slow.wasm", module(1));
    let url = nats.url();
    let args = ["replay", "calls.ndjson", "--module", "slow.wasm", "--nats", &url, "--nats-patience"];
    let code = |run: &Run| serde_json::from_str::<Value>(&run.stderr).unwrap()["error"]["code"].clone();
    let run = place.run(&[&args[..], &["2"]].concat());
    assert_eq!(
        (run.status, run.stdout.as_str(), code(&run)),
        (Some(3), "", "cluster_fault".into()),
        "{run:?}"
    );
    assert!(run.stderr.contains("no host responded"), "{run:?}");
    let _host = Serving::start(&nats, &[]);
    let run = place.run(&[&args[..], &["60"]].concat());
    assert_eq!(
        (run.status, run.stdout.as_str(), code(&run)),
        (Some(3), "", "cluster_fault".into()),
        "{run:?}"
    );
    assert!(run.stderr.contains("declined: module_unsigned"), "{run:?}");
    let nats_client = NatsClient::to(&url);
    until("the queue is empty", || queue(&nats_client).0 == 0);
}

#[test]
fn an_interrupted_command_withdraws_its_jobs() {
    let nats = Nats::start();
    let place = TestFolder::new();
    place.calls(500);
    let url = nats.url();
    let nats_client = NatsClient::to(&url);
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let args = ["replay", "calls.ndjson", "--policy", "policy.yaml", "--nats", &url];
        let mut running = place.command(&args).spawn().unwrap();
        let queued = || {
            let said = nats_client.ask("$JS.API.STREAM.INFO.adjudicate-replay", "").json();
            said["state"]["messages"].as_u64().unwrap_or_default()
        };
        until("jobs are in the queue", || queued() > 0);
        let id = running.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        assert_eq!(running.wait().unwrap().code(), Some(status));
        assert_eq!(queued(), 0);
    }
}
