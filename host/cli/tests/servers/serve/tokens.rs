//! Tokens: their permissions, their end, and failed logins.

use adjudicate_host::{Store, TokenRole};
use adjudicate_serve::{
    Exposure, Native, RequestLimits, RequiredAccess, Server, ServerSettings, codes, routes,
};

use crate::{
    client::{Client, ENVELOPE, JSON, WASM, get, post, request, server, server_with, until},
    modules::{TestStore, open},
    process::{command, run},
};

#[test]
fn every_route_asks_for_the_token_that_it_needs() {
    let limits = RequestLimits { failures: u16::MAX, ..RequestLimits::default() };
    let place = TestStore::with(ServerSettings { limits, ..ServerSettings::default() });
    let to = place.server.address();
    let kind = |route: &adjudicate_serve::HttpRoute| match route.accepts {
        adjudicate_serve::BodyContent::Wasm => vec![WASM],
        _ => vec![JSON],
    };
    for route in routes() {
        let path = route.path.replace("{slot}", "a").replace("{digest}", "b");
        let ask = |bearer: Option<&str>| {
            let bearer = bearer.map(|token| format!("Bearer {token}"));
            let mut headers = kind(route);
            headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
            let reply = Client::to(to).ask(request(route.method.as_str(), &path, &headers, ""));
            // A hook is denied with the status 200, and the header has the code.
            let is_unauthorized = reply.header("link").is_some_and(|link| link.contains("#unauthorized>"));
            if is_unauthorized { 401 } else { reply.status }
        };
        // One digit is another one.
        let (most, last) = place.admin.split_at(place.admin.len() - 1);
        let wrong = format!("{most}{}", if last == "0" { "1" } else { "0" });
        let by =
            [None, Some(wrong.as_str()), Some(place.evaluate.as_str()), Some(place.admin.as_str())].map(ask);
        let refusals = by.map(|status| matches!(status, 401 | 403));
        let expected = match route.access {
            // On loopback, metrics need no token.
            RequiredAccess::Open | RequiredAccess::Numbers => [false; 4],
            RequiredAccess::Evaluate => [true, true, false, false],
            RequiredAccess::Admin => [true, true, true, false],
        };
        assert_eq!(refusals, expected, "{} {path} {by:?}", route.method);
        if route.access == RequiredAccess::Admin {
            assert_eq!((by[0], by[1], by[2]), (401, 401, 403), "{path}");
        }
    }
}

#[test]
fn malformed_bearer_tokens_are_rejected() {
    let place = TestStore::new();
    let ask = |headers: &[(&str, &str)]| {
        let headers = [&[JSON], headers].concat();
        Client::to(place.server.address()).ask(request("POST", "/v1/evaluate", &headers, ENVELOPE))
    };
    let good = format!("bearer {}", place.evaluate);
    assert_eq!(ask(&[("authorization", &good)]).status, 200);
    let [basic, twice, spaced] = [
        format!("Basic {}", place.evaluate),
        format!("Bearer {0} {0}", place.evaluate),
        format!("Bearer\t{}", place.evaluate),
    ];
    for value in
        ["", "Bearer", "Bearer ", "Bearer adj_", "Bearer \u{e9}", &place.evaluate, &basic, &twice, &spaced]
    {
        let reply = ask(&[("authorization", value)]);
        assert_eq!(reply.error(), (401, "unauthorized".to_owned()), "{value}");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer realm=\"adjudicate\""));
    }
    assert_eq!(ask(&[("authorization", &good), ("authorization", &good)]).error().0, 401);
}

#[test]
fn failed_logins_are_limited_and_a_valid_token_is_not() {
    let limits = RequestLimits { failures: 5, ..RequestLimits::default() };
    let place = TestStore::with(ServerSettings { limits, ..ServerSettings::default() });
    let mut statuses = Vec::new();
    for guess in 0..200_u32 {
        let token = format!("adj_{guess:016x}_{guess:064x}");
        let reply = place.ask(&token, "POST", "/v1/evaluate", &[JSON], ENVELOPE);
        assert_eq!(reply.error().1, "unauthorized");
        if reply.status == 429 {
            assert_eq!(
                (reply.header("retry-after"), reply.header("connection")),
                (Some("10"), Some("close"))
            );
        }
        statuses.push(reply.status);
    }
    assert_eq!(statuses[..5], [401; 5]);
    // A window may have ended meanwhile, which gives five more.
    assert!(statuses.iter().filter(|status| **status == 429).count() > 100, "{statuses:?}");
    assert_eq!(place.ask(&place.evaluate, "POST", "/v1/evaluate", &[JSON], ENVELOPE).status, 200);
}

#[test]
fn a_token_that_is_revoked_elsewhere_is_refused_by_a_server_that_runs() {
    let place = TestStore::new();
    let ask = |token: &str| place.ask(token, "POST", "/v1/evaluate", &[JSON], ENVELOPE).status;
    assert_eq!(ask(&place.evaluate), 200);
    let other = Store::open(place.slots.store().directory()).unwrap();
    let (_, late) = other.create_token("late", TokenRole::Evaluate, None, 0).unwrap();
    other.revoke_token("evaluate", 1).unwrap();
    until("the token is revoked here", || ask(&place.evaluate) != 200);
    until("the token is known here", || ask(&late) == 200);
    // A server whose store had a token is never open again.
    for name in ["admin", "late"] {
        other.revoke_token(name, 1).unwrap();
    }
    until("the last token is revoked here", || ask(&late) != 200);
    assert_eq!(post(place.server.address(), "/v1/evaluate", ENVELOPE).error().0, 401);
}

#[test]
fn the_first_token_closes_a_server_that_runs_with_the_next_request() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..5 {
        let slots = open(&directory.path().join(round.to_string()));
        let elsewhere = Store::open(slots.store().directory()).unwrap();
        let server = Server::start(ServerSettings::default(), Native::default(), Some(slots)).unwrap();
        let ask = || post(server.address(), "/v1/evaluate", ENVELOPE);
        assert_eq!(ask().status, 200);
        // The server reads its tokens twice a second: without a look at the store, the next call would pass.
        let (_, token) = elsewhere.create_token("ci", TokenRole::Evaluate, None, 0).unwrap();
        assert_eq!(ask().error(), (401, "unauthorized".to_owned()), "round {round}");
        let bearer = format!("Bearer {}", token.as_str());
        let headers = [JSON, ("authorization", bearer.as_str())];
        assert_eq!(
            Client::to(server.address()).ask(request("POST", "/v1/evaluate", &headers, ENVELOPE)).status,
            200
        );
        // Health and the description stay open.
        for path in ["/healthz", "/readyz", "/openapi.json", "/metrics"] {
            assert_eq!(get(server.address(), path).status, 200, "{path}");
        }
    }
}

#[test]
fn a_store_that_is_taken_away_is_noticed_and_not_written_to() {
    let place = TestStore::new();
    let to = place.server.address();
    let make = || place.ask(&place.admin, "PUT", "/v1/slots/late", &[JSON], r#"{"settings":{}}"#);
    let directory = place.slots.store().directory().to_owned();
    let aside = directory.with_file_name("aside");
    std::fs::rename(&directory, &aside).unwrap();
    // Written to a file that has no name any more, it would be gone with the process.
    assert_eq!(make().error(), (500, "store_fault".to_owned()));
    until("the store is gone", || get(to, "/readyz").status != 200);
    assert_eq!(get(to, "/readyz").json()["troubles"][0], "store_fault");
    std::fs::rename(&aside, &directory).unwrap();
    until("the store is back", || get(to, "/readyz").status == 200);
    assert_eq!(make().status, 200);
}

#[test]
fn without_tokens_loopback_can_call_and_not_administer() {
    let server = server();
    assert_eq!(post(server.address(), "/v1/evaluate", ENVELOPE).status, 200);
    assert_eq!(get(server.address(), "/v1/slots").error(), (401, "unauthorized".to_owned()));
    assert_eq!(get(server.address(), "/metrics").status, 200);
    let reported = Exposure { allow_local_admin: true, ..Exposure::default() };
    let server = server_with(ServerSettings { exposure: reported, ..ServerSettings::default() });
    // There is no store to administer, and no token is required.
    assert_eq!(get(server.address(), "/v1/slots").error(), (404, "not_found".to_owned()));
}

#[test]
fn other_addresses_need_tokens_and_tls() {
    let open = ServerSettings { listen: "0.0.0.0:0".parse().unwrap(), ..ServerSettings::default() };
    let start = |settings: ServerSettings| {
        Server::start(settings, Native::default(), None).map(drop).unwrap_err().code()
    };
    assert_eq!(start(open.clone()), codes::WRONG_USAGE);
    let plain = Exposure { insecure_plaintext: true, ..Exposure::default() };
    assert_eq!(start(ServerSettings { exposure: plain.clone(), ..open.clone() }), codes::WRONG_USAGE);
    let place = TestStore::with(ServerSettings::default());
    let slots = place.slots.clone();
    let refused = Server::start(open.clone(), Native::default(), Some(slots.clone())).unwrap_err();
    assert!(refused.message().contains("--tls-cert"), "{refused}");
    let server =
        Server::start(ServerSettings { exposure: plain, ..open }, Native::default(), Some(slots)).unwrap();
    let to = std::net::SocketAddr::from(([127, 0, 0, 1], server.address().port()));
    assert_eq!(get(to, "/metrics").error(), (401, "unauthorized".to_owned()));
    assert_eq!((get(to, "/healthz").status, get(to, "/readyz").status), (200, 200));
    assert_eq!(post(to, "/v1/evaluate", ENVELOPE).error().0, 401);
}

#[test]
fn token_creates_lists_and_revokes_tokens() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    let store = store.to_str().unwrap();
    let token = |args: &[&str]| run(command(&[&["token"], args, &["--store", store]].concat()));
    let (status, out, _) = token(&["create", "--role", "evaluate", "--name", "ci"]);
    assert_eq!((status, out.starts_with("adj_"), out.trim().len()), (0, true, 4 + 16 + 1 + 64));
    let secret = out.trim().rsplit('_').next().unwrap().to_owned();
    let file = directory.path().join("token");
    let path = file.to_str().unwrap();
    let create = [
        "create",
        "--role",
        "admin",
        "--name",
        "ops",
        "--expires",
        "2999-01-01T00:00:00Z",
        "--token-file",
        path,
    ];
    let (status, out, _) = token(&create);
    assert_eq!(status, 0);
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("adj_") && !out.contains(written.trim()), "{out}");
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&file).unwrap()) & 0o777, 0o600);
    // An existing file is not overwritten, and the token that was not delivered is revoked.
    let (status, _, error) = token(&["create", "--role", "admin", "--name", "lost", "--token-file", path]);
    assert_eq!(status, 74, "{error}");

    // So is a token that could not be printed.
    #[cfg(target_os = "linux")]
    {
        let mut full = command(&["token", "create", "--role", "admin", "--name", "unseen", "--store", store]);
        full.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
        assert_eq!(full.output().unwrap().status.code(), Some(74));
    }

    let (_, out, _) = token(&["list"]);
    assert!(!out.contains(&secret));
    let listed: serde_json::Value = serde_json::from_str(&out).unwrap();
    let names = |listed: &serde_json::Value| {
        let tokens = listed["tokens"].as_array().unwrap().clone();
        tokens
            .iter()
            .map(|token| (token["name"].as_str().unwrap().to_owned(), token["revoked_at"].is_null()))
            .collect::<std::collections::BTreeSet<_>>()
    };
    let of = |name: &str, valid| (name.to_owned(), valid);
    let unseen = cfg!(target_os = "linux").then(|| of("unseen", false));
    let expected = [of("ci", true), of("ops", true), of("lost", false)].into_iter().chain(unseen);
    assert_eq!(names(&listed), expected.collect());
    assert_eq!(token(&["revoke", "ci"]).0, 0);
    let listed = serde_json::from_str(&token(&["list"]).1).unwrap();
    assert!(names(&listed).contains(&of("ci", false)));
    let (_, table, _) = token(&["list", "--format", "table"]);
    assert!(table.contains("ops") && table.contains("until 2999") && table.contains("revoked 2"), "{table}");
    for wrong in [
        &["revoke", "nobody"][..],
        &["create", "--role", "root", "--name", "x"],
        &["create", "--role", "admin", "--name", ""],
        &["create", "--role", "admin", "--name", "ops"],
        &["create", "--role", "admin", "--name", "old", "--expires", "2001-01-01T00:00:00Z"],
        &["create", "--role", "admin", "--name", "x", "--expires", "tomorrow"],
    ] {
        let (status, out, error) = token(wrong);
        assert_eq!((status, out.as_str()), (64, ""), "{wrong:?}");
        assert!(error.contains("wrong_usage"), "{error}");
    }
}
