//! Metrics, traces and the log: the reported data of requests.

use std::{collections::BTreeSet, io::Write, net::TcpListener, sync::mpsc::channel};

use adjudicate_serve::{LogTo, ServerSettings};
use axum::{Router, body::Bytes, routing};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message;
use serde_json::Value;

use crate::{
    client::{Client, ENVELOPE, JSON, get, post, request, server, server_with, until},
    modules::{TestStore, trapping},
};

#[test]
fn labels_come_from_tables() {
    let server = server();
    let to = server.address();
    for path in [
        "/v1/evaluate",
        "/v1/validate-plan",
        "/v1/validate_plan",
        "/attack-1",
        "/attack-2",
        "/v1/slots/a-name/evaluate",
    ] {
        post(to, path, ENVELOPE);
    }
    Client::to(to).ask(request("BREW", "/v1/evaluate", &[JSON], ""));
    let numbers = get(to, "/metrics");
    assert!(numbers.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    let numbers = numbers.body;
    for line in [
        r#"adjudicate_http_requests_total{route="/v1/evaluate",method="POST",status="2xx"} 1"#,
        r#"adjudicate_http_requests_total{route="/v1/validate_plan",method="POST",status="4xx"} 2"#,
        r#"adjudicate_http_requests_total{route="/v1/slots/{slot}/evaluate",method="POST",status="4xx"} 1"#,
        r#"adjudicate_http_requests_total{route="none",method="POST",status="4xx"} 2"#,
        r#"adjudicate_http_requests_total{route="none",method="other",status="4xx"} 1"#,
        r#"adjudicate_http_request_duration_seconds_count{route="/v1/evaluate"} 1"#,
        r#"adjudicate_errors_total{code="not_found"} 3"#,
        "adjudicate_http_requests_in_flight 1",
    ] {
        assert!(numbers.contains(line), "{line}\n{numbers}");
    }
    for secret in ["attack", "a-name", "BREW"] {
        assert!(!numbers.contains(secret));
    }
    // As the format demands: each family declared once, before its samples.
    let families: Vec<_> = numbers.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    assert_eq!(families.iter().collect::<BTreeSet<_>>().len(), families.len());
    assert!(families.len() >= 8 && numbers.ends_with("# EOF\n"), "{numbers}");
}

#[test]
fn faults_are_counted_by_code() {
    let place = TestStore::deciding(&trapping("1.0.0"));
    place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE);
    let numbers = get(place.server.address(), "/metrics").body;
    assert!(
        numbers.contains(r#"adjudicate_slot_faults_total{slot="release",code="module_trap"} 1"#),
        "{numbers}"
    );
    dashboards_name_these(&numbers);
}

/// Families without a sample here: they need a cluster, calls over NATS, or a limit that was reached.
const ELSEWHERE: [&str; 4] = [
    "adjudicate_cluster_",
    "adjudicate_nats_requests",
    "adjudicate_nats_request_duration",
    "adjudicate_shed",
];

/// Checks that the dashboard, the alerts and the page about them name metrics that the server has.
fn dashboards_name_these(numbers: &str) {
    let families: BTreeSet<&str> =
        numbers.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    for file in ["dashboard.json", "alerts.yaml", "monitor-and-alert.md"] {
        let path = format!("{}/../../docs/operate/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let words = text.split(|sign: char| !sign.is_ascii_lowercase() && sign != '_');
        let names: BTreeSet<&str> = words.filter(|word| word.starts_with("adjudicate_")).collect();
        assert!(names.len() > 5, "{file}: {names:?}");
        for name in names {
            let family = ["_total", "_bucket"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
            let is_elsewhere = ELSEWHERE.iter().any(|other| family.starts_with(other));
            assert!(families.contains(family) || is_elsewhere, "{file}: {name}\n{numbers}");
        }
    }
}

#[test]
fn spans_reach_a_collector_with_the_callers_trace() {
    let (sender, bodies) = channel();
    let take = move |body: Bytes| {
        // Reported before the reply, so that everything is reported when the server has drained.
        let body = ExportTraceServiceRequest::decode(body).unwrap();
        sender.send(serde_json::to_value(body).unwrap()).unwrap();
        std::future::ready(())
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let collector = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}", collector.local_addr().unwrap());
    let router = Router::new().route("/v1/traces", routing::post(take));
    runtime.spawn(async { axum::serve(collector, router).await });
    let server = server_with(ServerSettings { otlp: Some(url), ..ServerSettings::default() });
    let to = server.address();
    let ask = |parent: &str| {
        Client::to(to).ask(request("POST", "/v1/evaluate", &[JSON, ("traceparent", parent)], ENVELOPE))
    };
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    ask(&format!("00-{trace}-00f067aa0ba902b7-01"));
    ask("00-11111111111111111111111111111111-00f067aa0ba902b7-00");
    ask("garbage");
    post(to, "/nothing", "");
    server.drain();
    let mut spans = Vec::new();
    let attribute = |of: &Value, name: &str| {
        let all = of["attributes"].as_array().unwrap();
        all.iter().find(|attribute| attribute["key"] == name).map(|attribute| attribute["value"].clone())
    };
    for body in bodies.try_iter() {
        let resource = &body["resourceSpans"][0];
        let name = attribute(&resource["resource"], "service.name").unwrap();
        assert_eq!(name["stringValue"], "adjudicate");
        spans.extend(resource["scopeSpans"][0]["spans"].as_array().unwrap().clone());
    }
    // The second one had the flag not to be kept.
    assert_eq!(spans.len(), 3, "{spans:?}");
    assert_eq!(
        (&spans[0]["traceId"], &spans[0]["parentSpanId"]),
        (&trace.into(), &"00f067aa0ba902b7".into())
    );
    assert_eq!(spans[0]["name"], "POST /v1/evaluate");
    assert_eq!(attribute(&spans[0], "http.response.status_code").unwrap()["intValue"], "200");
    assert_ne!(spans[1]["traceId"], trace);
    assert_eq!(spans[1]["parentSpanId"], "");
    assert_eq!(attribute(&spans[2], "http.route").unwrap()["stringValue"], "none");
    assert_eq!(attribute(&spans[2], "error.type").unwrap()["stringValue"], "not_found");
    for span in &spans {
        let nanoseconds = |name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
        assert!(nanoseconds("startTimeUnixNano") < nanoseconds("endTimeUnixNano"));
        assert_eq!(
            (span["traceId"].as_str().unwrap().len(), span["spanId"].as_str().unwrap().len()),
            (32, 16)
        );
    }
}

/// A collector that is gone, one that refuses, one that hangs up, and one that takes everything and never says a word.
#[test]
fn no_request_waits_for_the_collector_and_lost_spans_are_counted() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let collector = |reply: Option<&'static str>| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                match reply {
                    Some(reply) => drop(stream.write_all(reply.as_bytes())),
                    None => silent.push(stream),
                }
            }
        });
        address
    };
    let refusing = [
        gone,
        collector(Some("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n")),
        collector(Some("")),
    ];
    let ask = |address| {
        let server = server_with(ServerSettings {
            otlp: Some(format!("http://{address}")),
            ..ServerSettings::default()
        });
        for _ in 0..20 {
            assert_eq!(post(server.address(), "/v1/evaluate", ENVELOPE).status, 200);
        }
        server
    };
    let lose = |address| {
        let server = ask(address);
        let count = |name: &str| -> u64 {
            let numbers = get(server.address(), "/metrics").body;
            let line = numbers.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().trim().parse().unwrap()
        };
        until("all spans are lost", || count("adjudicate_otlp_spans_dropped_total") >= 20);
        assert_eq!(count("adjudicate_otlp_spans_sent_total"), 0);
        server.drain();
    };
    let silent = collector(None);
    std::thread::scope(|scope| {
        for address in refusing {
            scope.spawn(move || lose(address));
        }
        // The end does not wait for it, either.
        scope.spawn(move || ask(silent).drain());
    });
}

#[test]
fn the_log_names_who_and_what_and_never_a_secret() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let place =
        TestStore::with(ServerSettings { log: Some(LogTo::File(path.clone())), ..ServerSettings::default() });
    place.ask(
        &place.evaluate,
        "POST",
        "/v1/evaluate?secret-query",
        &[JSON, ("x-secret-header", "v")],
        ENVELOPE,
    );
    place.ask(&place.evaluate, "POST", "/v1/evaluate", &[JSON], ENVELOPE);
    place.ask("secret-token", "POST", "/secret-path", &[JSON], "secret-body");
    place.server.drain();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{text}");
    let token =
        place.slots.store().tokens().unwrap().into_iter().find(|token| token.name == "evaluate").unwrap();
    assert_eq!((&lines[0]["code"], &lines[0]["status"]), (&"wrong_usage".into(), &400.into()));
    assert_eq!(
        (&lines[1]["token"], &lines[1]["status"], &lines[1]["bytes"]),
        (&token.id.into(), &200.into(), &ENVELOPE.len().into())
    );
    assert_eq!((&lines[2]["route"], &lines[2]["client"]), (&"none".into(), &"127.0.0.1".into()));
    let secret = place.evaluate.rsplit('_').next().unwrap();
    assert!(!text.contains("secret") && !text.contains(secret) && !text.contains("run_id"), "{text}");
}
