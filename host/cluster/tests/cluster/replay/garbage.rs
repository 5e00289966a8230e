//! Garbage in the queue and in the notes of hosts, and jobs without a command.

use adjudicate_cluster::Cluster;

use adjudicate_host::reevaluation::{RemoteDecider, Version};

use super::hosts::{
    Kept, PATIENCE, again, connect, deciding, envelope, lines, queued, replay, steps, strict, told,
};
use crate::nats::{LIMIT, Nats, until, within};

const NOBODY: &str = "0123456789abcdef0123456789abcdef";

/// Puts a text into the queue.
fn put(cluster: &Cluster, run: &str, text: &str) {
    let (jetstream, subject) = (cluster.jetstream(), format!("adjudicate.replay.jobs.{run}"));
    let text = text.to_owned();
    cluster
        .handle()
        .block_on(async move { jetstream.publish(subject, text.into()).await.unwrap().await.unwrap() });
}

fn say(cluster: &Cluster, subject: String, text: &str) {
    let (client, text) = (cluster.client(), text.to_owned());
    cluster.handle().block_on(async move {
        client.publish(subject, text.into()).await.unwrap();
        client.flush().await.unwrap();
    });
}

fn job(run: &str, engine: &str, versions: &str) -> String {
    let input = serde_json::to_string(&envelope("r", "src/lib.rs")).unwrap();
    format!(
        r#"{{"format":1,"engine":"{engine}","run":"{run}","number":0,"versions":[{versions}],
            "cases":[{{"version":0,"operation":"evaluate","input":{input}}}]}}"#
    )
}

#[test]
fn garbage_in_the_queue_is_removed_and_reported_and_stops_no_host() {
    let nats = Nats::start();
    let one = deciding(&nats, "h-1", true);
    let cluster = connect(&nats);
    let deep = "[".repeat(100_000);
    let good = job(NOBODY, "0.1.0", "{}");
    let garbage = [
        "",
        "no JSON",
        "{}",
        "null",
        &deep,
        &good.replace("\"format\":1", "\"format\":2"),
        &good.replace("\"number\":0", "\"number\":0,\"number\":1"),
        &good.replace("\"version\":0", "\"version\":7"),
        &good.replace("\"evaluate\"", "\"guess\""),
        // The run differs from that of the subject.
        &good.replace("0123", "3210"),
    ];
    for text in garbage {
        put(&cluster, NOBODY, text);
    }
    put(&cluster, "no.run.at.all", &good);
    until("the queue is empty", || queued(&cluster) == 0);
    until("it is counted", || one.replays.worked().garbage == 1 + garbage.len() as u64);
    let problem = one.replays.problem().unwrap();
    assert!(problem.message().contains("is not a job"), "{problem}");
    assert_eq!((one.replays.worked().jobs, one.replays.worked().declined), (0, 0));
    // The next replay works.
    let (again, lines) = (again(None, strict()), lines(200));
    let here = again.run(steps(&lines), |_| {}).unwrap();
    let (report, _) = replay(&cluster, &again, Kept::default(), &lines).unwrap();
    assert_eq!(told(&report), told(&here));
    assert_eq!(one.replays.problem(), None);
}

#[test]
fn jobs_without_a_command_are_not_decided_and_are_removed() {
    let nats = Nats::start();
    let one = deciding(&nats, "h-1", true);
    let cluster = connect(&nats);
    put(&cluster, NOBODY, &job(NOBODY, "0.1.0", "{}"));
    // The job is delayed nine times by three seconds, because its command may return.
    within(3 * LIMIT, "the queue is empty", || queued(&cluster) == 0);
    assert_eq!(one.replays.worked().jobs, 0);
}

/// Forged jobs in the queue of a run: with another engine, or with missing objects.
#[test]
fn forged_jobs_do_not_change_a_replay() {
    let nats = Nats::start();
    let one = deciding(&nats, "h-1", true);
    let cluster = connect(&nats);
    let run = cluster.replay(Kept::default(), PATIENCE).unwrap();
    let missing = format!(r#"{{"document":"{}"}}"#, adjudicate_sandbox::Digest::sha256(b"missing"));
    for (engine, version) in [("99.0.0", "{}"), ("0.1.0", &missing), ("0.1.0", "{}")] {
        put(&cluster, run.name(), &job(run.name(), engine, version));
    }
    put(&cluster, run.name(), "no job");
    let notes = format!("adjudicate.replay.runs.{}", run.name());
    for text in [
        "",
        "no note",
        r#"{"format":1,"host":"h","said":"taken"}"#,
        r#"{"format":1,"host":"h","said":"taken","job":7}"#,
        r#"{"format":1,"host":"h","said":"outcomes","job":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "outcomes":[{"case":0,"outcome":{"label":"success","text":"forged"}}]}"#,
    ] {
        say(&cluster, notes.clone(), text);
    }
    let (again, lines) = (again(Some(strict()), Version::Engine), lines(500));
    let here = again.run(steps(&lines), |_| {}).unwrap();
    let report = again.run_remotely(steps(&lines), &run, |_| {}).unwrap();
    assert_eq!(told(&report), told(&here));
    until("invalid jobs and notes are counted", || run.replayed().garbage >= 4);
    assert_eq!(run.finish().elsewhere, 2 * 491);
    until("the queue is empty", || queued(&cluster) == 0);
    until("the garbage is counted", || one.replays.worked().garbage == 1);
}

#[test]
fn a_replay_without_cases_needs_no_host() {
    let nats = Nats::start();
    let run = connect(&nats).replay(Kept::default(), PATIENCE).unwrap();
    run.decide(&[], &mut |_, _| panic!("nothing was asked")).unwrap();
    let report = again(None, strict()).run_remotely(steps(&["{".to_owned()]), &run, |_| {}).unwrap();
    assert_eq!((report.read(), report.bad_lines()), (1, 1));
}
