//! Connecting: creation, errors and their messages.

use adjudicate_host::codes;
use std::{fs, time::Duration};

use adjudicate_cluster::{Cluster, ClusterSettings};
use adjudicate_core::ErrorCode;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};

use crate::{
    bed::{connect, put_raw, settings},
    nats::{Nats, until},
};

/// For requests that are answered, even by an error.
const PATIENCE: Duration = Duration::from_secs(30);
/// For requests that get no answer.
const IN_VAIN: Duration = Duration::from_secs(10);

fn refused(settings: &ClusterSettings) -> (ErrorCode, String) {
    let error = Cluster::connect(settings).map(|cluster| cluster.id().to_owned()).unwrap_err();
    (error.code(), error.message().to_owned())
}

#[test]
fn the_first_host_creates_the_cluster_and_others_find_it() {
    let nats = Nats::start();
    let ids: Vec<String> = std::thread::scope(|scope| {
        let connecting: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| Cluster::connect(&settings(&nats)).unwrap().id().to_owned()))
            .collect();
        connecting.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    let cluster = connect(&nats);
    assert!(cluster.is_connected() && cluster.max_payload() >= 1 << 20);
    let other = Cluster::connect(&ClusterSettings { name: "other".to_owned(), ..settings(&nats) }).unwrap();
    assert_ne!(cluster.id(), other.id());
}

#[test]
fn a_lost_connection_is_restored() {
    let mut nats = Nats::start();
    let cluster = connect(&nats);
    nats.kill();
    until("the connection is lost", || !cluster.is_connected());
    let error = cluster.keep(adjudicate_sandbox::Digest::sha256(b"x"), b"x").unwrap_err();
    assert_eq!((error.code(), error.message()), (codes::CLUSTER_FAULT, "there is no connection to NATS now"));
    nats.run();
    until("the connection is back", || cluster.is_connected());
    cluster.keep(adjudicate_sandbox::Digest::sha256(b"x"), b"x").unwrap();
}

#[test]
fn a_hanging_server_is_detected_and_reconnected() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    nats.hang();
    until("the silence is noticed", || !cluster.is_connected());
    let error = cluster.keep(adjudicate_sandbox::Digest::sha256(b"x"), b"x").unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    nats.go_on();
    until("the connection is back", || cluster.is_connected());
    cluster.keep(adjudicate_sandbox::Digest::sha256(b"x"), b"x").unwrap();
}

#[test]
fn the_last_clone_of_a_cluster_may_be_dropped_in_a_task() {
    let nats = Nats::start();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let cluster = connect(&nats);
        cluster.keep(adjudicate_sandbox::Digest::sha256(b"x"), b"x").unwrap();
        drop(cluster);
    });
}

#[test]
fn an_unreachable_server_is_an_error() {
    let mut nats = Nats::start();
    nats.kill();
    let (code, message) = refused(&ClusterSettings { patience: PATIENCE, ..settings(&nats) });
    assert_eq!(code, codes::CLUSTER_FAULT);
    assert!(message.starts_with("no NATS server can be reached"), "{message}");
}

#[test]
fn a_server_without_streams_is_an_error() {
    let account = r#"accounts { PLAIN { users: [ { user: "host", password: "pass" } ] } }"#;
    let nats = Nats::start_with(|_| Some(account.to_owned()));
    let url = format!("nats://host:pass@127.0.0.1:{}", nats.port());
    let (code, message) = refused(&ClusterSettings { patience: PATIENCE, ..ClusterSettings::at(url) });
    assert_eq!(code, codes::CLUSTER_FAULT, "{message}");
    assert!(message.to_lowercase().contains("jetstream not enabled"), "{message}");
}

#[test]
fn users_are_distinguished_and_errors_contain_no_passwords() {
    let nats = Nats::start_with(|_| {
        Some(
            r#"
            authorization {
                users = [
                    { user: "host", password: "s3cret/:@" }
                    { user: "asker", password: "0ther", permissions: { publish: ["adjudicate.v1.>"], subscribe: ["_INBOX.>"] } }
                ]
            }"#
            .to_owned(),
        )
    });
    let at = |who: &str| ClusterSettings {
        patience: PATIENCE,
        ..ClusterSettings::at(format!("nats://{who}127.0.0.1:{}", nats.port()))
    };
    Cluster::connect(&at("host:s3cret%2F%3A%40@")).unwrap();
    for who in ["", "host:wr0ng@", "nobody:wr0ng@", "t0ken@"] {
        let (code, message) = refused(&at(who));
        assert_eq!(code, codes::CLUSTER_FAULT, "{who}: {message}");
        assert!(message.contains("authorization violation"), "{who}: {message}");
        assert!(!message.contains("wr0ng") && !message.contains("t0ken"), "{message}");
    }
    // A user without permission to read streams gets the missing permission in the error.
    let (code, message) = refused(&ClusterSettings { patience: IN_VAIN, ..at("asker:0ther@") });
    assert_eq!(code, codes::CLUSTER_FAULT);
    assert!(message.to_lowercase().contains("permissions violation"), "{message}");
}

#[test]
fn with_tls_the_certificate_must_be_trusted() {
    let certified =
        rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
    let (certificate, secret) = (certified.cert.pem(), certified.signing_key.serialize_pem());
    let mut authorities = None;
    let nats = Nats::start_with(|folder| {
        let [public, private] = ["tls.pem", "tls.key"].map(|name| folder.join(name));
        fs::write(&public, &certificate).unwrap();
        fs::write(&private, &secret).unwrap();
        let lines = format!("tls {{ cert_file: {public:?}, key_file: {private:?} }}");
        authorities = Some(public);
        Some(lines)
    });
    let at = |scheme: &str, authorities| ClusterSettings {
        patience: PATIENCE,
        authorities,
        ..ClusterSettings::at(format!("{scheme}://localhost:{}", nats.port()))
    };
    for scheme in ["tls", "nats"] {
        Cluster::connect(&at(scheme, authorities.clone())).unwrap();
        let (code, message) = refused(&at(scheme, None));
        assert_eq!(code, codes::CLUSTER_FAULT, "{message}");
    }
    // With TLS, the client does not connect to a server without TLS.
    let plain = Nats::start();
    let settings = ClusterSettings {
        patience: PATIENCE,
        ..ClusterSettings::at(format!("tls://localhost:{}", plain.port()))
    };
    assert_eq!(refused(&settings).0, codes::CLUSTER_FAULT);
    let settings = ClusterSettings {
        authorities,
        ..ClusterSettings { patience: PATIENCE, ..ClusterSettings::at(plain.url()) }
    };
    assert_eq!(refused(&settings).0, codes::CLUSTER_FAULT);
}

#[test]
fn errors_name_unusable_files() {
    let nats = Nats::start();
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    fs::write(&empty, "nothing s3cret").unwrap();
    for path in [empty, folder.path().join("missing"), folder.path().to_owned()] {
        for settings in [
            ClusterSettings { credentials: Some(path.clone()), ..settings(&nats) },
            ClusterSettings { authorities: Some(path.clone()), ..settings(&nats) },
        ] {
            let (code, message) = refused(&settings);
            assert_eq!(code, codes::UNREADABLE_INPUT, "{message}");
            assert!(
                message.contains(&path.display().to_string()) && !message.contains("s3cret"),
                "{message}"
            );
        }
    }
}

#[test]
fn existing_buckets_that_lose_data_are_rejected() {
    let nats = Nats::start();
    let context = |cluster: &Cluster| cluster.jetstream();
    let cluster = connect(&nats);
    type Change = fn(&mut Config);
    let cases: [(&str, &str, Change, &str); 5] = [
        ("ttl", "KV_ttl-slots", |config| config.max_age = Duration::from_secs(3600), "TTL"),
        ("short", "KV_short-slots", |config| config.max_messages_per_subject = 1, "history of 1"),
        (
            "small",
            "KV_small-slots",
            |config| {
                config.max_bytes = 1 << 20;
                config.discard = DiscardPolicy::Old;
            },
            "oldest",
        ),
        ("memory", "OBJ_memory-modules", |config| config.storage = StorageType::Memory, "memory"),
        (
            "other",
            "other-records",
            |config| config.subjects = vec!["other.records.mine.>".to_owned()],
            "subjects",
        ),
    ];
    for (name, stream, change, expected) in cases {
        let bucket = stream.strip_prefix("KV_").or(stream.strip_prefix("OBJ_"));
        let subjects = match (bucket, name) {
            (Some(bucket), _) if stream.starts_with("KV_") => vec![format!("$KV.{bucket}.>")],
            (Some(bucket), _) => vec![format!("$O.{bucket}.C.>"), format!("$O.{bucket}.M.>")],
            (None, name) => vec![format!("{name}.records.>")],
        };
        let mut config =
            Config { name: stream.to_owned(), subjects, max_messages_per_subject: 64, ..Config::default() };
        change(&mut config);
        let jetstream = context(&cluster);
        cluster.handle().block_on(async move { jetstream.create_stream(config).await.map(drop) }).unwrap();
        let (code, message) = refused(&ClusterSettings { name: name.to_owned(), ..settings(&nats) });
        assert_eq!(code, codes::CLUSTER_FAULT, "{message}");
        assert!(message.contains(expected) && message.contains(stream), "{name}: {message}");
    }
}

#[test]
fn a_bucket_with_an_invalid_id_is_rejected() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    put_raw(&cluster, "cluster", "mine");
    let (code, message) = refused(&settings(&nats));
    assert_eq!(code, codes::CLUSTER_FAULT);
    assert!(message.contains("id of a cluster"), "{message}");
}
