//! The credentials of `push` and `pull`: where they go, and where they never appear.

use std::process::Command;

use serde_json::json;

use crate::{
    command::{Run, TestFolder},
    modules::good,
    registry::{Answer, Server, Stock},
};

pub(crate) const SECRET: &str = "correct horse";
/// `ci:correct horse` in base64.
pub(crate) const BASIC: &str = "Basic Y2k6Y29ycmVjdCBob3JzZQ==";

fn wanting(challenge: &str) -> Answer {
    Answer::status(401).with("www-authenticate", challenge)
}

/// A registry that returns a module to requests with this authorization.
pub(crate) fn keeping(authorization: &'static str, challenge: String) -> Server {
    let stock = Stock::new(&good());
    Server::start(move |asked| match asked.authorization() == Some(authorization) {
        true => stock.answer(asked),
        false => wanting(&challenge),
    })
}

pub(crate) fn basic() -> Server {
    keeping(BASIC, r#"Basic realm="registry""#.to_owned())
}

pub(crate) fn command(place: &TestFolder, server: &Server, more: &[&str]) -> Command {
    let reference = format!("{}/acme/gate:1", server.host());
    place.command(&[&["pull", &reference, "--plain-http", "-o", "gate.wasm"], more].concat())
}

/// Pulls with the password of a file.
fn pull(place: &TestFolder, server: &Server, password: &str) -> Run {
    place.file("password", format!("{password}\n"));
    command(place, server, &["--username", "ci", "--password-file", "password"]).output().unwrap().into()
}

/// Asserts that the output does not contain the secret in any form.
pub(crate) fn tells_no_secret(run: &Run) {
    for secret in [SECRET, "Y2k6Y29ycmVjdCBob3JzZQ", "a-token", "refresh-me"] {
        assert!(!run.stdout.contains(secret) && !run.stderr.contains(secret), "{run:?}");
    }
}

#[test]
fn a_password_is_sent_only_on_request() {
    let (place, server) = (TestFolder::new(), basic());
    assert_eq!(pull(&place, &server, SECRET).status, Some(0));
    // The first request has no password; after the challenge, every request has it.
    let reported: Vec<bool> = server.asked().iter().map(|asked| asked.authorization().is_some()).collect();
    assert_eq!(reported, [false, true, true, true]);

    let wrong = pull(&place, &server, "wrong");
    assert_eq!(wrong.code(), "unauthorized");
    let anonymous: Run = command(&place, &server, &[]).output().unwrap().into();
    assert_eq!(anonymous.code(), "unauthorized");

    let reference = format!("{}/acme/gate:1", server.host());
    let args = ["pull", &reference, "--plain-http", "-o", "b.wasm", "--username", "ci", "--password-stdin"];
    assert_eq!(place.process_with(&args, SECRET.as_bytes()).status, Some(0));
    assert_eq!(place.process_with(&args, b"").code(), "unreadable_input");
    assert_eq!(place.process_with(&args, b"a\nb\n").code(), "unauthorized");
    let colon = ["--username", "c:i", "--password-file", "password"];
    let run: Run = command(&place, &server, &colon).output().unwrap().into();
    assert_eq!(run.code(), "wrong_usage");
    for args in [["--username", "ci"], ["--password-file", "password"], ["--ca", "none.pem"]] {
        let run: Run = command(&place, &server, &args).output().unwrap().into();
        assert_eq!(run.code(), "wrong_usage", "{args:?}");
    }
}

#[test]
fn a_password_gets_a_token_for_this_repository_only() {
    let issuer = Server::start(|asked| match asked.authorization() {
        Some(BASIC) => Answer::ok(r#"{"token":"a-token","expires_in":300,"issued_at":"now"}"#),
        None => Answer::ok(r#"{"access_token":"for-anybody"}"#),
        Some(_) => Answer::status(401),
    });
    let challenge = format!(
        r#"Bearer realm="http://{}/token",service="s p",scope="repository:other:push,delete""#,
        issuer.host()
    );
    let place = TestFolder::new();
    let server = keeping("Bearer a-token", challenge.clone());
    let run = pull(&place, &server, SECRET);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(issuer.paths(), ["GET /token?service=s+p&scope=repository%3Aacme%2Fgate%3Apull"]);
    // The registry never gets the password.
    assert!(server.asked().iter().all(|asked| asked.authorization() != Some(BASIC)));
    assert_eq!(pull(&place, &server, "wrong").code(), "unauthorized");

    let open = keeping("Bearer for-anybody", challenge);
    assert_eq!(command(&place, &open, &[]).output().unwrap().status.code(), Some(0));

    place.file("gate.wasm", good());
    let reference = format!("{}/acme/gate:1", server.host());
    place.process(&["push", "gate.wasm", &reference, "--plain-http"]);
    let last = issuer.paths().pop().unwrap();
    assert!(last.ends_with("scope=repository%3Aacme%2Fgate%3Apull%2Cpush"), "{last}");
}

#[test]
fn credentials_are_sent_to_no_other_server() {
    let stock = Stock::new(&good());
    let there = stock.clone();
    let elsewhere = Server::start(move |asked| there.answer(asked));
    let host = elsewhere.host();
    let server = Server::start(move |asked| match (asked.authorization(), asked.path.contains("blobs")) {
        (None, _) => wanting("Basic realm=x"),
        (_, true) => Answer::status(302).with("location", format!("http://{host}{}", asked.path)),
        _ => stock.answer(asked),
    });
    assert_eq!(pull(&TestFolder::new(), &server, SECRET).status, Some(0));
    assert!(elsewhere.asked().iter().all(|asked| asked.authorization().is_none()));
    assert_eq!(elsewhere.asked().len(), 2);

    // The credentials are not sent if another server asks for them, or to the target of an upload.
    let asking = Server::start(|_| wanting("Basic realm=x"));
    let host = asking.host();
    let server = Server::start(move |asked| match asked.authorization() {
        None => wanting("Basic realm=x"),
        _ if asked.method == "HEAD" => Answer::status(404),
        _ if asked.method == "POST" => Answer::status(202).with("location", format!("http://{host}/here")),
        _ => Answer::status(302).with("location", format!("http://{host}/there")),
    });
    let place = TestFolder::new();
    assert_eq!(pull(&place, &server, SECRET).code(), "unauthorized");
    place.file("gate.wasm", good());
    let reference = format!("{}/acme/gate:1", server.host());
    let credentials = ["--username", "ci", "--password-file", "password"];
    let run = place.process(&[&["push", "gate.wasm", &reference, "--plain-http"], &credentials[..]].concat());
    assert_eq!(run.code(), "unauthorized");
    assert_eq!(asking.asked().len(), 2);
    assert!(asking.asked().iter().all(|asked| asked.authorization().is_none()));
}

#[test]
fn no_answer_makes_a_secret_known_or_a_panic() {
    let place = TestFolder::new();
    // It repeats the request.
    let echo = Server::start(|asked| match asked.authorization() {
        None => wanting("Basic realm=x"),
        Some(reported) => Answer::Whole {
            status: 403,
            head: Vec::new(),
            body: json!({"errors": [{"message": format!("{reported} is {SECRET}")}]}).to_string().into(),
        },
    });
    let run = pull(&place, &echo, SECRET);
    assert_eq!(run.code(), "forbidden");
    assert!(run.stderr.contains("Basic *** is ***"), "{run:?}");
    tells_no_secret(&run);
    let tokens = [
        r#"{"token":"a-token\nx: y"}"#,
        r#"{"token":"a-token"#,
        r#"{"token":7}"#,
        r#"{"token":""}"#,
        "a-token",
        "",
        "[]",
    ];
    for text in tokens {
        let issuer = Server::start(move |_| Answer::ok(text));
        let challenge = format!(r#"Bearer realm="http://{}/token""#, issuer.host());
        let server = keeping("Bearer never", challenge);
        let run = pull(&place, &server, SECRET);
        assert!(matches!(run.code().as_str(), "unauthorized" | "unreadable_input"), "{run:?}");
        tells_no_secret(&run);
    }
    let realms = ["", "file:///etc/passwd", "http://", "ftp://a.b/", "http://[", "javascript:alert(1)"];
    for realm in realms {
        let run = pull(&place, &keeping("never", format!("Bearer realm=\"{realm}\"")), SECRET);
        assert_eq!(run.code(), "unreadable_input", "{realm}");
        tells_no_secret(&run);
    }
    for challenge in ["", "Bearer", "Negotiate", "Basic realm=\"", "\u{ff}"] {
        let run = pull(&place, &keeping("never", challenge.to_owned()), SECRET);
        assert_eq!(run.code(), "unauthorized", "{challenge}");
        tells_no_secret(&run);
    }
    // A registry that rejects every token gets two requests, and an issuer cannot redirect.
    let never = Server::start(|_| wanting("Basic realm=x"));
    assert_eq!(pull(&place, &never, SECRET).code(), "unauthorized");
    assert_eq!(never.asked().len(), 2);
    let other = Server::start(|_| Answer::ok(r#"{"token":"a-token"}"#));
    let host = other.host();
    let issuer = Server::start(move |_| Answer::status(302).with("location", format!("http://{host}/")));
    let server = keeping("Bearer a-token", format!(r#"Bearer realm="http://{}/""#, issuer.host()));
    assert_eq!(pull(&place, &server, SECRET).code(), "unreadable_input");
    assert!(other.asked().is_empty());
    // A token without end.
    let issuer = Server::start(|_| {
        Answer::raw(|to| {
            use std::io::Write;
            let _ = to.write_all(b"HTTP/1.1 200 x\r\n\r\n");
            while to.write_all(&[b' '; 4096]).is_ok() {}
        })
    });
    let server = keeping("Bearer a-token", format!(r#"Bearer realm="http://{}/""#, issuer.host()));
    assert_eq!(pull(&place, &server, SECRET).code(), "unreadable_input");
}
