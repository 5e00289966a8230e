//! Faults: no host, no trusting host, a server that is away for a while.

use std::time::Duration;

use adjudicate_cluster::Cluster;
use adjudicate_host::{codes, reevaluation::Version};
use adjudicate_sandbox::Digest;
use async_nats::jetstream::consumer::{PullConsumer, pull};
use futures_util::StreamExt;

use super::{
    hosts::{Kept, PATIENCE, again, connect, deciding, host, lines, queued, replay, steps, strict, told},
    modules::module,
};
use crate::nats::{Nats, until};

#[test]
fn a_replay_without_hosts_fails_and_empties_the_queue() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    let run = cluster.replay(Kept::default(), Duration::from_secs(2)).unwrap();
    let error = again(None, strict()).run_remotely(steps(&lines(300)), &run, |_| {}).map(drop).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(error.message().contains("no host responded"), "{error}");
    assert!(queued(&cluster) > 0);
    drop(run);
    assert_eq!(queued(&cluster), 0);
}

#[test]
fn a_stopped_replay_fails_and_empties_the_queue() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    let run = cluster.replay(Kept::default(), Duration::from_secs(600)).unwrap();
    let stop = run.stopper();
    std::thread::scope(|scope| {
        let running =
            scope.spawn(|| again(None, strict()).run_remotely(steps(&lines(300)), &run, |_| {}).map(drop));
        until("jobs are in the queue", || queued(&cluster) > 0);
        stop();
        assert_eq!(running.join().unwrap().unwrap_err().code(), codes::CLUSTER_FAULT);
    });
    drop(run);
    assert_eq!(queued(&cluster), 0);
}

#[test]
fn a_module_that_no_host_trusts_is_decided_by_none() {
    let nats = Nats::start();
    let _hosts = ["h-1", "h-2"].map(|name| deciding(&nats, name, false));
    let cluster = connect(&nats);
    let bytes = module("foreign", 1);
    let again = again(None, Version::Module(host().load(&bytes).unwrap()));
    let error = replay(&cluster, &again, Kept::new(&[&bytes]), &lines(50)).map(drop).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(error.message().contains("declined: module_unsigned"), "{error}");
    until("the queue is empty", || queued(&cluster) == 0);
}

#[test]
fn a_module_that_one_host_trusts_is_decided_by_that_one() {
    let nats = Nats::start();
    let [trusting, other] = ["h-1", "h-2"].map(|name| deciding(&nats, name, false));
    let cluster = connect(&nats);
    let bytes = module("foreign", 1);
    let pinned = format!(r#"{{"threshold": 0, "pins": ["{}"]}}"#, Digest::sha256(&bytes));
    trusting.slots.set_trust(None, &pinned).unwrap();
    let again = again(None, Version::Module(host().load(&bytes).unwrap()));
    let lines = lines(1200);
    let here = again.run(steps(&lines), |_| {}).unwrap();
    let (report, replayed) = replay(&cluster, &again, Kept::new(&[&bytes]), &lines).unwrap();
    assert_eq!(told(&report), told(&here));
    assert_eq!(replayed.hosts.keys().collect::<Vec<_>>(), ["h-1"], "{replayed:?}");
    assert!(other.replays.worked().jobs == 0 && trusting.replays.worked().declined == 0);
    // Jobs are counted after their outcomes are confirmed, so possibly after the command is done.
    until("all that was decided is counted", || trusting.replays.worked().cases >= replayed.elsewhere);
}

#[test]
fn a_restarted_server_only_delays_a_replay() {
    let mut nats = Nats::start();
    let hosts = ["h-1", "h-2"].map(|name| deciding(&nats, name, true));
    let cluster = connect(&nats);
    // Slow enough that the server is killed in the middle.
    let bytes = module("slow", 1_000_000);
    let again = again(None, Version::Module(host().load(&bytes).unwrap()));
    let lines = lines(1500);
    let here = again.run(steps(&lines), |_| {}).unwrap();
    let (report, replayed) = std::thread::scope(|scope| {
        let running = scope.spawn(|| replay(&cluster, &again, Kept::new(&[&bytes]), &lines));
        until("some jobs are decided", || hosts.iter().any(|host| host.replays.worked().jobs > 0));
        nats.kill();
        assert!(!running.is_finished());
        std::thread::sleep(Duration::from_millis(500));
        nats.run();
        running.join().unwrap().unwrap()
    });
    assert_eq!(told(&report), told(&here));
    assert_eq!(replayed.elsewhere + replayed.here, 2 * 1475, "{replayed:?}");
    until("the queue is empty", || queued(&cluster) == 0);
}

/// Hosts that disappear when they have a job, as if it ended their process.
#[test]
fn a_job_that_ends_every_host_is_reported() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    let run = cluster.replay(Kept::default(), PATIENCE).unwrap();
    let doomed = {
        let (cluster, run) = (cluster.clone(), run.name().to_owned());
        cluster.handle().spawn(async move { end_with_each_job(&cluster, &run).await })
    };
    let error = again(None, strict()).run_remotely(steps(&lines(10)), &run, |_| {}).map(drop).unwrap_err();
    doomed.abort();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    let said = error.message();
    assert!(said.starts_with("job 0 (cases 1 to 10) was taken 3 times, by `h-0`, `h-1`, `h-2`,"), "{said}");
    drop(run);
    assert_eq!(queued(&cluster), 0);
}

/// Takes jobs and then stays silent, each time as another host.
async fn end_with_each_job(cluster: &Cluster, run: &str) {
    let stream = cluster.jetstream().get_stream("adjudicate-replay").await.unwrap();
    let config = pull::Config {
        durable_name: Some("hosts".to_owned()),
        ack_wait: Duration::from_secs(10),
        max_deliver: 11,
        ..pull::Config::default()
    };
    let queue: PullConsumer = stream.create_consumer(config).await.unwrap();
    let mut jobs = queue.messages().await.unwrap();
    for host in 0.. {
        let job = Digest::sha256(&jobs.next().await.unwrap().unwrap().payload);
        let note = format!(r#"{{"format":1,"host":"h-{host}","said":"taken","job":"{job}"}}"#);
        cluster.client().request(format!("adjudicate.replay.runs.{run}"), note.into()).await.unwrap();
    }
}
