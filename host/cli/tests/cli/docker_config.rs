//! `push` and `pull` read credentials from the docker config file and its helpers.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};

use crate::{
    command::{Run, TestFolder},
    registry::{Answer, ReceivedRequest, Server},
    sign_in::{BASIC, SECRET, basic, command, keeping, tells_no_secret},
};

/// Pulls with this docker config file.
fn with_config(place: &TestFolder, server: &Server, config: &Value) -> Run {
    fs::create_dir_all(place.path("docker")).unwrap();
    place.file("docker/config.json", config.to_string());
    let mut command = command(place, server, &[]);
    command.env("DOCKER_CONFIG", place.path("docker")).env("PATH", place.path("bin")).output().unwrap().into()
}

/// A credential helper, as docker runs it.
fn helper(place: &TestFolder, script: &str) {
    fs::create_dir_all(place.path("bin")).unwrap();
    let path = place.file("bin/docker-credential-test", format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn credentials_of_the_docker_config_file_are_used() {
    let (place, server) = (TestFolder::new(), basic());
    let (host, encoded) = (server.host(), BASIC.strip_prefix("Basic ").unwrap());
    let found = [
        json!({"auths": {&host: {"auth": encoded}}}),
        json!({"auths": {format!("http://{host}/v2/"): {"auth": encoded}}, "HttpHeaders": {}}),
        json!({"auths": {&host: {"username": "ci", "password": SECRET}}}),
        json!({"auths": {&host: {}}, "credsStore": "test"}),
        json!({"auths": {&host: {"auth": "d3Jvbmc6d3Jvbmc="}}, "credHelpers": {&host: "test"}}),
    ];
    helper(
        &place,
        &format!(
            r#"read -r asked; [ "$1 $asked" = "get {host}" ] && echo '{{"Username":"ci","Secret":"{SECRET}"}}'"#
        ),
    );
    for config in found {
        let run = with_config(&place, &server, &config);
        assert_eq!(run.status, Some(0), "{config} {run:?}");
    }
    // The command line takes precedence.
    let config = json!({"credHelpers": {&host: "missing"}});
    place.file("docker/config.json", config.to_string());
    place.file("password", SECRET);
    let mut reported = command(&place, &server, &["--username", "ci", "--password-file", "password"]);
    assert_eq!(reported.env("DOCKER_CONFIG", place.path("docker")).output().unwrap().status.code(), Some(0));
    // Its other place.
    fs::create_dir_all(place.path(".docker")).unwrap();
    place.file(".docker/config.json", json!({"auths": {&host: {"auth": encoded}}}).to_string());
    let mut home = command(&place, &server, &[]);
    assert_eq!(home.env("HOME", place.path("")).output().unwrap().status.code(), Some(0));
}

#[test]
fn missing_and_broken_docker_credentials_are_reported() {
    let (place, server) = (TestFolder::new(), basic());
    let host = server.host();
    let refused = |config: &Value, code: &str| {
        let run = with_config(&place, &server, config);
        assert_eq!(run.code(), code, "{config} {run:?}");
        tells_no_secret(&run);
        run.stderr
    };
    refused(&json!({}), "unauthorized");
    refused(&json!({"auths": {"other.example": {"auth": "eDp5"}}}), "unauthorized");
    refused(&json!({"auths": {&host: {"auth": "%%%"}}}), "unreadable_input");
    refused(&json!({"auths": []}), "unreadable_input");
    refused(&json!(7), "unreadable_input");
    let output = refused(&json!({"credHelpers": {&host: "missing"}}), "unreadable_input");
    assert!(output.contains("cannot be run") && output.contains("--username"), "{output}");
    let helped = json!({"credsStore": "test"});
    helper(&place, "read -r _; echo 'credentials not found in native keychain'; exit 1");
    refused(&helped, "unauthorized");
    helper(&place, &format!("read -r _; echo '{SECRET}'; echo '{SECRET}' >&2; exit 1"));
    let output = refused(&helped, "unreadable_input");
    assert!(output.contains("`docker-credential-test`"), "{output}");
    helper(&place, &format!("read -r _; echo '{SECRET}'"));
    refused(&helped, "unreadable_input");
}

#[test]
fn an_identity_token_gets_a_token() {
    let issuer = Server::start(|asked: &ReceivedRequest| {
        let expected = "service=s&scope=repository%3Aacme%2Fgate%3Apull&grant_type=refresh_token&client_id=adjudicate&refresh_token=refresh-me";
        let is_form = asked.head["content-type"] == "application/x-www-form-urlencoded";
        match asked.method == "POST" && is_form && asked.body == expected.as_bytes() {
            true => Answer::ok(r#"{"access_token":"a-token"}"#),
            false => Answer::status(400),
        }
    });
    let challenge = format!(r#"Bearer realm="http://{}/token",service="s""#, issuer.host());
    let server = keeping("Bearer a-token", challenge);
    let config = json!({"auths": {server.host(): {"identitytoken": "refresh-me"}}});
    let run = with_config(&TestFolder::new(), &server, &config);
    assert_eq!(run.status, Some(0), "{run:?}");
    tells_no_secret(&run);
}
