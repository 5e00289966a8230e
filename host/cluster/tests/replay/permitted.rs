//! What replays need to be permitted: the lists of `CLUSTER.md`, against a server that enforces them.

use std::{fs, path::Path, time::Duration};

use adjudicate_cluster::{Cluster, ReplayHost, Settings};
use adjudicate_host::{
    Slots, Store,
    reevaluation::{Ceiling, Version},
};

use crate::{
    hosts::{Kept, PATIENCE, again, host, lines, queued, steps, strict, told},
    modules::module,
    nats::{Nats, until},
};

/// The subjects that `CLUSTER.md` lists for these roles, as a server reads them.
fn subjects(roles: &[&str]) -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("CLUSTER.md")).unwrap();
    let of = |role: &&str| {
        let (_, list) = page.split_once(&format!("<!-- {role} -->\n```\n")).unwrap();
        list.split_once("```").unwrap().0.lines().map(|subject| format!("{subject:?}")).collect::<Vec<_>>()
    };
    roles.iter().flat_map(of).collect::<Vec<_>>().join(", ")
}

fn server() -> Nats {
    let user = |name: &str, roles: &[&str], hears: &str| {
        let publish = subjects(roles);
        format!(
            r#"{{ user: "{name}", password: "pass",
                 permissions: {{ publish: [{publish}], subscribe: ["_INBOX.>", {hears}] }} }}"#
        )
    };
    let users = [
        r#"{ user: "admin", password: "pass" }"#.to_owned(),
        user("host", &["all", "follow", "answer"], r#""adjudicate.v1.>", "$SRV.>""#),
        user("command", &["all", "replay"], r#""adjudicate.replay.runs.>""#),
    ];
    Nats::start_with(|_| Some(format!("authorization {{ users = [ {} ] }}", users.join("\n"))))
}

fn connect(nats: &Nats, who: &str) -> Cluster {
    let url = format!("nats://{who}:pass@127.0.0.1:{}", nats.port());
    Cluster::connect(&Settings { patience: Duration::from_secs(30), ..Settings::at(url) }).unwrap()
}

#[test]
fn who_decides_and_who_asks_need_no_more_than_is_listed() {
    let nats = server();
    let admin = connect(&nats, "admin");
    let directory = tempfile::tempdir().unwrap();
    let slots = Slots::open(Store::open(&directory.path().join("store")).unwrap(), host()).unwrap();
    let ceiling = Ceiling { unsigned: true, ..Ceiling::default() };
    let deciding = connect(&nats, "host")
        .serve_replays(&slots, ReplayHost { name: "h-1".to_owned(), ceiling, ..ReplayHost::default() })
        .unwrap();
    let bytes = module("foreign", 1);
    let again = again(Some(strict()), Version::Module(host().load(&bytes).unwrap()));
    let lines = lines(200);
    let here = again.run(steps(&lines), |_| {}).unwrap();
    let run = connect(&nats, "command").replay(Kept::of(&[&bytes]), PATIENCE).unwrap();
    let report = again.run_elsewhere(steps(&lines), &run, |_| {}).unwrap();
    assert_eq!(told(&report), told(&here));
    // Acknowledged by the host, before the run ends and takes back what is left.
    until("the queue is empty", || queued(&admin) == 0);
    let replayed = run.finish();
    assert!(replayed.elsewhere > 0 && replayed.here == 0, "{replayed:?}");
    until("the host is done", || deciding.worked().cases >= replayed.elsewhere);
    assert_eq!(deciding.trouble(), None);
}
