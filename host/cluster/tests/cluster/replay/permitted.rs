//! The permissions for replays in `docs/operate/cluster.md`, on a server that enforces them.

use std::{fs, path::Path, time::Duration};

use adjudicate_cluster::{Cluster, ReplayHost, Settings};
use adjudicate_host::{
    Slots, Store,
    reevaluation::{Ceiling, Version},
};

use super::{
    hosts::{Kept, PATIENCE, again, host, lines, queued, steps, strict, told},
    modules::module,
};
use crate::nats::{Nats, until};

/// The subjects of these roles in `docs/operate/cluster.md`, in the form for a server's configuration.
fn subjects(roles: &[&str]) -> String {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operate/cluster.md"))
            .unwrap();
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
fn the_listed_permissions_suffice_for_hosts_and_commands() {
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
    let run = connect(&nats, "command").replay(Kept::new(&[&bytes]), PATIENCE).unwrap();
    let report = again.run_remotely(steps(&lines), &run, |_| {}).unwrap();
    assert_eq!(told(&report), told(&here));
    // The host acknowledges the job before the run ends and removes the rest.
    until("the queue is empty", || queued(&admin) == 0);
    let replayed = run.finish();
    assert!(replayed.elsewhere > 0 && replayed.here == 0, "{replayed:?}");
    until("the host is done", || deciding.worked().cases >= replayed.elsewhere);
    assert_eq!(deciding.problem(), None);
}
