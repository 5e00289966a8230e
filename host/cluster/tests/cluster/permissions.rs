//! The permissions of NATS users in `docs/operate/cluster.md`, on a server that enforces them.

use std::{fs, path::Path};

use adjudicate_cluster::{Cluster, ClusterSettings};
use adjudicate_host::{ChangeReason, SlotSettings, codes};
use adjudicate_sandbox::Digest;

use crate::{
    bed::{Bed, SLOT, settings, signed, trusting},
    nats::{LIMIT, Nats, until},
};

/// The subjects to which a role may publish, from `docs/operate/cluster.md`.
fn subjects(role: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operate/cluster.md");
    let page = fs::read_to_string(page).unwrap();
    let begin = format!("<!-- {role} -->\n```\n");
    let (_, list) =
        page.split_once(&begin).unwrap_or_else(|| panic!("there is no list of the role `{role}`"));
    let (list, _) = list.split_once("```").unwrap();
    let subjects: Vec<String> = list.lines().map(str::to_owned).collect();
    assert!(!subjects.is_empty(), "{role}");
    subjects
}

/// A server with users of these roles. Each role also has the permissions of the roles before it.
fn server() -> Nats {
    let list = |roles: &[&str]| {
        let subjects: Vec<String> = roles.iter().flat_map(|role| subjects(role)).collect();
        subjects.iter().map(|subject| format!("{subject:?}")).collect::<Vec<_>>().join(", ")
    };
    let user = |name: &str, roles: &[&str]| {
        let publish = list(roles);
        format!(
            r#"{{ user: "{name}", password: "pass",
                 permissions: {{ publish: [{publish}], subscribe: ["_INBOX.>", "adjudicate.v1.>", "$SRV.>"] }} }}"#
        )
    };
    let users = [
        r#"{ user: "admin", password: "pass" }"#.to_owned(),
        user("first", &["all", "follow", "change", "make"]),
        user("follower", &["all", "follow"]),
        user("host", &["all", "follow", "change", "send"]),
        user("operator", &["all", "follow", "change"]),
        user("reader", &["all", "read"]),
    ];
    Nats::start_with(|_| Some(format!("authorization {{ users = [ {} ] }}", users.join("\n"))))
}

fn at(nats: &Nats, who: &str) -> ClusterSettings {
    // Long enough for permitted requests, and the wait of forbidden ones.
    let url = format!("nats://{who}:pass@127.0.0.1:{}", nats.port());
    ClusterSettings {
        patience: std::time::Duration::from_secs(15),
        ..ClusterSettings { url, ..settings(nats) }
    }
}

fn join(nats: &Nats, who: &str) -> Bed {
    let cluster = Cluster::connect(&at(nats, who)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let slots = crate::bed::open(&cluster, directory.path()).unwrap();
    slots.set_trust(None, &trusting(1)).unwrap();
    let following = Some(cluster.follow(&slots).unwrap());
    Bed { cluster, slots, following, directory }
}

#[test]
fn each_role_has_its_permissions_and_errors_name_missing_ones() {
    let nats = server();
    // A user without permission to create buckets cannot be the first.
    let error = Cluster::connect(&at(&nats, "host")).map(drop).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(error.message().contains("Permissions Violation"), "{error}");
    drop(Cluster::connect(&at(&nats, "first")).unwrap());

    let operator = join(&nats, "operator");
    operator.create();
    let put = operator.activate(&signed("1.0.0", "a", 1));
    let [host, follower] = [join(&nats, "host"), join(&nats, "follower")];
    for bed in [&host, &follower] {
        bed.reaches(put.id);
        assert_eq!(bed.flag(), "a");
    }
    let put = host.activate(&signed("1.1.0", "b", 1));
    operator.reaches(put.id);
    follower.reaches(put.id);
    // A user that only follows cannot change slots.
    let error = follower
        .slots
        .create("other", SlotSettings::default(), &ChangeReason::default())
        .map(drop)
        .unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    assert!(error.message().contains("Permissions Violation"), "{error}");
    assert_eq!(operator.slots.slots().unwrap().len(), 1);

    let settings = SlotSettings::parse(br#"{"records":{}}"#).unwrap();
    host.slots.slot(SLOT).unwrap().configure(settings, &ChangeReason::default()).unwrap();
    let forwarding = host.cluster.forward_records(host.store()).unwrap();
    assert_eq!(host.flag(), "b");
    host.slots.close().unwrap();
    forwarding.finish(LIMIT).unwrap();
    let reader = Cluster::connect(&at(&nats, "reader")).unwrap();
    let mut count = 0;
    let exported = reader.export_records(SLOT, None, |_| {
        count += 1;
        Ok::<_, adjudicate_core::Error>(())
    });
    assert_eq!((exported, count), (Ok(()), 1));
    // A module that was removed from the store is stored again by a user that changes slots.
    let module = signed("1.2.0", "c", 1);
    let digest = Digest::sha256(&module);
    operator.cluster.keep(digest, &module).unwrap();
    let admin = Cluster::connect(&at(&nats, "admin")).unwrap();
    let jetstream = admin.jetstream();
    admin.handle().block_on(async move {
        let modules = jetstream.get_object_store("adjudicate-modules").await.unwrap();
        modules.delete(digest.to_string()).await.unwrap();
    });
    assert!(follower.cluster.object(digest, module.len()).is_err());
    operator.cluster.keep(digest, &module).unwrap();
    assert_eq!(follower.cluster.object(digest, module.len()).as_ref(), Ok(&module));
    // A user without permission to send records gets an error, and the records stay in the store.
    let count = operator.entry();
    until("the operator follows", || operator.entry() >= count);
    assert_eq!(operator.flag(), "b");
    operator.slots.close().unwrap();
    let forwarding = operator.cluster.forward_records(operator.store()).unwrap();
    until("it is reported", || {
        let problems = forwarding.problems();
        problems.values().any(|error| error.message().contains("Permissions Violation"))
    });
}
