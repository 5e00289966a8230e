//! Web pages in a browser: they can reach loopback, and must get nothing.

use adjudicate_serve::{Exposure, ServerSettings};

use crate::client::{Client, ENVELOPE, JSON, request, server, server_with};

#[test]
fn requests_of_web_pages_are_rejected() {
    let server = server();
    let ask = |head: &str| Client::to(server.address()).ask(format!("{head}\r\n\r\n"));
    for head in [
        // Another name for this address: DNS rebinding.
        "GET /healthz HTTP/1.1\r\nhost: evil.example",
        "GET /healthz HTTP/1.1\r\nhost: localhost.evil.example:8420",
        "POST /v1/evaluate HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\ncontent-length: 0",
        "GET http://evil.example/healthz HTTP/1.1\r\nhost: evil.example",
        // A request of a page, and its preflight request.
        "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\norigin: http://evil.example",
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost:3000",
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\norigin: null",
        "GET /metrics HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: cross-site",
        "OPTIONS /v1/evaluate HTTP/1.1\r\nhost: localhost\r\norigin: http://evil.example\r\naccess-control-request-method: POST",
    ] {
        let reply = ask(head);
        assert_eq!(reply.error(), (403, "forbidden".to_owned()), "{head}");
        assert!(!reply.headers.iter().any(|(name, _)| name.starts_with("access-control")), "{head}");
    }
    for head in [
        "GET /healthz HTTP/1.1",
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: localhost",
        "GET http://localhost/healthz HTTP/1.1\r\nhost: evil.example",
    ] {
        assert_eq!(ask(head).error(), (400, "wrong_usage".to_owned()), "{head}");
    }
    assert_eq!(ask("GET http://localhost/healthz HTTP/1.1\r\nhost: localhost").status, 200);
    // Content types that a form can send are rejected.
    let form = request("POST", "/v1/evaluate", &[("content-type", "text/plain")], ENVELOPE);
    assert_eq!(Client::to(server.address()).ask(form).error(), (415, "unsupported_media_type".to_owned()));
}

#[test]
fn an_allowed_origin_can_call() {
    let exposure = Exposure {
        origins: vec!["https://console.example".to_owned()],
        hosts: vec!["policy.example".to_owned()],
        ..Exposure::default()
    };
    let server = server_with(ServerSettings { exposure, ..ServerSettings::default() });
    let ask = |origin: &str| {
        let headers = [JSON, ("origin", origin)];
        Client::to(server.address()).ask(request("POST", "/v1/evaluate", &headers, ENVELOPE))
    };
    assert_eq!(ask("https://console.example").status, 200);
    for other in
        ["http://console.example", "https://console.example:8443", "https://console.example.evil", "null", ""]
    {
        assert_eq!(ask(other).error(), (403, "forbidden".to_owned()), "{other}");
    }
    let named =
        Client::to(server.address()).ask("GET /healthz HTTP/1.1\r\nhost: Policy.Example:8420\r\n\r\n");
    assert_eq!(named.status, 200);
}
