//! What is lent to hosts for a replay: it is there for as long as the replay, and does not stay.

use std::time::Duration;

use adjudicate_host::reevaluation::Version;
use adjudicate_sandbox::Digest;
use async_nats::jetstream::stream::Config;

use crate::{
    hosts::{Kept, PATIENCE, again, connect, deciding, host, lines, objects, replay, steps, strict},
    modules::module,
    nats::{Nats, until},
};

const LOANS: &str = "replay-objects";

#[test]
fn what_was_lent_is_taken_away_at_the_end_and_what_is_installed_stays() {
    let nats = Nats::start();
    let _host = deciding(&nats, "h-1", true);
    let cluster = connect(&nats);
    let [installed, foreign] = [module("installed", 1), module("foreign", 1)];
    cluster.keep(Digest::of(&installed), &installed).unwrap();
    let kept = objects(&cluster, "modules");
    for bytes in [&installed, &foreign] {
        let again = again(Some(strict()), Version::Module(host().load(bytes).unwrap()));
        let run = cluster.replay(Kept::of(&[bytes]), PATIENCE).unwrap();
        again.run_elsewhere(steps(&lines(200)), &run, |_| {}).unwrap();
        assert!(objects(&cluster, LOANS) > 0);
        drop(run);
        assert_eq!(objects(&cluster, LOANS), 0);
        // Replays read the store of modules, and never write it.
        assert_eq!(objects(&cluster, "modules"), kept);
    }
    assert_eq!(cluster.object(Digest::of(&installed), 1 << 20).as_deref(), Ok(installed.as_slice()));
}

#[test]
fn what_a_command_left_behind_that_was_killed_is_forgotten_by_the_server() {
    let nats = Nats::start();
    let _host = deciding(&nats, "h-1", true);
    let cluster = connect(&nats);
    let bytes = module("foreign", 1);
    let again = again(Some(strict()), Version::Module(host().load(&bytes).unwrap()));
    let run = cluster.replay(Kept::of(&[&bytes]), PATIENCE).unwrap();
    again.run_elsewhere(steps(&lines(200)), &run, |_| {}).unwrap();
    // Nobody ends it.
    std::mem::forget(run);
    let left = objects(&cluster, LOANS);
    assert!(left > 0);
    // Another one takes its own away, and nothing else.
    replay(&cluster, &again, Kept::of(&[&bytes]), &lines(200)).unwrap();
    assert_eq!(objects(&cluster, LOANS), left);
    // A day is too long for a test.
    let jetstream = cluster.jetstream();
    cluster.handle().block_on(async move {
        let stream = jetstream.get_stream("OBJ_adjudicate-replay-objects").await.unwrap();
        let config = stream.cached_info().config.clone();
        assert_eq!(config.max_age, Duration::from_secs(24 * 3600));
        let shorter =
            Config { max_age: Duration::from_secs(1), duplicate_window: Duration::from_secs(1), ..config };
        jetstream.update_stream(shorter).await.unwrap();
    });
    until("it is forgotten", || objects(&cluster, LOANS) == 0);
}
