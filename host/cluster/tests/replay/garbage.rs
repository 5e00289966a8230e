//! Garbage: in the queue, among what hosts say, and jobs that nobody waits for.

use adjudicate_cluster::Cluster;

use adjudicate_host::reevaluation::{Elsewhere, Version};

use crate::{
    hosts::{Kept, PATIENCE, again, connect, deciding, envelope, lines, queued, replay, steps, strict, told},
    nats::{LIMIT, Nats, until, within},
};

const NOBODY: &str = "0123456789abcdef0123456789abcdef";

/// Puts something into the queue.
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
fn garbage_in_the_queue_is_taken_out_once_and_told_and_nobody_stops() {
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
        // Of another run than its subject.
        &good.replace("0123", "3210"),
    ];
    for text in garbage {
        put(&cluster, NOBODY, text);
    }
    put(&cluster, "no.run.at.all", &good);
    until("the queue is empty", || queued(&cluster) == 0);
    until("it is counted", || one.replays.worked().garbage == 1 + garbage.len() as u64);
    let trouble = one.replays.trouble().unwrap();
    assert!(trouble.message().contains("is no job"), "{trouble}");
    assert_eq!((one.replays.worked().jobs, one.replays.worked().declined), (0, 0));
    // And it goes on.
    let (again, lines) = (again(None, strict()), lines(200));
    let here = again.run(steps(&lines), |_| {}).unwrap();
    let (report, _) = replay(&cluster, &again, Kept::default(), &lines).unwrap();
    assert_eq!(told(&report), told(&here));
    assert_eq!(one.replays.trouble(), None);
}

#[test]
fn jobs_that_nobody_waits_for_are_not_decided_and_not_kept() {
    let nats = Nats::start();
    let one = deciding(&nats, "h-1", true);
    let cluster = connect(&nats);
    put(&cluster, NOBODY, &job(NOBODY, "0.1.0", "{}"));
    // It rests nine times, three seconds each, for who asked may come back.
    within(3 * LIMIT, "the queue is empty", || queued(&cluster) == 0);
    assert_eq!(one.replays.worked().jobs, 0);
}

/// A job that somebody put into the queue of a run that there is: of another engine, or with what is not in the object store.
#[test]
fn jobs_of_others_among_those_of_a_run_change_nothing() {
    let nats = Nats::start();
    let one = deciding(&nats, "h-1", true);
    let cluster = connect(&nats);
    let run = cluster.replay(Kept::default(), PATIENCE).unwrap();
    let missing = format!(r#"{{"document":"{}"}}"#, adjudicate_sandbox::Digest::of(b"missing"));
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
    let report = again.run_elsewhere(steps(&lines), &run, |_| {}).unwrap();
    assert_eq!(told(&report), told(&here));
    until("what is no job and what is no note is counted", || run.replayed().garbage >= 4);
    assert_eq!(run.finish().elsewhere, 2 * 491);
    until("the queue is empty", || queued(&cluster) == 0);
    until("the garbage is counted", || one.replays.worked().garbage == 1);
}

#[test]
fn nothing_asked_needs_nobody() {
    let nats = Nats::start();
    let run = connect(&nats).replay(Kept::default(), PATIENCE).unwrap();
    run.decide(&[], &mut |_, _| panic!("nothing was asked")).unwrap();
    let report = again(None, strict()).run_elsewhere(steps(&["{".to_owned()]), &run, |_| {}).unwrap();
    assert_eq!((report.read(), report.bad_lines()), (1, 1));
}
