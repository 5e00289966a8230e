//! Staged objects of replays: they exist as long as the replay.

use std::time::Duration;

use adjudicate_host::reevaluation::Version;
use adjudicate_sandbox::Digest;
use async_nats::jetstream::stream::Config;

use super::{
    hosts::{Kept, PATIENCE, again, connect, deciding, host, lines, objects, replay, steps, strict},
    modules::module,
};
use crate::nats::{Nats, until};

const LOANS: &str = "replay-objects";

#[test]
fn staged_objects_are_removed_at_the_end_and_installed_modules_stay() {
    let nats = Nats::start();
    let _host = deciding(&nats, "h-1", true);
    let cluster = connect(&nats);
    let [installed, foreign] = [module("installed", 1), module("foreign", 1)];
    cluster.keep(Digest::sha256(&installed), &installed).unwrap();
    let kept = objects(&cluster, "modules");
    for bytes in [&installed, &foreign] {
        let again = again(Some(strict()), Version::Module(host().load(bytes).unwrap()));
        let run = cluster.replay(Kept::new(&[bytes]), PATIENCE).unwrap();
        again.run_remotely(steps(&lines(200)), &run, |_| {}).unwrap();
        assert!(objects(&cluster, LOANS) > 0);
        drop(run);
        assert_eq!(objects(&cluster, LOANS), 0);
        // Replays only read the store of modules.
        assert_eq!(objects(&cluster, "modules"), kept);
    }
    assert_eq!(cluster.object(Digest::sha256(&installed), 1 << 20).as_deref(), Ok(installed.as_slice()));
}

#[test]
fn the_server_removes_staged_objects_of_a_killed_command() {
    let nats = Nats::start();
    let _host = deciding(&nats, "h-1", true);
    let cluster = connect(&nats);
    let bytes = module("foreign", 1);
    let again = again(Some(strict()), Version::Module(host().load(&bytes).unwrap()));
    let run = cluster.replay(Kept::new(&[&bytes]), PATIENCE).unwrap();
    again.run_remotely(steps(&lines(200)), &run, |_| {}).unwrap();
    // The run does not end.
    std::mem::forget(run);
    let left = objects(&cluster, LOANS);
    assert!(left > 0);
    // Another run removes its own objects only.
    replay(&cluster, &again, Kept::new(&[&bytes]), &lines(200)).unwrap();
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
