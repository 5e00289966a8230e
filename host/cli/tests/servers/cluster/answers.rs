//! Three hosts answer like one: each call once, and byte for byte.

use std::{collections::BTreeMap, time::Duration};

use adjudicate_core::Operation;
use adjudicate_tests::parity::read_of;
use futures_util::StreamExt;
use tokio::time::timeout;

use super::{
    hosts::{Cluster, all_in, metric},
    nats::LIMIT,
    nats_client::NatsClient,
};
use crate::{
    client::{ENVELOPE, JSON, request},
    modules::{answer_with, flagging},
};

/// The calls of the corpus, by name.
fn corpus() -> BTreeMap<String, Vec<u8>> {
    read_of(Operation::Evaluate).into_iter().map(|fixture| (fixture.name, fixture.call)).collect()
}

#[test]
fn each_call_is_answered_by_one_host_as_it_is_here() {
    let cluster = Cluster::new();
    let mut hosts = ["a", "b", "c"].map(|name| cluster.host(name));
    let calls = corpus();
    assert!(calls.len() > 300, "{}", calls.len());
    let nats_client = NatsClient::to(&cluster.nats.url());
    let client = nats_client.client.clone();
    // Every call has a reply subject of its own, so a second answer would be counted.
    let inbox = client.new_inbox();
    let answers = nats_client.runtime.block_on(async {
        let mut replies = client.subscribe(format!("{inbox}.>")).await.unwrap();
        let mut answers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let all: Vec<_> = calls.iter().collect();
        for some in all.chunks(50) {
            for (index, (_, body)) in some.iter().enumerate() {
                let reply = format!("{inbox}.{}.{index}", answers.len());
                let body = body.to_vec().into();
                client.publish_with_reply("adjudicate.v1.evaluate", reply, body).await.unwrap();
            }
            let before = answers.len();
            while answers.len() < before + some.len() {
                let reply = timeout(LIMIT, replies.next()).await.unwrap().unwrap();
                let place = reply.subject[inbox.len() + 1..].to_owned();
                let (_, index) = place.split_once('.').unwrap();
                let name = some[index.parse::<usize>().unwrap()].0.clone();
                answers.entry(name).or_default().push(String::from_utf8(reply.payload.to_vec()).unwrap());
            }
        }
        // After the hosts have ended, no further answers come.
        for host in &hosts {
            host.signal("TERM");
        }
        for host in &mut hosts {
            let (status, reported) = host.end();
            assert_eq!(status.code(), Some(0), "{reported}");
        }
        client.flush().await.unwrap();
        assert!(
            timeout(Duration::from_millis(500), replies.next()).await.is_err(),
            "somebody answered twice"
        );
        answers
    });
    for (name, body) in &calls {
        let expected = Operation::Evaluate.call(body).unwrap_or_else(|error| error.to_json());
        assert_eq!(answers[name], [expected], "{name}");
    }
}

#[test]
fn every_host_has_its_share_and_a_slot_decides_the_same_everywhere() {
    let cluster = Cluster::new();
    let hosts = ["a", "b", "c"].map(|name| cluster.host(name));
    let digest = cluster.install("ops", &flagging("1.0.0", "one"));
    let entry = cluster.activate("ops", &digest);
    all_in(&hosts.each_ref(), entry);
    let nats_client = NatsClient::to(&cluster.nats.url());
    for _ in 0..200 {
        let reported = nats_client.ask("adjudicate.v1.slots.release.evaluate", ENVELOPE);
        assert!(reported.is_answer(), "{reported:?}");
        assert_eq!(reported.body, answer_with("one"));
        assert_eq!(reported.header("adjudicate-entry"), Some(entry.to_string().as_str()));
        assert_eq!(reported.header("adjudicate-by"), Some("active"));
        assert_eq!(reported.header("adjudicate-modules"), Some(digest.as_str()));
        assert_eq!(reported.header("adjudicate-fault"), None);
    }
    let route = r#"{route="/v1/slots/{slot}/evaluate",method="REQUEST",status="2xx"}"#;
    let shares = hosts.each_ref().map(|host| metric(host, &format!("nats_requests_total{route}")).unwrap());
    // Of 200 calls, one host of three has none less often than once in 10^35 times.
    assert!(shares.iter().all(|share| *share > 0.0), "{shares:?}");
    assert!((shares.iter().sum::<f64>() - 200.0).abs() < 0.5, "{shares:?}");
    for host in &hosts {
        let call = request("POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE);
        let reply = crate::client::Client::to(host.address).ask(call);
        assert_eq!((reply.status, reply.body.trim_end()), (200, answer_with("one").as_str()));
    }
    for (subject, status, code) in [
        ("adjudicate.v1.slots.nobody.evaluate", 404, "unknown_slot"),
        ("adjudicate.v1.slots.release.nothing", 404, "not_found"),
        ("adjudicate.v1.slots.release.refine", 501, "unsupported_operation"),
        ("adjudicate.v1.slots.a.b.c.d.e.evaluate", 404, "unknown_slot"),
    ] {
        assert_eq!(nats_client.ask(subject, ENVELOPE).error(), (status, code.to_owned()), "{subject}");
    }
}
